// Package plugin makes the rules a linter of golangci-lint, through its module
// plugin system. Settings stand inline in .golangci.yml, since golangci-lint
// keeps results in a cache that knows nothing of other files:
//
//	linters:
//	  enable: [fencelint]
//	  settings:
//	    custom:
//	      fencelint:
//	        type: module
//	        settings:
//	          confidence: medium
//
// The package registers itself when it is imported; see docs/integrations.md.
package plugin
