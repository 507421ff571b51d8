// Package sqlfence keeps leases and guards in a database behind database/sql:
// PostgreSQL, MySQL and MariaDB, SQLite. It imports no database driver.
//
// # First, is a lock needed?
//
// If a unique constraint or one conditional UPDATE protects the data, use
// that and no lock. A lock with a guard is for work that is longer than one
// statement.
//
// # Use
//
// [Migrate] makes the tables, once. A [Locker] is the lease; a [Guard] decides
// in the database that is written. Both may be in one database or in two.
//
//	locker, err := sqlfence.NewLocker(db, sqlfence.PostgreSQL)
//	guard, err := sqlfence.NewGuard(db, sqlfence.PostgreSQL)
//	client := fence.New(locker, fence.WithTTL(10*time.Second))
//	err = client.Do(ctx, "ledger", func(ctx context.Context, l *fence.Lease) error {
//		grant, err := l.Grant(guard)
//		if err != nil {
//			return err
//		}
//		return guard.Tx(ctx, grant, func(tx *sql.Tx) error {
//			… read and write through tx
//		})
//	}, fence.Registering(guard))
//
// There are three forms of a guarded write.
//
//   - [Guard.Tx], or [Guard.Check] in a transaction of your own: any number of
//     statements. The guard's row stays locked until the transaction ends, so
//     a new holder waits for it.
//   - [Guard.Exec] with a guard from [NewGuard]: one statement, one round trip.
//   - Guard.Exec with a guard from [NewColumns]: the record is in the row that
//     is written itself, so the check is three more conditions.
//
// A transaction covers the tables of one database. Another database or service
// that is written in the same work needs a guard and a registration of its
// own, and the writes to both are not one transaction.
//
// # Liveness
//
// A worker that stops inside its transaction holds the guard's row, and the
// next holder's Register or Claim waits. Bound the wait, and the stop, in the
// database; both are settings of the connection or the role:
//
//   - PostgreSQL: lock_timeout ends the wait with [driver.ErrBusy],
//     idle_in_transaction_session_timeout ends the transaction of the stopped
//     worker, which gets an error when it goes on.
//   - MySQL, MariaDB: innodb_lock_wait_timeout, and on MariaDB
//     idle_transaction_timeout.
//   - SQLite: busy_timeout; nothing ends the stopped worker's transaction, and
//     it locks the whole file. SQLite keeps no queue, and who waits looks ever
//     more seldom, up to once in 100 ms: a holder with one transaction after
//     the other can keep its successor waiting for long. Workers that must
//     take over soon set a busy_timeout of a millisecond or none and, on
//     driver.ErrBusy, ask again.
//
// Guard.Exec has no such window.
//
// # Round trips
//
// Acquire, Extend, Release, Register, Claim and a Guard.Exec that changes a
// row are one statement each on PostgreSQL and SQLite. On MySQL they are one
// statement, once the row exists and unless refused. A driver may add a round
// trip to prepare: with pgx set default_query_exec_mode=exec or
// cache_describe, or keep the default and pay at the first use on each
// connection; with go-sql-driver set interpolateParams=true.
//
// # Each database
//
// PostgreSQL: clock_timestamp() decides on expiry, never a worker's clock. In
// REPEATABLE READ and above a lost race is reported as driver.ErrBusy.
//
// MySQL and MariaDB: tables are InnoDB. Names are compared byte by byte.
//
// SQLite: all processes must be on one machine, whose clock decides on expiry.
// Open the file with _txlock=immediate, in WAL mode and with a busy_timeout;
// without _txlock=immediate transactions stay safe, but one that lost a race
// gets driver.ErrBusy at its first write.
package sqlfence
