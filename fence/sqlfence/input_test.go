package sqlfence

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// noServer is a database that must not be asked.
type noServer struct{ t *testing.T }

func (c noServer) Connect(context.Context) (sqldriver.Conn, error) {
	if c.t != nil {
		c.t.Error("something was sent")
	}
	return nil, errors.New("no server")
}

func (c noServer) Driver() sqldriver.Driver { return nil }

func silent(t *testing.T) *sql.DB {
	db := sql.OpenDB(noServer{t})
	t.Cleanup(func() { _ = db.Close() })
	return db
}

var dialects = []Dialect{PostgreSQL, MySQL, SQLite}

func wants(t *testing.T, what string, err error, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Errorf("%s: error %v, want %v", what, err, target)
	}
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	db := silent(t)
	clock := WithClock(time.Now)
	tests := []struct {
		name string
		db   *sql.DB
		d    Dialect
		opts []Option
		want string // what of the InvalidError, "" for none
	}{
		{"good", db, PostgreSQL, nil, ""},
		{"nil option", db, MySQL, []Option{nil}, ""},
		{"clock", db, SQLite, []Option{clock}, ""},
		{"nil db", nil, PostgreSQL, nil, "db"},
		{"no dialect", db, 0, nil, "dialect"},
		{"unknown dialect", db, 4, nil, "dialect"},
		{"clock of a server", db, MySQL, []Option{clock}, "clock"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, locker := NewLocker(tt.db, tt.d, tt.opts...)
			_, guard := NewGuard(tt.db, tt.d, tt.opts...)
			_, columns := NewColumns(tt.db, tt.d, "account", "id", tt.opts...)
			for _, err := range []error{locker, guard, columns} {
				var invalid *driver.InvalidError
				switch {
				case tt.want == "" && err != nil:
					t.Errorf("error %v", err)
				case tt.want != "" && (!errors.As(err, &invalid) || invalid.What != tt.want):
					t.Errorf("error %v, want one about %s", err, tt.want)
				}
			}
		})
	}
	_, err := NewColumns(db, SQLite, "", "id")
	wants(t, "no table", err, driver.ErrInvalid)
	_, err = NewColumns(db, SQLite, "account", "")
	wants(t, "no key", err, driver.ErrInvalid)
	_, err = Schema(0)
	wants(t, "Schema", err, driver.ErrInvalid)
	wants(t, "Migrate", Migrate(t.Context(), nil, SQLite), driver.ErrInvalid)
	wants(t, "Migrate", Migrate(t.Context(), db, 0), driver.ErrInvalid)
}

