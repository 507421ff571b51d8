package integration

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/internal/integration/proxy"
	"github.com/fencelint/fencelint/fence/redisfence"
	"github.com/fencelint/fencelint/fence/redisfence/internal/integration/servers"
)

// calls are all calls that reach a server and need its memory.
func calls(ctx context.Context, s *store, g driver.Grant) map[string]error {
	next, foreign := g, g
	next.Token++
	next.Owner = owner("next")
	foreign.Issuer, foreign.Token = "beta", g.Token+5
	errs := map[string]error{}
	_, errs["Acquire"] = s.locker.Acquire(ctx, driver.Request{Name: "other", Owner: g.Owner, TTL: time.Minute})
	errs["Raise"] = s.locker.Raise(ctx, "other", 1000)
	_, errs["Issued"] = s.locker.Issued(ctx, "other")
	errs["Register"] = s.guard.Register(ctx, next)
	_, errs["Claim"] = s.guard.Claim(ctx, "claimed", g.Owner)
	errs["Adopt"] = s.guard.Adopt(ctx, g, foreign)
	_, errs["Seen"] = s.guard.Seen(ctx, g.Resource)
	errs["Eval"] = s.write(ctx, g, g.Resource, "x")
	errs["Eval once"] = s.write(ctx, g, g.Resource, "x", driver.OncePerRequest("q"))
	errs["Eval lazy"] = s.write(ctx, next, g.Resource, "x", driver.LazyWrite())
	_, errs["Applied"] = s.guard.Applied(ctx, g.Resource, "q")
	return errs
}

// reads are the calls that change nothing.
func reads(call string) bool { return call == "Seen" || call == "Issued" || call == "Applied" }

// TestReadOnly: a replica.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	primary := servers.Start(t)
	before := newStore(t, newClient(t, primary.Addr()))
	g := grant("job", "a", 1)
	require.NoError(t, before.guard.Register(ctx, g))
	hold, err := before.locker.Acquire(ctx, driver.Request{Name: "held", Owner: g.Owner, TTL: time.Hour})
	require.NoError(t, err)
	replica := servers.Replica(t, primary)
	client := redis.NewClient(&redis.Options{Addr: replica.Addr()})
	defer client.Close()
	servers.CaughtUp(t, before.client.(*redis.Client), client)
	s, err := openStore(client, before.prefix, "")
	require.NoError(t, err)
	all := calls(ctx, s, g)
	all["Extend"] = s.locker.Extend(ctx, hold, time.Minute)
	all["Release"] = s.locker.Release(ctx, hold)
	for call, err := range all {
		if reads(call) {
			require.NoError(t, err, call)
			continue
		}
		require.ErrorIs(t, err, redisfence.ErrReadOnly, call)
		require.ErrorIs(t, err, driver.ErrUnavailable, call)
		require.NotErrorIs(t, err, driver.ErrUncertain, call)
	}
}

// TestServerGone: nobody listens any more.
func TestServerGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := servers.Start(t)
	s := newStore(t, newClient(t, server.Addr()))
	g := grant("job", "a", 1)
	server.Kill()
	_ = s.client.Ping(ctx).Err() // takes the connection that is broken
	for call, err := range calls(ctx, s, g) {
		require.ErrorIs(t, err, driver.ErrUnavailable, call)
		require.NotErrorIs(t, err, driver.ErrUncertain, call)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	require.ErrorIs(t, s.locker.Wait(short, "job"), driver.ErrUnavailable)
	_, err := redisfence.NewLocker(ctx, s.client)
	require.ErrorIs(t, err, driver.ErrUnavailable)
	require.NoError(t, s.client.Close())
	for call, err := range calls(ctx, s, g) {
		require.ErrorIs(t, err, driver.ErrUnavailable, "%s on a closed client", call)
		require.NotErrorIs(t, err, driver.ErrUncertain, call)
	}
	gone, err := redisfence.NewGuard(ctx, redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: "main", SentinelAddrs: []string{server.Addr()}, MaxRetries: -1,
	}), redisfence.WithoutEvictionCheck())
	require.NoError(t, err)
	require.ErrorIs(t, gone.Register(ctx, g), driver.ErrUnavailable, "no Sentinel")
	require.NotErrorIs(t, gone.Register(ctx, g), driver.ErrUncertain, "no Sentinel")
}

