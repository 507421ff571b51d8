package sqltext

// insert reads what follows INSERT, REPLACE or UPSERT.
func (p *parser) insert(s *Statement, lo, hi, depth int) {
	for lo < hi && !p.is(lo, "into") {
		switch {
		case p.is(lo, "or", "ignore"):
			s.Conflict = Nothing
			lo++
		case p.is(lo, "or", "replace"):
			s.Conflict = UpdateBlind
			lo++
		case p.is(lo, "or"):
			lo++
		case p.is(lo, "ignore"):
			s.Conflict = Nothing
		case p.is(lo, "overwrite"), p.is(lo, "low_priority"), p.is(lo, "delayed"), p.is(lo, "high_priority"):
		default:
			goto target
		}
		lo++
	}
target:
	for p.is(lo, "into") || p.is(lo, "table") {
		lo++
	}
	lo = p.target(s, lo, hi)
	conflict := p.find(lo, hi, func(i int) bool { return p.is(i, "on", "conflict") || p.is(i, "on", "duplicate") })
	lo = p.tuple(s, lo, conflict, depth)
	if query := p.find(lo, conflict, func(i int) bool {
		return p.is(i, "select") || p.is(i, "with") || len(s.Values) == 0 && p.closing(i, conflict) >= 0 && p.query(i)
	}); query < conflict {
		p.insertSelect(s, query, conflict, depth)
	} else if set := p.findWord(lo, conflict, "set"); set < conflict {
		for _, a := range p.assigns(s, set+1, conflict, depth) {
			s.Columns = append(s.Columns, a.Column)
			s.Values = append(s.Values, a.Value)
		}
	}
	for i := lo; i < conflict; i = p.skip(i, conflict) {
		if p.is(i, "if", "not", "exists") { // CQL
			s.Conflict = Nothing
		}
	}
	p.timestamp(s, lo, conflict)
	p.conflict(s, conflict, hi, depth)
}

// tuple reads the column list and the first tuple of VALUES, and returns the
// position after the column list.
func (p *parser) tuple(s *Statement, lo, hi, depth int) int {
	if m := p.closing(lo, hi); m >= 0 && !p.query(lo) {
		for _, part := range p.split(lo+1, m) {
			name, _, _ := p.name(part[0], part[1])
			s.Columns = append(s.Columns, name)
		}
		lo = m + 1
	}
	values := p.findWord(lo, hi, "values", "value")
	if m := p.closing(values+1, hi); values < hi && m >= 0 {
		for _, part := range p.split(values+2, m) {
			s.Values = append(s.Values, p.value(part[0], part[1], depth+1))
			p.subqueries(s, part[0], part[1], depth)
		}
	}
	return lo
}

// insertSelect takes over the conditions and the select list of the query.
func (p *parser) insertSelect(s *Statement, lo, hi, depth int) {
	q := p.statement(lo, hi, depth+1)
	s.Select = true
	s.Where, s.Exists = q.Where, append(s.Exists, q.Exists...)
	s.With = append(s.With, q.With...)
	s.Partial = s.Partial || q.Partial
	for p.isSymbol(lo, "(") {
		lo++
	}
	if !p.is(lo, "select") {
		return
	}
	end := p.findWord(lo, hi, "from", "where", "union", "on", "limit", "order", "group", "having")
	for _, part := range p.split(lo+1, end) {
		s.Values = append(s.Values, p.value(part[0], part[1], depth+1))
	}
}

// conflict reads ON CONFLICT or ON DUPLICATE KEY UPDATE at lo.
func (p *parser) conflict(s *Statement, lo, hi, depth int) {
	if lo >= hi {
		return
	}
	if p.is(lo, "on", "duplicate") {
		set := p.findWord(lo, hi, "update")
		s.Set = p.assigns(s, min(set+1, hi), hi, depth)
		s.Conflict, s.ConflictWhere = UpdateBlind, conditional(s.Set)
		if s.ConflictWhere != nil {
			s.Conflict = UpdateWhere
		}
		return
	}
	do := p.findWord(lo, hi, "do")
	if !p.is(do+1, "update") {
		if do < hi {
			s.Conflict = Nothing
		}
		return
	}
	s.Conflict = UpdateBlind
	set := p.findWord(do, hi, "set")
	if set >= hi {
		return
	}
	end := p.findWord(set, hi, "where", "returning")
	s.Set = p.assigns(s, set+1, end, depth)
	conds, at := p.where(s, end, hi, depth)
	if at < hi {
		s.Conflict, s.ConflictWhere = UpdateWhere, conds
	} else if conds = conditional(s.Set); conds != nil {
		s.Conflict, s.ConflictWhere = UpdateWhere, conds
	}
}

