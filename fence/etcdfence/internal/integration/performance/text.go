package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"
)

// A page is all that was measured.
type page struct {
	version  string
	fsync    bool
	calls    int
	span     time.Duration
	runs     int
	sections []section
}

// busy is the time of a plain Put without delay, above which the machine has
// too much other work: on an idle one it is well below a millisecond.
const busy = 3 * time.Millisecond

const busyNote = "**The machine was overloaded by other work: a Put alone took milliseconds. These figures scatter too much to\n" +
	"tell the forms apart, and neither show nor refute a cost. Make the page again on a quiet machine.**\n\n"

// A section is what was measured at one round trip.
type section struct {
	delay         time.Duration
	writes, locks []latency
	clients       []int
	rates         [][]float64 // by clients, by form of a write
}

func (p page) text() string {
	disk := "that does not wait for its disk (`-fsync` lets it)"
	if p.fsync {
		disk = "that waits for its disk"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What fencing costs on etcd\n\n")
	fmt.Fprintf(&b, "Made by\n\n    go run ./fence/etcdfence/internal/integration/performance > docs/performance-fence-etcd.md\n\n")
	fmt.Fprintf(&b, "with etcd %s, one member %s, on loopback through the proxy of the tests, %d cores, %s.\n", p.version, disk, runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(&b, "Times depend on the machine and its other work, which shows most in p99 and least in p10; compare the ratios. Every call is one request to etcd, except those of locks.\n"+
		"All writes put the same small value. `Txn` is a transaction that compares nothing, the same request as a fenced one without its fence.\n\n")
	if p50 := p.sections[0].writes[0].p50; p50 > busy {
		fmt.Fprint(&b, busyNote)
	}
	for _, s := range p.sections {
		s.text(&b, p)
	}
	fmt.Fprintf(&b, "A `Locker` takes a lease for each lock, so that it ends by itself and alone: grant, transaction, transaction, and a\n"+
		"revocation that nobody waits for. A session for each Mutex is the like of it. One session for all locks of a process is\n"+
		"cheaper, and ends them all together; `OfMutex` fences it as it is.\n")
	return b.String()
}

func (s section) text(b *strings.Builder, p page) {
	title := "No delay"
	if s.delay > 0 {
		title = fmt.Sprintf("%v more for a round trip", s.delay)
	}
	fmt.Fprintf(b, "## %s\n\nOne client, %d calls of each form, call by call in turn:\n\n", title, p.calls)
	table(b, s.writes, 2)
	fmt.Fprintf(b, "Calls a second with several clients, median of %d runs of %v each, in turn:\n\n| form |", p.runs, p.span)
	for _, n := range s.clients {
		fmt.Fprintf(b, " %d | ÷ Txn |", n)
	}
	fmt.Fprintf(b, "\n|-|%s\n", strings.Repeat("-:|-:|", len(s.clients)))
	for i, w := range s.writes {
		fmt.Fprintf(b, "| %s |", w.name)
		for c := range s.clients {
			fmt.Fprintf(b, " %.0f | %.2f |", s.rates[c][i], s.rates[c][i]/s.rates[c][1])
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintf(b, "\nAcquire and release, one client, %d pairs of each:\n\n", p.calls/3)
	table(b, s.locks, 2)
}

// table shows each form beside the first ones.
func table(b *strings.Builder, all []latency, beside int) {
	fmt.Fprintf(b, "| form | p10 | p50 | p99 |")
	for _, l := range all[:beside] {
		name := strings.TrimPrefix(l.name, "concurrency.")
		fmt.Fprintf(b, " p10 ÷ %s | p50 ÷ %s |", name, name)
	}
	fmt.Fprintf(b, "\n|-|-:|-:|-:|%s\n", strings.Repeat("-:|-:|", beside))
	for _, l := range all {
		fmt.Fprintf(b, "| %s | %d µs | %d µs | %d µs |", l.name, l.p10.Microseconds(), l.p50.Microseconds(), l.p99.Microseconds())
		for _, o := range all[:beside] {
			fmt.Fprintf(b, " %.2f | %.2f |", float64(l.p10)/float64(o.p10), float64(l.p50)/float64(o.p50))
		}
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b)
}
