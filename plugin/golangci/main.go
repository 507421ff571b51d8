// Command golangci-lint is golangci-lint with the fencelint linter in it, as
// "golangci-lint custom" would make it from .custom-gcl.yml, but without
// cloning a repository. It is a module of its own, since it draws in every
// linter that golangci-lint has.
package main

import (
	"fmt"
	"os"

	_ "github.com/fencelint/fencelint/plugin"
	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"
)

func main() {
	err := commands.Execute(commands.BuildInfo{GoVersion: "unknown", Version: "2.15.0-fencelint", Commit: "none", Date: "unknown"})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitcodes.Failure)
	}
}
