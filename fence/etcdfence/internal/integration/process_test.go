package integration

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/fencelint/fencelint/fence"
	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/etcdfence"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/cluster"
	"github.com/fencelint/fencelint/fence/etcdfence/internal/integration/wire"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/proof"
)

// The ways in which a holder protects its write.
const (
	byRegister = "register"
	byClaim    = "claim"
	byLock     = "lock"  // Locker.Txn, no guard
	byMutex    = "mutex" // concurrency.Mutex and Tenure.Txn
)

var ways = []string{byRegister, byClaim, byLock, byMutex}

// workerRole is the worker of the article: it stalls, and goes on as if nothing
// had happened. It disregards cancelled contexts, for what is proved is that
// the store refuses. Its arguments are the endpoint, the prefix, the name, the
// way and the TTL.
func workerRole(side *fencetest.Side) error {
	ctx := context.Background()
	client, err := cluster.NewClient(side.Args[0])
	if err != nil {
		return err
	}
	s := &store{client: client, prefix: side.Args[1]}
	name, way := side.Args[2], side.Args[3]
	ttl, err := time.ParseDuration(side.Args[4])
	if err != nil {
		return err
	}
	if s.locker, err = etcdfence.NewLocker(client, etcdfence.WithPrefix(s.prefix)); err != nil {
		return err
	}
	if s.guard, err = etcdfence.NewGuard(client, etcdfence.WithPrefix(s.prefix)); err != nil {
		return err
	}
	if way == byMutex {
		return s.mutexWorker(ctx, side, name, ttl)
	}
	guard := &proof.StoppingGuard{Guard: s.guard, Side: side}
	var prepare []fence.AcquireOption
	switch way {
	case byRegister:
		prepare = append(prepare, fence.Registering(guard))
	case byClaim:
		prepare = append(prepare, fence.Claiming(guard))
	}
	releaseLost := false
	locks := fence.New(&proof.StoppingLocker{Locker: s.locker, Side: side}, fence.WithTTL(ttl), fence.WithReleaseTimeout(time.Minute),
		fence.WithTrace(&fence.Trace{ReleaseLost: func(fence.Event) { releaseLost = true }}))
	err = locks.Do(ctx, name, func(ctx context.Context, l *fence.Lease) error {
		ctx = context.WithoutCancel(ctx)
		g, err := l.Grant(guard)
		if err != nil {
			return err
		}
		if way == byLock {
			side.At(proof.AfterAcquire)
		}
		return s.work(ctx, side, name, func() clientv3.Txn {
			if way == byLock {
				return s.locker.Txn(ctx, g)
			}
			return s.guard.Txn(ctx, g)
		})
	}, prepare...)
	if err == nil && releaseLost {
		err = fence.ErrNotOwner // told apart by the parent: the write was made
	}
	return err
}

// work reads and writes, with all points but the first and the last.
func (s *store) work(ctx context.Context, side *fencetest.Side, name string, begin func() clientv3.Txn) error {
	side.At(proof.AfterRegister)
	value, err := s.read(ctx, name)
	if err != nil {
		return err
	}
	side.At(proof.AfterRead)
	side.At(proof.AfterSend) // the parent holds back what is sent now
	_, err = begin().Then(clientv3.OpPut(s.key(name), value+" A")).Commit()
	return err
}

// mutexWorker keeps a Mutex of etcd's own client as it is.
func (s *store) mutexWorker(ctx context.Context, side *fencetest.Side, name string, ttl time.Duration) error {
	session, err := concurrency.NewSession(s.client, concurrency.WithTTL(max(1, int(ttl.Seconds()))))
	if err != nil {
		return err
	}
	m := concurrency.NewMutex(session, s.prefix+"lock/"+name)
	if err := m.Lock(ctx); err != nil {
		return err
	}
	tenure, err := etcdfence.OfMutex(ctx, s.client, m, name)
	if err != nil {
		return err
	}
	side.At(proof.AfterAcquire)
	err = s.work(ctx, side, name, func() clientv3.Txn { return tenure.Txn(ctx) })
	side.At(proof.BeforeRelease)
	if unlock := m.Unlock(ctx); err == nil && unlock != nil {
		return unlock
	}
	return err
}