// TestSilentServer: somebody listens who does not answer. Whether a call was
// carried out is then unknown, and that it was or not shows when it goes on.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := servers.Start(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), ReadTimeout: 200 * time.Millisecond, ContextTimeoutEnabled: true})
	defer client.Close()
	s := newStore(t, client)
	g := grant("job", "a", 1)
	require.NoError(t, s.guard.Register(ctx, g))
	require.NoError(t, s.write(ctx, g, "job", "")) // the server knows the script
	server.Pause()
	err := s.write(ctx, g, "job", "late")
	require.ErrorIs(t, err, driver.ErrUncertain)
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.write(short, g, "job", "later"), driver.ErrUncertain)
	_, err = s.guard.Seen(ctx, "job")
	require.ErrorIs(t, err, driver.ErrUnavailable)
	server.Resume()
	require.Eventually(t, func() bool {
		value, err := s.read(ctx, "job")
		return err == nil && value != ""
	}, 30*time.Second, 10*time.Millisecond, "a write that was said to be uncertain was never made")
}

// TestLostReplies loses the answer to each kind of call. None is sent twice by
// the client, and each can be resolved.
func TestLostReplies(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	g := grant("job", "a", 1)
	request := driver.Request{Name: "n", Owner: owner("a"), TTL: time.Hour}
	// The server knows all scripts after this.
	for call, err := range calls(ctx, newStore(t, s.client), g) {
		require.NotErrorIs(t, err, driver.ErrUncertain, call)
	}
	prime, err := s.locker.Acquire(ctx, request)
	require.NoError(t, err)
	require.NoError(t, s.locker.Extend(ctx, prime, time.Hour))
	require.NoError(t, s.locker.Release(ctx, prime))
	incr := redisfence.NewScript(`return redis.call('INCR', KEYS[1])`)
	_, err = s.guard.Eval(ctx, g, incr, []string{s.key("n")}, nil)
	require.ErrorIs(t, err, driver.ErrStale)

	p, err := proxy.Start(sharedServer(t).Addr(), 0)
	require.NoError(t, err)
	defer p.Close()
	client := newClient(t, fmt.Sprintf("127.0.0.1:%d", p.Port())) // with its default of three retries
	through, err := openStore(client, s.prefix, "")
	require.NoError(t, err)
	lose := func(what string, call func() error) {
		t.Helper()
		lost := p.LoseReply("evalsha")
		err := call()
		<-lost
		require.ErrorIs(t, err, driver.ErrUncertain, what)
	}

	lose("acquire", func() error { _, err := through.locker.Acquire(ctx, request); return err })
	hold, err := through.locker.Acquire(ctx, request)
	require.NoError(t, err)
	require.Equal(t, prime.Token+1, hold.Token, "the first request was carried out, and the second is the same")
	lose("extend", func() error { return through.locker.Extend(ctx, hold, 2*time.Hour) })
	left, err := s.client.PTTL(ctx, s.lockKey("n")).Result()
	require.NoError(t, err)
	require.Greater(t, left, time.Hour)

	lose("register", func() error { return through.guard.Register(ctx, g) })
	seen, err := s.guard.Seen(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, g, seen)
	require.NoError(t, through.guard.Register(ctx, g))

	lose("write", func() error { _, err := through.guard.Eval(ctx, g, incr, []string{s.key("n")}, nil); return err })
	value, err := s.read(ctx, "n")
	require.NoError(t, err)
	require.Equal(t, "1", value, "sent twice")

	once := driver.OncePerRequest("q")
	lose("write once", func() error { _, err := through.guard.Eval(ctx, g, incr, []string{s.key("n")}, nil, once); return err })
	_, err = through.guard.Eval(ctx, g, incr, []string{s.key("n")}, nil, once)
	var duplicate *driver.DuplicateError
	require.ErrorAs(t, err, &duplicate)
	require.Equal(t, driver.DuplicateError{Resource: "job", Request: "q", Token: 1}, *duplicate)
	applied, err := s.guard.Applied(ctx, "job", "q")
	require.NoError(t, err)
	require.EqualValues(t, 1, applied)
	value, err = s.read(ctx, "n")
	require.NoError(t, err)
	require.Equal(t, "2", value)

	lose("claim", func() error { _, err := through.guard.Claim(ctx, "claimed", owner("a")); return err })
	claim, err := through.guard.Claim(ctx, "claimed", owner("a"))
	require.NoError(t, err)
	require.EqualValues(t, 1, claim.Token)

	lose("release", func() error { return through.locker.Release(ctx, hold) })
	require.ErrorIs(t, through.locker.Release(ctx, hold), driver.ErrNotOwner, "the first was carried out")
}

