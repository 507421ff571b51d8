package integration

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fencelint/fencelint/fence/fencetest"
	"github.com/fencelint/fencelint/fence/internal/integration/stores"
)

// A mutant is an edit of the shipped SQL. caught is a case of the suite that
// has to fail because of it.
type mutant struct {
	name   string
	caught string
	change func(string) string
	on     string // kinds, if not all
}

// edits makes one change of pairs of a pattern and its replacement; the
// dialects differ, so each may need a pair of its own. In a pattern % stands
// for a placeholder.
func edits(pairs ...string) func(string) string {
	type pair struct {
		re *regexp.Regexp
		by string
	}
	var all []pair
	for i := 0; i < len(pairs); i += 2 {
		re := regexp.MustCompile(`(?s)` + strings.ReplaceAll(pairs[i], "%", `(?:\$\d|\?\d?)`))
		all = append(all, pair{re, pairs[i+1]})
	}
	return func(text string) string {
		for _, p := range all {
			text = p.re.ReplaceAllString(text, p.by)
		}
		return text
	}
}

// The placeholder of a comparison that is taken away must stay.
const gone = `${1} AND (${2}) IS NOT NULL`

var guardMutants = []mutant{
	{name: "check compares no owner", caught: "register/same token of another owner",
		change: edits(`^(SELECT 1 FROM fence_guard.*) AND owner = (%)`, gone)},
	{name: "check compares no issuer", caught: "loss/restored issuer",
		change: edits(`^(SELECT 1 FROM fence_guard.*) AND issuer = (%)`, gone)},
	{name: "check compares no token", caught: "register/same owner with another token",
		change: edits(`^(SELECT 1 FROM fence_guard.*) AND token = (%)`, gone)},
	{name: "ratchet: check takes any token that is not lower", caught: "register/write never raises",
		change: edits(`^(SELECT 1 FROM fence_guard.*) AND token = (%) AND owner = (%)`, `${1} AND token <= ${2} AND (${3}) IS NOT NULL`)},
	{name: "check of another resource's record", caught: "register/resources are apart",
		change: edits(`^(SELECT 1 FROM fence_guard WHERE) resource = (%)`, `${1} resource <> '' AND (${2}) IS NOT NULL`)},
	{name: "check without a lock", caught: "around/register during a write", on: "postgres mariadb",
		change: edits(`^(SELECT 1 FROM fence_guard.*) FOR .*`, `$1`)},
	{name: "missing guard accepts", caught: "loss/missing guard refuses", on: "postgres sqlite",
		change: edits(`^SELECT 1 FROM fence_guard WHERE resource = (%) AND (.*= %)(.*)$`,
			`SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM fence_guard WHERE resource = ${1}) OR EXISTS (SELECT 1 FROM fence_guard WHERE resource = ${1} AND ${2}${3})`)},
	{name: "register takes an equal token of another owner", caught: "register/same token of another owner",
		change: edits(`\((?:g\.)?token < \S+ OR \((g\.)?token = (\S+) AND (?:g\.)?owner = \S+\)\)`, `${1}token <= ${2}`), on: "postgres sqlite"},
	{name: "register takes an equal token of another owner", caught: "register/same token of another owner",
		change: edits(`\(token < % OR \(token = % AND owner = %\)\)`, `(token < ? OR (token = ? AND (?) IS NOT NULL))`), on: "mariadb"},
	{name: "register takes a lower token", caught: "register/older is refused",
		change: edits(`(g\.token) < excluded\.token`, `$1 <> excluded.token`, `\(token < %`, `(token <> ?`)},
	{name: "register takes another issuer", caught: "register/another issuer",
		change: edits(`g\.issuer = excluded\.issuer AND`, ``, `AND issuer = (%) AND \(token`, `AND ($1) IS NOT NULL AND (token`)},
	{name: "register refuses its own repetition", caught: "register/same again", on: "postgres sqlite",
		change: edits(`\(g\.token < excluded\.token OR .*\)`, `g.token < excluded.token`)},
	{name: "claim is not idempotent", caught: "claim/same again",
		change: edits(`WHEN g\.owner = excluded\.owner THEN g\.token ELSE`, `WHEN 1 = 0 THEN g.token ELSE`,
			`IF\(owner = (%), token, token \+ 1\)`, `IF(?, token + 1, token + 1)`)},
	{name: "claim keeps the token", caught: "claim/successor refuses",
		change: edits(`ELSE g\.token \+ 1 END`, `ELSE g.token END`, `, token \+ 1\)\)`, `, GREATEST(token, 1)))`)},
	{name: "claim takes a registered guard", caught: "claim/not beside register",
		change: edits(`WHERE g\.issuer = 'store' AND`, `WHERE`, `AND issuer = 'store' AND`, `AND`)},
	{name: "adopt compares no owner", caught: "adopt/compare and set",
		change: edits(`^(UPDATE fence_guard SET issuer = .*) AND owner = (%)$`, gone)},
	{name: "adopt compares no token", caught: "adopt/compare and set",
		change: edits(`^(UPDATE fence_guard SET issuer = .* AND issuer = %) AND token = (%)`, gone)},
	{name: "request id keyed with the token", caught: "once/duplicate for the next holder",
		change: edits(`PRIMARY KEY \(resource, request\)`, `PRIMARY KEY (resource, request, token)`)},
	{name: "request id without the resource", caught: "once/per resource",
		change: edits(`PRIMARY KEY \(resource, request\)`, `PRIMARY KEY (request)`)},
	{name: "request id overwritten", caught: "once/second is a duplicate",
		change: edits(`(INSERT INTO fence_request .*) ON CONFLICT DO NOTHING`, `$1 ON CONFLICT (resource, request) DO UPDATE SET token = excluded.token`,
			`INSERT IGNORE INTO fence_request`, `REPLACE INTO fence_request`)},
	{name: "lazy write takes a lower token", caught: "lazy/write raises",
		change: edits(`(g\.token) < excluded\.token`, `$1 <> excluded.token`, `\(token < %`, `(token <> ?`)},
}

