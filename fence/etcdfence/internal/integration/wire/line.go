package wire

import (
	"io"
	"time"
)

// A line delivers what is sent on it after a delay, in order, while more is
// sent.
type line struct {
	to    io.Writer
	delay time.Duration
	queue chan parcel
	done  chan struct{}
}

type parcel struct {
	bytes []byte
	due   time.Time
}

func newLine(to io.Writer, delay time.Duration) *line {
	l := &line{to: to, delay: delay, queue: make(chan parcel, 1024), done: make(chan struct{})}
	go l.deliver()
	return l
}

// send reports whether the line still stands.
func (l *line) send(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if l.delay == 0 {
		_, err := l.to.Write(b)
		return err == nil
	}
	select {
	case l.queue <- parcel{b, time.Now().Add(l.delay)}:
		return true
	case <-l.done:
		return false
	}
}

func (l *line) end() { close(l.queue) }

func (l *line) deliver() {
	defer close(l.done)
	for p := range l.queue {
		until(p.due)
		if _, err := l.to.Write(p.bytes); err != nil {
			return
		}
	}
}

// until is exact to some microseconds, where a sleep is late by up to a tick.
func until(due time.Time) {
	if left := time.Until(due); left > 2*time.Millisecond {
		time.Sleep(left - 2*time.Millisecond)
	}
	for time.Now().Before(due) {
		time.Sleep(20 * time.Microsecond)
	}
}
