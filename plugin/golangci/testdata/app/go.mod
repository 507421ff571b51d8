module example.com/app

go 1.26

require github.com/redis/go-redis/v9 v9.0.0

replace github.com/redis/go-redis/v9 => ../../../../cmd/fencelint/testdata/redis
