package redisfence

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// silent is a client that must not be used.
func silent(t *testing.T) *redis.Client {
	c := redis.NewClient(&redis.Options{MaxRetries: -1, DialerRetries: 1, Dialer: func(context.Context, string, string) (net.Conn, error) {
		t.Error("something was sent")
		return nil, errors.New("no server")
	}})
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func wants(t *testing.T, what string, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: error %v, want %v", what, err, target)
	}
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	client, unchecked := silent(t), WithoutEvictionCheck()
	const both, locker, guard = "both", "locker", "guard"
	tests := []struct {
		name   string
		client redis.UniversalClient
		opts   []Option
		on     string
		want   string // what of the InvalidError, "" for none
	}{
		{"good", client, []Option{unchecked}, both, ""},
		{"nil option", client, []Option{nil, unchecked}, both, ""},
		{"issuer", client, []Option{unchecked, WithIssuer("locks.1")}, locker, ""},
		{"retention", client, []Option{unchecked, WithRetention(time.Hour)}, guard, ""},
		{"nil client", nil, nil, both, "client"},
		{"nil Client", (*redis.Client)(nil), nil, both, "client"},
		{"nil ClusterClient", (*redis.ClusterClient)(nil), nil, both, "client"},
		{"empty prefix", client, []Option{WithPrefix("")}, both, "prefix"},
		{"prefix with a brace", client, []Option{WithPrefix("a{b")}, both, "prefix"},
		{"prefix with a colon", client, []Option{WithPrefix("a:b")}, both, "prefix"},
		{"empty issuer", client, []Option{WithIssuer("")}, locker, "issuer"},
		{"issuer with a colon", client, []Option{WithIssuer("a:b")}, locker, "issuer"},
		{"issuer of claims", client, []Option{WithIssuer(driver.StoreIssuer)}, locker, "issuer"},
		{"issuer of a guard", client, []Option{WithIssuer("locks")}, guard, "issuer"},
		{"negative retention", client, []Option{WithRetention(-1)}, guard, "retention"},
		{"retention of a locker", client, []Option{WithRetention(time.Hour)}, locker, "retention"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			errs := map[string]error{}
			if tt.on != guard {
				_, errs[locker] = NewLocker(t.Context(), tt.client, tt.opts...)
			}
			if tt.on != locker {
				_, errs[guard] = NewGuard(t.Context(), tt.client, tt.opts...)
			}
			for of, err := range errs {
				var invalid *driver.InvalidError
				switch {
				case tt.want == "" && err != nil:
					t.Errorf("%s: error %v", of, err)
				case tt.want != "" && (!errors.As(err, &invalid) || invalid.What != tt.want):
					t.Errorf("%s: error %v, want one about the %s", of, err, tt.want)
				}
			}
		})
	}
	_, err := NewLocker(t.Context(), redis.NewRing(&redis.RingOptions{}))
	wants(t, "Ring", err, driver.ErrUnsupported)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = NewGuard(done, client)
	wants(t, "done context", err, context.Canceled)
}