// TestScriptErrors: what a user's script may do.
func TestScriptErrors(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, newClient(t, sharedServer(t).Addr()))
	g := grant("job", "a", 1)
	require.NoError(t, s.guard.Register(ctx, g))
	eval := func(lua string, opts ...driver.WriteOption) (any, error) {
		return s.guard.Eval(ctx, g, redisfence.NewScript(lua), []string{s.key("a"), s.key("b")}, []any{"x", 7}, opts...)
	}
	for _, c := range []struct {
		lua  string
		want any
	}{
		{`return #KEYS .. #ARGV .. ARGV[1] .. ARGV[2]`, "22x7"},
		{`return {KEYS[1], ARGV[2]}`, []any{s.key("a"), "7"}},
		{`return 42`, int64(42)},
		{`return nil`, nil},
		{`return false`, nil},
		{``, nil},
		{`return redis.status_reply('FINE') -- a comment at the end`, "FINE"},
		{"local a = 1\n-- more lines\nreturn a + 1", int64(2)},
		{`return {}`, []any{}},
		{`return redis.call('SET', KEYS[1], ARGV[1])`, "OK"},
		{`return redis.call('HGETALL', KEYS[2])`, []any{}},
		{`for i = 1, 3 do redis.call('INCR', KEYS[2]) end return KEYS[3]`, nil},
	} {
		got, err := eval(c.lua)
		require.NoError(t, err, c.lua)
		require.Equal(t, c.want, got, c.lua)
	}

	var failed *redisfence.ScriptError
	_, err := eval(`return redis.error_reply('NOFUNDS too little')`, driver.OncePerRequest("refused"))
	require.ErrorAs(t, err, &failed)
	require.ErrorContains(t, err, "NOFUNDS too little")
	require.NotErrorIs(t, err, driver.ErrUncertain, "it returned the error: by convention nothing was changed")
	_, err = eval(`return 1`, driver.OncePerRequest("refused"))
	require.NoError(t, err, "a request whose script refused is not recorded")

	_, err = eval("redis.call('SET', KEYS[1], 'half')\nerror('broken')", driver.OncePerRequest("raised"))
	require.ErrorAs(t, err, &failed)
	require.ErrorIs(t, err, driver.ErrUncertain)
	require.ErrorContains(t, err, "user_script:2", "the line is that of the user's text")
	value, err := s.read(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, "half", value, "Redis undoes nothing, and the documentation says so")

	for _, lua := range []string{`return (`, `#!lua name=x`, `end end end`} {
		_, err = eval(lua)
		require.ErrorIs(t, err, driver.ErrInvalid, lua)
	}
	_, err = s.guard.Eval(ctx, g, set, []string{s.key("a")}, []any{struct{}{}})
	require.ErrorIs(t, err, driver.ErrInvalid)

	// A raise of a lazy write that its script refuses leaves the guard alone.
	next := grant("job", "b", 2)
	_, err = s.guard.Eval(ctx, next, redisfence.NewScript(`return redis.error_reply('NO')`), nil, nil, driver.LazyWrite())
	require.ErrorAs(t, err, &failed)
	seen, err := s.guard.Seen(ctx, "job")
	require.NoError(t, err)
	require.Equal(t, g, seen)
}

