module github.com/fencelint/fencelint/fence/redisfence/internal/integration

go 1.26.0

require (
	github.com/bsm/redislock v0.9.4
	github.com/fencelint/fencelint/fence v0.0.0
	github.com/fencelint/fencelint/fence/internal/integration v0.0.0
	github.com/fencelint/fencelint/fence/redisfence v0.0.0
	github.com/go-redsync/redsync/v4 v4.18.1
	github.com/redis/go-redis/v9 v9.23.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/anishathalye/porcupine v1.3.1 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.49.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace (
	github.com/fencelint/fencelint/fence => ../../../
	github.com/fencelint/fencelint/fence/internal/integration => ../../../internal/integration
	github.com/fencelint/fencelint/fence/redisfence => ../../
)
