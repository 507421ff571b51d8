// Package again tries things more than once. It knows of no store and no lock.
package again

// Thrice runs f until it succeeds.
func Thrice(f func() error) (err error) {
	for range 3 {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

// A Policy says how often.
type Policy struct{ Times int }

// Run runs f until it gives something.
func Run[T any](p Policy, f func() (T, error)) (v T, err error) {
	for range p.Times {
		if v, err = f(); err == nil {
			return v, nil
		}
	}
	return v, err
}
