//go:build unix

package filefence_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/filefence"
)

// Two processes of one machine take turns at writing a report. The one that
// stalled is refused.
func Example() {
	ctx := context.Background()
	path, err := os.MkdirTemp("", "reports-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(path)
	locks, err := filefence.OpenLocks(path)
	if err != nil {
		panic(err)
	}
	defer locks.Close()
	dir, err := filefence.Open(path)
	if err != nil {
		panic(err)
	}
	defer dir.Close()

	client := fence.New(locks, fence.WithTTL(10*time.Second), fence.WithoutKeepAlive())
	acquire := func() (*fence.Lease, fence.Grant) {
		lease, err := client.Acquire(ctx, "report", fence.Registering(dir))
		if err != nil {
			panic(err)
		}
		grant, err := lease.Grant(dir)
		if err != nil {
			panic(err)
		}
		return lease, grant
	}
	stalled, old := acquire()
	if err := stalled.Extend(ctx, time.Millisecond); err != nil { // its lease ends, here soon
		panic(err)
	}
	lease, young := acquire()
	defer lease.Release(ctx)
	write := func(g fence.Grant, text string) error {
		return dir.WriteFile(ctx, g, "report.txt", []byte(text), 0o644)
	}
	fmt.Println("young:", write(young, "by the young one"))
	fmt.Println("old is stale:", errors.Is(write(old, "by the old one"), fence.ErrStale))
	text, err := os.ReadFile(filepath.Join(path, "report.txt"))
	fmt.Println(string(text), err)
	// Output:
	// young: <nil>
	// old is stale: true
	// by the young one <nil>
}