// TestStoppedProcess stops a holder in another process by SIGSTOP at each of
// five points, lets its lease end, acquires and writes here, and continues it.
//
// The old holder's write is refused wherever it was stopped, except that one
// that was stopped before its claim claims above its successor: it then reads
// what the successor wrote, and it is the successor whose later write is
// refused. No acknowledged write is lost, and the old release frees nothing. In
// every fourth run the lease ends by itself, in the others it is revoked.
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	runs := proof.Count(t, "FENCE_STOPS", 20)
	s := open(t)
	var done, refused, preempted, natural atomic.Int64
	work := make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range work {
				r := stopRun{
					store: s, point: proof.Points[i%5], way: ways[i/5%4], natural: (i+i/20)%4 == 3,
					name: fmt.Sprintf("job-%d", i), refused: &refused, preempted: &preempted,
				}
				if r.natural {
					natural.Add(1)
				}
				if t.Run(fmt.Sprintf("%03d %s %s natural=%v", i, r.way, r.point, r.natural), r.run) {
					done.Add(1)
				}
			}
		})
	}
	for i := range runs {
		work <- i
	}
	close(work)
	wg.Wait()
	require.EqualValues(t, runs, done.Load())
	t.Logf("%d runs, %d leases ended by themselves: %d stale writes refused, %d late claims pre-empted, 0 stale accepted, 0 lost",
		runs, natural.Load(), refused.Load(), preempted.Load())
}

// A stopRun is one stopped process.
type stopRun struct {
	*store
	point, way, name   string
	natural            bool
	refused, preempted *atomic.Int64
}

func (r stopRun) run(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	require.NoError(t, r.put(ctx, r.name, "start"))
	p, err := wire.Start(shared.get(t).Endpoints()[0], 0)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	ttl := time.Hour
	if r.natural {
		ttl = 10 * time.Second // a loaded machine may take seconds to come to the stop
	}
	timeline := new(fencetest.Timeline)
	child := fencetest.Start(t, timeline, "holder", "worker", p.Address(), r.prefix, r.name, r.way, ttl.String())
	release := func() {}
	for _, at := range proof.Points {
		child.Await(at)
		if at == r.point {
			if at == proof.AfterSend {
				var held <-chan struct{}
				held, release = p.Hold(" A")
				t.Cleanup(release)
				child.Go()
				<-held
			}
			break
		}
		child.Go()
	}
	child.Stop()

	if !r.natural {
		require.NoError(t, r.expire(ctx, r.name))
	}
	// Another process takes over, with a lease that outlasts the test.
	locks := fence.New(r.locker, fence.WithTTL(10*time.Minute), fence.WithRetry(5*time.Millisecond, 20*time.Millisecond))
	var prepare []fence.AcquireOption
	switch r.way {
	case byRegister:
		prepare = append(prepare, fence.Registering(r.guard))
	case byClaim:
		prepare = append(prepare, fence.Claiming(r.guard))
	}
	lease, err := locks.Acquire(ctx, r.name, prepare...)
	require.NoError(t, err)
	g, err := lease.Grant(r.guard)
	require.NoError(t, err)
	write := func(value string) error {
		txn := r.guard.Txn(ctx, g)
		if r.way == byLock || r.way == byMutex {
			txn = r.locker.Txn(ctx, g)
		}
		_, err := txn.Then(clientv3.OpPut(r.key(r.name), value)).Commit()
		return err
	}
	before, err := r.read(ctx, r.name)
	require.NoError(t, err)
	require.NoError(t, write(before+" B"))

	child.Continue()
	release()
	after := false
	for _, at := range proof.Points { // it goes through the points that are left
		if at == r.point {
			after = true
			if at == proof.AfterSend {
				continue
			}
			child.Go()
			continue
		}
		if !after || r.skips(at) {
			continue
		}
		child.Pass(at)
	}
	err = child.Wait()
	value, readErr := r.read(ctx, r.name)
	require.NoError(t, readErr)
	again := write(value + " B")
	switch {
	case r.point == proof.BeforeRelease: // it had written before it stopped
		if r.way != byMutex {
			require.ErrorIs(t, err, fence.ErrNotOwner, "the old release must find that the lock has passed on\n%v", timeline)
		}
		require.Equal(t, "start A B", value)
		require.NoError(t, again)
	case r.point == proof.AfterAcquire && r.way == byClaim:
		require.ErrorIs(t, err, fence.ErrNotOwner)
		require.Equal(t, "start B A", value)
		require.ErrorIs(t, again, fence.ErrStale)
		r.preempted.Add(1)
	default:
		require.ErrorIs(t, err, fence.ErrStale, "%v", timeline)
		require.Equal(t, "start B", value)
		require.NoError(t, again)
		r.refused.Add(1)
	}
	_, err = r.locker.Acquire(ctx, driver.Request{Name: r.name, Owner: "probe-0123456789", TTL: time.Second})
	require.ErrorIs(t, err, driver.ErrNotAcquired, "the old release freed the new lock")
	require.NoError(t, lease.Release(ctx))
}

// skips says that the child does not come to a point after it was stopped: a
// refused registration ends the work.
func (r stopRun) skips(at string) bool {
	return r.point == proof.AfterAcquire && r.way == byRegister && at != proof.BeforeRelease
}
