package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/fencelint/fencelint/internal/models"
)

// Name is the name of the file, at the root of the main module.
const Name = ".fencelint.yml"

// Config is what a module asks for. The zero value is not useful; see Default.
type Config struct {
	File string // the file it was read from; "" for the defaults
	Root string // what its paths are relative to, absolute; "" for the defaults

	Enable, Disable []string           // rules; Enable empty means all but the optional ones
	Optional        []string           // rules that run only when Enable names them, or all; from the program, not the file
	Confidence      finding.Confidence // findings below are left out
	Exclude         []string           // globs of files that are not reported, see Excluded
	Generated       bool               // whether generated files are reported
	Tests           bool               // whether test files are analysed
	Models          []string           // files of rows, relative to Root
	SharedPaths     []string           // file paths that several hosts share
}

// Default returns the settings of a module without a file.
func Default() *Config {
	return &Config{Confidence: finding.Medium, Tests: true}
}

// Find reads the file at root, the directory of the main module. A module
// without one has the defaults.
func Find(root string, rules []string) (*Config, error) {
	cfg, err := Read(filepath.Join(root, Name), rules)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	return cfg, err
}

// Read reads one file. Rules are the names that enable and disable may use.
func Read(file string, rules []string) (*Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	cfg, err := parse(file, data, rules)
	if err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("finding the configuration: %w", err)
	}
	cfg.File, cfg.Root = abs, filepath.Dir(abs)
	return cfg, nil
}

// Sources reads the model files.
func (c *Config) Sources() ([]models.Source, error) {
	var sources []models.Source
	for _, name := range c.Models {
		data, err := os.ReadFile(c.abs(name))
		if err != nil {
			return nil, fmt.Errorf("%s: reading models: %w", filepath.Base(c.File), err)
		}
		sources = append(sources, models.Source{Name: name, Data: data})
	}
	return sources, nil
}

// Files returns every file that the settings come from, for hashing.
func (c *Config) Files() []string {
	if c.File == "" {
		return nil
	}
	files := []string{c.File}
	for _, name := range c.Models {
		files = append(files, c.abs(name))
	}
	return files
}

func (c *Config) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(c.Root, filepath.FromSlash(name))
}

// Enabled reports whether a rule is to run. A name counts more than "all", so
// that both "all but one" and "one alone" can be said.
func (c *Config) Enabled(rule string) bool {
	switch {
	case slices.Contains(c.Disable, rule):
		return false
	case slices.Contains(c.Enable, rule):
		return true
	case slices.Contains(c.Disable, All):
		return false
	}
	if len(c.Enable) == 0 {
		return !slices.Contains(c.Optional, rule)
	}
	return slices.Contains(c.Enable, All)
}

// Choose lets the lists of the command line win: enable replaces both lists of
// the file, disable alone adds to them.
func (c *Config) Choose(enable, disable []string) {
	if len(enable) > 0 {
		c.Enable, c.Disable = enable, nil
	}
	c.Disable = append(slices.Clip(c.Disable), disable...)
}

// All stands for every rule in enable and disable.
const All = "all"

// CheckRules returns an error that names the first of list that is no rule.
func CheckRules(list, rules []string) error {
	for _, name := range list {
		if name != All && !slices.Contains(rules, name) {
			return fmt.Errorf("there is no rule %q; there are %s", name, strings.Join(rules, ", "))
		}
	}
	return nil
}
