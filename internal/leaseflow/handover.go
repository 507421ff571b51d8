package leaseflow

// handedOver reports whether the goroutine that makes a write was given the
// lease too, and gives it up once it has written: the lease does not end where
// the goroutine was started, it goes on there.
func (p *program) handedOver(w *event, r *region) bool {
	for _, end := range r.defers {
		if !end.spawned || end.call != w.call {
			continue
		}
		if w.body == nil {
			return true
		}
		give, write := p.sameEffect(end, w.body), p.sameEffect(w, w.body)
		if give == nil || write == nil || give.deferred || !follows(give.call, write.call) {
			return true
		}
	}
	return false
}
