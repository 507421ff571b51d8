package driver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
)

func TestTokenText(t *testing.T) {
	t.Parallel()
	tokens := []driver.Token{1, 9, 10, 99, 1 << 53, 1<<53 + 1, driver.MaxToken - 1, driver.MaxToken}
	var texts []string
	for _, tok := range tokens {
		s := tok.String()
		if len(s) != 19 {
			t.Errorf("%q does not have 19 digits", s)
		}
		back, err := driver.ParseToken(s)
		if err != nil || back != tok {
			t.Errorf("%q reads as %d, %v", s, int64(back), err)
		}
		texts = append(texts, s)
	}
	if !slices.IsSorted(texts) {
		t.Errorf("the order of texts is not that of the numbers: %q", texts)
	}
	if s := driver.Token(12).String(); s != "0000000000000000012" {
		t.Errorf("12 is written %q", s)
	}
}

func TestParseTokenRefuses(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"", "0", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "١", "one",
		"4611686018427387905",  // 2^62 + 1
		"9999999999999999999",  // 19 digits, above 2^63
		"00000000000000000001", // 20 digits
	} {
		if tok, err := driver.ParseToken(bad); !errors.Is(err, driver.ErrInvalid) {
			t.Errorf("%q reads as %d, %v", bad, int64(tok), err)
		}
	}
	if tok, err := driver.ParseToken("4611686018427387904"); err != nil || tok != driver.MaxToken {
		t.Errorf("2^62 reads as %d, %v", int64(tok), err)
	}
}

func FuzzParseToken(f *testing.F) {
	for _, s := range []string{"1", "0000000000000000012", "4611686018427387904", "4611686018427387905", "-1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tok, err := driver.ParseToken(s)
		if err != nil {
			if !errors.Is(err, driver.ErrInvalid) {
				t.Fatalf("%q: error %v", s, err)
			}
			return
		}
		if tok < 1 || tok > driver.MaxToken {
			t.Fatalf("%q reads as %d", s, int64(tok))
		}
		if strings.TrimLeft(tok.String(), "0") != strings.TrimLeft(s, "0") {
			t.Fatalf("%q reads as %v", s, tok)
		}
	})
}

func TestRefused(t *testing.T) {
	t.Parallel()
	have := driver.Grant{Resource: "r", Issuer: "i", Owner: "owner-of-have-000", Token: 4}
	older, twin, foreign := have, have, have
	older.Token = 3
	twin.Owner = "owner-of-twin-000"
	foreign.Issuer = "j"
	for name, tt := range map[string]struct {
		record driver.Grant
		want   error
	}{
		"none": {driver.Grant{}, driver.ErrStale}, "older": {older, driver.ErrStale}, "twin": {twin, driver.ErrStale},
		"issuer": {foreign, driver.ErrIssuer},
		"equal":  {have, driver.ErrStale}, // it has been refused all the same
	} {
		err := driver.Refused(have, tt.record)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		var s *driver.StaleError
		if tt.want == driver.ErrStale && (!errors.As(err, &s) || s.Have != have || s.Seen != tt.record) {
			t.Errorf("%s: details of %v", name, err)
		}
	}
}

func TestGrantText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		g    driver.Grant
		want string
	}{
		{driver.Grant{}, "no grant"},
		{driver.Grant{Resource: "r", Issuer: "i", Owner: "abcdefghijklmnop", Token: 1234567}, "r/i/abcd…/…567"},
		{driver.Grant{Resource: "r", Issuer: "i", Owner: "short", Token: 42}, "r/i/…/…2"},
		{driver.Grant{Resource: "r", Issuer: "i", Owner: "abcdefghijklmnop", Token: 7}, "r/i/abcd…/…"},
	} {
		for _, verb := range []string{"%v", "%+v", "%s"} {
			if got := fmt.Sprintf(verb, tt.g); got != tt.want {
				t.Errorf("%s prints %q, want %q", verb, got, tt.want)
			}
		}
		if got := fmt.Sprintf("%#v", tt.g); got != "driver.Grant("+tt.want+")" {
			t.Errorf("%%#v prints %q", got)
		}
	}
}

func TestNewWrite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		opts []driver.WriteOption
		id   string
		lazy bool
		bad  bool
	}{
		"none":          {},
		"nil":           {opts: []driver.WriteOption{nil}},
		"once":          {opts: []driver.WriteOption{driver.OncePerRequest("q")}, id: "q"},
		"last wins":     {opts: []driver.WriteOption{driver.OncePerRequest("q"), driver.AllowSame()}},
		"lazy and once": {opts: []driver.WriteOption{driver.LazyWrite(), driver.OncePerRequest("q")}, id: "q", lazy: true},
		"empty id":      {opts: []driver.WriteOption{driver.OncePerRequest("")}, bad: true},
		"bad id":        {opts: []driver.WriteOption{driver.OncePerRequest("a/b")}, bad: true},
		"bad, replaced": {opts: []driver.WriteOption{driver.OncePerRequest(""), driver.AllowSame()}},
	} {
		w, err := driver.NewWrite(tt.opts...)
		if errors.Is(err, driver.ErrInvalid) != tt.bad || (err != nil) != tt.bad {
			t.Errorf("%s: error %v", name, err)
		}
		if w.Request != tt.id || w.Lazy != tt.lazy {
			t.Errorf("%s: request %q, lazy %v", name, w.Request, w.Lazy)
		}
	}
}

func TestWellFormedAdoption(t *testing.T) {
	t.Parallel()
	seen := driver.Grant{Resource: "r", Issuer: "old", Owner: "a", Token: 7}
	good := driver.Grant{Resource: "r", Issuer: "new", Owner: "b", Token: 8}
	if err := driver.WellFormedAdoption(seen, good); err != nil {
		t.Errorf("a good adoption: %v", err)
	}
	for what, change := range map[string]func(seen, next *driver.Grant){
		"grant":    func(_, next *driver.Grant) { *next = driver.Grant{} },
		"owner":    func(seen, _ *driver.Grant) { seen.Owner = "" },
		"resource": func(_, next *driver.Grant) { next.Resource = "R" },
		"issuer":   func(_, next *driver.Grant) { next.Issuer = seen.Issuer },
		"token":    func(_, next *driver.Grant) { next.Token = seen.Token },
	} {
		s, n := seen, good
		change(&s, &n)
		var invalid *driver.InvalidError
		if err := driver.WellFormedAdoption(s, n); !errors.As(err, &invalid) || invalid.What != what {
			t.Errorf("error %v, want one about the %s", err, what)
		}
	}
	store := good
	store.Issuer = driver.StoreIssuer
	if err := driver.WellFormedAdoption(seen, store); !errors.Is(err, driver.ErrInvalid) {
		t.Errorf("adoption by the store: %v", err)
	}
}
