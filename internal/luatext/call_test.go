package luatext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		kind    Kind
		key     int
	}{
		{"get", Read, 0},
		{"SET", Write, 0},
		{"Del", Delete, 0},
		{"UNLINK", Delete, 0},
		{"PEXPIRE", Prolong, 0},
		{"SETNX", Acquire, 0},
		{"HINCRBY", Counter, 0},
		{"ZREM", Remove, 0},
		{"PUBLISH", Effect, 0},
		{"EVAL", Other, 2},
		{"BITOP", Write, 1},
		{"PING", Other, -1},
		{"NOSUCH", UnknownKind, -1},
		{"", UnknownKind, -1},
	} {
		kind, key := Redis(c.command)
		require.Equal(t, c.kind, kind, c.command)
		require.Equal(t, c.key, key, c.command)
	}
}

func TestNewCall(t *testing.T) {
	t.Parallel()
	args := func(texts ...string) []Arg {
		var out []Arg
		for _, s := range texts {
			out = append(out, Arg{Kind: Literal, Text: s})
		}
		return out
	}
	c := NewCall("set", args("nx", "v", "NX", "px", "100"))
	require.Equal(t, "SET", c.Command)
	require.Equal(t, "nx", c.Key.Text, "the key may be named like an option")
	require.True(t, c.NX)
	require.True(t, c.HasTTL)
	require.False(t, c.XX || c.Get || c.KeepTTL || c.IfEq)
	require.Equal(t, Acquire, c.Kind())

	c = NewCall("SET", args("k", "NX"))
	require.False(t, c.NX, "here it is the value")
	require.Equal(t, Write, c.Kind())

	c = NewCall("SET", args("k", "v", "XX", "GET", "KEEPTTL"))
	require.True(t, c.XX && c.Get && c.KeepTTL)
	require.False(t, c.HasTTL)

	require.True(t, NewCall("SETEX", args("k", "10", "v")).HasTTL)
	require.True(t, NewCall("SET", args("k", "v", "IFEQ", "old")).IfEq)
	require.True(t, NewCall("DELEX", args("k", "IFEQ", "old")).IfEq)
	require.Equal(t, Delete, NewCall("expire", args("k", "-1")).Kind())
	require.Equal(t, Prolong, NewCall("expire", args("k", "10")).Kind())
	require.Equal(t, Read, NewCall("GETEX", args("k")).Kind())
	require.Equal(t, Prolong, NewCall("GETEX", args("k", "EX", "10")).Kind())
	require.Equal(t, "sha", NewCall("EVALSHA", args("s", "1", "sha")).Key.Text)
	require.Empty(t, NewCall("\uFFFD", args("k")).Command)
	require.Zero(t, NewCall("GET", nil).Key)
}

func TestWrites(t *testing.T) {
	t.Parallel()
	s, err := Parse(`redis.call('GET', KEYS[1]) redis.call('SET', KEYS[1], 'a') redis.call('SADD', KEYS[2], 'b')
		redis.call('EXPIRE', KEYS[2], 1) redis.call('SET', KEYS[3], 'c', 'XX') redis.call('DEL', KEYS[4]) redis.call('PUBLISH', KEYS[5], 'd')`)
	require.NoError(t, err)
	require.Equal(t, []string{set, "SADD KEYS[2]", "EXPIRE KEYS[2]", "SET KEYS[3]", "DEL KEYS[4]"}, names(s.Writes()))
	require.Equal(t, []string{"DEL KEYS[4]"}, names(s.Deletes()))
	require.Equal(t, []string{"EXPIRE KEYS[2]", "SET KEYS[3]"}, names(s.Prolongs()))
}
