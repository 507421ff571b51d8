package reread

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

// A forever is a lock that nobody takes from its holder, however old it is:
// who frees it is the one who took it.
type forever struct {
	maps typedcorev1.ConfigMapInterface
	id   string
}

func (l *forever) get(ctx context.Context, name string) (*record, error) {
	cm, err := l.maps.Get(ctx, "lock-"+name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return &record{Owner: cm.Annotations["owner"], Version: cm.ResourceVersion}, nil
}

func (l *forever) put(ctx context.Context, name string, r record) error {
	_, err := l.maps.Update(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: "lock-" + name, ResourceVersion: r.Version, Annotations: map[string]string{"owner": r.Owner},
	}}, metav1.UpdateOptions{})
	return err
}

func (l *forever) lock(ctx context.Context, name string) error {
	r, err := l.get(ctx, name)
	if err != nil {
		return err
	}
	if r.Owner != "" {
		return errors.New("taken")
	}
	return l.put(ctx, name, record{Owner: l.id, Version: r.Version})
}

func (l *forever) unlock(ctx context.Context, name string) error {
	r, err := l.get(ctx, name)
	if err != nil {
		return err
	}
	return l.put(ctx, name, record{Version: r.Version})
}