// conditional returns the conditions under which the assignments change the
// row, when each of them keeps the old value otherwise; nil when some do not.
func conditional(set []Assign) []Cond {
	var conds []Cond
	for _, a := range set {
		if len(a.When) == 0 {
			return nil
		}
		conds = append(conds, a.When...)
	}
	return conds
}

// assigns reads a list of assignments.
func (p *parser) assigns(s *Statement, lo, hi, depth int) []Assign {
	var out []Assign
	for _, part := range p.split(lo, hi) {
		eq := p.find(part[0], part[1], func(i int) bool {
			t := p.tokens[i]
			return t.kind == symbolToken && (t.text == "=" || t.text == ":=" || t.isSymbol("=="))
		})
		if eq >= part[1] {
			continue
		}
		value := eq + 1
		if m := p.closing(part[0], eq); m >= 0 { // (a, b) = (x, y)
			names := p.split(part[0]+1, m)
			if p.is(value, "row") {
				value++
			}
			var values [][2]int
			if vm := p.closing(value, part[1]); vm >= 0 && !p.query(value) {
				values = p.split(value+1, vm)
			}
			for i, n := range names {
				name, _, _ := p.name(n[0], n[1])
				a := Assign{Column: name, Value: Value{Kind: Expr}}
				if i < len(values) {
					a = p.assign(s, name, "", values[i][0], values[i][1], depth)
				}
				out = append(out, a)
			}
		} else {
			name, qualifier, end := p.name(part[0], eq)
			if name == "" && end == part[0] {
				continue
			}
			out = append(out, p.assign(s, name, qualifier, value, part[1], depth))
		}
		p.subqueries(s, value, part[1], depth)
	}
	return out
}

func (p *parser) assign(s *Statement, column, qualifier string, lo, hi, depth int) Assign {
	a := Assign{Column: column, Value: p.value(lo, hi, depth+1)}
	for i := lo; i < hi && column != ""; {
		name, of, next := p.name(i, hi)
		if next == i {
			i++
			continue
		}
		own := of == "" || of == qualifier || of == s.Table || of == s.alias
		if name == column && own && !p.isSymbol(next, "(") && !p.is(i-2, "values") {
			a.SelfRef = true
		}
		i = next
	}
	a.Settles = a.SelfRef && p.settles(lo, hi)
	a.When = p.when(column, lo, hi, depth)
	return a
}

// settles reports whether a value is one call of a function that, applied again
// to what it gave, gives the same.
func (p *parser) settles(lo, hi int) bool {
	name, _, next := p.name(lo, hi)
	return (name == "array_remove" || name == "least") && p.closing(next, hi) == hi-1
}

// when returns the condition of a value that keeps the column otherwise.
func (p *parser) when(column string, lo, hi, depth int) []Cond {
	keeps := func(lo, hi int) bool {
		name, qualifier, next := p.name(lo, hi)
		return next == hi && name == column && name != "" && qualifier != "excluded"
	}
	switch {
	case p.is(lo, "if") && p.closing(lo+1, hi) == hi-1 && hi > lo:
		args := p.split(lo+2, hi-1)
		if len(args) == 3 && keeps(args[2][0], args[2][1]) {
			return p.conds(nil, args[0][0], args[0][1], depth+1)
		}
	case p.is(lo, "case", "when") && p.skip(lo, hi) == hi:
		then := p.findWord(lo+2, hi-1, "then")
		alt := p.findWord(min(then+1, hi-1), hi-1, "else")
		if p.findWord(min(then+1, hi-1), hi-1, "when") < hi-1 {
			return nil
		}
		if alt < hi-1 && keeps(alt+1, hi-1) {
			return p.conds(nil, lo+2, then, depth+1)
		}
	case p.is(lo, "greatest"):
		return []Cond{{Column: column, Op: "<", Value: p.value(lo, hi, depth+1), Columns: []string{column}}}
	}
	return nil
}
