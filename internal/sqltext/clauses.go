package sqltext

// whereEnd are the words that end a condition.
var whereEnd = map[string]bool{
	"group": true, "having": true, "window": true, "order": true, "limit": true, "offset": true, "fetch": true,
	"for": true, "returning": true, "union": true, "intersect": true, "except": true, "minus": true, "lock": true,
	"option": true, "allow": true, "qualify": true, "when": true, "where": true, "output": true, "on": true, "set": true,
}

// where reads the conjuncts of the WHERE in [lo, hi) and those of the IF that
// follows it in CQL. It returns them and the position of the WHERE, or hi.
func (p *parser) where(s *Statement, lo, hi, depth int) (conds []Cond, at int) {
	at = p.findWord(lo, hi, "where")
	end := min(at+1, hi)
	if at < hi {
		end = p.find(at+1, hi, func(i int) bool {
			return p.tokens[i].kind == wordToken && whereEnd[p.tokens[i].text] || p.cqlIf(i)
		})
		conds = p.conds(s, at+1, end, depth)
	} else {
		end = lo
	}
	if i := p.find(end, hi, p.cqlIf); i < hi && s.Verb != Select {
		conds = append(conds, p.conds(s, i+1, hi, depth)...)
	}
	return conds, at
}

// cqlIf tells the IF of a CQL condition from the function and from IF EXISTS.
func (p *parser) cqlIf(i int) bool {
	return p.is(i, "if") && !p.isSymbol(i+1, "(")
}

// selectBody reads what follows SELECT or VALUES.
func (p *parser) selectBody(s *Statement, lo, hi, depth int) {
	end := p.findWord(lo, hi, "union", "intersect", "except")
	from := p.findWord(lo, end, "from")
	p.subqueries(s, lo, from, depth) // of the select list
	if from < end {
		s.Table = p.from(s, from+1, end, depth)
	}
	if from == end {
		from = lo
	}
	s.Where, _ = p.where(s, from, end, depth)
	if end < hi { // later branches matter only for their locks and subqueries
		i := end + 1
		for p.is(i, "all") || p.is(i, "distinct") {
			i++
		}
		s.Exists = append(s.Exists, p.statement(i, hi, depth+1))
	}
}

// from reads the first table of a FROM list and the subqueries in it.
func (p *parser) from(s *Statement, lo, hi, depth int) string {
	end := p.find(lo, hi, func(i int) bool { return p.tokens[i].kind == wordToken && whereEnd[p.tokens[i].text] && !p.is(i, "on") })
	table := ""
	for i := lo; i < end; i++ {
		if m := p.closing(i, end); m >= 0 {
			if p.query(i + 1) {
				s.Exists = append(s.Exists, p.statement(i+1, m, depth+1))
			}
			i = m
			continue
		}
		if i == lo {
			if p.is(i, "only") || p.is(i, "lateral") {
				lo++
				continue
			}
			table, _, _ = p.name(i, end)
		}
	}
	return table
}

// query reports whether a subquery starts at i.
func (p *parser) query(i int) bool {
	for p.isSymbol(i, "(") {
		i++
	}
	return p.is(i, "select") || p.is(i, "with") || p.is(i, "insert", "into") || p.is(i, "update") || p.is(i, "delete", "from")
}

func (p *parser) update(s *Statement, lo, hi, depth int) {
	for lo < hi {
		switch {
		case p.is(lo, "or"):
			lo += 2
		case p.is(lo, "low_priority"), p.is(lo, "ignore"), p.is(lo, "only"):
			lo++
		default:
			goto target
		}
	}
target:
	lo = p.target(s, lo, hi)
	set := p.findWord(lo, hi, "set")
	p.timestamp(s, lo, hi)
	if set >= hi {
		s.Where, _ = p.where(s, lo, hi, depth)
		return
	}
	end := p.find(set+1, hi, func(i int) bool {
		t := p.tokens[i]
		return t.kind == wordToken && (t.text == "from" || whereEnd[t.text]) && !p.isSymbol(i+1, "=") || p.cqlIf(i)
	})
	s.Set = p.assigns(s, set+1, end, depth)
	if from := p.findWord(end, hi, "from", "where"); p.is(from, "from") {
		p.from(s, from+1, hi, depth)
		s.Table = p.unalias(s.Table, from+1, hi)
	}
	s.Where, _ = p.where(s, end, hi, depth)
}

