// Package ruletest runs one rule over marked programs that call real client
// libraries.
package ruletest
