// Package measure compares ways to do one thing, side by side on one machine
// that may do other work too, and writes what it found as tables of Markdown.
//
// Whatever slows the machine for a while should slow all ways alike, so they
// take turns: call by call with one client, round by round with several. What
// to look at are the ratios, and how far the rounds agree on them.
package measure
