package filefence

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
)

var stops = flag.Int("stops", 1, "runs of each case of TestStoppedHolder")

func TestMain(m *testing.M) {
	fencetest.Main(m, map[string]fencetest.Role{"worker": worker})
}

// points are where a worker can be stopped, in order.
var points = []string{"acquired", "prepared", "read", "inside", "written"}

// A pausingGuard shows the point between the lock and the guard.
type pausingGuard struct {
	*Dir
	side *fencetest.Side
}

func (g *pausingGuard) Register(ctx context.Context, x driver.Grant) error {
	g.side.At("acquired")
	return g.Dir.Register(ctx, x)
}

func (g *pausingGuard) Claim(ctx context.Context, resource, owner string) (driver.Grant, error) {
	g.side.At("acquired")
	return g.Dir.Claim(ctx, resource, owner)
}

// worker is one tenure: it adds "child" to a list in a file.
func worker(side *fencetest.Side) error {
	dir, mode := side.Args[0], side.Args[1]
	ttl, err := time.ParseDuration(side.Args[2])
	if err != nil {
		return err
	}
	locks, err := OpenLocks(dir)
	if err != nil {
		return err
	}
	store, err := Open(filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	store.between = func() { side.At("inside") }
	guard := &pausingGuard{store, side}
	how := fence.Registering
	if mode == "claim" {
		how = fence.Claiming
	}
	ctx := context.Background()
	lease, err := fence.New(locks, fence.WithTTL(ttl), fence.WithoutKeepAlive()).Acquire(ctx, "job", how(guard))
	if err != nil {
		return err
	}
	side.At("prepared")
	grant, err := lease.Grant(guard)
	if err != nil {
		return err
	}
	list, err := read(filepath.Join(dir, "data", "list"))
	if err != nil {
		return err
	}
	side.At("read")
	if mode == "unfenced" {
		err = os.WriteFile(filepath.Join(dir, "data", "list"), []byte(list+" child"), 0o600)
	} else {
		err = store.WriteFile(ctx, grant, "list", []byte(list+" child"), 0o600)
	}
	side.Say("write: %v", err)
	side.At("written")
	return errors.Join(err, lease.Release(ctx))
}

// TestStoppedHolder stops a real process at each point, lets this one take over
// and write, and continues it.
func TestStoppedHolder(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"register", "claim"} {
		for _, point := range points {
			for run := range *stops {
				t.Run(fmt.Sprintf("%s/%s/%d", mode, point, run), func(t *testing.T) {
					t.Parallel()
					stopAt(t, mode, point, time.Hour)
				})
			}
		}
	}
}

// The same with a lease that ends by the passing of time.
func TestStoppedBeyondTheLease(t *testing.T) {
	t.Parallel()
	stopAt(t, "register", "read", 3*time.Second)
}

// The control: without the guard's write the late holder overwrites.
func TestStoppedUnfencedHolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	locks, store := openLocks(t, dir), openDir(t, filepath.Join(dir, "data"))
	child := fencetest.Start(t, nil, "child", "worker", dir, "unfenced", "1h")
	child.Pass("acquired", "prepared")
	child.Await("read")
	child.Stop()
	if err := locks.update(t.Context(), "job", func(k *lease) error { k.Expires = time.Time{}; return nil }); err != nil {
		t.Fatal(err)
	}
	err := fence.New(locks, fence.WithTTL(time.Hour)).Do(t.Context(), "job", func(ctx context.Context, l *fence.Lease) error {
		g, err := l.Grant(store)
		if err != nil {
			return err
		}
		return store.WriteFile(ctx, g, "list", []byte(" parent"), 0o600)
	}, fence.Registering(store))
	if err != nil {
		t.Fatal(err)
	}
	child.Continue()
	child.Go()
	child.Pass("written")
	if err := child.Wait(); !errors.Is(err, driver.ErrNotOwner) {
		t.Errorf("the child ended with %v", err)
	}
	if list, err := read(filepath.Join(dir, "data", "list")); err != nil || list != " child" {
		t.Errorf("the list is %q, %v: the control shows nothing", list, err)
	}
}

