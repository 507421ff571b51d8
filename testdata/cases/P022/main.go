// Case P022: a runnable that the manager starts on the leader only. It reads a ConfigMap, adds one
// and sends a merge patch, which carries no resourceVersion: an old leader that wakes up
// overwrites the new leader's count with one computed from its old read.
// To flag: the Patch in Start; NeedLeaderElection and the option LeaderElection make the region.
package main

import (
	"context"
	"log"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type epochCounter struct{ client.Client }

func (e *epochCounter) NeedLeaderElection() bool { return true }

func (e *epochCounter) Start(ctx context.Context) error {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := e.bump(ctx, client.ObjectKey{Namespace: "sys", Name: "epoch"}); err != nil {
				log.Println("bump:", err)
			}
		}
	}
}

func (e *epochCounter) bump(ctx context.Context, key client.ObjectKey) error {
	var cm corev1.ConfigMap
	if err := e.Get(ctx, key, &cm); err != nil {
		return err
	}
	base := cm.DeepCopy()
	n, _ := strconv.Atoi(cm.Data["n"])
	cm.Data = map[string]string{"n": strconv.Itoa(n + 1)}
	return e.Patch(ctx, &cm, client.MergeFrom(base)) // want `unfencedwrite \(rmw\)`
}

func main() {
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{LeaderElection: true, LeaderElectionID: "epoch.sys"})
	if err != nil {
		log.Fatal(err)
	}
	if err := mgr.Add(&epochCounter{mgr.GetClient()}); err != nil {
		log.Fatal(err)
	}
	log.Fatal(mgr.Start(ctrl.SetupSignalHandler()))
}
