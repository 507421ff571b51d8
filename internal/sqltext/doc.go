// Package sqltext says what a SQL statement does: its verb, its target and the
// conditions under which the store carries it out.
//
// It reads PostgreSQL, MySQL, SQLite and much of SQL Server and CQL with one
// tolerant tokenizer and a light parser. The text may have holes: a part that
// was not known when the text was put together stands as U+FFFD and is read as
// an opaque expression or piece of a name. What cannot be read is left unknown;
// Parse never fails. Time grows about linearly with the text.
//
// The package is pure: it holds no state and all its functions may be called
// concurrently.
package sqltext
