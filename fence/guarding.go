package fence

import (
	"reflect"

	"github.com/fencelint/fencelint/fence/driver"
)

// An AcquireOption says which guards an acquisition prepares.
type AcquireOption func(*acquisition)

// Guarding makes each guard know the new ownership before Acquire returns and
// before Do calls its function: by Register if the lock's tokens are ordered,
// otherwise by Claim. Which of the two it is depends on the locker alone, so
// all users of one lock service and one guard agree.
func Guarding(guards ...driver.Guard) AcquireOption { return guarding(byOrder, guards) }

// Registering registers the lock's own token at each guard: an older ownership
// is refused even if it arrives late. A locker without ordered tokens gives
// [ErrUnsupported].
func Registering(guards ...driver.Guard) AcquireOption { return guarding(byRegister, guards) }

// Claiming lets each guard's store issue the token. It works with any lock and
// does not depend on the lock service's memory. Its order is that of the
// claims: a worker that stalls between the lock and the claim claims above its
// successor, whose writes are then refused. Work stays serial and no update is
// lost, yet the older ownership wins.
func Claiming(guards ...driver.Guard) AcquireOption { return guarding(byClaim, guards) }

// Lazy prepares nothing: the first write with [LazyWrite] raises the guard. It
// saves a round trip and gives up two things: a store that has not yet seen
// token 12 still accepts 11, and reads before the write are not covered, so
// read-modify-write can lose updates. A locker without ordered tokens gives
// [ErrUnsupported].
func Lazy(guards ...driver.Guard) AcquireOption { return guarding(byWrite, guards) }

// A mode is the way in which a guard learns of an ownership.
type mode int

const (
	byOrder mode = iota
	byRegister
	byClaim
	byWrite
)

// ordered reports whether the mode needs the lock's own token.
func (m mode) ordered() bool { return m == byRegister || m == byWrite }

type guardMode struct {
	guard driver.Guard
	mode  mode
}

// An acquisition is what the options of one Acquire ask for.
type acquisition struct {
	guards []guardMode
	err    error
}

func guarding(m mode, guards []driver.Guard) AcquireOption {
	return func(a *acquisition) {
		for _, g := range guards {
			a.add(g, m)
		}
	}
}

func (a *acquisition) add(g driver.Guard, m mode) {
	switch {
	case a.err != nil:
		return
	case g == nil:
		a.err = invalid("guard", "is nil")
		return
	case !reflect.ValueOf(g).Comparable():
		a.err = invalid("guard", "cannot be compared: use a pointer")
		return
	}
	for _, other := range a.guards {
		if other.guard == g {
			a.err = invalid("guard", "is given twice")
			return
		}
	}
	a.guards = append(a.guards, guardMode{g, m})
}

func newAcquisition(opts []AcquireOption) (*acquisition, error) {
	a := new(acquisition)
	for _, o := range opts {
		if o != nil {
			o(a)
		}
	}
	return a, a.err
}
