// Package luatext says what a Redis script does: which commands it calls, on
// which keys, and under which conditions on values that the store holds.
//
// A script is walked once, with its locals followed: `local v =
// redis.call("GET", KEYS[1])` makes v the stored value of KEYS[1], and a call
// under `if v == ARGV[1]` has that comparison among its Guards, as has a call
// after `if v ~= ARGV[1] then return 0 end`. The text may have holes: a part
// that was not known when the text was put together stands as U+FFFD.
//
// The table of Redis commands serves callers that send raw commands too: see
// Redis and NewCall.
//
// The package is pure: it holds no state and all its functions may be called
// concurrently.
package luatext
