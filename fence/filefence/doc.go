//go:build unix

// Package filefence guards files in one directory of a local file system, and
// offers a lock service in such a directory, for the processes of one machine.
//
// [Dir] is the guarded store: [Dir.WriteFile] replaces a file if the guard shows
// the caller's grant. Check and change happen under one exclusive flock, and the
// change is a rename of a file that is already on disk. [Locks] is the lock
// service.
//
// # Limits
//
// Local file systems only: over NFS and its like, flock and rename do not give
// what is needed. Programs that write the files without this package are not
// stopped. Check and change do not survive a crash as one step together with a
// request id, so OncePerRequest is [driver.ErrUnsupported]. A process that is
// stopped while it holds the flock blocks others, who get [driver.ErrBusy]; it
// blocks them from writing too, so nothing is lost. Leases are counted by the
// machine's wall clock: a clock that jumps ends leases early or late, which the
// guard makes harmless.
package filefence
