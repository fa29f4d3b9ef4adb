// Package tables is the result tables: what they are called, what their
// columns mean, and the files they stand in.
//
// A table is declared once, as the struct of its rows, in rows.go or a file
// named for its idea. All lists them; README.md is generated from that list (go
// generate).
//
// A Writer takes rows of one table and tree and writes an Arrow IPC file of
// batches of 122,880 rows, the row group of DuckDB. Ids of frequent tables
// are dictionary encoded, because the file format allows one dictionary per column: a
// file of several batches holds the complete dictionary of the run, one of a single
// batch the words that it uses. So a file is as large as its rows, whatever other trees
// hold. The other tables hold text. Nothing is allocated per row.
//
// The package does not read files back and does not interpret rows.
package tables

//go:generate go test -run TestReference -update
