package sqltext

// conds reads the condition in [lo, hi) as a list of conjuncts. Subqueries and
// holes are noted in s, which may be nil.
func (p *parser) conds(s *Statement, lo, hi, depth int) []Cond {
	lo, hi = p.unwrap(lo, hi)
	if lo >= hi {
		return nil
	}
	if depth > maxDepth {
		return []Cond{{Op: "other"}}
	}
	if parts := p.splitWord(lo, hi, "or"); len(parts) > 1 {
		c := Cond{Op: "or", Columns: p.columns(lo, hi)}
		for _, part := range parts {
			c.Or = append(c.Or, p.conds(s, part[0], part[1], depth+1))
		}
		return []Cond{c}
	}
	parts := p.splitWord(lo, hi, "and")
	if len(parts) == 1 {
		return p.conjunct(s, lo, hi, depth)
	}
	var out []Cond
	for _, part := range parts {
		out = append(out, p.conds(s, part[0], part[1], depth+1)...)
	}
	return out
}

// unwrap removes the parentheses around [lo, hi), but not those of a subquery.
func (p *parser) unwrap(lo, hi int) (int, int) {
	for lo < hi && p.closing(lo, hi) == hi-1 && !p.query(lo) {
		lo, hi = lo+1, hi-1
	}
	return lo, hi
}

// splitWord cuts [lo, hi) at a connective; the AND of a BETWEEN does not count.
func (p *parser) splitWord(lo, hi int, word string) [][2]int {
	var parts [][2]int
	between := false
	start := lo
	p.find(lo, hi, func(i int) bool {
		switch t := p.tokens[i]; {
		case t.is("between"):
			between = true
		case t.is("and") && between:
			between = false
		case t.is(word):
			parts = append(parts, [2]int{start, i})
			start = i + 1
		}
		return false
	})
	return append(parts, [2]int{start, hi})
}

var comparisons = map[string]string{
	"=": "=", "==": "=", "<=>": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}

var flipped = map[string]string{"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// conjunct reads a condition that is neither AND nor OR. It is one condition,
// or several when rows are compared by equality.
func (p *parser) conjunct(s *Statement, lo, hi, depth int) []Cond {
	if lo >= hi {
		return []Cond{{Op: "other"}}
	}
	p.subqueries(s, lo, hi, depth)
	c := Cond{Op: "other", Columns: p.columns(lo, hi)}
	switch {
	case p.is(lo, "exists") && p.isSymbol(lo+1, "("):
		c.Op = "exists"
		return []Cond{c}
	case p.is(lo, "not", "exists") && p.isSymbol(lo+2, "("):
		c.Op = "notexists"
		return []Cond{c}
	case p.is(lo, "not"):
		c.Op = "not"
		if inner, _ := p.unwrap(lo+1, hi); inner+1 == hi-(inner-lo-1) {
			c.Column, _, _ = p.name(inner, hi)
		}
		return []Cond{c}
	case hi-lo == 1 && p.tokens[lo].kind == holeToken:
		if s != nil {
			s.Partial = true
		}
		c.Value = p.value(lo, hi, depth+1)
		return []Cond{c}
	}
	op := p.find(lo, hi, func(i int) bool {
		t := p.tokens[i]
		switch t.kind {
		case symbolToken:
			return comparisons[t.text] != ""
		case wordToken:
			switch t.text {
			case "is", "in", "like", "ilike", "between", "isnull", "notnull", "similar", "regexp", "rlike", "glob", "match":
				return true
			case "not":
				return i > lo
			}
		}
		return false
	})
	p.dangling(s, lo, hi)
	if op == hi {
		p.bare(&c, lo, hi)
		return []Cond{c}
	}
	t := p.tokens[op]
	if cmp := comparisons[t.text]; t.kind == symbolToken {
		if rows := p.rows(s, lo, op, hi, cmp, depth); rows != nil {
			return rows
		}
		p.compare(&c, cmp, lo, op, op+1, hi, depth)
		return []Cond{c}
	}
	p.predicate(s, &c, lo, op, hi, depth)
	return []Cond{c}
}

// dangling marks the statement when a hole follows an operand inside a
// condition: (a = ? HOLE).
func (p *parser) dangling(s *Statement, lo, hi int) {
	for i := lo + 1; i < hi; i++ {
		if s != nil && p.tokens[i].kind == holeToken && p.tokens[i-1].endsOperand() {
			s.Partial = true
		}
	}
}

// bare reads a condition without an operator: a boolean column or a call.
func (p *parser) bare(c *Cond, lo, hi int) {
	if name, _, next := p.name(lo, hi); next == hi && name != "" && !reserved[name] {
		c.Column, c.Op = name, "is"
		c.Value = Value{Kind: Literal, Text: "true"}
	}
}

func (p *parser) compare(c *Cond, op string, llo, lhi, rlo, rhi, depth int) {
	left, right := p.value(llo, lhi, depth+1), p.value(rlo, rhi, depth+1)
	switch {
	case left.column() != "" && (left.Kind == Column && left.Name != "excluded" || right.Kind != Column || right.Name == "excluded"):
		c.Column, c.Op, c.Value = left.column(), op, right
	case right.column() != "":
		c.Column, c.Op, c.Value = right.column(), flipped[op], left
	default:
		c.Op, c.Value = op, right
		if left.Kind == Opaque && right.Kind != NoValue {
			return
		}
		c.Op = "other"
	}
	// In MySQL "x" is a string: so it is beside a column without double quotes.
	if c.Value.Kind == Column && p.doubleQuoted(rlo, rhi) && !p.doubleQuoted(llo, lhi) {
		c.Value.Kind, c.Value.Columns = Literal, nil
		c.Columns = c.Columns[:0:0]
		c.Columns = append(c.Columns, left.Columns...)
	}
	if op := p.quantified(rlo, rhi); op && c.Op == "=" {
		c.Op = "in"
	}
}

func (p *parser) doubleQuoted(lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if p.tokens[i].kind == nameToken && p.tokens[i].quote == '"' {
			return true
		}
	}
	return false
}

