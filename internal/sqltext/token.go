package sqltext

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const hole = '\uFFFD'

type tokenKind uint8

const (
	symbolToken tokenKind = iota
	wordToken             // unquoted, may be a keyword
	nameToken             // quoted, never a keyword
	stringToken
	numberToken
	placeholderToken
	holeToken
)

type token struct {
	kind  tokenKind
	text  string // words and names in lower case, strings without quotes
	glued bool   // no space before it
	open  bool   // a name that ends in a hole
	quote byte   // of a name
	index int    // placeholder number
	name  string // placeholder name
	match int    // position of the matching parenthesis, or END of a CASE; -1 when none
}

func (t token) is(word string) bool { return t.kind == wordToken && t.text == word }

func (t token) isSymbol(s string) bool { return t.kind == symbolToken && t.text == s }

// isName reports whether the token can name a table or column.
func (t token) isName() bool {
	return t.kind == nameToken || t.kind == wordToken || t.kind == holeToken
}

// bare is the token as a name: "" when all of it is a hole.
func (t token) bare() string {
	if strings.Trim(t.text, string(hole)) == "" {
		return ""
	}
	return t.text
}

// endsOperand reports whether an operand can end with the token, so that a hole
// right after it can only hold further clauses.
func (t token) endsOperand() bool {
	switch t.kind {
	case wordToken:
		return !reserved[t.text] || t.text == "null" || t.text == "true" || t.text == "false" || t.text == "end"
	case symbolToken:
		return t.text == ")" || t.text == "]"
	}
	return true
}

type lexer struct {
	src    string
	pos    int
	marks  int // plain ? seen
	braces int // position of the last }}
	tokens []token
}

func tokenize(src string) []token {
	l := lexer{src: src, braces: strings.LastIndex(src, "}}")}
	for l.next() {
	}
	pair(l.tokens)
	return l.tokens
}

// pair matches parentheses, and CASE with END.
func pair(tokens []token) {
	var open []int
	for i := range tokens {
		t := &tokens[i]
		t.match = -1
		switch {
		case t.isSymbol("("), t.is("case"):
			open = append(open, i)
		case t.isSymbol(")"):
			for n := len(open) - 1; n >= 0; n-- {
				if at := open[n]; tokens[at].isSymbol("(") {
					t.match, tokens[at].match = at, i
					open = open[:n]
					break
				}
			}
		case t.is("end"):
			if n := len(open) - 1; n >= 0 && tokens[open[n]].is("case") {
				t.match, tokens[open[n]].match = open[n], i
				open = open[:n]
			}
		case t.isSymbol(";"):
			open = open[:0]
		}
	}
}

func (l *lexer) peek(ahead int) byte {
	if l.pos+ahead < len(l.src) {
		return l.src[l.pos+ahead]
	}
	return 0
}

func (l *lexer) emit(t token) { l.tokens = append(l.tokens, t) }

// next reads one token and reports whether there may be more.
func (l *lexer) next() bool {
	start := l.pos
	l.skipSpace()
	if l.pos >= len(l.src) {
		return false
	}
	glued := l.pos == start && len(l.tokens) > 0
	at := len(l.tokens)
	l.scan()
	if len(l.tokens) > at {
		l.tokens[at].glued = glued
	}
	return true
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == 0:
			l.pos++
		case c == '-' && l.peek(1) == '-':
			l.skipLine()
		case c == '#' && (l.peek(1) == ' ' || l.peek(1) == '\n') && l.lineStart():
			l.skipLine()
		case c == '/' && l.peek(1) == '*':
			if end := strings.Index(l.src[l.pos+2:], "*/"); end >= 0 {
				l.pos += end + 4
			} else {
				l.pos = len(l.src)
			}
		default:
			return
		}
	}
}

func (l *lexer) lineStart() bool {
	before := strings.TrimRight(l.src[:l.pos], " \t")
	return before == "" || before[len(before)-1] == '\n'
}

func (l *lexer) skipLine() {
	if end := strings.IndexByte(l.src[l.pos:], '\n'); end >= 0 {
		l.pos += end + 1
	} else {
		l.pos = len(l.src)
	}
}

