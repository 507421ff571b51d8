package fence_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/memfence"
)

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want one that is %v", err, want)
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newClient(l driver.Locker, opts ...fence.Option) *fence.Client {
	return fence.New(l, append([]fence.Option{fence.WithTTL(time.Minute)}, opts...)...)
}

func TestStaleWriterIsRefused(t *testing.T) {
	t.Parallel()
	modes := map[string]func(...driver.Guard) fence.AcquireOption{
		"guarding": fence.Guarding, "registering": fence.Registering, "claiming": fence.Claiming,
	}
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			locks, store := memfence.NewLocks(), memfence.NewStore()
			c := newClient(locks)

			old := must(c.Acquire(ctx, "job", mode(store)))(t)
			oldGrant := must(old.Grant(store))(t)
			noErr(t, store.Put(ctx, oldGrant, "k", "old"))

			locks.Expire("job") // the holder stalls
			young := must(c.Acquire(ctx, "job", mode(store)))(t)
			youngGrant := must(young.Grant(store))(t)

			// Strict: refused although the new holder has not written yet.
			wantErr(t, store.Put(ctx, oldGrant, "k", "stale"), fence.ErrStale)
			noErr(t, store.Put(ctx, youngGrant, "k", "young"))
			wantErr(t, store.Put(ctx, oldGrant, "k", "stale"), fence.ErrStale)
			if got := must(store.Get(ctx, "k"))(t); got != "young" {
				t.Fatalf("store has %q", got)
			}

			// The old release frees nothing.
			wantErr(t, old.Release(ctx), fence.ErrNotOwner)
			_, err := c.TryAcquire(ctx, "job")
			wantErr(t, err, fence.ErrNotAcquired)
			noErr(t, young.Release(ctx))
			noErr(t, must(c.TryAcquire(ctx, "job"))(t).Release(ctx))
		})
	}
}

