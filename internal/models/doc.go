// Package models is the catalogue of lock and store APIs: what each function
// does to a lease or a store, as data, and the matcher that finds the rows of
// a function.
package models
