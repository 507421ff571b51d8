// Package report writes what a run found: one document, several formats, each
// in a file of its own.
package report