func TestLazyRaisesAtWrite(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	c := newClient(locks)
	old := must(c.Acquire(ctx, "job", fence.Lazy(store)))(t)
	oldGrant := must(old.Grant(store))(t)
	locks.Expire("job")
	young := must(c.Acquire(ctx, "job", fence.Lazy(store)))(t)
	youngGrant := must(young.Grant(store))(t)

	// The limit that the documentation tells: 12 was not seen, 11 is accepted.
	noErr(t, store.Put(ctx, oldGrant, "k", "old", fence.LazyWrite()))
	noErr(t, store.Put(ctx, youngGrant, "k", "young", fence.LazyWrite()))
	wantErr(t, store.Put(ctx, oldGrant, "k", "stale", fence.LazyWrite()), fence.ErrStale)
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	locks, store := memfence.NewLocks(), memfence.NewStore()
	ok := fence.WithTTL(time.Second)
	long := strings.Repeat("a", driver.MaxName+1)
	acquire := func(c *fence.Client, name string, opts ...fence.AcquireOption) error {
		_, err := c.Acquire(ctx, name, opts...)
		return err
	}
	tests := map[string]struct {
		err  error
		what string
	}{
		"nil locker":       {acquire(fence.New(nil, ok), "job"), "locker"},
		"no client":        {acquire(nil, "job"), "client"},
		"zero client":      {acquire(new(fence.Client), "job"), "client"},
		"no ttl":           {acquire(fence.New(locks), "job"), "ttl"},
		"zero ttl":         {acquire(fence.New(locks, fence.WithTTL(0)), "job"), "ttl"},
		"negative ttl":     {acquire(fence.New(locks, fence.WithTTL(-time.Second)), "job"), "ttl"},
		"tiny ttl":         {acquire(fence.New(locks, fence.WithTTL(time.Microsecond)), "job"), "ttl"},
		"nil clock":        {acquire(fence.New(locks, ok, fence.WithClock(nil)), "job"), "clock"},
		"retry order":      {acquire(fence.New(locks, ok, fence.WithRetry(2, 1)), "job"), "retry"},
		"retry zero":       {acquire(fence.New(locks, ok, fence.WithRetry(0, 1)), "job"), "retry"},
		"release timeout":  {acquire(fence.New(locks, ok, fence.WithReleaseTimeout(0)), "job"), "release timeout"},
		"keep-alive":       {acquire(fence.New(locks, ok, fence.WithKeepAlive(time.Second)), "job"), "keep-alive interval"},
		"empty name":       {acquire(fence.New(locks, ok), ""), "name"},
		"long name":        {acquire(fence.New(locks, ok), long), "name"},
		"slash":            {acquire(fence.New(locks, ok), "a/b"), "name"},
		"colon":            {acquire(fence.New(locks, ok), "a:b"), "name"},
		"space":            {acquire(fence.New(locks, ok), "a b"), "name"},
		"newline":          {acquire(fence.New(locks, ok), "a\n"), "name"},
		"not ascii":        {acquire(fence.New(locks, ok), "é"), "name"},
		"nil guard":        {acquire(fence.New(locks, ok), "job", fence.Guarding(nil)), "guard"},
		"guard twice":      {acquire(fence.New(locks, ok), "job", fence.Guarding(store), fence.Claiming(store)), "guard"},
		"unequal guard":    {acquire(fence.New(locks, ok), "job", fence.Guarding(slice{})), "guard"},
		"nil function":     {fence.New(locks, ok).Do(ctx, "job", nil), "function"},
		"try, empty name":  {second(fence.New(locks, ok).TryAcquire(ctx, "")), "name"},
		"zero grant":       {store.Put(ctx, fence.Grant{}, "k", "v"), "grant"},
		"token too great":  {store.Put(ctx, grant(driver.MaxToken+1), "k", "v"), "token"},
		"register too":     {store.Register(ctx, grant(driver.MaxToken+1)), "token"},
		"negative token":   {store.Register(ctx, grant(-1)), "token"},
		"empty request":    {store.Put(ctx, grant(1), "k", "v", fence.OncePerRequest("")), "request"},
		"long request":     {store.Put(ctx, grant(1), "k", "v", fence.OncePerRequest(long)), "request"},
		"claim, bad owner": {second(store.Claim(ctx, "r", "o/o")), "owner"},
		"nil change":       {store.Write(ctx, grant(1), nil), "change"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var inv *fence.InvalidError
			if !errors.As(tt.err, &inv) || inv.What != tt.what {
				t.Fatalf("error %v, want an InvalidError about the %s", tt.err, tt.what)
			}
			wantErr(t, tt.err, fence.ErrInvalid)
		})
	}
	// The greatest token itself is accepted, and the guard goes on from there by nobody.
	noErr(t, store.Register(ctx, grant(driver.MaxToken)))

	c := newClient(locks)
	l := must(c.Acquire(ctx, "job"))(t)
	wantErr(t, second(l.Grant(nil)), fence.ErrInvalid)
	wantErr(t, l.Extend(ctx, 0), fence.ErrInvalid)
	noErr(t, l.Release(ctx))
}

type slice []int

func (slice) Register(context.Context, driver.Grant) error { return nil }
func (slice) Claim(context.Context, string, string) (driver.Grant, error) {
	return driver.Grant{}, nil
}
func (slice) Seen(context.Context, string) (driver.Grant, error) { return driver.Grant{}, nil }

func second[T any](_ T, err error) error { return err }

func grant(t fence.Token) fence.Grant {
	return fence.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: t}
}

func TestUnorderedLocks(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	store := memfence.NewStore()
	c := newClient(memfence.NewLocks(memfence.Unordered()))
	for _, mode := range []fence.AcquireOption{fence.Registering(store), fence.Lazy(store)} {
		wantErr(t, second(c.Acquire(ctx, "job", mode)), fence.ErrUnsupported)
	}
	// The failed acquisitions gave the lock back.
	l := must(c.TryAcquire(ctx, "job", fence.Guarding(store)))(t)
	g := must(l.Grant(store))(t)
	if g.Issuer != driver.StoreIssuer || g.Token != 1 || g.Resource != "job" {
		t.Fatalf("grant %v was not claimed", g)
	}
	wantErr(t, second(l.Grant(memfence.NewStore())), fence.ErrUnsupported)
	noErr(t, l.Release(ctx))
}