// stopAt ends a lease of an hour behind its holder's back, who then believes to
// hold it still.
func stopAt(t *testing.T, mode, point string, ttl time.Duration) {
	dir := t.TempDir()
	locks := openLocks(t, dir)
	if err := locks.state.root.Mkdir("data", 0o700); err != nil {
		t.Fatal(err)
	}
	store := openDir(t, filepath.Join(dir, "data"))
	store.state.busy = 50 * time.Millisecond
	var timeline fencetest.Timeline
	defer func() {
		if t.Failed() {
			t.Log("\n" + timeline.String())
		}
	}()
	child := fencetest.Start(t, &timeline, "child", "worker", dir, mode, ttl.String())
	at := 0
	for ; points[at] != point; at++ {
		child.Pass(points[at])
	}
	child.Await(point)
	child.Stop()
	if ttl == time.Hour {
		err := locks.update(t.Context(), "job", func(k *lease) error { k.Expires = time.Time{}; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}

	how := fence.Registering(store)
	if mode == "claim" {
		how = fence.Claiming(store)
	}
	client := fence.New(locks, fence.WithTTL(time.Minute), fence.WithRetry(5*time.Millisecond, 5*time.Millisecond))
	if point == "inside" {
		// It holds the directory: nobody can write, not even the new holder.
		for err := error(driver.ErrNotAcquired); errors.Is(err, driver.ErrNotAcquired); {
			if _, err = client.TryAcquire(t.Context(), "job", how); !errors.Is(err, driver.ErrNotAcquired) && !errors.Is(err, driver.ErrBusy) {
				t.Fatalf("takeover: %v, want ErrBusy", err)
			}
		}
		child.Continue()
		child.Go()
		at++
		child.Await(points[at])
		child.Stop()
	}
	lease, err := client.Acquire(t.Context(), "job", how)
	if err != nil {
		t.Fatal(err)
	}
	timeline.Add("parent", "has taken over")
	grant, err := lease.Grant(store)
	if err != nil {
		t.Fatal(err)
	}
	add := func() error {
		list, err := read(filepath.Join(dir, "data", "list"))
		if err != nil {
			t.Fatal(err)
		}
		err = store.WriteFile(t.Context(), grant, "list", []byte(list+" parent"), 0o600)
		timeline.Add("parent", "write: %v", err)
		return err
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	child.Continue()
	child.Go()
	for at++; at < len(points); at++ {
		if points[at] == "inside" && (mode == "register" || point != "acquired") {
			continue // refused before it
		}
		if mode == "register" && point == "acquired" {
			break // refused at its registration
		}
		child.Pass(points[at])
	}
	err = child.Wait()

	want := map[string]string{
		"acquired": " parent", "prepared": " parent", "read": " parent",
		"inside": " child parent", "written": " child parent",
	}[point]
	wantErr := driver.ErrStale
	switch {
	case point == "inside" || point == "written":
		wantErr = driver.ErrNotOwner // its release
	case mode == "claim" && point == "acquired":
		// The documented weakness of claims: the older wins, and nothing is lost.
		want, wantErr = " parent child", driver.ErrNotOwner
	}
	if !errors.Is(err, wantErr) || wantErr != driver.ErrStale && errors.Is(err, driver.ErrStale) {
		t.Errorf("the child ended with %v, want %v", err, wantErr)
	}
	if list, err := read(filepath.Join(dir, "data", "list")); err != nil || list != want {
		t.Errorf("the list is %q, %v; want %q", list, err, want)
	}
	if mode == "claim" && point == "acquired" {
		if err := add(); !errors.Is(err, driver.ErrStale) {
			t.Errorf("the pre-empted holder's write: %v", err)
		}
	}
	// The old release freed nothing.
	if _, err := client.TryAcquire(t.Context(), "job"); !errors.Is(err, driver.ErrNotAcquired) {
		t.Errorf("after the old holder's release: %v, want ErrNotAcquired", err)
	}
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
