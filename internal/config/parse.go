package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fencelint/fencelint/internal/finding"
	"go.yaml.in/yaml/v3"
)

// parse reads the text of a file. Every error names the file and, but for an
// empty one, the line.
func parse(file string, data []byte, rules []string) (*Config, error) {
	cfg := Default()
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, syntaxError(file, err)
	}
	if len(doc.Content) == 0 {
		return cfg, nil // an empty file, or comments alone
	}
	p := parser{file: filepath.Base(file), rules: rules}
	if root := doc.Content[0]; root.Tag != "!!null" {
		p.mapping(root, "", map[string]func(*yaml.Node){
			"rules": func(n *yaml.Node) {
				p.mapping(n, "rules.", map[string]func(*yaml.Node){
					"enable":  func(n *yaml.Node) { cfg.Enable = p.list(n, p.rule) },
					"disable": func(n *yaml.Node) { cfg.Disable = p.list(n, p.rule) },
				})
			},
			"confidence": func(n *yaml.Node) {
				level, ok := finding.ParseConfidence(p.text(n))
				if !ok {
					p.fail(n, "confidence is high, medium or low, not %q", n.Value)
				}
				cfg.Confidence = level
			},
			"exclude":      func(n *yaml.Node) { cfg.Exclude = p.list(n, checkGlob) },
			"generated":    func(n *yaml.Node) { cfg.Generated = p.boolean(n) },
			"tests":        func(n *yaml.Node) { cfg.Tests = p.boolean(n) },
			"models":       func(n *yaml.Node) { cfg.Models = p.list(n, notEmpty) },
			"shared-paths": func(n *yaml.Node) { cfg.SharedPaths = p.list(n, notEmpty) },
		})
	}
	if p.err != nil {
		return nil, p.err
	}
	return cfg, nil
}

// parser walks the nodes of a file and keeps the first error.
type parser struct {
	file  string
	rules []string
	err   error
}

func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d: %s", p.file, n.Line, fmt.Sprintf(format, args...))
	}
}

func (p *parser) mapping(n *yaml.Node, path string, keys map[string]func(*yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		name := strings.TrimSuffix(path, ".")
		if name == "" {
			name = "the file"
		}
		p.fail(n, "%s holds settings, not %s", name, kind(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read, ok := keys[key.Value]
		switch {
		case !ok:
			p.fail(key, "unknown setting %q; known are %s", path+key.Value, known(path))
		case seen[key.Value]:
			p.fail(key, "setting %q is given twice", path+key.Value)
		default:
			seen[key.Value] = true
			read(value)
		}
	}
}

// known lists the settings below a path in the order of the documentation.
func known(path string) string {
	if path == "rules." {
		return "enable, disable"
	}
	return "rules, confidence, exclude, generated, tests, models, shared-paths"
}

// list reads a sequence of strings, or one string alone.
func (p *parser) list(n *yaml.Node, check func(string) error) []string {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n = &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Content: []*yaml.Node{n}}
	}
	if n.Kind != yaml.SequenceNode {
		p.fail(n, "a list of words is needed, not %s", kind(n))
		return nil
	}
	var words []string
	for _, elem := range n.Content {
		word := p.text(elem)
		if err := check(word); err != nil {
			p.fail(elem, "%s", err)
		}
		words = append(words, word)
	}
	return words
}

func (p *parser) rule(name string) error { return CheckRules([]string{name}, p.rules) }

func notEmpty(s string) error {
	if s == "" {
		return errors.New("a path is needed, not an empty word")
	}
	return nil
}

func (p *parser) text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		p.fail(n, "a word is needed, not %s", kind(n))
	}
	return n.Value
}

func (p *parser) boolean(n *yaml.Node) bool {
	var b bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&b) != nil {
		p.fail(n, "true or false is needed, not %s", kind(n))
	}
	return b
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "settings"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// lineOf finds the line in an error of the YAML library.
var lineOf = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)

func syntaxError(file string, err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", " ")
	line := "1"
	if m := lineOf.FindStringSubmatch(text); m != nil {
		line, text = m[1], text[len(m[0]):]
	}
	return fmt.Errorf("%s:%s: %s", filepath.Base(file), line, strings.TrimPrefix(text, "yaml: "))
}
