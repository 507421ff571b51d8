package models

import (
	"bytes"
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.tsv
var embedded embed.FS

// A Source is a file of rows.
type Source struct {
	Name string // for messages
	Data []byte
}

// A Catalogue knows APIs by package path. Its methods may be used
// concurrently; the rows that they return are shared and must not be changed.
type Catalogue struct {
	pkgs map[string]*pkg
}

// A pkg holds the sections of one package path and, once somebody asked,
// their rows.
type pkg struct {
	path     string
	sections []*section

	once   sync.Once
	rows   []*Row
	byName map[name][]*Row
	err    error
}

type name struct{ recv, name string }

// A section is a stretch of a file under one header.
type section struct {
	file  string
	text  []byte // the whole file
	start int    // of the header line
	end   int    // of the section
	store string
	own   bool // of the user: replaces rows of the embedded data
}

// Load returns the catalogue of the embedded data and of extra sources. A row
// of an extra source replaces all embedded rows of the same function. The
// error names the file, the line, what is wrong and what is allowed; only
// extra sources can cause one.
func Load(extra ...Source) (*Catalogue, error) {
	c := &Catalogue{pkgs: make(map[string]*pkg)}
	files, err := embedded.ReadDir("data")
	if err != nil {
		return nil, fmt.Errorf("read embedded models: %w", err)
	}
	for _, f := range files {
		data, err := embedded.ReadFile("data/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read embedded models: %w", err)
		}
		family := strings.TrimSuffix(f.Name(), path.Ext(f.Name()))
		if err := c.index(Source{f.Name(), data}, family, false); err != nil {
			return nil, err
		}
	}
	for _, src := range extra {
		if err := c.index(src, "", true); err != nil {
			return nil, err
		}
	}
	for _, p := range c.pkgs {
		if slices.ContainsFunc(p.sections, func(s *section) bool { return s.own }) {
			if p.once.Do(p.parse); p.err != nil {
				return nil, p.err
			}
		}
	}
	return c, nil
}

// index records where the sections of a file begin, without parsing rows.
func (c *Catalogue) index(src Source, family string, own bool) error {
	start := nextHeader(src.Data, 0)
	for i, line := range bytes.Split(src.Data[:start], []byte{'\n'}) {
		if !isComment(string(line)) {
			return fmt.Errorf("%s:%d: a row comes before the first [package/path]", src.Name, i+1)
		}
	}
	for start < len(src.Data) {
		line, _, _ := bytes.Cut(src.Data[start:], []byte{'\n'})
		h, err := parseHeader(string(line))
		if err != nil {
			return fmt.Errorf("%s: %w", position(src, start), err)
		}
		if h.store == "" {
			h.store = family
		}
		end := nextHeader(src.Data, start+1)
		s := &section{file: src.Name, text: src.Data, start: start, end: end, store: h.store, own: own}
		for _, p := range h.pkgs {
			if c.pkgs[p] == nil {
				c.pkgs[p] = &pkg{path: p}
			}
			c.pkgs[p].sections = append(c.pkgs[p].sections, s)
		}
		start = end
	}
	return nil
}

// nextHeader returns the offset of the first line that begins with [ at or
// after pos, the length of data if there is none.
func nextHeader(data []byte, pos int) int {
	if pos == 0 && bytes.HasPrefix(data, []byte{'['}) {
		return 0
	}
	if i := bytes.Index(data[pos:], []byte("\n[")); i >= 0 {
		return pos + i + 1
	}
	return len(data)
}

func position(src Source, offset int) string {
	return fmt.Sprintf("%s:%d", src.Name, 1+bytes.Count(src.Data[:offset], []byte{'\n'}))
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || line[0] == '#'
}

// parse fills rows and byName from the sections.
func (p *pkg) parse() {
	var kept []*Row
	own := make(map[name]bool)
	for _, s := range slices.Backward(p.sections) { // the user's come last
		rows, err := s.parse(p.path)
		if err != nil {
			p.err = err
			return
		}
		for _, r := range rows {
			if s.own {
				own[name{r.Recv, r.Name}] = true
			}
		}
		if !s.own {
			rows = slices.DeleteFunc(rows, func(r *Row) bool { return own[name{r.Recv, r.Name}] })
		}
		kept = append(rows, kept...)
	}
	p.rows = kept
	p.byName = make(map[name][]*Row, len(kept))
	for _, r := range kept {
		n := name{r.Recv, r.Name}
		p.byName[n] = append(p.byName[n], r)
	}
}

func (s *section) parse(pkgPath string) ([]*Row, error) {
	var rows []*Row
	number := 1 + bytes.Count(s.text[:s.start], []byte{'\n'})
	body := string(s.text[s.start:s.end])
	for line := range strings.SplitSeq(body, "\n") {
		if !isComment(line) && line[0] != '[' {
			parsed, err := parseLine(line)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", s.file, number, err)
			}
			source := fmt.Sprintf("%s:%d", s.file, number)
			for _, r := range parsed {
				r.Pkg, r.Store, r.Source = pkgPath, s.store, source
			}
			rows = append(rows, parsed...)
		}
		number++
	}
	return rows, nil
}

// lookup returns the parsed package, nil when nothing is known about it.
func (c *Catalogue) lookup(pkgPath string) *pkg {
	p := c.pkgs[unvendor(pkgPath)]
	if p == nil {
		return nil
	}
	p.once.Do(p.parse)
	return p
}

// unvendor returns the import path of a vendored package.
func unvendor(pkgPath string) string {
	if i := strings.LastIndex(pkgPath, "/vendor/"); i >= 0 {
		return pkgPath[i+len("/vendor/"):]
	}
	return strings.TrimPrefix(pkgPath, "vendor/")
}

// Knows reports whether the catalogue has rows of the package. It parses
// nothing, so that it can be asked for every import.
func (c *Catalogue) Knows(pkgPath string) bool { return c.pkgs[unvendor(pkgPath)] != nil }

// IsClient reports whether the catalogue itself, not the user or what was
// inferred of the user's code, has rows of the package.
func (c *Catalogue) IsClient(pkgPath string) bool {
	p := c.pkgs[unvendor(pkgPath)]
	return p != nil && slices.ContainsFunc(p.sections, func(s *section) bool { return !s.own })
}

// TakesLease reports whether a row of the package can begin the holding of a
// lease. Packages such as time, context and net/http are known and take none:
// a package that imports nothing else of the catalogue needs no further look.
func (c *Catalogue) TakesLease(pkgPath string) bool {
	p := c.lookup(pkgPath)
	return p != nil && slices.ContainsFunc(p.rows, func(r *Row) bool { return r.Role.TakesLease() })
}

// Rows returns the rows whose full name (pkg.Recv.Name), role or store
// matches the pattern, sorted by name: all for "", equality for a role or
// store, else a glob over the full name when the pattern has one of *?[, or
// a part of the full name. A * matches slashes too.
func (c *Catalogue) Rows(pattern string) []*Row {
	var rows []*Row
	for p := range c.pkgs {
		for _, r := range c.lookup(p).rows {
			if r.matches(pattern) {
				rows = append(rows, r)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b *Row) int { return strings.Compare(a.String(), b.String()) })
	return rows
}

func (r *Row) matches(pattern string) bool {
	if pattern == "" || pattern == string(r.Role) || pattern == r.Store {
		return true
	}
	full := r.String()
	if strings.ContainsAny(pattern, "*?[") {
		ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(full, "/", "\x00"))
		return err == nil && ok
	}
	return strings.Contains(full, pattern)
}
