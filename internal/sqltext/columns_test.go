package sqltext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColumnKind(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]GuardKind{
		"version": Version, "fencing_token": Version, "lockversion": Version, "xmin": Version, "access_token": NoGuard,
		"schema_version": NoGuard, "owner": Owner, "locked_by": Owner, "worker_id": Owner, "owner_type": NoGuard,
		"expires_at": Expiry, "lock_until": Expiry, "status": Status, "jobstate": Status, "name": NoGuard, "lock_id": NoGuard, "": NoGuard,
	} {
		require.Equal(t, want, ColumnKind(name), name)
	}
}