// TestBadInputSendsNothing: malformed arguments, and contexts that are done.
func TestBadInputSendsNothing(t *testing.T) {
	t.Parallel()
	for _, d := range dialects {
		t.Run(d.String(), func(t *testing.T) {
			t.Parallel()
			db, ctx := silent(t), t.Context()
			l, err := NewLocker(db, d)
			if err != nil {
				t.Fatal(err)
			}
			g, err := NewGuard(db, d)
			if err != nil {
				t.Fatal(err)
			}
			long := strings.Repeat("n", driver.MaxName+1)
			good := driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 1}
			hold := driver.Hold{Name: "n", Issuer: "i", Owner: "o", Token: 1}
			acquire := func(r driver.Request) error { _, err := l.Acquire(ctx, r); return err }
			work := func(*sql.Tx) error { t.Error("the work was done"); return nil }
			claim := func(ctx context.Context, resource, owner string) error {
				_, err := g.Claim(ctx, resource, owner)
				return err
			}
			for what, err := range map[string]error{
				"Acquire empty name":     acquire(driver.Request{Owner: "o", TTL: time.Second}),
				"Acquire long name":      acquire(driver.Request{Name: long, Owner: "o", TTL: time.Second}),
				"Acquire no owner":       acquire(driver.Request{Name: "n", TTL: time.Second}),
				"Acquire zero TTL":       acquire(driver.Request{Name: "n", Owner: "o"}),
				"Extend zero TTL":        l.Extend(ctx, hold, 0),
				"Extend zero hold":       l.Extend(ctx, driver.Hold{}, time.Second),
				"Release zero hold":      l.Release(ctx, driver.Hold{}),
				"Raise zero":             l.Raise(ctx, "n", 0),
				"Raise bad name":         l.Raise(ctx, "a b", 1),
				"Register zero grant":    g.Register(ctx, driver.Grant{}),
				"Claim long resource":    claim(ctx, long, "o"),
				"Claim no owner":         claim(ctx, "r", ""),
				"Tx zero grant":          g.Tx(ctx, driver.Grant{}, work),
				"Tx nil function":        g.Tx(ctx, good, nil),
				"Tx empty request":       g.Tx(ctx, good, work, driver.OncePerRequest("")),
				"Check nil transaction":  g.Check(ctx, nil, good),
				"Adopt same issuer":      g.Adopt(ctx, good, driver.Grant{Resource: "r", Issuer: "i", Owner: "o", Token: 2}),
				"Adopt lower token":      g.Adopt(ctx, good, driver.Grant{Resource: "r", Issuer: "j", Owner: "o", Token: 1}),
				"Adopt another resource": g.Adopt(ctx, good, driver.Grant{Resource: "s", Issuer: "j", Owner: "o", Token: 2}),
			} {
				wants(t, what, err, driver.ErrInvalid)
			}
			_, err = g.Prune(ctx, 0)
			wants(t, "Prune", err, driver.ErrInvalid)
			_, err = g.Applied(ctx, "r", "")
			wants(t, "Applied", err, driver.ErrInvalid)
			_, err = g.Exec(ctx, good, "UPDATE t SET v = 1")
			wants(t, "Exec without marker", err, driver.ErrInvalid)
			_, err = g.Exec(ctx, driver.Grant{}, "UPDATE t SET v = 1 WHERE {fence}")
			wants(t, "Exec zero grant", err, driver.ErrInvalid)

			claimed := good
			claimed.Issuer = driver.StoreIssuer
			wants(t, "Register of a claim", g.Register(ctx, claimed), driver.ErrIssuer)
			wants(t, "lazy write of a claim", g.Tx(ctx, claimed, work, driver.LazyWrite()), driver.ErrIssuer)

			done, cancel := context.WithCancel(ctx)
			cancel()
			_, errAcquire := l.Acquire(done, driver.Request{Name: "n", Owner: "o", TTL: time.Second})
			_, errIssued := l.Issued(done, "n")
			_, errSeen := g.Seen(done, "r")
			_, errExec := g.Exec(done, good, "UPDATE t SET v = 1 WHERE {fence}")
			_, errApplied := g.Applied(done, "r", "q")
			_, errPrune := g.Prune(done, time.Hour)
			for what, err := range map[string]error{
				"Acquire": errAcquire, "Issued": errIssued, "Seen": errSeen, "Exec": errExec, "Applied": errApplied, "Prune": errPrune,
				"Extend": l.Extend(done, hold, time.Second), "Release": l.Release(done, hold), "Raise": l.Raise(done, "n", 1),
				"Register": g.Register(done, good), "Claim": claim(done, "r", "o"), "Tx": g.Tx(done, good, work),
				"lazy Tx": g.Tx(done, good, work, driver.LazyWrite()), "Migrate": Migrate(done, db, d),
				"Adopt": g.Adopt(done, good, driver.Grant{Resource: "r", Issuer: "j", Owner: "o", Token: 2}),
			} {
				wants(t, what, err, context.Canceled)
				if errors.Is(err, driver.ErrUncertain) {
					t.Errorf("%s: %v: nothing was sent, so nothing is uncertain", what, err)
				}
			}
		})
	}
}

func silentForFuzz() *sql.DB { return sql.OpenDB(noServer{}) }
