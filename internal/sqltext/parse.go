package sqltext

// maxDepth bounds the nesting of parentheses and subqueries that is followed;
// what lies deeper is unknown.
const maxDepth = 60

// Parse splits text into statements. It never fails: a statement that it cannot
// read has Verb Unknown. Empty statements are left out.
func Parse(text string) []Statement {
	p := parser{tokens: tokenize(text)}
	p.left = 20*len(p.tokens) + 10000
	var out []Statement
	for lo := 0; lo < len(p.tokens); {
		hi := p.statementEnd(lo)
		if hi > lo {
			s := p.statement(lo, hi, 0)
			s.Locks = p.locks(lo, hi)
			out = append(out, s)
		}
		lo = hi + 1
	}
	return out
}

type parser struct {
	tokens []token
	left   int // tokens that statements may still read, each as often as it is nested
}

// statementEnd finds the semicolon that ends the statement at lo. The body of a
// trigger or routine belongs to its CREATE.
func (p *parser) statementEnd(lo int) int {
	semi := lo
	for semi < len(p.tokens) && !p.tokens[semi].isSymbol(";") {
		semi++
	}
	if !p.is(lo, "create") {
		return semi
	}
	routine, body := false, false
	for i := lo; i < semi; i++ {
		switch t := p.tokens[i]; {
		case t.is("trigger"), t.is("function"), t.is("procedure"), t.is("event"):
			routine = true
		case t.is("begin"):
			body = routine
		}
	}
	if !body {
		return semi
	}
	depth := 0
	for i := lo; i < len(p.tokens); i++ {
		switch t := p.tokens[i]; {
		case t.is("begin"), t.is("case"):
			depth++
		case t.is("end"):
			if p.is(i+1, "if") || p.is(i+1, "loop") || p.is(i+1, "while") || p.is(i+1, "repeat") || p.is(i+1, "for") {
				i++
				continue
			}
			if depth--; depth <= 0 {
				for i < len(p.tokens) && !p.tokens[i].isSymbol(";") {
					i++
				}
				return i
			}
		}
	}
	return len(p.tokens)
}

func (p *parser) is(i int, words ...string) bool {
	for _, w := range words {
		if i < 0 || i >= len(p.tokens) || !p.tokens[i].is(w) {
			return false
		}
		i++
	}
	return true
}

func (p *parser) isSymbol(i int, s string) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].isSymbol(s)
}

// closing returns the position of the parenthesis that closes the one at i,
// or -1 when there is none at i, or it is not closed before hi.
func (p *parser) closing(i, hi int) int {
	if i < hi && p.isSymbol(i, "(") {
		if m := p.tokens[i].match; m > i && m < hi {
			return m
		}
	}
	return -1
}

// skip returns the position after the token at i, or after the parentheses or
// CASE ... END that open there.
func (p *parser) skip(i, hi int) int {
	if m := p.tokens[i].match; m > i && m < hi {
		return m + 1
	}
	return i + 1
}

// find returns the first position in [lo, hi) outside parentheses where stop
// holds, or hi.
func (p *parser) find(lo, hi int, stop func(int) bool) int {
	for i := lo; i < hi; {
		if stop(i) {
			return i
		}
		i = p.skip(i, hi)
	}
	return hi
}

func (p *parser) findWord(lo, hi int, words ...string) int {
	return p.find(lo, hi, func(i int) bool {
		for _, w := range words {
			if p.tokens[i].is(w) {
				return true
			}
		}
		return false
	})
}

// split cuts [lo, hi) at the commas outside parentheses.
func (p *parser) split(lo, hi int) [][2]int {
	var parts [][2]int
	for lo < hi {
		end := p.find(lo, hi, func(i int) bool { return p.tokens[i].isSymbol(",") })
		parts = append(parts, [2]int{lo, end})
		lo = end + 1
	}
	return parts
}

// name reads a possibly qualified name at i: its last part, its qualifier and
// the position after it.
func (p *parser) name(i, hi int) (name, qualifier string, next int) {
	if i >= hi || !p.tokens[i].isName() {
		return "", "", i
	}
	for {
		name = p.tokens[i].bare()
		i++
		if i+1 >= hi || !p.tokens[i].isSymbol(".") || !p.tokens[i+1].isName() {
			if i+2 < hi && p.isSymbol(i, ".") && p.isSymbol(i+1, ".") && p.tokens[i+2].isName() { // db..table
				i += 2
				continue
			}
			return name, qualifier, i
		}
		qualifier = name
		i++
	}
}