// TestForeignKeys: somebody else has written where counters, locks and guards
// are.
func TestForeignKeys(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for what, damage := range map[string]func(*store) error{
		"counter is text":     func(s *store) error { return s.client.Set(ctx, s.counterKey(), "text", 0).Err() },
		"counter is negative": func(s *store) error { return s.client.Set(ctx, s.counterKey(), "-5", 0).Err() },
		"counter is a list":   func(s *store) error { return s.client.RPush(ctx, s.counterKey(), "x").Err() },
		"lock is a list":      func(s *store) error { return s.client.RPush(ctx, s.lockKey("n"), "x").Err() },
	} {
		s := newStore(t, newClient(t, sharedServer(t).Addr()))
		require.NoError(t, damage(s))
		_, err := s.locker.Acquire(ctx, driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute})
		require.ErrorIs(t, err, driver.ErrUnavailable, what)
		require.NotErrorIs(t, err, driver.ErrUncertain, what)
		if strings.HasPrefix(what, "counter") {
			n, err := s.client.Exists(ctx, s.lockKey("n")).Result()
			require.NoError(t, err)
			require.Zero(t, n, "%s: the lock was taken", what)
		}
	}
	for what, damage := range map[string]func(*store) error{
		"guard is text":       func(s *store) error { return s.client.Set(ctx, s.guardKey("job"), "text", 0).Err() },
		"guard has no number": func(s *store) error { return s.client.Set(ctx, s.guardKey("job"), "x/y/alpha", 0).Err() },
		"guard is a list":     func(s *store) error { return s.client.RPush(ctx, s.guardKey("job"), "x").Err() },
	} {
		s := newStore(t, newClient(t, sharedServer(t).Addr()))
		require.NoError(t, damage(s))
		g := grant("job", "a", 1)
		_, errClaim := s.guard.Claim(ctx, "job", owner("a"))
		_, errSeen := s.guard.Seen(ctx, "job")
		for call, err := range map[string]error{
			"Register": s.guard.Register(ctx, g), "Claim": errClaim, "Seen": errSeen, "lazy Eval": s.write(ctx, g, "job", "x", driver.LazyWrite()),
			"Adopt": s.guard.Adopt(ctx, g, driver.Grant{Resource: "job", Issuer: "beta", Owner: owner("b"), Token: 2}), "Eval": s.write(ctx, g, "job", "x"),
		} {
			if what != "guard is a list" || !strings.HasSuffix(call, "Eval") { // there it could be the user's error
				require.ErrorIs(t, err, driver.ErrUnavailable, "%s: %s", what, call)
				require.NotErrorIs(t, err, driver.ErrUncertain, "%s: %s", what, call)
			}
			require.Error(t, err, "%s: %s", what, call)
		}
		value, err := s.read(ctx, "job")
		require.NoError(t, err)
		require.Empty(t, value)
	}
}

// A printer is a hook that keeps what a tracing hook would print.
type printer struct{ text strings.Builder }

func (p *printer) DialHook(next redis.DialHook) redis.DialHook { return next }

func (p *printer) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (p *printer) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		fmt.Fprintln(&p.text, cmd.String(), fmt.Sprint(cmd.Args()...), fmt.Sprintf("%+v", cmd.Args()), err)
		return err
	}
}

// TestSecrets: neither errors nor hooks show an owner or a token whole.
func TestSecrets(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := newClient(t, sharedServer(t).Addr())
	hook := &printer{}
	client.AddHook(hook)
	s := newStore(t, client)
	require.NoError(t, s.locker.Raise(ctx, "other", 7654320))
	h, err := s.locker.Acquire(ctx, driver.Request{Name: "other", Owner: owner("secret"), TTL: time.Minute})
	require.NoError(t, err)
	require.EqualValues(t, 7654321, h.Token)
	require.NoError(t, s.guard.Register(ctx, h.Grant()))
	low := grant("other", "low", 5)
	low.Issuer = h.Issuer
	var text strings.Builder
	note := func(err error) {
		require.Error(t, err)
		fmt.Fprintln(&text, err)
	}
	note(s.guard.Register(ctx, low))
	note(s.write(ctx, low, "k", "v"))
	low.Issuer = "beta"
	note(s.guard.Register(ctx, low))
	_, err = s.guard.Claim(ctx, "other", owner("low"))
	note(err)
	_, err = s.locker.Acquire(ctx, driver.Request{Name: "other", Owner: owner("low"), TTL: time.Minute})
	note(err)
	h.Owner = owner("low")
	note(s.locker.Release(ctx, h))
	require.NoError(t, s.write(ctx, driver.Grant{Resource: "other", Issuer: h.Issuer, Owner: owner("secret"), Token: h.Token}, "k", "v"))
	for _, secret := range []string{owner("secret"), owner("low"), "7654321", "7654320"} {
		require.NotContains(t, text.String(), secret)
		require.NotContains(t, hook.text.String(), secret)
	}
	require.Contains(t, hook.text.String(), "evalsha", "the hook printed nothing: the test shows nothing")
}

