package redisfence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Script is a Lua program that a guard lets run. Make it once with
// [NewScript]; it is safe for concurrent use.
type Script struct{ script }

// NewScript makes a guarded script of a Lua program, which is written as for
// EVAL: it finds its keys in KEYS, its arguments in ARGV, and what it returns
// is the result. It is run in one atomic step with the check, and not at all if
// the guard refuses.
//
// Redis does not undo what a program did before it raised an error, so check
// first and write then. The program is trusted text: do not build it from
// input. A first line with #! is not supported.
func NewScript(lua string) *Script {
	// On one line with the program's first, so that the line numbers in errors
	// are those of the program.
	return &Script{newScript("local function write() " + lua + "\nend\n" + writeText)}
}

// Eval runs a script if the guard shows grant, in one round trip; the first
// time that a server meets the script takes one more. In a cluster all keys
// have the hash tag of the guard, see [WithTag]. The result is what the script
// returned, as go-redis gives replies: string, int64, []any, nil.
//
// OncePerRequest and LazyWrite are supported. A request is remembered in a key
// of its own, see [WithRetention].
//
// Errors: a *driver.StaleError or driver.ErrIssuer if the guard refuses; a
// *driver.DuplicateError if the request was applied before; a *ScriptError if
// the script failed; driver.ErrUncertain if the reply was lost: with
// OncePerRequest, call Eval again with the same request, and ErrDuplicate means
// that it was applied; driver.ErrBusy if another script does not end;
// driver.ErrUnavailable; driver.ErrInvalid.
func (g *Guard) Eval(ctx context.Context, grant driver.Grant, s *Script, keys []string, args []any, opts ...driver.WriteOption) (any, error) {
	w, err := driver.NewWrite(opts...)
	if err != nil {
		return nil, err
	}
	if w.Lazy {
		err = registrable(grant)
	} else {
		err = grant.WellFormed()
	}
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return nil, invalid("script", "is nil")
	case strings.HasPrefix(s.text, "local function write() #!"):
		return nil, invalid("script", "begins with #!")
	}
	guard, err := g.key(grant.Resource)
	if err != nil {
		return nil, err
	}
	keys = append(slices.Clip(keys), guard)
	form, retention := "strict", any("")
	if w.Lazy {
		form = "lazy"
	}
	if w.Request != "" {
		request, err := g.request(grant.Resource, w.Request)
		if err != nil {
			return nil, err
		}
		keys, retention = append(keys, request), g.retention
	}
	args = append(slices.Clip(args), record(grant), form, retention)

	got, err := g.server.run(ctx, s.script, keys, args...)
	switch {
	case err != nil:
		return nil, raised(err)
	case got.word() == "duplicate":
		token, _ := driver.ParseToken(got.text(1)) // zero if it is damaged: unknown
		return nil, &driver.DuplicateError{Resource: grant.Resource, Request: w.Request, Token: token}
	}
	if err := got.admission(grant); err != nil {
		return nil, err
	}
	if len(got) < 2 {
		return nil, nil
	}
	if err, failed := got[1].(error); failed {
		return nil, &ScriptError{Err: err}
	}
	return got[1], nil
}

// raised names an error of the server that is none of its refusals: it comes
// from the user's script, which may have changed something before.
func raised(err error) error {
	var fromServer redis.Error
	if !errors.As(err, &fromServer) || refusal(fromServer.Error()) != nil {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrUncertain, &ScriptError{Err: fromServer})
}

func (g *Guard) request(resource, id string) (string, error) {
	return g.opts.key("request", resource, resource+":"+id)
}

// Applied gives the token under which a request was applied, zero if it was
// not, or so long ago that it is forgotten. After a lost reply, ask only when
// the writer in doubt can write no more: after a registration of your own.
// Before that a zero is no answer. Errors: driver.ErrUnavailable,
// driver.ErrInvalid.
func (g *Guard) Applied(ctx context.Context, resource, request string) (driver.Token, error) {
	if err := driver.WellFormedName("resource", resource); err != nil {
		return 0, err
	}
	if err := driver.WellFormedName("request", request); err != nil {
		return 0, err
	}
	key, err := g.request(resource, request)
	if err != nil {
		return 0, err
	}
	got, err := g.server.ask(ctx, appliedScript, []string{key})
	switch {
	case err != nil:
		return 0, err
	case got.text(1) == "":
		return 0, got.outcome()
	}
	return driver.ParseToken(got.text(1))
}
