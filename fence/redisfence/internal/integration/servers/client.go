package servers

import "github.com/redis/go-redis/v9/maintnotifications"

// quiet spares new connections a request that Redis 7.0 does not know.
func quiet() *maintnotifications.Config {
	return &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
}