// TestBadInputSendsNothing: malformed arguments, and contexts that are done.
func TestBadInputSendsNothing(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), silent(t)
	l, err := NewLocker(ctx, client, WithoutEvictionCheck())
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGuard(ctx, client, WithoutEvictionCheck())
	if err != nil {
		t.Fatal(err)
	}
	bad, err := NewGuard(ctx, client, WithoutEvictionCheck(), WithTag(func(string) string { return "a}b" }))
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("n", driver.MaxName+1)
	good := driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 1}
	hold := driver.Hold{Name: "n", Issuer: "i", Owner: "o", Token: 1}
	next := driver.Grant{Resource: "r", Issuer: "j", Owner: "o", Token: 2}
	script := NewScript("return 1")
	acquire := func(ctx context.Context, r driver.Request) error { _, err := l.Acquire(ctx, r); return err }
	claim := func(ctx context.Context, resource, owner string) error {
		_, err := g.Claim(ctx, resource, owner)
		return err
	}
	eval := func(ctx context.Context, g *Guard, grant driver.Grant, s *Script, opts ...driver.WriteOption) error {
		_, err := g.Eval(ctx, grant, s, []string{"k"}, []any{"v"}, opts...)
		return err
	}
	applied := func(ctx context.Context, resource, request string) error {
		_, err := g.Applied(ctx, resource, request)
		return err
	}
	issued := func(ctx context.Context, name string) error { _, err := l.Issued(ctx, name); return err }
	seen := func(ctx context.Context, resource string) error { _, err := g.Seen(ctx, resource); return err }
	for what, err := range map[string]error{
		"Acquire empty name":     acquire(ctx, driver.Request{Owner: "o", TTL: time.Second}),
		"Acquire long name":      acquire(ctx, driver.Request{Name: long, Owner: "o", TTL: time.Second}),
		"Acquire no owner":       acquire(ctx, driver.Request{Name: "n", TTL: time.Second}),
		"Acquire zero TTL":       acquire(ctx, driver.Request{Name: "n", Owner: "o"}),
		"Extend zero TTL":        l.Extend(ctx, hold, 0),
		"Extend zero hold":       l.Extend(ctx, driver.Hold{}, time.Second),
		"Release zero hold":      l.Release(ctx, driver.Hold{}),
		"Raise zero":             l.Raise(ctx, "n", 0),
		"Raise bad name":         l.Raise(ctx, "a b", 1),
		"Issued bad name":        issued(ctx, "{n}"),
		"Wait bad name":          l.Wait(ctx, ""),
		"Register zero grant":    g.Register(ctx, driver.Grant{}),
		"Register bad tag":       bad.Register(ctx, good),
		"Claim long resource":    claim(ctx, long, "o"),
		"Claim no owner":         claim(ctx, "r", ""),
		"Seen bad resource":      seen(ctx, "a:b"),
		"Eval zero grant":        eval(ctx, g, driver.Grant{}, script),
		"Eval nil script":        eval(ctx, g, good, nil),
		"Eval empty request":     eval(ctx, g, good, script, driver.OncePerRequest("")),
		"Eval bad tag":           eval(ctx, bad, good, script),
		"Eval script with #!":    eval(ctx, g, good, NewScript("#!lua")),
		"Applied no request":     applied(ctx, "r", ""),
		"Applied bad resource":   applied(ctx, "a/b", "q"),
		"Adopt same issuer":      g.Adopt(ctx, good, driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 2}),
		"Adopt lower token":      g.Adopt(ctx, good, driver.Grant{Resource: "r", Issuer: "j", Owner: "o", Token: 1}),
		"Adopt another resource": g.Adopt(ctx, good, driver.Grant{Resource: "s", Issuer: "j", Owner: "o", Token: 2}),
		"Adopt zero grant":       g.Adopt(ctx, driver.Grant{}, next),
	} {
		wants(t, what, err, driver.ErrInvalid)
	}
	claimed := good
	claimed.Issuer = driver.StoreIssuer
	wants(t, "Register of a claim", g.Register(ctx, claimed), driver.ErrIssuer)
	wants(t, "lazy write of a claim", eval(ctx, g, claimed, script, driver.LazyWrite()), driver.ErrIssuer)

	done, cancel := context.WithCancel(ctx)
	cancel()
	for what, err := range map[string]error{
		"Acquire": acquire(done, driver.Request{Name: "n", Owner: "o", TTL: time.Second}), "Issued": issued(done, "n"),
		"Wait": l.Wait(done, "n"), "Extend": l.Extend(done, hold, time.Second), "Release": l.Release(done, hold),
		"Raise": l.Raise(done, "n", 1), "Register": g.Register(done, good), "Claim": claim(done, "r", "o"),
		"Seen": seen(done, "r"), "Adopt": g.Adopt(done, good, next), "Applied": applied(done, "r", "q"),
		"Eval": eval(done, g, good, script), "lazy Eval": eval(done, g, good, script, driver.LazyWrite()),
	} {
		wants(t, what, err, context.Canceled)
		if errors.Is(err, driver.ErrUncertain) {
			t.Errorf("%s: %v: nothing was sent, so nothing is uncertain", what, err)
		}
	}
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int64{
		0: 0, time.Millisecond: 1, time.Millisecond + 1: 2, 1999 * time.Microsecond: 2, time.Hour: 3_600_000,
	} {
		if got := milliseconds(d); got != want {
			t.Errorf("%v: %d ms, want %d", d, got, want)
		}
	}
}

// TestServerErrors: what each code of a server means.
func TestServerErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"READONLY You can't write against a read only replica.":                                                        ErrReadOnly,
		"READONLY You can't write against a read only replica. script: ab, on @user_script:1.":                         ErrReadOnly,
		"ERR Error running script (call to f_ab): @user_script:1: -READONLY You can't write against a read only slave": ErrReadOnly,
		"OOM command not allowed when used memory > 'maxmemory'.":                                                      ErrMemory,
		"CROSSSLOT Keys in request don't hash to the same slot":                                                        ErrSlot,
		"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.":                       driver.ErrBusy,
		"LOADING Redis is loading the dataset in memory":                                                               driver.ErrUnavailable,
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.":                             driver.ErrUnavailable,
		"NOREPLICAS Not enough good replicas to write.":                                                                driver.ErrUnavailable,
		"MISCONF Redis is configured to save RDB snapshots":                                                            driver.ErrUnavailable,
		"CLUSTERDOWN The cluster is down":                                                                              driver.ErrUnavailable,
		"NOAUTH Authentication required.":                                                                              driver.ErrUnavailable,
		"ERR max number of clients reached":                                                                            driver.ErrUnavailable,
		"ERR unknown command 'evalsha', with args beginning with: ":                                                    driver.ErrUnsupported,
		"ERR Error compiling script (new function): user_script:1: unexpected symbol near ')'":                         driver.ErrInvalid,
	} {
		if got := refusal(text); !errors.Is(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{
		"", "ERR", "ERR value is not an integer or out of range", "OOMEN of old", "WRONGTYPE Operation against a key holding the wrong kind of value",
		"NOFUNDS says the script: READONLY is what it is not", "ERR user_script:2: broken script: ab, on @user_script:2.",
	} {
		if got := refusal(text); got != nil {
			t.Errorf("%q: %v, want none: a script may have written before", text, got)
		}
	}
}
