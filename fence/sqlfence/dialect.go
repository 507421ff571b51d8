package sqlfence

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fencelint/fencelint/fence/driver"
)

// A Dialect is the kind of database.
type Dialect int

// The dialects. The zero Dialect is none, so that it cannot be forgotten.
const (
	PostgreSQL Dialect = iota + 1 // 13 and later
	MySQL                         // MySQL 5.7 and later, MariaDB 10.3 and later
	SQLite                        // 3.35 and later
)

// String is the name of the dialect.
func (d Dialect) String() string {
	switch d {
	case PostgreSQL:
		return "PostgreSQL"
	case MySQL:
		return "MySQL"
	case SQLite:
		return "SQLite"
	}
	return "unknown dialect"
}

func (d Dialect) wellFormed() error {
	if d < PostgreSQL || d > SQLite {
		return &driver.InvalidError{What: "dialect", Reason: "is unknown"}
	}
	return nil
}

// An Option is an option of [NewLocker], [NewGuard] or [NewColumns].
type Option func(*options)

type options struct {
	now func() time.Time
	key func(resource string) any
}

// WithClock gives the clock for SQLite, which has no server to ask. It must be
// the same for all processes; the default is time.Now. The other dialects use
// the server's clock and refuse this option.
func WithClock(now func() time.Time) Option { return func(o *options) { o.now = now } }

// WithKey maps a resource to the value of the key column of [NewColumns], for
// example "account-7" to 7. The default is the resource itself. It must give
// different rows for different resources.
func WithKey(key func(resource string) any) Option { return func(o *options) { o.key = key } }

func newOptions(db *sql.DB, d Dialect, opts []Option) (options, error) {
	if db == nil {
		return options{}, &driver.InvalidError{What: "db", Reason: "is nil"}
	}
	if err := d.wellFormed(); err != nil {
		return options{}, err
	}
	var o options
	for _, opt := range opts {
		if opt != nil {
			opt(&o)
		}
	}
	if o.now != nil && d != SQLite {
		return options{}, &driver.InvalidError{What: "clock", Reason: "is the server's in " + d.String()}
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.key == nil {
		o.key = func(resource string) any { return resource }
	}
	return o, nil
}

// A statement is a text in the dialect's own placeholders, with the order in
// which its arguments are sent.
type statement struct {
	text  string
	order []int // indexes of arguments; nil for the order given
	clock int   // 1 + index of the clock's argument; 0 for none
}

// bind makes a statement of a text with the placeholders $1 to $9, which may
// repeat, and $now for the clock in SQLite. PostgreSQL takes them as they are,
// SQLite in its own form, MySQL one by one.
func (d Dialect) bind(text string) statement {
	most := 0
	for i := 1; i <= 9; i++ {
		if strings.Contains(text, "$"+strconv.Itoa(i)) {
			most = i
		}
	}
	var s statement
	if strings.Contains(text, "$now") {
		s.clock = most + 1
		text = strings.ReplaceAll(text, "$now", "$"+strconv.Itoa(s.clock))
	}
	switch d {
	case SQLite:
		text = strings.ReplaceAll(text, "$", "?")
	case MySQL:
		var b strings.Builder
		for i := 0; i < len(text); i++ {
			if text[i] != '$' {
				b.WriteByte(text[i])
				continue
			}
			i++
			b.WriteByte('?')
			s.order = append(s.order, int(text[i]-'1'))
		}
		text = b.String()
	}
	s.text = text
	return s
}

// args puts the arguments of one call in order.
func (s statement) args(now func() time.Time, given ...any) []any {
	if s.clock != 0 {
		given = append(given[:len(given):len(given)], now().UnixMicro())
	}
	if s.order == nil {
		return given
	}
	args := make([]any, len(s.order))
	for i, j := range s.order {
		args[i] = given[j]
	}
	return args
}

// placeholder is the nth placeholder of a user's statement.
func (d Dialect) placeholder(n int) string {
	if d == PostgreSQL {
		return fmt.Sprintf("$%d", n)
	}
	return "?"
}
