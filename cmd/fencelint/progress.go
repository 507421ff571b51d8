package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// progress tells on standard error what a run does: notes with -v, and on a
// terminal a line that replaces itself.
type progress struct {
	w       io.Writer
	verbose bool
	live    bool

	mu   sync.Mutex
	open bool // whether a line waits to be replaced
}

func newProgress(w io.Writer, verbose bool) *progress {
	return &progress{w: w, verbose: verbose, live: isTerminal(w)}
}

func (p *progress) note(format string, args ...any) {
	if !p.verbose {
		return
	}
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "fencelint: %s\n", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}

func (p *progress) stage(name string) {
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live {
		fmt.Fprintf(p.w, "fencelint: %s...", name)
		p.open = true
	}
}

func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.open = false
	}
}

// isTerminal reports whether w is a character device that knows escape codes.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