// quantified reports = ANY (...).
func (p *parser) quantified(lo, hi int) bool {
	return (p.is(lo, "any") || p.is(lo, "some")) && p.closing(lo+1, hi) == hi-1
}

// rows compares (a, b) with (x, y) column by column.
func (p *parser) rows(s *Statement, lo, op, hi int, cmp string, depth int) []Cond {
	if cmp != "=" || p.closing(lo, op) != op-1 || p.closing(op+1, hi) != hi-1 || p.query(op+1) {
		return nil
	}
	left, right := p.split(lo+1, op-1), p.split(op+2, hi-1)
	if len(left) < 2 || len(left) != len(right) {
		return nil
	}
	var out []Cond
	for i := range left {
		c := Cond{Op: "other", Columns: p.columns(left[i][0], left[i][1])}
		p.compare(&c, cmp, left[i][0], left[i][1], right[i][0], right[i][1], depth)
		out = append(out, c)
	}
	return out
}

// predicate reads the operators that are words.
func (p *parser) predicate(s *Statement, c *Cond, lo, op, hi, depth int) {
	left := p.value(lo, op, depth+1)
	c.Column = left.column()
	i := op
	negated := p.is(i, "not")
	if negated {
		i++
	}
	switch {
	case p.is(i, "isnull"):
		c.Op = "isnull"
		return
	case p.is(i, "notnull"), negated && p.is(i, "null"):
		c.Op = "notnull"
		return
	case p.is(i, "is"):
		p.isPredicate(c, lo, op, hi, depth)
		return
	case p.is(i, "in"):
		c.Op = "in"
		c.Value = p.inValue(i+1, hi, depth)
	case p.is(i, "between"):
		c.Op = "between"
		c.Value = p.value(i+1, p.findWord(i+1, hi, "and"), depth+1)
	case i < hi:
		c.Op = "like"
		c.Value = p.value(i+1, p.findWord(i+1, hi, "escape"), depth+1)
	}
	if negated {
		c.Op = "not"
	}
}

func (p *parser) isPredicate(c *Cond, lo, op, hi, depth int) {
	i := op + 1
	negated := p.is(i, "not")
	if negated {
		i++
	}
	switch {
	case p.is(i, "null"):
		c.Op = "isnull"
		if negated {
			c.Op = "notnull"
		}
	case p.is(i, "distinct", "from"):
		cmp := "!="
		if negated {
			cmp = "="
		}
		p.compare(c, cmp, lo, op, i+2, hi, depth)
	default:
		c.Op, c.Value = "is", p.value(i, hi, depth+1)
		if negated {
			c.Op = "not"
		}
	}
}

// inValue reads the list of an IN: its first element stands for all.
func (p *parser) inValue(lo, hi, depth int) Value {
	if m := p.closing(lo, hi); m == hi-1 && !p.query(lo) {
		if parts := p.split(lo+1, m); len(parts) > 0 {
			return p.value(parts[0][0], parts[0][1], depth+1)
		}
	}
	return p.value(lo, hi, depth+1)
}

// subqueries appends the queries in parentheses in [lo, hi) to s.Exists.
func (p *parser) subqueries(s *Statement, lo, hi, depth int) {
	if s == nil || depth > maxDepth {
		return
	}
	for i := lo; i < hi; i++ {
		m := p.closing(i, hi)
		if m < 0 {
			continue
		}
		if p.query(i + 1) {
			s.Exists = append(s.Exists, p.statement(i+1, m, depth+1))
			i = m
		}
	}
}
