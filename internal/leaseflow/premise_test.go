package leaseflow

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPremiseHoldsFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		op, value, given string
		want             tri
	}{
		{"==", "true", "true", yes},
		{"==", "true", "false", no},
		{"!=", "true", "false", yes},
		{"==", "", "", yes},
		{"!=", "0", "90", yes},
		{">", "0", "90", yes},
		{"<", "0", "90", no},
		{">=", "90", "90", yes},
		{"<=", "9", "10", no},
		{"<", "b", "a", maybe},
		{">", "1/2", "1", maybe},
	} {
		q := Premise{Of: param(0), Op: tt.op, Value: constTerm(tt.value)}
		require.Equal(t, tt.want, q.holdsFor(constTerm(tt.given)), "%s %s %s", tt.given, tt.op, tt.value)
	}
	isNil := Premise{Of: param(0), Op: "==", Value: nilTerm}
	require.Equal(t, yes, isNil.holdsFor(nilTerm))
	require.Equal(t, no, isNil.holdsFor(constTerm("nil")), "a text is not nil")
}

func TestPremiseNegated(t *testing.T) {
	t.Parallel()
	for op := range opposite {
		q := Premise{Of: param(0), Op: op, Value: constTerm("5")}
		require.Equal(t, q, q.negated().negated())
		for _, given := range []string{"4", "5", "6"} {
			require.NotEqual(t, q.holdsFor(constTerm(given)), q.negated().holdsFor(constTerm(given)), "%s %s 5", given, op)
		}
	}
}

func TestPremiseContradicts(t *testing.T) {
	t.Parallel()
	of := func(n int, op, value string) Premise { return Premise{Of: param(n), Op: op, Value: constTerm(value)} }
	require.True(t, of(1, "==", "a").contradicts(of(1, "==", "b")))
	require.True(t, of(1, "!=", "a").contradicts(of(1, "==", "a")))
	require.True(t, of(1, "==", "3").contradicts(of(1, ">", "3")))
	require.False(t, of(1, "==", "4").contradicts(of(1, ">", "3")))
	require.False(t, of(1, "!=", "a").contradicts(of(1, "!=", "b")))
	require.False(t, of(1, "==", "a").contradicts(of(2, "==", "b")), "another parameter")
}
