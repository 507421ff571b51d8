// Package reread frees a lock in the version that it has just read, after a look
// at whose it is, or in that of the acquire.
package reread

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

type record struct {
	Owner   string
	Renewed time.Time
	Version string
}

type locker struct {
	maps typedcorev1.ConfigMapInterface
	id   string
}

func (l *locker) get(ctx context.Context, name string) (*record, error) {
	cm, err := l.maps.Get(ctx, "lock-"+name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, cm.Annotations["renewed"])
	return &record{cm.Annotations["owner"], at, cm.ResourceVersion}, err
}

func (l *locker) put(ctx context.Context, name string, r record) error {
	_, err := l.maps.Update(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "lock-" + name, ResourceVersion: r.Version,
		Annotations: map[string]string{"owner": r.Owner, "renewed": r.Renewed.Format(time.RFC3339)},
	}}, metav1.UpdateOptions{})
	return err
}

func (l *locker) lock(ctx context.Context, name string) error {
	r, err := l.get(ctx, name)
	if err != nil {
		return err
	}
	if r.Owner != l.id && r.Renewed.Add(time.Minute).After(time.Now()) {
		return errors.New("taken")
	}
	return l.put(ctx, name, record{l.id, time.Now(), r.Version})
}

func (l *locker) unlock(ctx context.Context, name string) error {
	r, err := l.get(ctx, name)
	if err != nil {
		return err
	}
	if r.Owner != l.id {
		return errors.New("lost")
	}
	return l.put(ctx, name, record{Version: r.Version})
}

func (l *locker) mine(r *record) bool { return r.Owner == l.id }

func (l *locker) release(ctx context.Context, name string) error {
	r, err := l.get(ctx, name)
	if err != nil || !l.mine(r) {
		return err
	}
	return l.put(ctx, name, record{Version: r.Version})
}

func (l *locker) free(ctx context.Context, name, version string) error {
	if _, err := l.get(ctx, name); err != nil {
		return err
	}
	return l.put(ctx, name, record{Version: version})
}
