package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fencelint/fencelint/internal/finding"
	"github.com/stretchr/testify/require"
)

var rules = []string{"keyonlyrelease", "ttlcheck"}

func TestParse(t *testing.T) {
	t.Parallel()
	cfg, err := parse("x/.fencelint.yml", []byte(`# ours
rules:
  enable: [all]
  disable: ttlcheck
confidence: high
exclude:
  - third_party/**
  - "*.pb.go"
generated: true
tests: false
models: [locks.models]
shared-paths: [/mnt/shared]
`), rules)
	require.NoError(t, err)
	require.Equal(t, &Config{
		Enable: []string{"all"}, Disable: []string{"ttlcheck"}, Confidence: finding.High,
		Exclude: []string{"third_party/**", "*.pb.go"}, Generated: true,
		Models: []string{"locks.models"}, SharedPaths: []string{"/mnt/shared"},
	}, cfg)
	require.True(t, cfg.Enabled("keyonlyrelease"))
	require.False(t, cfg.Enabled("ttlcheck"))

	for _, text := range []string{"", "# nothing\n", "---\n"} {
		cfg, err = parse("f", []byte(text), rules)
		require.NoError(t, err)
		require.Equal(t, Default(), cfg)
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"tests: true\nconfidenc: high\n", `f:2: unknown setting "confidenc"; known are rules,`},
		{"rules:\n  enabel: [all]\n", `f:2: unknown setting "rules.enabel"; known are enable, disable`},
		{"rules:\n  enable:\n    - ttlcheck\n    - nosuch\n", `f:4: there is no rule "nosuch"; there are keyonlyrelease, ttlcheck`},
		{"rules: [ttlcheck]\n", "f:1: rules holds settings, not a list"},
		{"confidence: certain\n", `f:1: confidence is high, medium or low, not "certain"`},
		{"confidence: 3\n", `f:1: a word is needed, not "3"`},
		{"tests: \"yes\"\n", `f:1: true or false is needed, not "yes"`},
		{"generated:\n", "f:1: true or false is needed, not nothing"},
		{"exclude:\n  a: b\n", "f:2: a list of words is needed, not settings"},
		{"exclude: ['[a']\n", `f:1: "[a" is no glob`},
		{"exclude: [/abs]\n", `f:1: the path "/abs" is not relative`},
		{"models: ['']\n", "f:1: a path is needed"},
		{"tests: true\ntests: false\n", "f:2: "},
		{"- a\n", "f:1: the file holds settings, not a list"},
		{"a: b: c\n", "f:1: mapping values are not allowed"},
		{"tests: true\n\t- x\n", "f:2: "},
	} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			_, err := parse("dir/f", []byte(tt.text), rules)
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
		})
	}
}

func TestExcluded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, file string
		want          bool
	}{
		{"gen", "gen/a.go", true},
		{"gen", "x/gen/a.go", true},
		{"gen/", "x/gen/a.go", true},
		{"./gen/sub", "x/gen/sub/a.go", false},
		{"gen/sub", "gen/sub/deep/a.go", true},
		{"*.pb.go", "x/y/a.pb.go", true},
		{"*.pb.go", "a.go", false},
		{"x/**/a.go", "x/a.go", true},
		{"x/**/a.go", "x/1/2/a.go", true},
		{"x/**/a.go", "y/1/a.go", false},
		{"**/mock_*.go", "deep/down/mock_x.go", true},
		{"x/*/b.go", "x/1/2/b.go", false},
		{"../other", "../other/a.go", true},
	} {
		cfg := &Config{Root: "/mod", Exclude: []string{tt.pattern}}
		require.Equal(t, tt.want, cfg.Excluded(filepath.Join("/mod", tt.file)), "%s %s", tt.pattern, tt.file)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg, err := Find(dir, rules)
	require.NoError(t, err)
	require.Equal(t, Default(), cfg)
	require.Empty(t, cfg.Files())

	require.NoError(t, os.WriteFile(filepath.Join(dir, Name), []byte("models: [a.models]\n"), 0o644))
	cfg, err = Find(dir, rules)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, Name), filepath.Join(dir, "a.models")}, cfg.Files())
	_, err = cfg.Sources()
	require.ErrorContains(t, err, "a.models")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.models"), []byte("x"), 0o644))
	sources, err := cfg.Sources()
	require.NoError(t, err)
	require.Len(t, sources, 1)
	require.Equal(t, "x", string(sources[0].Data))

	_, err = Read(filepath.Join(dir, "none.yml"), rules)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEnabled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		enable, disable []string
		want            bool
	}{
		{nil, nil, true},
		{[]string{"ttlcheck"}, nil, true},
		{[]string{"keyonlyrelease"}, nil, false},
		{[]string{"all"}, []string{"ttlcheck"}, false},
		{nil, []string{"all"}, false},
		{[]string{"ttlcheck"}, []string{"all"}, true},
		{[]string{"ttlcheck"}, []string{"ttlcheck"}, false},
	} {
		cfg := &Config{Enable: tt.enable, Disable: tt.disable}
		require.Equal(t, tt.want, cfg.Enabled("ttlcheck"), "%v", tt)
	}
}

// An optional rule runs only when it is asked for, by its name or with all.
func TestOptional(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		enable, disable []string
		want            bool
	}{
		{nil, nil, false},
		{nil, []string{"ttlcheck"}, false},
		{[]string{"leaseloss"}, nil, true},
		{[]string{"ttlcheck"}, nil, false},
		{[]string{"all"}, nil, true},
		{[]string{"all"}, []string{"leaseloss"}, false},
	} {
		cfg := &Config{Enable: tt.enable, Disable: tt.disable, Optional: []string{"leaseloss", "lockresult"}}
		require.Equal(t, tt.want, cfg.Enabled("leaseloss"), "%v", tt)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	cfg := &Config{Disable: []string{"ttlcheck"}}
	cfg.Choose(nil, []string{"keyonlyrelease"})
	require.False(t, cfg.Enabled("ttlcheck"))
	require.False(t, cfg.Enabled("keyonlyrelease"))
	require.True(t, cfg.Enabled("unfencedwrite"))
	cfg.Choose([]string{"ttlcheck"}, nil)
	require.True(t, cfg.Enabled("ttlcheck"))
	require.False(t, cfg.Enabled("unfencedwrite"))
}

func FuzzParse(f *testing.F) {
	f.Add("rules:\n  enable: [all]\nexclude: a\n")
	f.Add("a: &x [*x]\n")
	f.Add("? [a]\n: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		cfg, err := parse("f", []byte(text), rules)
		if err != nil {
			require.Nil(t, cfg)
			require.Regexp(t, `^f:\d+: [^\n]+$`, err.Error())
			return
		}
		require.NoError(t, CheckRules(cfg.Enable, rules))
		cfg.Root = "/"
		cfg.Excluded("/a/b/c/d.go")
	})
}
