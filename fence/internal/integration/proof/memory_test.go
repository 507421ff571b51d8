package proof

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

func TestSameAsMemory(t *testing.T) {
	t.Parallel()
	s := memfence.NewStore()
	SameAsMemory(t, &fencetest.GuardHarness{
		Guard: s, Write: s.Put, Read: s.Get,
		Record: func(_ context.Context, g driver.Grant) error {
			s.SetRecord(g)
			return nil
		},
	}, 0, 1<<53)
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	require.NoError(t, kindOf(nil))
	require.Equal(t, other, kindOf(other))
	require.Equal(t, driver.ErrStale, kindOf(&driver.StaleError{}))
}
