package leaseflow

import (
	"strings"

	"github.com/fencelint/fencelint/internal/models"
	"golang.org/x/tools/go/ssa"
)

// modesAsValues finds commands that store the word NX or XX instead of being
// ruled by it.
func (p *program) modesAsValues(fn *ssa.Function, evs []*event) []Fault {
	var out []Fault
	for _, e := range evs {
		if e.Kind != Write || !e.direct || e.Store != "redis" {
			continue
		}
		value := e.Owner
		c := p.callee(e.call.Common())
		if row := p.rowWith(c, models.Write); row != nil {
			if pl, ok := row.First("value"); ok {
				value = p.term(site{p, e.call, c, row}.value(pl))
			}
		}
		if text, ok := value.constant(); ok && isMode(text) {
			f := e.fault(ModeAsValue)
			f.Variant = strings.ToUpper(text)
			out = append(out, f)
		}
	}
	return out
}

func isMode(text string) bool { return strings.EqualFold(text, "NX") || strings.EqualFold(text, "XX") }
