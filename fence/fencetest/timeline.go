package fencetest

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// A Timeline collects what several processes do, for people to read. The zero
// value is ready; it is safe for concurrent use.
type Timeline struct {
	mu    sync.Mutex
	begin time.Time
	lines []string
}

// Add notes that who did something, at the present time.
func (t *Timeline) Add(who, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.begin.IsZero() {
		t.begin = time.Now()
	}
	t.lines = append(t.lines, fmt.Sprintf("%8.3fs  %-10s %s", time.Since(t.begin).Seconds(), who, fmt.Sprintf(format, args...)))
}

// String returns one line for each event, in order; times count from the first.
func (t *Timeline) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
