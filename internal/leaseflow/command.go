package leaseflow

import (
	"slices"
	"strings"

	"github.com/fencelint/fencelint/internal/luatext"
	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// command reads a raw command: its name and arguments are values, or a chain
// of builder calls whose methods spell them.
func (s site) command() []Effect {
	if pl, ok := s.row.First("cmd"); ok {
		v := s.value(pl)
		if v == nil {
			return nil
		}
		if words := s.p.builderWords(v, 0); words != nil {
			return s.p.rawCommand(s, words)
		}
		args, ok := s.row.First("args")
		if !ok {
			return s.operation(v)
		}
		name, ok := s.p.term(v).constant()
		if !ok {
			return nil
		}
		words := []word{{text: name}}
		es, _ := s.p.elements(s.value(args))
		for _, e := range es {
			words = append(words, s.p.word(e))
		}
		return s.p.rawCommand(s, words)
	}
	if pl, ok := s.row.First("cmds"); ok {
		var out []Effect
		es, _ := s.p.elements(s.value(pl))
		for _, e := range es {
			if words := s.p.builderWords(e, 0); words != nil {
				out = append(out, s.p.rawCommand(s, words)...)
			}
		}
		return out
	}
	if pl, ok := s.row.First("op"); ok {
		return s.operation(s.value(pl))
	}
	if pl, ok := s.row.First("args"); ok {
		es, _ := s.p.elements(s.value(pl))
		var words []word
		for _, e := range es {
			words = append(words, s.p.word(e))
		}
		return s.p.rawCommand(s, words)
	}
	return nil
}

// word is one word of a command.
type word struct {
	text string // when constant
	term Term
}

func (p *program) word(v ssa.Value) word {
	if v == nil {
		return word{}
	}
	t := p.term(v)
	text, _ := t.constant()
	return word{text, t}
}

// builderWords spells the command that a chain of builder calls makes:
// B().Set().Key(k).Value(v).Nx() is SET k v NX. It returns nil for anything
// else.
func (p *program) builderWords(v ssa.Value, depth int) []word {
	if depth > 24 {
		return nil
	}
	switch x := v.(type) {
	case *ssa.ChangeType:
		return p.builderWords(x.X, depth+1)
	case *ssa.MakeInterface:
		return p.builderWords(x.X, depth+1)
	case *ssa.UnOp:
		if a, ok := x.X.(*ssa.Alloc); ok {
			if val := onlyStore(p.storesTo(a)); val != nil {
				return p.builderWords(val, depth+1)
			}
		}
	case *ssa.Phi:
		for _, e := range x.Edges {
			if w := p.builderWords(e, depth+8); w != nil {
				return w
			}
		}
	case *ssa.Call:
		c := p.callee(&x.Call)
		if c.obj == nil || !c.hasRecv || len(c.args) == 0 {
			return nil
		}
		if row := p.rowWith(c, models.Write, models.CWrite, models.TryAcquire, models.Read, models.Check, models.TokenSource, models.Script, models.External, models.Command); row != nil {
			if _, isBuilder := row.First("builder"); isBuilder {
				return []word{{text: strings.ToUpper(c.obj.Name())}}
			}
			if _, arbitrary := row.First("args"); arbitrary && row.Role == models.Command && row.Recv == "Builder" {
				var words []word
				es, _ := p.elements(c.args[1])
				for _, e := range es {
					words = append(words, p.word(e))
				}
				return words
			}
			return nil
		}
		words := p.builderWords(c.args[0], depth+1)
		if words == nil {
			return nil
		}
		switch name := c.obj.Name(); {
		case name == "Build" || name == "Cache":
			return words
		case len(c.args) == 1: // a flag such as Nx
			return append(words, word{text: strings.ToUpper(name)})
		default:
			if len(words) > 1 && !positional[name] {
				words = append(words, word{text: strings.ToUpper(name)})
			}
			for _, a := range c.args[1:] {
				if es, ok := p.elements(a); ok && len(es) > 0 {
					for _, e := range es {
						words = append(words, p.word(e))
					}
					continue
				}
				words = append(words, p.word(a))
			}
			return words
		}
	}
	return nil
}

// positional are the builder methods that add their argument and no keyword.
var positional = map[string]bool{"Key": true, "Value": true, "Field": true, "Member": true, "Element": true, "FieldValue": true,
	"Script": true, "Sha1": true, "Numkeys": true, "Arg": true, "Seconds": true, "Milliseconds": true, "Args": true, "Keys": true, "Increment": true, "Decrement": true, "Message": true, "Channel": true}

func (p *program) rawCommand(s site, words []word) []Effect {
	if len(words) == 0 || words[0].text == "" {
		return nil
	}
	name := strings.ToUpper(words[0].text)
	args := words[1:]
	if name == "EVAL" || name == "EVALSHA" {
		if len(args) == 0 || args[0].text == "" {
			return nil
		}
		var keys, argv []Term
		n := 0
		if len(args) > 1 {
			n = int(args[1].text2int())
		}
		for i, a := range args[min(2, len(args)):] {
			if i < n {
				keys = append(keys, a.term)
			} else {
				argv = append(argv, a.term)
			}
		}
		return p.lua(s, args[0].text, keys, argv)
	}
	kind, keyArg := luatext.Redis(name)
	e := s.effect(Write)
	e.API, e.Store = name, "redis"
	e.Key = Term{}
	if keyArg >= 0 && keyArg < len(args) {
		e.Key = args[keyArg].term
	}
	options := args
	if name == "SET" { // what stands in the place of the value is no option
		options = args[min(2, len(args)):]
	}
	has := func(flag string) bool {
		for _, a := range options {
			if strings.EqualFold(a.text, flag) {
				return true
			}
		}
		return false
	}
	switch {
	case name == "SET" || kind == luatext.Acquire:
		switch {
		case has("NX") || kind == luatext.Acquire:
			e.Kind, e.Candidate = Acquire, true
			if len(args) > 1 {
				e.Owner = args[1].term
				e.Origin = p.origin(e.Owner)
			}
			e.NoExpiry = !(has("PX") || has("EX") || has("EXAT") || has("PXAT"))
			e.Gates = []int{0, 1}
		case has("IFEQ") || has("IFDEQ"):
			e.Guard = Conditional
		default:
			if len(args) > 1 {
				e.Owner = args[1].term
			}
		}
	case kind == luatext.Read:
		e.Kind = Read
		if name == "TTL" || name == "PTTL" {
			e.Kind, e.Check, e.Candidate, e.Verdict, e.Gates = Check, TTLRemaining, true, 0, []int{0}
		}
	case name == "DELEX":
		e.Action = Delete
		if has("IFEQ") || has("IFDEQ") {
			e.Guard = OwnerGuard
		}
	case kind == luatext.Delete || kind == luatext.Remove:
		e.Action = Delete
	case kind == luatext.Prolong:
		e.Action = Prolong
	case kind == luatext.Counter || name == "APPEND":
		e.Action = Increment
	case kind == luatext.Effect:
		e.Action, e.Weak = Send, name == "PUBLISH" || name == "SPUBLISH"
	case kind == luatext.Write:
		if strings.HasSuffix(name, "PUSH") || name == "SADD" || name == "ZADD" || name == "XADD" {
			e.Action = Insert
		}
	default:
		return nil
	}
	return []Effect{e}
}

func (w word) text2int() int64 {
	var n int64
	for _, r := range w.text {
		if r < '0' || r > '9' {
			return 0
		}
		n = n*10 + int64(r-'0')
	}
	return n
}

// script reads a call that runs a script at the store.
func (s site) script() []Effect {
	var text string
	var ok bool
	if pl, has := s.row.First("script"); has {
		if v := s.value(pl); v != nil {
			text, ok = s.p.text(v)
		}
	} else if pl, has := s.row.First("sha"); has {
		text, ok = s.p.scriptText(s.value(pl), 0)
	} else if s.c.hasRecv && len(s.c.args) > 0 {
		text, ok = s.p.scriptText(s.c.args[0], 0)
	}
	if _, isBuilder := s.row.First("builder"); isBuilder {
		return nil // the effect is at Do
	}
	var keys, argv []Term
	if pl, has := s.row.First("keys"); has {
		if v := s.value(pl); v != nil {
			es, _ := s.p.elements(v)
			for _, e := range es {
				keys = append(keys, s.p.word(e).term)
			}
		}
	}
	if pl, has := s.row.First("args"); has {
		if v := s.value(pl); v != nil {
			es, _ := s.p.elements(v)
			for _, e := range es {
				argv = append(argv, s.p.word(e).term)
			}
		}
	}
	if !ok {
		e := s.effect(Write)
		e.Guard, e.Weak, e.Script = MaybeGuard, true, true
		if len(keys) > 0 {
			e.Key = keys[0]
		}
		return []Effect{e}
	}
	if _, has := s.row.First("args"); !has { // keys and arguments in one list, keys first
		argv = keys
		if n := s.p.scriptKeyCount(s.c); n >= 0 && n <= len(keys) {
			keys, argv = keys[:n], keys[n:]
		}
	}
	return s.p.lua(s, text, keys, argv)
}

// scriptKeyCount finds the number of keys that a script was made with.
func (p *program) scriptKeyCount(c callee) int {
	if ctor := p.scriptCtor(c.args[0], 0); ctor != nil && len(ctor.c.args) > 1 {
		if k, ok := ctor.c.args[0].(*ssa.Const); ok && k.Value != nil {
			n := word{text: k.Value.ExactString()}.text2int()
			return int(n)
		}
	}
	return 1
}

// scriptText finds the text behind a script object.
func (p *program) scriptText(v ssa.Value, depth int) (string, bool) {
	ctor := p.scriptCtor(v, depth)
	if ctor == nil {
		return "", false
	}
	if pl, ok := ctor.row.First("script"); ok {
		if tv := ctor.value(pl); tv != nil {
			return p.text(tv)
		}
	}
	return "", false
}

func (p *program) scriptCtor(v ssa.Value, depth int) *site {
	if depth > 6 || v == nil {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Call:
		c := p.callee(&v.Call)
		if row := p.rowWith(c, models.ScriptCtor); row != nil {
			return &site{p, v, c, row}
		}
		if c.fn != nil {
			if ret := onlyReturn(c.fn); ret != nil && len(ret.Results) > 0 {
				return p.scriptCtor(ret.Results[0], depth+1)
			}
		}
		if c.hasRecv && len(c.args) == 1 { // ScriptLoad(...).Result(), script.Hash()
			return p.scriptCtor(c.args[0], depth+1)
		}
	case *ssa.Extract:
		return p.scriptCtor(v.Tuple, depth+1)
	case *ssa.UnOp:
		switch addr := v.X.(type) {
		case *ssa.Global:
			return p.scriptCtor(onlyStore(p.globals[addr]), depth+1)
		case *ssa.FieldAddr:
			return p.scriptCtor(onlyStore(p.fields[fieldName(addr.X.Type(), addr.Field)]), depth+1)
		case *ssa.Alloc:
			return p.scriptCtor(onlyStore(p.storesTo(addr)), depth+1)
		case *ssa.FreeVar:
			if b, ok := p.binding(addr).(*ssa.Alloc); ok {
				return p.scriptCtor(onlyStore(p.storesTo(b)), depth+1)
			}
		}
	}
	return nil
}

// lua turns what a script does into effects.
func (p *program) lua(s site, text string, keys, argv []Term) []Effect {
	sc, err := luatext.Parse(text)
	if err != nil {
		e := s.effect(Write)
		e.Guard, e.Weak, e.Script = MaybeGuard, true, true
		return []Effect{e}
	}
	pick := func(a luatext.Arg) Term {
		switch a.Kind {
		case luatext.Keys:
			if a.Index >= 1 && a.Index <= len(keys) {
				return keys[a.Index-1]
			}
		case luatext.Argv:
			if a.Index >= 1 && a.Index <= len(argv) {
				return argv[a.Index-1]
			}
		case luatext.Literal:
			return constTerm(a.Text)
		}
		return Term{}
	}
	acquires := sc.Acquires()
	isAcquire := func(c luatext.Call) bool {
		for _, a := range acquires {
			if a.Line == c.Line && a.Command == c.Command {
				return true
			}
		}
		return false
	}
	keyOnly := sc.KeyOnly()
	isKeyOnly := func(c luatext.Call) bool {
		return slices.ContainsFunc(keyOnly, func(k luatext.Call) bool { return k.Line == c.Line && k.Command == c.Command })
	}
	var out []Effect
	for _, c := range sc.Writes() {
		e := s.effect(Write)
		e.Script = true
		e.API = s.c.obj.Name() + " " + c.Command
		e.Key = pick(c.Key)
		kind, _ := luatext.Redis(c.Command)
		switch {
		case isAcquire(c):
			e.Kind, e.Candidate = Acquire, true
			e.Gates = gateResults(s.c.signature())
			e.Gates = append(e.Gates, 0)
			if len(c.Args) > 1 {
				e.Owner = pick(c.Args[1])
				e.Origin = p.origin(e.Owner)
			}
		case kind == luatext.Delete:
			e.Action = Delete
		case kind == luatext.Prolong:
			e.Action = Prolong
		case strings.HasPrefix(c.Command, "INCR"):
			e.Action = Increment
		}
		if e.Kind == Write {
			switch {
			case sc.OwnerChecked(c):
				e.Guard = OwnerGuard
				for _, g := range c.Guards {
					if g.Op == "==" && g.Other.Kind == luatext.Argv {
						e.Owner = pick(g.Other)
						e.Origin = p.origin(e.Owner)
					}
				}
			case sc.Fenced(c):
				e.Guard = Fenced
			case e.Action == Delete || e.Action == Prolong:
				e.Guard = MaybeGuard
				if isKeyOnly(c) {
					e.Guard = Unguarded
				}
			case len(c.Guards) > 0:
				e.Guard = MaybeGuard
			}
			if kind == luatext.Remove {
				e.Action = Delete
			}
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		e := s.effect(Read)
		if len(keys) > 0 {
			e.Key = keys[0]
		}
		out = append(out, e)
	}
	return out
}
