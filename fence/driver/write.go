package driver

// A Write is the policy of one guarded write. Adapters take ...WriteOption in
// their write calls and read the result of [NewWrite].
type Write struct {
	// Request, if not empty, is recorded in the store in the same atomic step as
	// the change, under (Grant.Resource, Request), with the grant's token beside
	// it. If it is there already, nothing changes and the error is a
	// *DuplicateError. The guard is checked first: a stale grant gets ErrStale
	// whether or not the request was applied, and the next holder finds out by
	// sending the same request. The token is not part of the key.
	Request string

	// Lazy asks for the lazy form, see LazyWrite.
	Lazy bool

	once bool // OncePerRequest was given, maybe with an empty id
}

// NewWrite applies the options, later ones over earlier ones, and checks them.
// Errors: an [*InvalidError] for a request id that is no name.
func NewWrite(opts ...WriteOption) (Write, error) {
	var w Write
	for _, o := range opts {
		if o != nil {
			o(&w)
		}
	}
	if w.once {
		if err := WellFormedName("request", w.Request); err != nil {
			return Write{}, err
		}
	}
	return w, nil
}

// A WriteOption chooses the policy of a guarded write.
type WriteOption func(*Write)

// AllowSame lets one ownership write as often as it likes. This is the default.
func AllowSame() WriteOption { return func(w *Write) { w.Request, w.once = "", false } }

// OncePerRequest applies the write at most once for this request id and
// resource, whoever holds the grant. It makes a write whose reply was lost
// repeatable: by the same holder, or by the next one. id is a name, see
// [WellFormedName]. Adapters without support return [ErrUnsupported].
func OncePerRequest(id string) WriteOption {
	return func(w *Write) { w.Request, w.once = id, true }
}

// LazyWrite lets the write itself raise the guard, in one atomic step: no
// registration comes before it. The store applies the rule of [Guard.Register]
// and, if that accepts, makes the change. Limits: a store that has not yet seen
// 12 still accepts 11, and what was read before the write is not covered, so
// read-modify-write can lose updates. Use it only for writes that do not depend
// on reads.
func LazyWrite() WriteOption { return func(w *Write) { w.Lazy = true } }
