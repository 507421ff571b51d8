// Package kubernetes updates, as leader, objects that carry the version that
// was read: nothing is to be said.
package kubernetes

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
)

type controller struct{ kube kubernetes.Interface }

func (c *controller) bump(ctx context.Context) error {
	cm, err := c.kube.CoreV1().ConfigMaps("x").Get(ctx, "counter", metav1.GetOptions{})
	if err != nil {
		return err
	}
	cm.Data["n"] += "i"
	_, err = c.kube.CoreV1().ConfigMaps("x").Update(ctx, cm, metav1.UpdateOptions{})
	return err
}

func (c *controller) callbacks() leaderelection.LeaderCallbacks {
	return leaderelection.LeaderCallbacks{
		OnStartedLeading: func(ctx context.Context) { _ = c.bump(ctx) },
		OnStoppedLeading: func() {},
	}
}
