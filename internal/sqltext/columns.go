package sqltext

// ColumnKind says what the name of a column, document field or attribute tells
// of its content: Version, Owner, Expiry, Status, or NoGuard for anything else.
// It serves stores that have no SQL but the same habits of naming.
func ColumnKind(name string) GuardKind {
	switch {
	case isOwnerName(name):
		return Owner
	case isExpiryName(name):
		return Expiry
	case isVersionName(name):
		return Version
	case isStatusName(name):
		return Status
	}
	return NoGuard
}
