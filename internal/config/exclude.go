package config

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Excluded reports whether findings in a file (an absolute path) are left out.
func (c *Config) Excluded(file string) bool {
	if len(c.Exclude) == 0 {
		return false
	}
	rel, err := filepath.Rel(c.Root, file)
	if err != nil {
		return false
	}
	rel = filepath.ToSlash(rel)
	for _, pattern := range c.Exclude {
		if matchPath(pattern, rel) {
			return true
		}
	}
	return false
}

// matchPath matches a slash-separated path against a glob in which ** stands
// for any number of elements. A pattern that names a directory covers what
// lies below it; one without a slash matches at any depth.
func matchPath(pattern, name string) bool {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	elems := strings.Split(pattern, "/")
	if len(elems) == 1 {
		elems = []string{"**", elems[0]}
	}
	return matchElems(elems, strings.Split(name, "/"))
}

func matchElems(pattern, name []string) bool {
	if len(pattern) == 0 {
		return true // the rest of name lies below the directory that was matched
	}
	if pattern[0] == "**" {
		for i := range len(name) + 1 {
			if matchElems(pattern[1:], name[i:]) {
				return true
			}
		}
		return false
	}
	if len(name) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], name[0])
	return err == nil && ok && matchElems(pattern[1:], name[1:])
}

// checkGlob returns an error for a pattern that matchPath cannot use.
func checkGlob(pattern string) error {
	if strings.HasPrefix(pattern, "/") || pattern == "" {
		return fmt.Errorf("the path %q is not relative to the file", pattern)
	}
	for elem := range strings.SplitSeq(pattern, "/") {
		if _, err := path.Match(elem, ""); err != nil {
			return fmt.Errorf("%q is no glob: %w", pattern, err)
		}
	}
	return nil
}
