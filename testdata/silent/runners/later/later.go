// Package later keeps what is to run when the process ends.
package later

var atEnd []func()

// AtEnd keeps f.
func AtEnd(f func()) { atEnd = append(atEnd, f) }

// Sorted runs f to compare.
func Sorted(n int, less func(i, j int) bool) bool {
	for i := 1; i < n; i++ {
		if less(i, i-1) {
			return false
		}
	}
	return true
}
