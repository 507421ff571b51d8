package luatext

import "strings"

// Kind is what a Redis command does to its key.
type Kind int

// The kinds. Acquire is a Write that happens only if the key, or the field, is
// absent. Write includes SET, which an NX option turns into an acquire. Counter
// changes a number and answers it. Remove takes an element, a field or a member
// out of a value and leaves the rest. Effect reaches beyond the keys: PUBLISH.
// Other is known and does nothing to a key: PING, MULTI, TIME.
const (
	UnknownKind Kind = iota
	Read
	Write
	Delete
	Prolong
	Acquire
	Counter
	Remove
	Effect
	Other
)

// Mutates reports whether commands of the kind change what is stored.
func (k Kind) Mutates() bool { return k >= Write && k <= Remove }

type command struct {
	kind Kind
	key  int // position of the first key after the command name
}

// Redis returns the kind of a command, in upper or lower case, and the position
// of its key among the arguments after the command name, -1 when it has none.
func Redis(name string) (kind Kind, keyArg int) {
	c, ok := commands[strings.ToUpper(name)]
	if !ok {
		return UnknownKind, -1
	}
	return c.kind, c.key
}

var commands = table(map[Kind]string{
	Read: `GET GETRANGE SUBSTR STRLEN MGET EXISTS TYPE TTL PTTL EXPIRETIME PEXPIRETIME DUMP RANDOMKEY:-1 KEYS:-1 SCAN:-1
		HGET HMGET HGETALL HKEYS HVALS HLEN HEXISTS HSTRLEN HSCAN HRANDFIELD HTTL HPTTL HEXPIRETIME
		LINDEX LLEN LRANGE LPOS SISMEMBER SMISMEMBER SMEMBERS SCARD SRANDMEMBER SSCAN SDIFF SINTER SUNION
		ZSCORE ZMSCORE ZRANK ZREVRANK ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZCARD ZCOUNT ZLEXCOUNT
		ZSCAN ZRANDMEMBER XLEN XRANGE XREVRANGE XPENDING XREAD:-1 PFCOUNT GETBIT BITCOUNT BITPOS OBJECT:1 MEMORY:1
		GEOPOS GEODIST GEOSEARCH JSON.GET JSON.MGET JSON.TYPE DIGEST LCS DBSIZE:-1 SORT_RO`,
	Write: `SET SETEX PSETEX MSET GETSET APPEND SETRANGE HSET HMSET HEXPIRE HPEXPIRE HPERSIST LPUSH RPUSH LPUSHX RPUSHX LSET
		LINSERT SADD ZADD XADD XTRIM XGROUP:1 XACK XCLAIM XAUTOCLAIM XREADGROUP:-1 PFADD PFMERGE SETBIT BITFIELD BITOP:1
		GEOADD GEOSEARCHSTORE RESTORE COPY:1 SORT SDIFFSTORE SINTERSTORE SUNIONSTORE ZUNIONSTORE ZINTERSTORE ZRANGESTORE
		JSON.SET JSON.MERGE HSETEX RPOPLPUSH LMOVE BLMOVE BRPOPLPUSH SMOVE FLUSHALL:-1 FLUSHDB:-1`,
	Delete:  `DEL UNLINK GETDEL DELEX RENAME RENAMENX MOVE JSON.DEL`,
	Prolong: `EXPIRE PEXPIRE EXPIREAT PEXPIREAT PERSIST TOUCH GETEX`,
	Acquire: `SETNX HSETNX MSETNX`,
	Counter: `INCR INCRBY INCRBYFLOAT DECR DECRBY HINCRBY HINCRBYFLOAT ZINCRBY JSON.NUMINCRBY`,
	Remove: `HDEL HGETDEL SREM SPOP ZREM ZPOPMIN ZPOPMAX ZREMRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYLEX LREM LPOP RPOP LTRIM
		BLPOP BRPOP BZPOPMIN BZPOPMAX XDEL LMPOP:1 ZMPOP:1`,
	Effect: `PUBLISH SPUBLISH`,
	Other: `PING:-1 ECHO:-1 TIME:-1 INFO:-1 MULTI:-1 EXEC:-1 DISCARD:-1 WATCH UNWATCH:-1 SELECT:-1 AUTH:-1 HELLO:-1 CLIENT:-1
		CONFIG:-1 COMMAND:-1 SCRIPT:-1 FUNCTION:-1 EVAL:2 EVALSHA:2 EVAL_RO:2 EVALSHA_RO:2 FCALL:2 FCALL_RO:2 WAIT:-1
		WAITAOF:-1 SUBSCRIBE:-1 PSUBSCRIBE:-1 UNSUBSCRIBE:-1 PUBSUB:-1 QUIT:-1 ROLE:-1 CLUSTER:-1 REPLICATE_COMMANDS:-1`,
})

func table(kinds map[Kind]string) map[string]command {
	all := make(map[string]command)
	for kind, list := range kinds {
		for _, entry := range strings.Fields(list) {
			name, at, _ := strings.Cut(entry, ":")
			c := command{kind: kind}
			switch at {
			case "-1":
				c.key = -1
			case "1":
				c.key = 1
			case "2":
				c.key = 2
			}
			all[name] = c
		}
	}
	return all
}
