package servers

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named pgx
)

// postgres is PostgreSQL 15, where Debian puts it.
type postgres struct {
	primary *Server // not nil for a standby
}

const postgresBin = "/usr/lib/postgresql/15/bin/"

func (postgres) name() string { return "postgres" }
func (postgres) user() string { return "postgres" }

func (postgres) programs() []string {
	return []string{postgresBin + "postgres", postgresBin + "initdb", postgresBin + "pg_basebackup", postgresBin + "pg_dump", postgresBin + "psql"}
}

func (p postgres) initialise(ctx context.Context, s *Server) error {
	if p.primary != nil {
		_, err := s.run(ctx, nil, postgresBin+"pg_basebackup", "-R", "-D", s.data(), "-h", "127.0.0.1", "-p", strconv.Itoa(p.primary.Port), "-U", "postgres", "-c", "fast")
		return err
	}
	_, err := s.run(ctx, nil, postgresBin+"initdb", "-D", s.data(), "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
	return err
}

// command leaves fsync off: the tests kill processes, not the kernel, and
// what a process has written survives it.
func (postgres) command(s *Server) *exec.Cmd {
	args := append([]string{"-D", s.data(), "-p", strconv.Itoa(s.Port), "-k", s.Dir, "-h", "127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200"}, s.args...)
	return exec.Command(postgresBin+"postgres", args...)
}

func (postgres) ping(ctx context.Context, s *Server) error {
	return ping(ctx, "pgx", s.PostgresDSN("postgres"))
}

// StartPostgres starts a PostgreSQL server; args go to the server program. It
// gives ErrMissing where there is none.
func StartPostgres(args ...string) (*Server, error) { return start(postgres{}, args...) }

// StartStandby starts a hot standby that follows a primary and refuses
// writes.
func StartStandby(primary *Server, args ...string) (*Server, error) {
	return start(postgres{primary: primary}, args...)
}

// PostgresDSN is the address of one database, for the driver named pgx.
func (s *Server) PostgresDSN(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.Port, database)
}

// DumpPostgres gives a logical dump of one database, and LoadPostgres restores it into an
// empty one.
func (s *Server) DumpPostgres(ctx context.Context, database string) ([]byte, error) {
	return s.run(ctx, nil, postgresBin+"pg_dump", "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port), "-U", "postgres", database)
}

// LoadPostgres restores a dump of DumpPostgres into an empty database.
func (s *Server) LoadPostgres(ctx context.Context, database string, dump []byte) error {
	_, err := s.run(ctx, dump, postgresBin+"psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", strconv.Itoa(s.Port), "-U", "postgres", "-d", database)
	return err
}

func (s *Server) data() string { return filepath.Join(s.Dir, "data") }

// ping opens one connection and closes it.
func ping(ctx context.Context, driver, dsn string) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.PingContext(ctx)
}
