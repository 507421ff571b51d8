package proof

import (
	"math"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/driver"
	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/memfence"
)

// TestModel judges histories whose fate is known by thought.
func TestModel(t *testing.T) {
	t.Parallel()
	const never = math.MaxInt64
	a := driver.Grant{Token: 1, Owner: "a"}
	b := driver.Grant{Token: 2, Owner: "b"}
	at := func(kind string, g driver.Grant, value string, got answer, call, end int64) porcupine.Operation {
		return porcupine.Operation{Input: operation{kind, g, value}, Output: got, Call: call, Return: end}
	}
	registered := []porcupine.Operation{
		at("register", a, "", answer{}, 0, 1),
		at("write", a, "1", answer{}, 2, 3),
		at("register", b, "", answer{}, 4, 5),
	}
	for name, tt := range map[string]struct {
		last []porcupine.Operation
		ok   bool
	}{
		"stale write refused":         {[]porcupine.Operation{at("write", a, "2", answer{stale: true}, 6, 7)}, true},
		"stale write accepted":        {[]porcupine.Operation{at("write", a, "2", answer{}, 6, 7)}, false},
		"current write refused":       {[]porcupine.Operation{at("write", b, "2", answer{stale: true}, 6, 7)}, false},
		"write that began before":     {[]porcupine.Operation{at("write", a, "2", answer{}, 3, 7)}, true},
		"lost write":                  {[]porcupine.Operation{at("write", b, "2", answer{}, 6, 7), at("read", b, "", answer{value: "1"}, 8, 9)}, false},
		"older registration accepted": {[]porcupine.Operation{at("register", a, "", answer{}, 6, 7)}, false},
		"uncertain write, seen":       {[]porcupine.Operation{at("write", b, "2", answer{unknown: true}, 6, never), at("read", b, "", answer{value: "2"}, 8, 9)}, true},
		"uncertain write, not seen":   {[]porcupine.Operation{at("write", b, "2", answer{unknown: true}, 6, never), at("read", b, "", answer{value: "1"}, 8, 9)}, true},
		"uncertain stale write, seen": {[]porcupine.Operation{at("write", a, "2", answer{unknown: true}, 6, never), at("read", b, "", answer{value: "2"}, 8, 9)}, false},
		"uncertain write, seen and taken back": {[]porcupine.Operation{
			at("write", b, "2", answer{unknown: true}, 6, never),
			at("read", b, "", answer{value: "2"}, 8, 9),
			at("read", b, "", answer{value: "1"}, 10, 11),
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.ok, porcupine.CheckOperations(model, append(registered[:3:3], tt.last...)))
		})
	}
}

func TestHistories(t *testing.T) {
	t.Parallel()
	s := memfence.NewStore()
	h := &fencetest.GuardHarness{Guard: s, Write: s.Put, Read: s.Get}
	Histories(t, 50, h, h, h, h)
}
