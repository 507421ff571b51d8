package models

import "go/types"

// MatchShape returns rows for functions that no list can name, because they
// are generated or the user's own, but whose shape tells what they do.
func (c *Catalogue) MatchShape(fn *types.Func) []*Row { return nil }