func TestSeveralGuards(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	a, b, foreign := memfence.NewStore(), memfence.NewStore(), memfence.NewStore()
	c := newClient(memfence.NewLocks())
	err := c.Do(ctx, "job", func(ctx context.Context, l *fence.Lease) error {
		ga, gb := must(l.Grant(a))(t), must(l.Grant(b))(t)
		if ga.Issuer != "memory" || gb.Issuer != driver.StoreIssuer {
			t.Errorf("grants %v and %v", ga, gb)
		}
		if g, ok := fence.FromContext(ctx); ok {
			t.Errorf("context has %v, though the grants differ", g)
		}
		noErr(t, a.Put(ctx, ga, "k", "v"))
		noErr(t, b.Put(ctx, gb, "k", "v"))
		// A guard that was not named knows nothing and refuses.
		gf := must(l.Grant(foreign))(t)
		wantErr(t, foreign.Put(ctx, gf, "k", "v"), fence.ErrStale)
		return nil
	}, fence.Registering(a), fence.Claiming(b))
	noErr(t, err)
}

func TestDoPutsTheOneGrantIntoContext(t *testing.T) {
	t.Parallel()
	a, b := memfence.NewStore(), memfence.NewStore()
	c := newClient(memfence.NewLocks())
	for _, opts := range [][]fence.AcquireOption{nil, {fence.Guarding(a)}, {fence.Guarding(a, b)}} {
		noErr(t, c.Do(t.Context(), "job", func(ctx context.Context, l *fence.Lease) error {
			g, ok := fence.FromContext(ctx)
			if want := must(l.Grant(a))(t); !ok || g != want {
				t.Errorf("context has %v, %v; want %v", g, ok, want)
			}
			return nil
		}, opts...))
	}
	if _, ok := fence.FromContext(t.Context()); ok {
		t.Error("a bare context has a grant")
	}
}

func TestDoReleases(t *testing.T) {
	t.Parallel()
	locks := memfence.NewLocks()
	c := newClient(locks)
	free := func(t *testing.T) {
		t.Helper()
		noErr(t, must(c.TryAcquire(context.Background(), "job"))(t).Release(context.Background()))
	}
	boom := errors.New("boom")
	if err := c.Do(t.Context(), "job", func(context.Context, *fence.Lease) error { return boom }); err != boom {
		t.Fatalf("error %v, want fn's own", err)
	}
	free(t)

	// On a cancelled context too.
	ctx, cancel := context.WithCancel(t.Context())
	err := c.Do(ctx, "job", func(ctx context.Context, _ *fence.Lease) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, fence.ErrLost) {
		t.Fatalf("error %v: the caller's cancellation is no loss", err)
	}
	free(t)

	func() {
		defer func() { _ = recover() }()
		_ = c.Do(t.Context(), "job", func(context.Context, *fence.Lease) error { panic("boom") })
	}()
	free(t)
}

func TestReleaseTwice(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	locks := &spy{Locks: memfence.NewLocks(), release: func() { calls.Add(1) }}
	l := must(newClient(locks).Acquire(t.Context(), "job"))(t)
	noErr(t, l.Release(t.Context()))
	wantErr(t, l.Release(t.Context()), fence.ErrNotOwner)
	wantErr(t, l.Extend(t.Context(), time.Second), fence.ErrNotOwner)
	if n := calls.Load(); n != 1 {
		t.Errorf("%d releases were sent, want 1", n)
	}
	if cause := context.Cause(l.Context()); cause != context.Canceled {
		t.Errorf("cause %v after a release", cause)
	}
}

type spy struct {
	*memfence.Locks
	release func()
}

func (s *spy) Release(ctx context.Context, h driver.Hold) error {
	s.release()
	return s.Locks.Release(ctx, h)
}
