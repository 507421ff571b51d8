package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/fencelint/fencelint/internal/driver"
)

// The exit statuses.
const (
	exitClean    = 0
	exitFindings = 1
	exitFailed   = 2
)

func main() {
	if driver.CalledByGoVet(os.Args[1:]) {
		vet(os.Args[1:])
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run does what the arguments ask for and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	code, err := dispatch(ctx, args, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "fencelint: %v\n", err)
		return exitFailed
	}
	return code
}
