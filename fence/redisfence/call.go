package redisfence

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// A call is one script on its way. The client must not send it a second time
// by itself: it would then report the fate of the last sending, and that of the
// first, which may have been carried out, would be forgotten.
type call struct{ *redis.Cmd }

// NoRetry implements [redis.Cmder].
func (call) NoRetry() bool { return true }

// String implements [redis.Cmder] without the arguments.
func (c call) String() string { return c.Name() }

// A secret is an argument that hooks may print and that must not be read
// there: an owner or a token.
type secret string

// MarshalBinary gives the text to the wire.
func (s secret) MarshalBinary() ([]byte, error) { return []byte(s), nil }

// String gives nothing away.
func (secret) String() string { return "…" }

// A server is the Redis that scripts are sent to.
type server struct {
	client  redis.UniversalClient
	cluster *redis.ClusterClient // nil if it is none
}

// run sends a script that may change something.
func (s *server) run(ctx context.Context, p script, keys []string, args ...any) (reply, error) {
	return s.call(ctx, driver.ErrUncertain, p, keys, args)
}

// ask sends a script that changes nothing. It is a script too, because a
// cluster client may send plain reads to replicas.
func (s *server) ask(ctx context.Context, p script, keys []string, args ...any) (reply, error) {
	return s.call(ctx, driver.ErrUnavailable, p, keys, args)
}

// call sends a script by its digest, and by its text where a server does not
// know it yet. A lost reply is named lost. The reply of a script of this
// package is a list, a word and what belongs to it, or a text alone, which is
// short for ok and that text.
func (s *server) call(ctx context.Context, lost error, p script, keys []string, args []any) (reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, unsent(err)
	}
	v, err := s.send(ctx, "evalsha", p.sha, keys, args)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		v, err = s.send(ctx, "eval", p.text, keys, args)
	}
	if err != nil {
		return nil, s.name(ctx, lost, err)
	}
	switch v := v.(type) {
	case string:
		return reply{"ok", v}, nil
	case []any:
		if len(v) > 0 {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%w: unexpected reply of the script", lost)
}

func (s *server) send(ctx context.Context, command, program string, keys []string, args []any) (any, error) {
	all := make([]any, 0, 3+len(keys)+len(args))
	all = append(all, command, program, len(keys))
	for _, k := range keys {
		all = append(all, k)
	}
	c := call{redis.NewCmd(ctx, append(all, args...)...)}
	c.SetFirstKeyPos(3)
	if err := s.client.Process(ctx, c); err != nil {
		return nil, err
	}
	return c.Result()
}

// errNameless: some proxies and imitations of Redis do not tell.
var errNameless = fmt.Errorf("%w: server does not tell its replication id: use WithIssuer", driver.ErrUnsupported)

// errReply is the answer of a server that is not what it seems. The script was
// carried out, so nobody knows what happened.
var errReply = fmt.Errorf("%w: unexpected reply of the script", driver.ErrUncertain)

// errAnswer is the same where nothing was to happen.
var errAnswer = fmt.Errorf("%w: unexpected reply of the script", driver.ErrUnavailable)

// A reply is what a script has returned.
type reply []any

// text gives element i, "" if it is missing or no text.
func (r reply) text(i int) string {
	if i >= len(r) {
		return ""
	}
	s, _ := r[i].(string)
	return s
}

// word is what the reply begins with.
func (r reply) word() string { return r.text(0) }

// record reads element i, token/owner/issuer: the zero grant if there is none.
func (r reply) record(resource string, i int) (driver.Grant, error) {
	if r.text(i) == "" {
		return driver.Grant{}, nil
	}
	parts := strings.Split(r.text(i), "/")
	if len(parts) != 3 {
		return driver.Grant{}, ErrDamaged
	}
	token, err := driver.ParseToken(parts[0])
	if err != nil {
		return driver.Grant{}, ErrDamaged
	}
	return driver.Grant{Resource: resource, Token: token, Owner: parts[1], Issuer: parts[2]}, nil
}

// outcome is the error for a word that every script may return.
func (r reply) outcome() error {
	switch r.word() {
	case "ok":
		return nil
	case "exhausted":
		return invalid("token", "would pass 2^62")
	case "damaged":
		return ErrDamaged
	case "nameless":
		return errNameless
	}
	return errReply
}
