package fence_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/memfence"
)

// Neither the log nor any printed form shows a whole owner or token.
func TestNothingDisclosesAGrant(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	var text, json bytes.Buffer
	level := &slog.HandlerOptions{Level: slog.LevelDebug}
	locks, store := memfence.NewLocks(), memfence.NewStore()
	noErr(t, locks.Raise(ctx, "job", 987654320))
	c := newClient(locks,
		fence.WithTrace(fence.LogTrace(slog.New(slog.NewTextHandler(&text, level)))),
		fence.WithTrace(fence.LogTrace(slog.New(slog.NewJSONHandler(&json, level)))))

	var grants []fence.Grant
	var printed strings.Builder
	err := c.Do(ctx, "job", func(ctx context.Context, l *fence.Lease) error {
		g := must(l.Grant(store))(t)
		locks.Expire("job")
		young := must(newClient(locks).Acquire(ctx, "job", fence.Guarding(store)))(t)
		grants = append(grants, g, must(young.Grant(store))(t))
		err := store.Put(ctx, g, "k", "stale")
		hold := driver.Hold{Name: "job", Issuer: g.Issuer, Owner: g.Owner, Token: g.Token}
		event := fence.Event{Name: "job", Grant: g}
		for _, v := range []any{g, &g, hold, l, *new(fence.Lease), event, err, errors.Unwrap(err)} {
			fmt.Fprintf(&printed, "%v %+v %s\n", v, v, v)
		}
		fmt.Fprintf(&printed, "%#v %#v %#v\n", g, hold, l)
		slog.New(slog.NewJSONHandler(&printed, nil)).Info("x", "grant", g, "lease", l)
		// A driver that breaks its contract and tells the owner.
		return fmt.Errorf("owner %s token %v, in short %d: %w", g.Owner, g.Token, g.Token, err)
	}, fence.Guarding(store))
	wantErr(t, err, fence.ErrStale)

	for name, out := range map[string]string{"text log": text.String(), "json log": json.String(), "print": printed.String()} {
		if !strings.Contains(out, "job") {
			t.Errorf("%s has nothing: %q", name, out)
		}
		for _, g := range grants {
			for _, secret := range []string{g.Owner, g.Token.String(), fmt.Sprint(int64(g.Token))} {
				if strings.Contains(out, secret) {
					t.Errorf("%s discloses %q:\n%s", name, secret, out)
				}
			}
		}
	}
	for _, msg := range []string{"lock acquired", "grant registered", "stale ownership refused", "no longer owned at release"} {
		if !strings.Contains(text.String(), msg) {
			t.Errorf("the log lacks %q:\n%s", msg, text.String())
		}
	}
}

func TestLogTraceLevels(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	trace := fence.LogTrace(slog.New(slog.NewTextHandler(&buf, nil))) // info and above
	e := fence.Event{Name: "job", Err: errors.New("boom")}
	for _, quiet := range []func(fence.Event){trace.Acquired, trace.Registered, trace.Claimed} {
		quiet(e)
	}
	if buf.Len() > 0 {
		t.Errorf("everyday events are logged: %s", buf.String())
	}
	for _, f := range []func(fence.Event){trace.Lost, trace.StaleRejected, trace.Preempted, trace.Uncertain, trace.ReleaseLost} {
		buf.Reset()
		f(e)
		if !strings.Contains(buf.String(), "level=WARN") || !strings.Contains(buf.String(), "boom") {
			t.Errorf("logged %q", buf.String())
		}
	}
	for _, f := range []func(fence.Event){trace.Regressed, trace.Adopted} {
		buf.Reset()
		f(e)
		if !strings.Contains(buf.String(), "level=ERROR") {
			t.Errorf("logged %q", buf.String())
		}
	}
}

// Hooks may be missing, and several traces are called in order.
func TestTraceOrder(t *testing.T) {
	t.Parallel()
	var got []string
	note := func(s string) func(fence.Event) {
		return func(e fence.Event) {
			if e.Name != "job" || e.Grant.Resource != "job" {
				t.Errorf("%s: event %v", s, e)
			}
			got = append(got, s)
		}
	}
	store := memfence.NewStore()
	locks := memfence.NewLocks()
	c := newClient(locks, fence.WithTrace(nil), fence.WithTrace(&fence.Trace{}),
		fence.WithTrace(&fence.Trace{Acquired: note("acquired 1"), Claimed: note("claimed")}),
		fence.WithTrace(&fence.Trace{Acquired: note("acquired 2"), ReleaseLost: note("release lost"),
			StaleRejected: note("stale"), Preempted: note("preempted"), Registered: note("registered")}))
	err := c.Do(t.Context(), "job", func(ctx context.Context, l *fence.Lease) error {
		// A late claim of an older ownership takes the guard.
		must(store.Claim(ctx, "job", "late"))(t)
		locks.Expire("job")
		return store.Put(ctx, must(l.Grant(store))(t), "k", "v")
	}, fence.Claiming(store))
	wantErr(t, err, fence.ErrStale)
	want := []string{"acquired 1", "acquired 2", "claimed", "stale", "preempted", "release lost"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("hooks were called as %q, want %q", got, want)
	}
}
