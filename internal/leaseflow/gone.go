package leaseflow

// asksForAnyone reports a check whether there is a lock at all, whoever took it.
func (v *verdict) asksForAnyone() bool {
	return v.event != nil && v.effect.Candidate && v.effect.Check == OwnerCheck && !v.effect.Owner.known()
}

// gone is a verdict of whoever acts because there is no lock: it has found no
// lease of its own, it judges the last holder dead and takes up what that left.
func (v *verdict) gone() *verdict {
	dead := *v
	dead.effect.Check = Takeover
	return &dead
}

// takes reports whether a write because there is no lock makes one: that is a
// lock that is taken in two steps, and no work under it.
func (v *verdict) takes(e *event) bool {
	return v.effect.Check == Takeover && e.Action == Overwrite && e.Key.known() && v.record.known() && sameShape(e.Key, v.record)
}

// judgedOver is a verdict of whoever acts because the time of the lease is over.
func (v *verdict) judgedOver() *verdict {
	dead := *v
	dead.over = true
	return &dead
}