// statement parses the tokens [lo, hi) as one statement.
func (p *parser) statement(lo, hi, depth int) Statement {
	var s Statement
	p.left -= hi - lo
	if depth > maxDepth || p.left < 0 {
		s.Partial = true
		return s
	}
	for lo < hi {
		m := p.closing(lo, hi)
		if m < 0 {
			break
		}
		if m == hi-1 {
			lo, hi = lo+1, hi-1
			continue
		}
		// (SELECT ...) UNION ...: the first part stands for all.
		s = p.statement(lo+1, m, depth+1)
		p.tail(&s, m+1, hi)
		return s
	}
	if lo >= hi {
		return s
	}
	if p.is(lo, "with") {
		lo = p.with(&s, lo+1, hi, depth)
	}
	if lo < hi {
		p.body(&s, lo, hi, depth)
		p.tail(&s, lo, hi)
		p.partial(&s, lo, hi)
	}
	for _, sub := range [][]Statement{s.With, s.Exists} {
		for _, c := range sub {
			s.ForUpdate = s.ForUpdate || c.ForUpdate
			s.SkipLocked = s.SkipLocked || c.SkipLocked
			s.NoWait = s.NoWait || c.NoWait
		}
	}
	return s
}

// with reads the CTEs from lo and returns where the main statement starts.
func (p *parser) with(s *Statement, lo, hi, depth int) int {
	if p.is(lo, "recursive") {
		lo++
	}
	for lo < hi {
		name, _, next := p.name(lo, hi)
		if next == lo {
			return lo
		}
		if m := p.closing(next, hi); m >= 0 && p.is(m+1, "as") {
			next = m + 1 // column names
		}
		if !p.is(next, "as") {
			return lo
		}
		next++
		for p.is(next, "not") || p.is(next, "materialized") {
			next++
		}
		m := p.closing(next, hi)
		if m < 0 {
			return next
		}
		c := p.statement(next+1, m, depth+1)
		c.Name = name
		s.With = append(s.With, c)
		if lo = m + 1; !p.isSymbol(lo, ",") {
			return lo
		}
		lo++
	}
	return lo
}

func (p *parser) body(s *Statement, lo, hi, depth int) {
	first := p.tokens[lo]
	if first.kind != wordToken {
		return
	}
	if p.prose(lo, hi) {
		return
	}
	switch first.text {
	case "select", "values":
		s.Verb = Select
		p.selectBody(s, lo+1, hi, depth)
	case "insert":
		s.Verb = Insert
		p.insert(s, lo+1, hi, depth)
	case "replace", "upsert":
		s.Verb, s.Conflict = Replace, UpdateBlind
		p.insert(s, lo+1, hi, depth)
	case "update":
		s.Verb = Update
		p.update(s, lo+1, hi, depth)
	case "delete":
		s.Verb = Delete
		p.delete(s, lo+1, hi, depth)
	case "merge":
		s.Verb = Merge
		p.merge(s, lo+1, hi, depth)
	default:
		p.plain(s, lo, hi)
	}
}

// prose tells an English sentence that starts with a verb of SQL, such as a
// message "update failed", from a statement. A hole may be all that is missing.
func (p *parser) prose(lo, hi int) bool {
	has := func(words ...string) bool {
		return p.find(lo+1, hi, func(i int) bool {
			t := p.tokens[i]
			if t.kind == holeToken || t.open {
				return true
			}
			for _, w := range words {
				if t.is(w) {
					return true
				}
			}
			return false
		}) < hi
	}
	switch p.tokens[lo].text {
	case "insert", "replace", "upsert":
		if next := lo + 1; next < hi && (p.tokens[next].kind == holeToken || reserved[p.tokens[next].text] || p.is(next, "ignore")) {
			return false
		}
		return p.findWord(lo+1, hi, "into", "values", "value", "select", "set", "default") == hi
	case "update":
		return !has("set")
	case "delete":
		return !has("from", "where")
	case "merge":
		return !has("using")
	case "truncate":
		return !has("table") && hi-lo > 2
	case "call":
		return hi-lo > 2 && !has() && p.find(lo+1, hi, func(i int) bool { return p.isSymbol(i, "(") || p.isSymbol(i, ".") }) == hi
	case "exec", "execute":
		return hi-lo > 2 && p.tokens[lo+2].kind == wordToken
	case "copy":
		return !has("from", "to")
	case "lock":
		return !has("table", "tables", "mode")
	case "begin", "commit", "rollback", "end", "abort":
		return hi-lo > 1 && !has("work", "transaction", "tran", "immediate", "deferred", "exclusive", "to", "isolation", "read", "and", "prepared", "concurrent")
	}
	return false
}

