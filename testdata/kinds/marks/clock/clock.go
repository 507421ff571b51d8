// Package clock tells the time in a unit of its own.
package clock

import "time"

// Micros is the time of day in microseconds.
func Micros() int64 { return time.Now().UnixMicro() }
