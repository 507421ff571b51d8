// Package passes lists the rules that a user can enable, each in a package of
// its own below this one, over the one analysis that they share.
package passes
