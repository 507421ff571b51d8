module github.com/fencelint/fencelint/fence

go 1.26.0
