package luatext

import "strings"

// describe renders what the tests compare: "DEL KEYS[1] if GET KEYS[1] == ARGV[1]".
func describe(calls []Call) []string {
	var out []string
	for _, c := range calls {
		s := name(c)
		for i, g := range c.Guards {
			if i == 0 {
				s += " if "
			} else {
				s += " & "
			}
			s += guardText(g)
		}
		out = append(out, s)
	}
	return out
}

func name(c Call) string {
	s := c.Command
	if s == "" {
		s = "?"
	}
	if c.Key.Kind != NoArg {
		s += " " + argName(c.Key)
	}
	return s
}

func argName(a Arg) string {
	if a.Kind == Unknown {
		return "?"
	}
	return a.Text
}

func guardText(g Guard) string {
	switch g.Op {
	case "or", "and":
		sep := " | "
		if g.Op == "and" {
			sep = " & "
		}
		var parts []string
		for _, a := range g.Any {
			parts = append(parts, guardText(a))
		}
		return "(" + strings.Join(parts, sep) + ")"
	case "other":
		return "other"
	}
	s := g.Command + " " + argName(g.Key)
	if g.Field.Kind != NoArg {
		s += "." + argName(g.Field)
	}
	s += " " + g.Op
	if g.Other.Kind != NoArg {
		s += " " + argName(g.Other)
	}
	return s
}

// names lists "DEL KEYS[1]" for the calls.
func names(calls []Call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, name(c))
	}
	return out
}

func chosen(s Script, keep func(Call) bool) []string {
	return names(s.filter(keep))
}
