package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
)

// buildVersion returns the version that the go command recorded.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func version(_ context.Context, _ *options, args []string, stdout, _ io.Writer) (int, error) {
	if len(args) > 0 {
		return exitFailed, fmt.Errorf("version takes no arguments, found %q", args[0])
	}
	fmt.Fprintf(stdout, "fencelint %s %s %s/%s", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				fmt.Fprintf(stdout, " %s", s.Value)
			}
		}
	}
	fmt.Fprintln(stdout)
	return exitClean, nil
}

// cacheDir is where runs may store what later ones can use.
func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache: %w", err)
	}
	return filepath.Join(base, "fencelint"), nil
}

func cache(_ context.Context, _ *options, args []string, _, _ io.Writer) (int, error) {
	if len(args) != 1 || args[0] != "clean" {
		return exitFailed, errors.New("usage: fencelint cache clean")
	}
	dir, err := cacheDir()
	if err != nil {
		return exitFailed, err
	}
	if err := os.RemoveAll(dir); err != nil {
		return exitFailed, fmt.Errorf("cleaning the cache: %w", err)
	}
	return exitClean, nil
}
