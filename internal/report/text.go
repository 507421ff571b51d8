package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// writeText writes what a person reads on a terminal: the finding in the form
// that editors jump to, its line with a caret, and the steps that led there.
func writeText(w io.Writer, doc *Document, o Options) error {
	out := bufio.NewWriter(w)
	src := newSources(o.Dir)
	paint := palette(o.Color)
	for _, f := range doc.Findings {
		at := f.Location
		fmt.Fprintf(out, "%s %s: %s %s\n", paint.bold(place(at)+":"), paint.rule(f.Rule+" ("+f.Category+")"), f.Message, paint.faint("["+f.Confidence+"]"))
		if line := src.line(at.Path, at.Start.Line); strings.TrimSpace(line) != "" {
			shown := strings.TrimLeft(line, " \t")
			fmt.Fprintf(out, "\t%s\n\t%s\n", shown, paint.caret(caret(line, shown, at)))
		}
		for _, step := range f.Related {
			fmt.Fprintf(out, "\t%s %s\n", paint.faint(place(step.Location)+":"), step.Message)
		}
		for _, fix := range f.Fixes {
			fmt.Fprintf(out, "\tfix: %s\n", fix.Message)
		}
		if o.Verbose {
			for _, link := range f.Links {
				fmt.Fprintf(out, "\tknown: %s\n", link)
			}
		}
	}
	for _, l := range doc.Limits {
		if o.Verbose {
			fmt.Fprintf(out, "%s limited on purpose: %s\n", paint.bold(place(l.Location)+":"), l.Reason)
		}
	}
	return out.Flush()
}

func place(l Location) string {
	return fmt.Sprintf("%s:%d:%d", l.Path, l.Start.Line, l.Start.Column)
}

// caret underlines a location below shown, which is line without its indent.
func caret(line, shown string, l Location) string {
	start := min(max(l.Start.Column-1-(len(line)-len(shown)), 0), len(shown))
	end := len(shown)
	if l.End.Line == l.Start.Line {
		end = min(max(l.End.Column-1-(len(line)-len(shown)), start), end)
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, shown[:start])
	return pad + "^" + strings.Repeat("~", max(utf8.RuneCountInString(shown[start:end])-1, 0))
}

// palette writes escape codes, or none.
type palette bool

func (p palette) code(code, s string) string {
	if !p {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p palette) bold(s string) string  { return p.code("1", s) }
func (p palette) rule(s string) string  { return p.code("31", s) }
func (p palette) caret(s string) string { return p.code("32", s) }
func (p palette) faint(s string) string { return p.code("2", s) }
