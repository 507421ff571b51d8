package sqlfence

import "strings"

// A scanned is what a piece of SQL holds outside quotations and comments.
type scanned struct {
	words       []word
	depth       int  // of parentheses, at the end
	open        bool // ends inside a quotation or comment
	backslash   bool // in a quotation, where dialects differ about its end
	placeholder bool
	semicolon   bool
	sign        bool // a sign or a digit stands before the first word
}

// A word is a run of letters, in upper case.
type word struct {
	text  string
	depth int
	ends  bool // nothing but space follows
}

// scan knows just enough SQL to see where a condition stands. What it does not
// know it takes for words and signs. hash says that # begins a comment.
func scan(s string, hash bool) scanned {
	var r scanned
	for i := 0; i < len(s); {
		c := s[i]
		if n := skip(s[i:], hash); n != 0 {
			if n < 0 {
				r.open = true
				return r
			}
			r.backslash = r.backslash || strings.IndexByte(s[i:i+n], '\\') >= 0
			r.unended()
			i += n
			continue
		}
		switch {
		case letter(c):
			j := i
			for j < len(s) && (letter(s[j]) || '0' <= s[j] && s[j] <= '9') {
				j++
			}
			r.unended()
			r.words = append(r.words, word{text: strings.ToUpper(s[i:j]), depth: r.depth, ends: true})
			i = j
			continue
		case c == '(':
			r.depth++
		case c == ')':
			r.depth--
		case c == '?', c == '$', c == ':', c == '@':
			r.placeholder = true
		case c == ';':
			r.semicolon = true
		case strings.HasPrefix(s[i:], "||"): // in MySQL
			r.unended()
			r.words = append(r.words, word{text: "OR", depth: r.depth})
			i += 2
			continue
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		}
		r.sign = r.sign || len(r.words) == 0
		r.unended()
		i++
	}
	return r
}

// unended notes that something follows the last word.
func (r *scanned) unended() {
	if len(r.words) > 0 {
		r.words[len(r.words)-1].ends = false
	}
}

// skip is the length of the quotation or comment that s begins with, 0 if
// there is none, -1 if it does not end.
func skip(s string, hash bool) int {
	for _, q := range []struct{ begin, end string }{
		{"'", "'"}, {`"`, `"`}, {"`", "`"}, {"--", "\n"}, {"/*", "*/"}, {"#", "\n"},
	} {
		if q.begin == "#" && !hash {
			continue
		}
		if strings.HasPrefix(s, q.begin) {
			n := strings.Index(s[len(q.begin):], q.end)
			if n < 0 {
				return -1
			}
			return len(q.begin) + n + len(q.end)
		}
	}
	return 0
}

func letter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= 0x80
}
