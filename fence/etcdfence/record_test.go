package etcdfence

import (
	"strings"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
)

func TestRecordText(t *testing.T) {
	t.Parallel()
	for text, g := range map[string]driver.Grant{
		"alpha:0000000000000000012:worker-1": {Issuer: "alpha", Owner: "worker-1", Token: 12},
		"alpha:4611686018427387904:w":        {Issuer: "alpha", Owner: "w", Token: driver.MaxToken},
		"store:worker-1":                     {Issuer: driver.StoreIssuer, Owner: "worker-1", Token: 7},
	} {
		g.Resource = "job"
		if got := value(g); got != text {
			t.Errorf("%v is written %q", g, got)
		}
		if got, err := parseRecord("job", text, 7); err != nil || got != g {
			t.Errorf("%q reads as %v, %v", text, got, err)
		}
	}
}

// FuzzRecord: what is read is what would be written, so a record that admits a
// grant is the one text that is compared.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{"", "store:a", "alpha:0000000000000000012:w", "alpha:12:w", "a:b:c:d", "::", "store:0000000000000000012:w"} {
		f.Add(s, int64(1))
	}
	f.Fuzz(func(t *testing.T, text string, version int64) {
		g, err := parseRecord("job", text, version)
		if err != nil {
			return
		}
		if err := g.WellFormed(); err != nil {
			t.Fatalf("%q reads as a grant that is not well formed: %v", text, err)
		}
		if value(g) != text {
			t.Fatalf("%q reads as %q", text, value(g))
		}
	})
}

// The ranges of Register, tried on texts as etcd compares them.
func TestOrder(t *testing.T) {
	t.Parallel()
	grant := driver.Grant{Resource: "job", Issuer: "alpha", Owner: "m", Token: 100}
	low, high := grant.Issuer+":", grant.Issuer+":"+grant.Token.String()+":"
	for _, tt := range []struct {
		issuer string
		token  driver.Token
		owner  string
		below  bool
	}{
		{"alpha", 99, "z", true}, {"alpha", 1, "a", true}, {"alpha", 9, "m", true},
		{"alpha", 100, "a", false}, {"alpha", 100, "m", false}, {"alpha", 100, "z", false},
		{"alpha", 101, "a", false}, {"alpha", 1000, "a", false}, {"alpha", driver.MaxToken, "a", false},
		{"alph", 1, "a", false}, {"alpha-2", 1, "a", false}, {"alphaa", 1, "a", false}, {"beta", 1, "a", false}, {"Alpha", 1, "a", false}, {"alpha.", 1, "a", false},
	} {
		text := value(driver.Grant{Issuer: tt.issuer, Owner: tt.owner, Token: tt.token})
		if got := strings.Compare(text, low) > 0 && strings.Compare(text, high) < 0; got != tt.below {
			t.Errorf("%q is below token 100 of alpha: %v", text, got)
		}
	}
}
