package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStory(t *testing.T) {
	t.Parallel()
	steps := map[string]Step{
		"acquire":   {"acquire", "", at("p/a.go", 1, 1, 2)},
		"check":     {"check", "", at("p/a.go", 2, 1, 2)},
		"call":      {"write", "", at("p/b.go", 3, 1, 2)},
		"primitive": {"write", "", at("q/q.go", 9, 1, 2)},
		"release":   {"release", "", at("p/a.go", 5, 1, 2)},
		"freed":     {"release", "", at("q/q.go", 8, 1, 2)},
	}
	for _, tt := range []struct{ name, category, related, want string }{
		{"a write", "rmw", "acquire check release", "acquire check HERE release"},
		{"a write without release", "rmw", "acquire", "acquire HERE"},
		{"called from the region", "unfenced", "acquire call release", "acquire call HERE release"},
		{"made in another package", "unfenced", "acquire primitive release", "acquire HERE primitive release"},
		{"after the lease", "escaped", "acquire release", "acquire release HERE"},
		{"a release", "getthendel", "acquire check", "acquire check HERE"},
		{"a release in another package", "keyonly", "acquire freed", "acquire HERE freed"},
		{"alone", "keyonly", "", "HERE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &Finding{Rule: "r", Category: tt.category, Location: at("p/a.go", 4, 1, 2)}
			for name := range strings.FieldsSeq(tt.related) {
				f.Related = append(f.Related, steps[name])
			}
			before := len(f.Related)
			var want []Step
			for name := range strings.FieldsSeq(tt.want) {
				if name == "HERE" {
					want = append(want, Step{Role: "r", Location: f.Location})
				} else {
					want = append(want, steps[name])
				}
			}
			require.Equal(t, want, story(f))
			require.Len(t, f.Related, before, "the finding itself stays as it is")
		})
	}
	f := &Finding{Location: at("p/a.go", 1, 1, 9), Related: []Step{steps["acquire"], steps["check"]}}
	require.Equal(t, f.Related, story(f), "a step stands for the place of the finding")
}
