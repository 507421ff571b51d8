// Stale-worker shows a lost update, and then the same with a fence.
//
// Worker A takes a lock, reads a balance and stalls. Its lease ends, worker B
// takes the lock, reads, writes and is done. Then A wakes and writes, too. The
// lock did what it promises in both runs; only the store can refuse A.
//
//	cd examples/stale-worker && go run .
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stale-worker:", err)
		os.Exit(1)
	}
}

// run plays the story twice in a temporary directory.
func run(ctx context.Context, out io.Writer) error {
	dir, err := os.MkdirTemp("", "stale-worker-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, fenced := range []bool{false, true} {
		if fenced {
			fmt.Fprintln(out, "\nWith a fence: the store compares the token in the transaction that writes")
		} else {
			fmt.Fprintln(out, "Without a fence: a lock with a lease, and a plain UPDATE")
		}
		file := filepath.Join(dir, fmt.Sprintf("fenced-%v.db", fenced))
		s, err := newStore(ctx, file, fenced)
		if err != nil {
			return err
		}
		balance, err := play(ctx, out, s)
		if closing := s.db.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return err
		}
		verdict := "as if both had worked one after the other"
		if balance != 100+30+50 {
			verdict = "B's deposit is lost, and nobody was told"
		}
		fmt.Fprintf(out, "  the balance is %d: %s\n", balance, verdict)
	}
	return nil
}

// lease is short so that the example is. A longer one would only make the
// stall that breaks it rarer.
const lease = 200 * time.Millisecond
