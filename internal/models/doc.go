// Package models is the catalogue of lock and store APIs: what each function
// does to a lease or to a store, as data, and the matcher that finds the rows
// of a function.
//
// # Rows
//
// The catalogue is the files data/*.tsv, one for each family of stores. A
// file of the user's own has the same form, so that a wrapper, a client that
// the catalogue lacks, or a project's own interface can be described:
//
//	# The in-house lock service and the ledger that it protects.
//	[example.com/lockd/client]
//	Dial              lockerctor       locker=result0
//	Client.Lock       acquire          locker=recv;key=arg1;ttl=arg2;handle=result0
//	Client.TryLock    tryacquire       locker=recv;key=arg1;handle=result0;ok=result1
//	Handle.Unlock     safe:release     handle=recv                the server compares the session
//	Handle.Epoch      token            handle=recv;token=result0  grows with every owner
//	Client.Delete     keyonly:release  locker=recv;key=arg1
//
//	[example.com/ledger example.com/ledger/v2] ledger
//	{Store,Cache}.{Put,PutAll}  write   key=arg1
//	Store.PutIf                 cwrite  key=arg1;cond=arg2.Version/arg2.Etag
//	Apply.()                    write   -                          a call of a value of func type Apply
//
// A line that begins with [ opens a section: the package paths whose
// functions the rows describe, and after ] the family of their store, in
// lower case letters and digits. Embedded files need no family where it is
// the file's name. A row has four columns, separated by tabs or spaces:
//
//	name     Func, Type.Method, or Type.() for a call of a value of a named
//	         func type. The type is the one that declares the method: the
//	         embedded type, or the interface that lists it, without pointer
//	         and type parameters; it may be unexported. {A,B} stands for
//	         each of its names.
//	role     a Role, after candidate: if the call takes a lease only when
//	         the same key is released or expires as well, safe: if the store
//	         releases or extends only for the owner, keyonly: if it acts on
//	         whatever is stored under the key.
//	subject  word=place;word=place, or - for none. A place is recv, argN or
//	         resultN, counted from zero with the context and without the
//	         receiver, and may go on to fields, or to methods without
//	         arguments: arg1.Key. A slice, such as a variadic argument, stands
//	         for its elements. Alternatives are separated by a slash. A plain lower case word instead of a place
//	         is an attribute: verb=delete. Words lists the words.
//	note     the rest of the line, for people.
//
// Empty lines and lines that begin with # are comments. A function may have
// several rows. Rows of a user replace all embedded rows of the same
// function; the role nonlock makes an API mean nothing.
//
// # Reading order
//
// role.go and row.go say what a row can say, parse.go and format.go read and
// write rows, catalogue.go finds sections and parses them when they are first
// asked for, match.go goes from types to rows, and shape*.go recognise
// generated code and interfaces of the user's own, which no list can name.
package models
