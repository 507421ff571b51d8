// Case R035: the leader callback gets a context that ends with the leadership, but starts
// the controllers with the process context. After a lost lease the old leader keeps
// reconciling beside the new one.
// To flag: the start of the controller with the outer context inside OnStartedLeading (its
// own context is dropped), and the blind Patch that the controller does as leader.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type controller struct{ c kubernetes.Interface }

func (k *controller) Run(ctx context.Context) {
	for ctx.Err() == nil {
		_, _ = k.c.CoreV1().ConfigMaps("x").Patch(ctx, "webhooks", types.MergePatchType, []byte(`{"data":{"a":"b"}}`), metav1.PatchOptions{}) // want `unfencedwrite \(unfenced\)`
		time.Sleep(time.Second)
	}
}

func main() {
	signalCtx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var cs kubernetes.Interface
	k := &controller{cs}
	leaderelection.RunOrDie(signalCtx, leaderelection.LeaderElectionConfig{
		Lock:          &resourcelock.LeaseLock{},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { k.Run(signalCtx) }, // BUG other:leaderctxdropped // want `leaseloss \(leaderctxdropped\)`
			OnStoppedLeading: func() { os.Exit(1) },
		},
	})
}
