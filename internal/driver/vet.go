package driver

import "strings"

// CalledByGoVet reports whether the arguments are those of the protocol
// between go vet and its tool.
func CalledByGoVet(args []string) bool {
	for _, a := range args {
		if a == "-V=full" || a == "-flags" || a == "--flags" || strings.HasSuffix(a, ".cfg") {
			return true
		}
	}
	return false
}
