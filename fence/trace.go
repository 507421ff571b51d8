package fence

import "time"

// A Trace is a set of hooks, any of which may be nil. They are called in the
// goroutine in which the event happens, possibly several at a time, and should
// return soon. The figure to watch is StaleRejected: refused stale results, not
// how often a lock was taken.
type Trace struct {
	Acquired   func(Event) // a lock was acquired; Wait is set
	Registered func(Event) // a guard has registered the grant
	Claimed    func(Event) // a guard has issued the grant
	Lost       func(Event) // a lease ended before its release

	// StaleRejected: a store or guard refused an ownership as stale: at the
	// registration, or in a write whose error the function of Do returned.
	StaleRejected func(Event)

	// Preempted follows StaleRejected if the grant was claimed and its lease had
	// not ended as far as this client knows: a late claim of an older ownership
	// took the guard.
	Preempted func(Event)

	Regressed   func(Event) // a guard has seen a token the issuer has not issued; also if healed
	Adopted     func(Event) // a guard was taken over from another issuer
	Uncertain   func(Event) // the reply of a request was lost
	ReleaseLost func(Event) // a release found that the lock was no longer owned
}

// An Event is what a hook of [Trace] is told.
type Event struct {
	Name string // of the lock

	// Grant is the ownership concerned. Its Token and Issuer are zero if the lock
	// issues no ordered tokens and no guard is concerned. Print it: the text is
	// shortened; its fields are secrets.
	Grant Grant

	Wait time.Duration // Acquired: from the first attempt to success
	Err  error         // the cause, nil if none
}

func (c *Client) trace(hook func(*Trace) func(Event), e Event) {
	for _, t := range c.traces {
		if f := hook(t); f != nil {
			f(e)
		}
	}
}

func onAcquired(t *Trace) func(Event)      { return t.Acquired }
func onRegistered(t *Trace) func(Event)    { return t.Registered }
func onClaimed(t *Trace) func(Event)       { return t.Claimed }
func onLost(t *Trace) func(Event)          { return t.Lost }
func onStaleRejected(t *Trace) func(Event) { return t.StaleRejected }
func onPreempted(t *Trace) func(Event)     { return t.Preempted }
func onRegressed(t *Trace) func(Event)     { return t.Regressed }
func onAdopted(t *Trace) func(Event)       { return t.Adopted }
func onUncertain(t *Trace) func(Event)     { return t.Uncertain }
func onReleaseLost(t *Trace) func(Event)   { return t.ReleaseLost }
