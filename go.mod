module github.com/fencelint/fencelint

go 1.26.0

require (
	github.com/stretchr/testify v1.12.1 // indirect
	golang.org/x/tools v0.52.0 // indirect
)
