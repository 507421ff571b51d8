// Package driver runs the analysis over a module. Alone it works in two
// phases: it summarises the whole main module until its interfaces and
// wrappers are known, and the rules run with that knowledge; package patterns
// choose only what is reported. Under go vet it sees one package at a time.
package driver
