// Fencelint finds Go code in which a worker that has lost its distributed lock
// can still change shared data.
//
//	fencelint [flags] [packages]
//	fencelint explain [rule|category]
//	fencelint models [pattern]
//	fencelint models -infer [packages] [pattern]
//	fencelint cache clean
//	fencelint version
//	go vet -vettool=$(which fencelint) [packages]
//
// It exits with 0 when there is nothing to report, 1 when there are findings,
// and 2 when the run itself failed.
package main
