package fencetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds a case. It is long, because it only ends runs that have
// failed already; shorter where failing is the purpose.
func patience(tb testing.TB) time.Duration {
	if _, ok := tb.(*recorder); ok {
		return 10 * time.Second
	}
	return 5 * time.Minute
}

// notice is how long a step may take before it counts as waiting for another
// one. A sound store passes whatever it is; one broken on purpose has more time
// to show itself.
func notice(tb testing.TB) time.Duration {
	if _, ok := tb.(*recorder); ok {
		return 2 * time.Second
	}
	return 200 * time.Millisecond
}

// TestGuard runs the conformance cases for guards and guarded writes, each as
// a subtest on a harness of its own.
func TestGuard(t *testing.T, newHarness NewGuard) {
	t.Helper()
	for _, c := range guardCases() {
		t.Run(c.name, func(t *testing.T) { c.run(t, newHarness) })
	}
}

// TestLocker runs the conformance cases for lock services, each as a subtest on
// a harness of its own.
func TestLocker(t *testing.T, newHarness NewLock) {
	t.Helper()
	for _, c := range lockCases() {
		t.Run(c.name, func(t *testing.T) { c.run(t, newHarness) })
	}
}

// GuardFailures runs the cases of [TestGuard] whose names begin with one of the
// prefixes, or all if there are none, and returns those that fail, without
// failing tb: to show that a store broken on purpose is noticed. A case that
// hangs is given up after some seconds.
func GuardFailures(tb testing.TB, newHarness NewGuard, prefixes ...string) []Failure {
	tb.Helper()
	var failures []Failure
	for _, c := range guardCases() {
		if chosen(c.name, prefixes) {
			failures = append(failures, record(tb, c.name, func(tb testing.TB) { c.run(tb, newHarness) })...)
		}
	}
	return failures
}

// LockFailures is [GuardFailures] for the cases of [TestLocker].
func LockFailures(tb testing.TB, newHarness NewLock, prefixes ...string) []Failure {
	tb.Helper()
	var failures []Failure
	for _, c := range lockCases() {
		if chosen(c.name, prefixes) {
			failures = append(failures, record(tb, c.name, func(tb testing.TB) { c.run(tb, newHarness) })...)
		}
	}
	return failures
}

func chosen(name string, prefixes []string) bool {
	return len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// record runs one case on a recorder.
func record(tb testing.TB, name string, run func(testing.TB)) []Failure {
	r := &recorder{TB: tb, name: name}
	done := make(chan struct{})
	go func() { // of its own, because FailNow ends it
		defer close(done)
		defer r.cleanUp()
		defer r.recoverPanic()
		run(r)
	}()
	<-done
	if !r.Failed() {
		return nil
	}
	return []Failure{{Case: name, Log: strings.Join(r.log, "\n")}}
}

// A recorder is a testing.TB that keeps its verdict to itself.
type recorder struct {
	testing.TB // for what is not overridden, such as TempDir
	name       string

	mu       sync.Mutex
	failed   bool
	skipped  bool
	log      []string
	cleanups []func()
}

func (r *recorder) note(failed bool, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = r.failed || failed
	if text = strings.TrimSpace(text); text != "" {
		r.log = append(r.log, text)
	}
}

func (r *recorder) cleanUp() {
	for {
		r.mu.Lock()
		n := len(r.cleanups)
		if n == 0 {
			r.mu.Unlock()
			return
		}
		f := r.cleanups[n-1]
		r.cleanups = r.cleanups[:n-1]
		r.mu.Unlock()
		f()
	}
}

func (r *recorder) recoverPanic() {
	if p := recover(); p != nil {
		r.note(true, fmt.Sprint("panic: ", p))
	}
}

func (r *recorder) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

func (r *recorder) Skipped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skipped
}

func (r *recorder) SkipNow() {
	r.mu.Lock()
	r.skipped = true
	r.mu.Unlock()
	runtime.Goexit()
}

func (r *recorder) Name() string                 { return r.TB.Name() + "/" + r.name }
func (r *recorder) Helper()                      {}
func (r *recorder) Log(args ...any)              { r.note(false, fmt.Sprintln(args...)) }
func (r *recorder) Logf(f string, args ...any)   { r.note(false, fmt.Sprintf(f, args...)) }
func (r *recorder) Error(args ...any)            { r.note(true, fmt.Sprintln(args...)) }
func (r *recorder) Errorf(f string, args ...any) { r.note(true, fmt.Sprintf(f, args...)) }
func (r *recorder) Fail()                        { r.note(true, "") }
func (r *recorder) FailNow()                     { r.Fail(); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)            { r.Error(args...); runtime.Goexit() }
func (r *recorder) Fatalf(f string, args ...any) { r.Errorf(f, args...); runtime.Goexit() }
func (r *recorder) Skip(args ...any)             { r.Log(args...); r.SkipNow() }
func (r *recorder) Skipf(f string, args ...any)  { r.Logf(f, args...); r.SkipNow() }

// sure fails the case at once unless err is nil.
func sure(tb testing.TB, err error, what string) {
	tb.Helper()
	if err != nil {
		tb.Fatalf("%s: %v", what, err)
	}
}

// wants fails the case at once unless err is want.
func wants(tb testing.TB, err, want error, what string) {
	tb.Helper()
	if !errors.Is(err, want) {
		tb.Fatalf("%s: error %q, want one that is %q", what, fmt.Sprint(err), want)
	}
}

// unsent checks the answer to a call whose context was done before.
func unsent(tb testing.TB, err error, what string) {
	tb.Helper()
	if !errors.Is(err, context.Canceled) {
		tb.Fatalf("%s on a done context: error %q, want one that wraps context.Canceled", what, fmt.Sprint(err))
	}
}

func done() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
