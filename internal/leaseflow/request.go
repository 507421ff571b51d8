package leaseflow

import (
	"go/types"
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// request is a call that sends a request which was built before: its method
// and headers decide.
func (s site) request() []Effect {
	pl, _ := s.row.First("req")
	e := s.effect(Write)
	e.Action = Send
	req := s.value(pl)
	if req == nil {
		return nil
	}
	method, url, guarded := s.p.requestParts(req)
	e.Row = url
	e.byMethod(method)
	e.byName(root(s.call.Parent()).Name())
	if guarded {
		e.Guard = Deduped
	}
	s.p.slice(req, func(v ssa.Value) bool {
		if carriesVersion(v) {
			e.Guard = Conditional
		}
		return true
	})
	return []Effect{e}
}

// carriesVersion reports an object of the Kubernetes API, which takes its version
// along wherever it is sent: the server refuses one that is out of date.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
func carriesVersion(v ssa.Value) bool {
	if mi, ok := v.(*ssa.MakeInterface); ok {
		v = mi.X
	}
	if structUnder(v.Type()) == nil {
		return false
	}
	field, _, _ := types.LookupFieldOrMethod(v.Type(), true, nil, "ResourceVersion")
	_, ok := field.(*types.Var)
	return ok
}

// byMethod makes of a request what its method says. As long as that is a
// parameter of a function around it, the request may only read.
func (e *Effect) byMethod(method Term) {
	text, known := method.constant()
	switch strings.ToUpper(text) {
	case "GET", "HEAD", "OPTIONS":
		e.Kind, e.Method, e.Weak = Read, Term{}, false
	case "":
		e.Method, e.Weak = method, true
	default:
		e.Method, e.Weak = Term{}, !known
	}
}

// byName makes of a request what the function that sends it is called.
func (e *Effect) byName(name string) {
	if e.Kind != Write || e.Action != Send {
		return
	}
	e.Weak = e.Weak || asks(name) || e.Store == "mail" || queueStores[e.Store] && hasAny(notifyWords, split(name))
	if words := split(name); len(words) > 0 && removeWords[words[0]] {
		e.Action = Delete
	}
}

// queueStores hand a message on at least once, so that whoever takes it has to bear
// a second one; notifyWords name functions whose messages only tell how things are,
// as a mail does.
var (
	queueStores = map[string]bool{"kafka": true, "nats": true, "amqp": true, "pubsub": true, "sqs": true, "sns": true}
	notifyWords = map[string]bool{"notify": true, "notification": true, "notifications": true}
)

// removeWords begin the names of functions that remove something by its name or
// age: whoever does it again does no more.
var removeWords = map[string]bool{"delete": true, "remove": true, "clear": true, "destroy": true, "destruct": true, "purge": true, "prune": true}

// asks reports whether a function that sends a request only wants an answer, by
// its name: the other side, which would tell, is out of sight.
func asks(name string) bool {
	return models.VerbReads(name) || hasAny(loginWords, split(name))
}

// loginWords name requests for credentials.
var loginWords = map[string]bool{"auth": true, "oauth": true, "login": true, "authenticate": true, "authorize": true, "credentials": true, "jwt": true, "accesstoken": true}

// requestParts finds the method and address that a request was made with, and
// whether a header names a condition or a request id.
func (p *program) requestParts(req ssa.Value) (method, url Term, guarded bool) {
	var fn *ssa.Function
	p.slice(req, func(v ssa.Value) bool {
		call, ok := v.(*ssa.Call)
		if !ok {
			return true
		}
		c := p.callee(&call.Call)
		row := p.rowWith(c, models.Builder)
		if row == nil {
			return true
		}
		if pl, ok := row.First("method"); ok {
			fn = call.Parent()
			if m := (site{p, call, c, row}).value(pl); m != nil {
				method = p.term(m)
			}
			url = site{p, call, c, row}.term("url")
		}
		return false
	})
	if fn == nil {
		return Term{}, Term{}, false
	}
	calls(fn, func(call ssa.CallInstruction) {
		c := p.callee(call.Common())
		row := p.rowWith(c, models.Condition)
		if row == nil {
			return
		}
		pl, ok := row.First("name")
		if !ok {
			return
		}
		name, _ := p.term(site{p, call, c, row}.value(pl)).constant()
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "if-") || strings.Contains(name, "idempotency") || strings.Contains(name, "fencing") || strings.Contains(name, "request-id") {
			guarded = true
		}
	})
	return method, url, guarded
}
