package leaseflow

import "golang.org/x/tools/go/ssa"

// sharedNames finds renewals and releases by which an attempt that was given
// up passes for the one that runs now: the store compares a name that the
// process bears in all its attempts. Such a name mostly does, as a process
// rarely holds one lease twice; it is told only of a lease under which a change
// is made that names nobody, so that nothing else stops the abandoned attempt.
func (p *program) sharedNames(all map[*ssa.Function][]*event, writes []Exposure) (renewals []Exposure, releases []UnsafeRelease) {
	for _, fn := range p.fns {
		if p.inTest(fn) {
			continue
		}
		for _, e := range all[fn] {
			if !e.direct || e.Guard != OwnerGuard || e.Origin != HostOrigin || e.Kind != Renew && e.Kind != Release {
				continue
			}
			x := namesNobody(writes, e)
			if x == nil {
				continue
			}
			if e.Kind == Renew {
				renewals = append(renewals, Exposure{Pos: e.pos(), call: e.call, Write: e.Effect, Acquire: x.Acquire, Acquirer: x.Acquirer, SharedName: true})
				continue
			}
			releases = append(releases, UnsafeRelease{Pos: e.pos(), API: e.API, Store: e.Store, Compared: true, Origin: e.Origin, Acquire: x.Acquire, Unnamed: true})
		}
	}
	return renewals, releases
}

// namesNobody finds an exposed change of the record that e frees or prolongs,
// made under its lease without a look at the holder.
func namesNobody(writes []Exposure, e *event) *Exposure {
	for i := range writes {
		x := &writes[i]
		if x.Acquire != nil && !x.Test && x.Write.Guard <= StatusOnly && x.Write.Action == Overwrite &&
			e.Key.known() && x.Write.Key.Equal(e.Key) && x.Acquirer.Key.Equal(e.Key) {
			return x
		}
	}
	return nil
}