func (l *lexer) scan() {
	c := l.src[l.pos]
	switch {
	case c == '\'':
		l.scanString(false)
	case c == '"' || c == '`':
		l.scanQuoted(c, c)
	case c == '[' && l.bracketName():
		l.scanQuoted('[', ']')
	case c == '?':
		l.scanMark()
	case c == '$':
		l.scanDollar()
	case c == ':':
		l.scanColon()
	case c == '@':
		l.scanAt()
	case c == '%' && l.verb() > 0:
		l.pos += l.verb()
		l.emit(token{kind: holeToken, text: string(hole)})
	case c == '{' && l.peek(1) == '{' && l.pos < l.braces:
		l.pos += strings.Index(l.src[l.pos:], "}}") + 2
		l.emit(token{kind: holeToken, text: string(hole)})
	case c >= '0' && c <= '9' || c == '.' && digit(l.peek(1)):
		l.scanNumber()
	case nameStart(c):
		l.scanWord()
	default:
		l.scanSymbol()
	}
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func nameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func namePart(c byte) bool { return nameStart(c) || digit(c) || c == '$' }

// verb returns the length of a formatting verb that was left in the text, such
// as %s or %[1]s, or 0.
func (l *lexer) verb() int {
	n := 1
	if l.peek(1) == '[' && digit(l.peek(2)) && l.peek(3) == ']' {
		n = 4
	}
	if c := l.peek(n); c == 0 || strings.IndexByte("sdvq", c) < 0 || namePart(l.peek(n+1)) && n == 1 {
		return 0
	}
	return n + 1
}

// scanString reads a quoted string. A backslash escapes, as in MySQL and in E”,
// unless it is all that the string holds: ESCAPE '\'.
func (l *lexer) scanString(escapes bool) {
	var b strings.Builder
	i := l.pos + 1
	from := i
	for i < len(l.src) {
		switch c := l.src[i]; {
		case c == '\\' && i+1 < len(l.src):
			if l.src[i+1] == '\'' && i == l.pos+1 && !escapes && (i+2 >= len(l.src) || l.src[i+2] != '\'') && !l.closedLater(i+2) {
				i++
				continue
			}
			b.WriteString(l.src[from:i])
			b.WriteByte(l.src[i+1])
			i += 2
			from = i
		case c == '\'' && i+1 < len(l.src) && l.src[i+1] == '\'':
			b.WriteString(l.src[from : i+1])
			i += 2
			from = i
		case c == '\'':
			b.WriteString(l.src[from:i])
			l.pos = i + 1
			l.emit(token{kind: stringToken, text: b.String()})
			return
		default:
			i++
		}
	}
	b.WriteString(l.src[min(from, len(l.src)):])
	l.pos = len(l.src)
	l.emit(token{kind: stringToken, text: b.String()})
}

// closedLater looks whether a quote follows before the line ends.
func (l *lexer) closedLater(i int) bool {
	rest := l.src[min(i, len(l.src)):min(i+500, len(l.src))]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.Count(rest, "'")%2 == 1
}

func (l *lexer) scanQuoted(open, end byte) {
	var b strings.Builder
	i := l.pos + 1
	for i < len(l.src) {
		if l.src[i] == end {
			if i+1 < len(l.src) && l.src[i+1] == end && open == end {
				b.WriteByte(end)
				i += 2
				continue
			}
			break
		}
		b.WriteByte(l.src[i])
		i++
	}
	l.pos = min(i+1, len(l.src))
	l.emit(token{kind: nameToken, text: strings.ToLower(b.String()), quote: open})
}

// bracketName tells the [name] of SQL Server from an array.
func (l *lexer) bracketName() bool {
	if n := len(l.tokens); n > 0 {
		if t := l.tokens[n-1]; t.is("array") || t.isSymbol("]") || t.isSymbol(")") || t.kind == nameToken && t.quote != '[' {
			return false
		}
		if p := l.pos - 1; p >= 0 && namePart(l.src[p]) {
			return false
		}
	}
	i := l.pos + 1
	if i >= len(l.src) || !nameStart(l.src[i]) {
		return false
	}
	for i < len(l.src) && i < l.pos+130 && (namePart(l.src[i]) || l.src[i] == ' ') {
		i++
	}
	return i < len(l.src) && l.src[i] == ']'
}

// run returns the longest run of name characters from position i.
func (l *lexer) run(i int) string {
	from := min(i, len(l.src))
	for i < len(l.src) && (nameStart(l.src[i]) || digit(l.src[i])) {
		i++
	}
	return l.src[from:max(i, from)]
}

// placeholder emits one by its name or number, with width bytes of prefix.
func (l *lexer) placeholder(width int, name string) {
	l.pos += width + len(name)
	t := token{kind: placeholderToken}
	digits := strings.TrimPrefix(strings.TrimPrefix(name, "p"), "P")
	if n, err := strconv.Atoi(digits); err == nil && n >= 0 {
		t.index = n
	} else if name != string(hole) {
		t.name = name
	}
	l.emit(t)
}

func (l *lexer) scanMark() {
	if n := l.peek(1); (n == '|' || n == '&') && l.peek(2) != n {
		l.pos += 2
		l.emit(token{text: "?" + string(n)})
		return
	}
	if name := l.run(l.pos + 1); name != "" && !strings.ContainsRune(name, hole) {
		l.placeholder(1, name)
		return
	}
	l.marks++
	l.pos++
	l.emit(token{kind: placeholderToken, index: l.marks})
}

func (l *lexer) scanDollar() {
	name := l.run(l.pos + 1)
	if end := l.pos + 1 + len(name); end < len(l.src) && l.src[end] == '$' && (name == "" || !digit(name[0])) {
		tag := l.src[l.pos : end+1]
		body := l.src[end+1:]
		if stop := strings.Index(body, tag); stop >= 0 {
			l.pos = end + 1 + stop + len(tag)
			l.emit(token{kind: stringToken, text: body[:stop]})
			return
		}
	}
	if name == "" {
		l.scanSymbol()
		return
	}
	if digit(name[0]) { // $1 and what is glued to it
		n := 0
		for n < len(name) && digit(name[n]) {
			n++
		}
		name = name[:n]
	}
	l.placeholder(1, name)
}

func (l *lexer) scanColon() {
	if n := l.peek(1); n == ':' || n == '=' {
		l.pos += 2
		l.emit(token{text: ":" + string(n)})
		return
	}
	if name := l.run(l.pos + 1); name != "" {
		l.placeholder(1, name)
		return
	}
	l.scanSymbol()
}

func (l *lexer) scanAt() {
	if l.peek(1) == '@' {
		name := l.run(l.pos + 2)
		l.pos += 2 + len(name)
		l.emit(token{kind: wordToken, text: "@@" + strings.ToLower(name)})
		return
	}
	if name := l.run(l.pos + 1); name != "" {
		l.placeholder(1, name)
		return
	}
	l.scanSymbol()
}

func (l *lexer) scanNumber() {
	i := l.pos
	for i < len(l.src) && (digit(l.src[i]) || l.src[i] == '.' || l.src[i] >= 'a' && l.src[i] <= 'z' || l.src[i] >= 'A' && l.src[i] <= 'Z' ||
		(l.src[i] == '+' || l.src[i] == '-') && (l.src[i-1] == 'e' || l.src[i-1] == 'E') && i+1 < len(l.src) && digit(l.src[i+1])) {
		i++
	}
	l.emit(token{kind: numberToken, text: l.src[l.pos:i]})
	l.pos = i
}

func (l *lexer) scanWord() {
	i := l.pos
	for i < len(l.src) && namePart(l.src[i]) {
		i++
	}
	text := l.src[l.pos:i]
	if i < len(l.src) && l.src[i] == '\'' { // E'..', N'..', x'..', _utf8'..'
		switch strings.ToLower(text) {
		case "e", "n", "b", "x", "u", "r", "_utf8", "_utf8mb4", "_binary":
			l.pos = i
			l.scanString(text == "e" || text == "E")
			return
		}
	}
	l.pos = i
	text = strings.ToLower(text)
	if strings.Trim(text, string(hole)) == "" {
		l.emit(token{kind: holeToken, text: text})
		return
	}
	if head := strings.TrimRight(text, string(hole)); head != text {
		if reserved[head] { // "... FOR UPDATE" + suffix
			l.emit(token{kind: wordToken, text: head})
			l.emit(token{kind: holeToken, text: string(hole), glued: true})
			return
		}
		l.emit(token{kind: wordToken, text: text, open: true})
		return
	}
	l.emit(token{kind: wordToken, text: text})
}

var symbols = []string{"->>", "#>>", "<=>", "!~*", "->", "#>", "<=", ">=", "<>", "!=", "==", "||", "&&", "=>", "!~", "~*", "@>", "<@", "<<", ">>"}

func (l *lexer) scanSymbol() {
	rest := l.src[l.pos:]
	for _, s := range symbols {
		if strings.HasPrefix(rest, s) {
			l.pos += len(s)
			l.emit(token{text: s})
			return
		}
	}
	l.pos++
	l.emit(token{text: rest[:1]})
}
