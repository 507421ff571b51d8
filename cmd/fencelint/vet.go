package main

import (
	"fmt"
	"os"

	"github.com/fencelint/fencelint/internal/config"
	"github.com/fencelint/fencelint/internal/driver"
	"github.com/fencelint/fencelint/passes"
)

// vet answers go vet, in whose protocol every failure has the same status.
func vet(args []string) {
	if err := driver.Vet(args, passes.Names(), func(cfg *config.Config) driver.Suite { return suite(cfg, nil) }); err != nil {
		fmt.Fprintf(os.Stderr, "fencelint: %v\n", err)
		os.Exit(exitFailed)
	}
}
