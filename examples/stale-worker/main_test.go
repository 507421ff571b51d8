package main

import (
	"os"
	"strings"
	"testing"
)

// timeline is what the README files show, too.
const timeline = `Without a fence: a lock with a lease, and a plain UPDATE
  A      acquires the lock for 200ms
  A      reads the balance: 100
  A      stalls
  lock   A's lease ends
  B      acquires the lock
  B      reads the balance: 100
  B      deposits 50 and writes 150
  A      wakes and writes what it had computed: 130
  store  accepts A
  lock   refuses A's release: it is not the owner
  B      releases the lock
  the balance is 130: B's deposit is lost, and nobody was told

With a fence: the store compares the token in the transaction that writes
  A      acquires the lock for 200ms
  A      reads the balance: 100
  A      stalls
  lock   A's lease ends
  B      acquires the lock
  B      reads the balance: 100
  B      deposits 50 and writes 150
  A      wakes and writes what it had computed: 130
  store  refuses A: stale grant
  lock   refuses A's release: it is not the owner
  B      releases the lock
  A      starts over: acquires, reads, deposits 30, releases
  the balance is 180: as if both had worked one after the other
`

// TestRun checks both outcomes: the lost update, and its refusal.
func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != timeline {
		t.Errorf("got\n%s\nwant\n%s", out.String(), timeline)
	}
}

// TestShown compares the README of the example, which shows both halves, and
// that of the repository, which shows the second.
func TestShown(t *testing.T) {
	t.Parallel()
	without, with, ok := strings.Cut(timeline, "\n\n")
	if !ok {
		t.Fatal("the timeline has one half")
	}
	for file, halves := range map[string][]string{"README.md": {without + "\n", with}, "../../README.md": {with}} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, half := range halves {
			shown := "    " + strings.ReplaceAll(strings.TrimSuffix(half, "\n"), "\n", "\n    ") + "\n"
			if !strings.Contains(string(text), shown) {
				t.Errorf("%s does not show\n%s", file, shown)
			}
		}
	}
}
