package main

import (
	"context"
	"fmt"
	"io"
)

func explain(_ context.Context, _ *options, args []string, stdout, _ io.Writer) (int, error) {
	return exitFailed, fmt.Errorf("nothing to explain")
}