// TestRetention: a request is remembered as long as the option says.
func TestRetention(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	client := newClient(t, sharedServer(t).Addr())
	g := grant("job", "a", 1)
	for _, tt := range []struct {
		opts     []redisfence.Option
		min, max time.Duration
	}{
		{nil, 7*24*time.Hour - time.Minute, 7 * 24 * time.Hour},
		{[]redisfence.Option{redisfence.WithRetention(time.Hour)}, 59 * time.Minute, time.Hour},
		{[]redisfence.Option{redisfence.WithRetention(0)}, -1, -1}, // for ever
	} {
		prefix := newPrefix()
		guard, err := redisfence.NewGuard(ctx, client, append(tt.opts, redisfence.WithPrefix(prefix))...)
		require.NoError(t, err)
		require.NoError(t, guard.Register(ctx, g))
		_, err = guard.Eval(ctx, g, set, []string{prefix}, []any{"x"}, driver.OncePerRequest("q"))
		require.NoError(t, err)
		left, err := client.PTTL(ctx, prefix+":request:{job}:job:q").Result()
		require.NoError(t, err)
		require.GreaterOrEqual(t, left, tt.min)
		require.LessOrEqual(t, left, tt.max)
	}
}

// TestForgottenScripts: a server that has lost its scripts is given them again.
func TestForgottenScripts(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newStore(t, newClient(t, servers.Start(t).Addr()))
	for i := range 3 {
		g := grant("job", fmt.Sprint(i), driver.Token(i+1))
		require.NoError(t, s.guard.Register(ctx, g))
		require.NoError(t, s.write(ctx, g, "job", fmt.Sprint(i)))
		require.NoError(t, s.client.ScriptFlush(ctx).Err())
	}
}

// TestRestrictedUser: one who may not ask the server for its policy and its
// replication id, nor publish.
func TestRestrictedUser(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := servers.Start(t)
	admin := newClient(t, server.Addr())
	require.NoError(t, admin.Do(ctx, "acl", "setuser", "app", "on", ">pw", "~*", "+@all", "-info", "-config").Err())
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), Username: "app", Password: "pw"})
	defer client.Close()
	_, err := redisfence.NewLocker(ctx, client)
	require.ErrorIs(t, err, driver.ErrUnavailable)
	l, err := redisfence.NewLocker(ctx, client, redisfence.WithoutEvictionCheck())
	require.NoError(t, err)
	r := driver.Request{Name: "n", Owner: owner("a"), TTL: time.Minute}
	_, err = l.Acquire(ctx, r)
	require.ErrorIs(t, err, driver.ErrUnavailable)
	n, err := admin.Exists(ctx, "fence:token:{locks}").Result()
	require.NoError(t, err)
	require.Zero(t, n, "a number was used up")
	named, err := redisfence.NewLocker(ctx, client, redisfence.WithoutEvictionCheck(), redisfence.WithIssuer("app"))
	require.NoError(t, err)
	h, err := named.Acquire(ctx, r)
	require.NoError(t, err)
	require.Equal(t, "app", h.Issuer)
	// Nor need it be allowed to publish.
	require.NoError(t, admin.Do(ctx, "acl", "setuser", "app", "resetchannels", "-publish").Err())
	require.NoError(t, named.Release(ctx, h))
}
