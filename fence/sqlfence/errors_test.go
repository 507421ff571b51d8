package sqlfence

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/fencelint/fencelint/fence/driver"
)

// The shapes of drivers' errors.
type pgError string

func (e pgError) Error() string    { return "ERROR: … (SQLSTATE " + string(e) + ")" }
func (e pgError) SQLState() string { return string(e) }

type liteError struct {
	code int
	text string
}

func (e liteError) Error() string { return e.text }
func (e liteError) Code() int     { return e.code }

func myError(n int) error { return fmt.Errorf("Error %d (HY000): …", n) }

func TestNames(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset")}
	tests := []struct {
		err  error
		want error // nil: certain, and without a name
		lost bool  // nobody knows what became of it
	}{
		{pgError("55P03"), driver.ErrBusy, false},
		{pgError("40001"), driver.ErrBusy, false},
		{fmt.Errorf("in work: %w", pgError("40P01")), driver.ErrBusy, false},
		{pgError("42P01"), ErrSchema, false},
		{pgError("25006"), ErrReadOnly, false},
		{pgError("42601"), ErrDialect, false},
		{pgError("57P03"), driver.ErrUnavailable, false},
		{pgError("23505"), nil, false},
		{pgError("57P01"), nil, true},
		{pgError("08006"), nil, true},
		{myError(1205), driver.ErrBusy, false},
		{myError(1213), driver.ErrBusy, false},
		{myError(1146), ErrSchema, false},
		{myError(1290), ErrReadOnly, false},
		{myError(1064), ErrDialect, false},
		{myError(1040), driver.ErrUnavailable, false},
		{myError(1062), nil, false},
		{myError(1053), nil, true},
		{liteError{5, "database is locked (5) (SQLITE_BUSY)"}, driver.ErrBusy, false},
		{liteError{517, "database is locked (517)"}, driver.ErrBusy, false}, // SQLITE_BUSY_SNAPSHOT
		{liteError{8, "attempt to write a readonly database (8)"}, ErrReadOnly, false},
		{liteError{14, "unable to open database file (14)"}, driver.ErrUnavailable, false},
		{liteError{1, "SQL logic error: no such table: fence_lease (1)"}, ErrSchema, false},
		{liteError{1, `SQL logic error: near "FOR": syntax error (1)`}, ErrDialect, false},
		{liteError{19, "constraint failed"}, nil, false},
		{liteError{10, "disk I/O error"}, nil, true},
		{errors.New("no such table: fence_guard"), ErrSchema, false}, // a driver without codes
		{errors.New("database is locked"), driver.ErrBusy, false},
		{refused, driver.ErrUnavailable, false},
		{sqldriver.ErrBadConn, driver.ErrUnavailable, false},
		{sql.ErrTxDone, driver.ErrUnavailable, false},
		{reset, nil, true},
		{io.ErrUnexpectedEOF, nil, true},
		{context.DeadlineExceeded, nil, true},
		{errors.New("Error in line 1205: something"), nil, true}, // no code of MySQL
	}
	for _, tt := range tests {
		t.Run(tt.err.Error(), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			for what, err := range map[string]error{"sent": sent(ctx, tt.err), "unsent": unsent(ctx, tt.err)} {
				if !errors.Is(err, tt.err) {
					t.Errorf("%s: %v hides its cause", what, err)
				}
				want := tt.want
				if tt.lost {
					want = map[string]error{"sent": driver.ErrUncertain, "unsent": driver.ErrUnavailable}[what]
				}
				if want != nil {
					wants(t, what, err, want)
				}
				if got := errors.Is(err, driver.ErrUncertain); got != (tt.lost && what == "sent") {
					t.Errorf("%s: %v: uncertain is %v", what, err, got)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wants(t, "a driver that hides the context's error", sent(ctx, io.EOF), context.Canceled)
	if sent(ctx, nil) != nil || unsent(ctx, nil) != nil {
		t.Error("success has an error")
	}
}
