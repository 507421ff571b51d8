// Package config reads .fencelint.yml, the settings of a main module. It is
// strict: a key, type or value that it does not know is an error that names
// the line.
package config
