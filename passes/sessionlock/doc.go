// Package sessionlock reports locks of a database session that go through a
// pool of connections.
//
// pg_advisory_lock, GET_LOCK and their like belong to the connection that took
// them. A pool runs the release on any free connection, where it does nothing,
// and may close the one that holds the lock while the work goes on.
//
//	db.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, key)
//
// Its only category is sessionlockpooled. It stays silent on a pinned
// connection, in a transaction, on locks of the transaction, on texts that take
// and free the lock in one go, and on pools of a single connection.
package sessionlock