// target reads the table of an UPDATE, INSERT or MERGE and its alias, and returns
// the position after them.
func (p *parser) target(s *Statement, lo, hi int) int {
	s.Table, _, lo = p.name(lo, hi)
	switch {
	case p.is(lo, "as"):
		s.alias, _, lo = p.name(lo+1, hi)
	case lo < hi && p.tokens[lo].kind == wordToken && !reserved[p.tokens[lo].text] && !afterTarget[p.tokens[lo].text]:
		s.alias, _, lo = p.name(lo, hi)
	}
	return lo
}

// afterTarget are the words after a table that are no alias, although they are
// not reserved.
var afterTarget = wordSet("overriding output value partition force use straight_join tablesample")

func (p *parser) delete(s *Statement, lo, hi, depth int) {
	target := lo
	if from := p.findWord(lo, hi, "from"); from < hi && from < p.findWord(lo, hi, "where") {
		target = from + 1
	}
	if p.is(target, "only") {
		target++
	}
	s.Table, _, target = p.name(target, hi)
	if using := p.findWord(target, hi, "using"); using < hi {
		if !p.is(using+1, "timestamp") {
			p.from(s, using+1, hi, depth)
		}
	}
	p.timestamp(s, target, hi)
	s.Where, _ = p.where(s, target, hi, depth)
}

// timestamp reads USING TIMESTAMP ? of CQL.
func (p *parser) timestamp(s *Statement, lo, hi int) {
	i := p.find(lo, hi, func(i int) bool { return p.is(i, "timestamp") && (p.is(i-1, "using") || p.is(i-1, "and")) })
	if i+1 < hi {
		s.Timestamp = p.value(i+1, i+2, 0)
	}
}

// unalias returns the table that alias stands for in the FROM list at lo.
func (p *parser) unalias(alias string, lo, hi int) string {
	if alias == "" {
		return alias
	}
	for i := lo; i < hi && !p.is(i, "where"); {
		name, _, next := p.name(i, hi)
		if next == i {
			i = p.skip(i, hi)
			continue
		}
		if p.is(next, "as") {
			next++
		}
		if next < hi && p.tokens[next].isName() && p.tokens[next].text == alias {
			return name
		}
		i = next
	}
	return alias
}

func (p *parser) merge(s *Statement, lo, hi, depth int) {
	if p.is(lo, "into") {
		lo++
	}
	lo = p.target(s, lo, hi)
	if using := p.findWord(lo, hi, "using"); using < hi {
		p.from(s, using+1, hi, depth)
	}
	s.Conflict = Nothing
	for when := p.findWord(lo, hi, "when"); when < hi; {
		end := p.findWord(when+1, hi, "when")
		then := p.findWord(when+1, end, "then")
		if then == end {
			return
		}
		if p.is(then+1, "insert") {
			p.tuple(s, then+2, end, depth)
		} else if p.is(then+1, "update") || p.is(then+1, "delete") {
			and := p.findWord(when+1, then, "and")
			if p.is(then+1, "update", "set") {
				s.Set = append(s.Set, p.assigns(s, then+3, p.findWord(then+3, end, "where", "output", "returning"), depth)...)
			}
			conds, _ := p.where(s, then, end, depth)
			if and < then {
				conds = append(p.conds(s, and+1, then, depth), conds...)
			}
			switch {
			case len(conds) == 0:
				s.Conflict, s.ConflictWhere = UpdateBlind, nil
			case s.Conflict == Nothing:
				s.Conflict, s.ConflictWhere = UpdateWhere, conds
			}
		}
		when = end
	}
}
