// Case P015: a controller keeps the elector in a field and asks IsLeader before it turns traffic
// over. The answer is a local value: the lease may be lost, or run out during a pause, before
// the patch arrives, and the old leader turns the traffic back.
// To flag: the blind merge patch of the Service that hangs on IsLeader.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

type Switcher struct {
	kube    kubernetes.Interface
	elector *leaderelection.LeaderElector
}

func New(kube kubernetes.Interface, pod string) (*Switcher, error) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: "edge", Name: "switcher"},
		Client:     kube.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: pod},
	}
	e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { <-ctx.Done() },
			OnStoppedLeading: func() { os.Exit(1) },
		},
	})
	return &Switcher{kube, e}, err
}

func (s *Switcher) TurnTo(ctx context.Context, color string) error {
	if !s.elector.IsLeader() {
		return nil
	}
	patch := fmt.Appendf(nil, `{"spec":{"selector":{"color":%q}}}`, color)
	_, err := s.kube.CoreV1().Services("edge").Patch(ctx, "front", types.MergePatchType, patch, metav1.PatchOptions{}) // want `ttlcheck \(ownercheck\)`
	return err
}

func main() {
	s, err := New(kubernetes.NewForConfigOrDie(nil), "pod-1")
	if err != nil {
		log.Fatal(err)
	}
	go s.elector.Run(context.Background())
	log.Println(s.TurnTo(context.Background(), "green"))
}