var lockMutants = []mutant{
	{name: "release by name only", caught: "lease/old release frees nothing",
		change: edits(`(SET owner = NULL.*) AND token = (%) AND owner = (%) AND expires_at > \S+$`, `${1} AND (${2}) IS NOT NULL AND (${3}) IS NOT NULL`,
			`(SET owner = NULL.*) AND token = (%) AND owner = (%) AND expires_at > \?4$`, `${1} AND (${2}) IS NOT NULL AND (${3}) IS NOT NULL AND ?4`)},
	{name: "release compares no owner", caught: "hold/release by another",
		change: edits(`(SET owner = NULL.*) AND owner = (%)`, gone)},
	{name: "release compares no token", caught: "hold/release with another token",
		change: edits(`(SET owner = NULL.*) AND token = (%)`, gone)},
	{name: "release deletes the row", caught: "hold/release frees, tokens grow",
		change: edits(`UPDATE fence_lease SET owner = NULL, expires_at = \S+`, `DELETE FROM fence_lease`)},
	{name: "release of an ended lease", caught: "lease/ended is not revived",
		change: edits(`(SET owner = NULL.*) AND expires_at > (\S+)$`, gone)},
	{name: "extension revives an ended lease", caught: "lease/ended is not revived",
		change: edits(`(fence_lease SET expires_at = .*) AND expires_at > (\S+)$`, gone)},
	{name: "extension compares no owner", caught: "lease/extension by another",
		change: edits(`(fence_lease SET expires_at = .*) AND owner = (%)`, gone)},
	{name: "acquire takes a held lock", caught: "hold/excludes others",
		change: edits(`WHERE l\.owner IS NULL OR`, `WHERE 1 = 1 OR`, `AND \(owner IS NULL OR`, `AND (1 = 1 OR`)},
	{name: "acquire ignores expiry", caught: "lease/ends",
		change: edits(`l\.expires_at <= \S+`, `1 = 0`, `expires_at <= UTC_TIMESTAMP\(6\)\)`, `1 = 0)`)},
	{name: "acquire issues the same token", caught: "hold/release frees, tokens grow",
		change: edits(`l\.issued \+ 1`, `l.issued`, `issued \+ 1`, `issued`)},
	{name: "acquire is not idempotent", caught: "hold/same owner again",
		change: edits(`WHEN l\.owner = (?:EXCLUDED|excluded)\.owner AND`, `WHEN 1 = 0 AND`, `IF\(owner = (%) AND`, `IF(? IS NULL AND`)},
	{name: "acquire revives its own ended lease", caught: "lease/same owner after the end",
		change: edits(`AND l\.expires_at > .*? THEN`, `THEN`, `AND expires_at > UTC_TIMESTAMP\(6\), `, `, `)},
	{name: "raise lowers", caught: "issuer/raise",
		change: edits(`(?:GREATEST|max)\(l\.issued, (\S+)\)`, `$1`, `GREATEST\(issued, VALUES\(issued\)\)`, `VALUES(issued)`)},
}

// TestMutants breaks the shipped SQL in one place at a time: the suite must
// notice, by the case that is there for it, and must not be broken for every
// case, or else the edit has broken more than it says. By default on SQLite
// and with the decisive cases only; FENCE_MUTANTS=all takes every case on
// every database.
func TestMutants(t *testing.T) {
	t.Parallel()
	all := os.Getenv("FENCE_MUTANTS") == "all"
	for _, k := range kinds() {
		if k.name != "sqlite" && !all {
			continue
		}
		for suite, mutants := range map[string][]mutant{"guard": guardMutants, "lock": lockMutants} {
			for _, m := range mutants {
				if m.on != "" && !strings.Contains(m.on, k.name) {
					continue
				}
				t.Run(k.name+"/"+suite+"/"+m.name, func(t *testing.T) {
					t.Parallel()
					m.test(t, k, suite, all)
				})
			}
		}
	}
}

func (m mutant) test(t *testing.T, k kind, suite string, all bool) {
	edit := &stores.Edit{Change: m.change}
	s, err := stores.OpenEdited(k.new(t, patient), edit)
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Migrate(t.Context()))
	ran := 0
	choose := func(tb testing.TB) {
		name := strings.TrimPrefix(tb.Name(), t.Name()+"/")
		if !all && name != m.caught && !slices.Contains(controls, name) {
			tb.Skip("not decisive for this mutant")
		}
		ran++
	}
	var failures []fencetest.Failure
	if suite == "guard" {
		failures = fencetest.GuardFailures(t, func(tb testing.TB) *fencetest.GuardHarness {
			choose(tb)
			return s.TxHarness(tb)
		})
	} else {
		failures = fencetest.LockFailures(t, func(tb testing.TB) *fencetest.LockHarness {
			choose(tb)
			return s.LockHarness(tb)
		})
	}
	require.NotZero(t, edit.Hits(), "the edit fits no statement")
	var names []string
	for _, f := range failures {
		names = append(names, f.Case)
	}
	require.Contains(t, names, m.caught)
	require.Less(t, len(names), ran, "broken for every case: %v", names)
	t.Logf("caught by %d of %d cases: %v", len(names), ran, names)
}

// controls are cases that most mutants pass. They run beside the decisive one.
var controls = []string{"register/then write", "claim/then write", "hold/bad input", "hold/longest names", "hold/same owner again"}