// plain reads the statements of which only verb and target matter.
func (p *parser) plain(s *Statement, lo, hi int) {
	target := func(i int) { s.Table, _, _ = p.name(i, hi) }
	switch p.tokens[lo].text {
	case "truncate":
		s.Verb = Truncate
		i := lo + 1
		for p.is(i, "table") || p.is(i, "only") {
			i++
		}
		target(i)
	case "call", "exec", "execute":
		s.Verb = Call
		i := lo + 1
		if i+2 < hi && p.tokens[i].kind == placeholderToken && p.isSymbol(i+1, "=") {
			i += 2 // EXEC @result = procedure
		}
		target(i)
	case "copy":
		s.Verb = Copy
		target(lo + 1)
		if p.findWord(lo, hi, "to") < p.findWord(lo, hi, "from") {
			s.Verb = Select
		}
	case "load":
		s.Verb = Copy
		if i := p.findWord(lo, hi, "table"); i < hi {
			target(i + 1)
		}
	case "begin":
		s.Verb = Begin
	case "start":
		s.Verb = Other
		if p.is(lo+1, "transaction") {
			s.Verb = Begin
		}
	case "commit", "end":
		s.Verb = Commit
	case "rollback", "abort":
		s.Verb = Rollback
		if p.findWord(lo, hi, "to") < hi {
			s.Verb = Other // to a savepoint: the transaction goes on
		}
	case "set":
		s.Verb = Set
	case "lock":
		s.Verb = LockTable
		i := lo + 1
		for p.is(i, "table") || p.is(i, "tables") || p.is(i, "only") {
			i++
		}
		target(i)
	case "create", "alter", "drop", "grant", "revoke", "comment", "rename":
		s.Verb = DDL
		if i := p.findWord(lo, hi, "table"); i < hi {
			for i++; p.is(i, "if") || p.is(i, "not") || p.is(i, "exists") || p.is(i, "only"); {
				i++
			}
			target(i)
		}
	case "savepoint", "release", "show", "describe", "desc", "explain", "pragma", "vacuum", "analyze", "listen", "unlisten",
		"notify", "do", "declare", "fetch", "close", "move", "unlock", "use", "reset", "discard", "prepare", "deallocate",
		"reindex", "attach", "detach", "refresh", "optimize", "kill", "flush", "print", "go", "if", "while", "return":
		s.Verb = Other
	}
}

// tail reads the lock clauses and RETURNING of a statement.
func (p *parser) tail(s *Statement, lo, hi int) {
	p.find(lo, hi, func(i int) bool {
		if p.tokens[i].kind != wordToken {
			return false
		}
		switch p.tokens[i].text {
		case "for":
			s.ForUpdate = s.ForUpdate || p.is(i+1, "update") || p.is(i+1, "share") ||
				p.is(i+1, "no", "key", "update") || p.is(i+1, "key", "share")
		case "lock":
			s.ForUpdate = s.ForUpdate || p.is(i+1, "in", "share", "mode")
		case "skip":
			s.SkipLocked = s.SkipLocked || p.is(i+1, "locked")
		case "nowait":
			s.NoWait = true
		case "returning", "output":
			s.Returning = s.Returning || i > lo && !p.isSymbol(i+1, "=")
		case "with": // hints of SQL Server
			if m := p.closing(i+1, hi); m >= 0 {
				for _, t := range p.tokens[i+1 : m] {
					s.ForUpdate = s.ForUpdate || t.is("updlock") || t.is("xlock") || t.is("holdlock") || t.is("tablockx")
					s.SkipLocked = s.SkipLocked || t.is("readpast")
					s.NoWait = s.NoWait || t.is("nowait")
				}
			}
		}
		return false
	})
}

// unfinished are the words after which a statement cannot end.
var unfinished = wordSet("where and or not set values value from into in on by limit like between select when then case as using")

// partial finds the holes that may hold further clauses: those right after an
// operand, and names that run into a hole at the end. A statement that stops in
// the middle is the first part of one that was not seen in whole.
func (p *parser) partial(s *Statement, lo, hi int) {
	switch last := p.tokens[hi-1]; {
	case last.kind == wordToken && unfinished[last.text] && !p.is(hi-2, "default"), p.tokens[lo].kind == holeToken,
		last.isSymbol(","), last.isSymbol("("), last.isSymbol("="), last.isSymbol("<"), last.isSymbol(">"):
		s.Partial = true
	}
	p.find(lo, hi, func(i int) bool {
		t := p.tokens[i]
		switch {
		case t.is("order"), t.is("limit"):
			return true // no condition comes after
		case t.kind == holeToken && i > lo && p.tokens[i-1].endsOperand():
			s.Partial = true
		case t.open && i == hi-1:
			s.Partial = true
		}
		return false
	})
}
