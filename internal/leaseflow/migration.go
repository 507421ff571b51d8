package leaseflow

// migrates reports whether the package is there for changes that are made once,
// when a new release starts: what a second run finds changed it passes over. The
// rows of leases that it adds and removes are nobody's.
func (p *program) migrates() bool {
	return hasAny(migrationWords, split(p.pass.Pkg.Name()))
}

var migrationWords = map[string]bool{"migrate": true, "migration": true, "migrations": true}
