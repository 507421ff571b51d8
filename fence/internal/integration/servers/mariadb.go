package servers

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"

	_ "github.com/go-sql-driver/mysql" // the driver named mysql
)

// mariadb is MariaDB 10.11, where Debian puts it.
type mariadb struct{}

func (mariadb) name() string { return "mariadb" }
func (mariadb) user() string { return "mysql" }
func (mariadb) programs() []string {
	return []string{mariadbd, "mariadb-install-db", "mariadb-dump", "mariadb"}
}

const mariadbd = "/usr/sbin/mariadbd"

func (mariadb) initialise(ctx context.Context, s *Server) error {
	_, err := s.run(ctx, nil, "mariadb-install-db", "--no-defaults", "--datadir="+s.data(), "--tmpdir="+s.Dir, "--auth-root-authentication-method=normal", "--skip-test-db")
	return err
}

// command writes the log at each commit and leaves its fsync to once a
// second: the tests kill processes, not the kernel.
func (mariadb) command(s *Server) *exec.Cmd {
	args := append([]string{
		"--no-defaults", "--datadir=" + s.data(), "--tmpdir=" + s.Dir, "--port=" + strconv.Itoa(s.Port), "--bind-address=127.0.0.1",
		"--socket=" + s.socket(), "--pid-file=" + filepath.Join(s.Dir, "pid"),
		"--innodb-flush-log-at-trx-commit=2", "--max-connections=200", "--skip-name-resolve",
	}, s.args...)
	return exec.Command(mariadbd, args...)
}

func (mariadb) ping(ctx context.Context, s *Server) error {
	return ping(ctx, "mysql", s.MariaDBDSN(""))
}

// StartMariaDB starts a MariaDB server; args go to the server program. It
// gives ErrMissing where there is none.
func StartMariaDB(args ...string) (*Server, error) { return start(mariadb{}, args...) }

// MariaDBDSN is the address of one database, for the driver named mysql.
func (s *Server) MariaDBDSN(database string) string {
	return fmt.Sprintf("root@tcp(127.0.0.1:%d)/%s", s.Port, database)
}

// DumpMariaDB gives a logical dump of one database.
func (s *Server) DumpMariaDB(ctx context.Context, database string) ([]byte, error) {
	return s.run(ctx, nil, "mariadb-dump", "--no-defaults", "--socket="+s.socket(), "-u", "root", "--single-transaction", database)
}

// LoadMariaDB restores a dump of DumpMariaDB into an empty database.
func (s *Server) LoadMariaDB(ctx context.Context, database string, dump []byte) error {
	_, err := s.run(ctx, dump, "mariadb", "--no-defaults", "--socket="+s.socket(), "-u", "root", database)
	return err
}

func (s *Server) socket() string { return filepath.Join(s.Dir, "sock") }
