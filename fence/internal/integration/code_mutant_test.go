package integration

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A codeMutant is an edit of the shipped Go code. caught is a case of the
// suite that has to fail because of it.
type codeMutant struct {
	name   string
	file   string // in sqlfence
	old    string
	new    string
	also   [2]string // a second edit
	form   string    // of the harness; tx if empty
	on     string    // sqlite if empty; it has one writer, which hides some faults
	caught string
}

var codeMutants = []codeMutant{
	{
		name: "mark after commit", file: "write.go",
		old:    `return sent(ctx, tx.Commit())`,
		new:    "if err := tx.Commit(); err != nil {\n\t\treturn sent(ctx, err)\n\t}\n\tif w.Lazy {\n\t\treturn g.put(ctx, g.db, grant, sent)\n\t}\n\treturn nil",
		also:   [2]string{"\tif w.Lazy {\n\t\tif err := g.put(ctx, tx, grant, unsent); err != nil {\n\t\t\treturn err\n\t\t}\n\t} else {", "\tif !w.Lazy {"},
		caught: "lazy/write_raises",
	},
	{
		name: "request before guard", file: "write.go",
		old:    "\tif w.Lazy {\n\t\tif err := g.put",
		new:    "\tif w.Request != \"\" {\n\t\tif err := g.once(ctx, tx, grant, w.Request); err != nil {\n\t\t\treturn err\n\t\t}\n\t\tw.Request = \"\"\n\t}\n\tif w.Lazy {\n\t\tif err := g.put",
		caught: "once/stale_before_duplicate",
	},
	{
		name: "guard made again by a write", file: "write.go",
		old:    `return g.refused(ctx, tx, grant, false)`,
		new:    `if err := g.put(ctx, tx, grant, unsent); err != nil {` + "\n\t\t\t\treturn err\n\t\t\t}",
		caught: "register/write_never_creates",
	},
	{
		name: "a lost answer to the commit is a plain failure", file: "write.go",
		old:    `return sent(ctx, tx.Commit())`,
		new:    `return unsent(ctx, tx.Commit())`,
		on:     "postgres", // it takes a wire to lose an answer
		caught: "unheard/is_uncertain",
	},
	{
		name: "refusal of a statement overlooked", file: "write.go",
		old:    `case seen != grant:`,
		new:    `case seen != grant && err != nil:`,
		form:   "exec",
		caught: "register/unwritten_successor_refuses",
	},
	{
		name: "check outside of the transaction, then write", file: "write.go",
		old:    `err := tx.QueryRowContext(ctx, g.check.text, g.grantArgs(g.check, grant)...).Scan(&one)`,
		new:    `err := g.db.QueryRowContext(ctx, g.check.text, g.grantArgs(g.check, grant)...).Scan(&one)`,
		on:     "postgres",
		caught: "around/register_during_a_write",
	},
	{
		name: "the worker compares", file: "write.go",
		old: `err := tx.QueryRowContext(ctx, g.check.text, g.grantArgs(g.check, grant)...).Scan(&one)`,
		new: `seen, err := g.seen(ctx, g.db, grant.Resource)
		if err == nil && seen != grant {
			err = sql.ErrNoRows
		}
		_ = one`,
		on:     "postgres",
		caught: "around/register_during_a_write",
	},
}

// TestCodeMutants builds the shipped code with one edit at a time and lets the
// suite find it.
// Each takes a build, so by default there is one; FENCE_MUTANTS=all takes all.
func TestCodeMutants(t *testing.T) {
	t.Parallel()
	mutants := codeMutants[:1]
	if os.Getenv("FENCE_MUTANTS") == "all" {
		mutants = codeMutants
	}
	dir, err := filepath.Abs("../../sqlfence")
	require.NoError(t, err)
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			original := filepath.Join(dir, m.file)
			source, err := os.ReadFile(original)
			require.NoError(t, err)
			require.Contains(t, string(source), m.old, "the edit no longer fits the shipped code")
			text := strings.Replace(string(source), m.old, m.new, 1)
			require.Contains(t, text, m.also[0])
			text = strings.Replace(text, m.also[0], m.also[1], 1)
			edited := filepath.Join(t.TempDir(), m.file)
			require.NoError(t, os.WriteFile(edited, []byte(text), 0o600))
			overlay := filepath.Join(t.TempDir(), "overlay.json")
			list, err := json.Marshal(map[string]any{"Replace": map[string]string{original: edited}})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(overlay, list, 0o600))

			form := cmp.Or(m.form, "tx")
			name := "TestGuardConformance/" + cmp.Or(m.on, "sqlite") + "/" + form + "/" + m.caught
			cmd := exec.CommandContext(t.Context(), "go", "test", "-timeout", "30m", "-overlay", overlay, "-run", "^"+strings.ReplaceAll(name, "/", "$/^")+"$", "-v", ".")
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "the suite did not notice:\n%s", out)
			require.Contains(t, string(out), "--- FAIL: "+name, "it failed otherwise:\n%s", out)
		})
	}
}
