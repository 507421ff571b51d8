package fence

import (
	"errors"
	"fmt"

	"github.com/fencelint/fencelint/fence/driver"
)

// ErrLost is the cause with which contexts are cancelled when a lease has ended
// before its release, and is wrapped by calls on such a lease. It is advice to
// stop working. That it has not come says nothing.
var ErrLost = errors.New("fence: lease was lost")

// A RegressedError says that the lock service issues tokens that a guard has
// already left behind: its sequence was lost, restored from a backup or
// continued by a replica that lagged. errors.Is(err, ErrRegressed).
// See [HealForward].
type RegressedError struct {
	Have   Grant // the fresh grant that was refused
	Seen   Grant // the guard's record
	Issued Token // the greatest token the issuer knows of; zero if it cannot be asked
}

// Error names the grants; owners and tokens are shortened.
func (e *RegressedError) Error() string {
	return fmt.Sprintf("%v: have %v, guard has %v", ErrRegressed, e.Have, e.Seen)
}

// Is reports whether target is ErrRegressed.
func (e *RegressedError) Is(target error) bool { return target == ErrRegressed }

func invalid(what, reason string) error {
	return &driver.InvalidError{What: what, Reason: reason}
}
