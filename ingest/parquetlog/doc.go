// Package parquetlog reads and writes the Parquet files of a trace as they are:
// flat tables, column by column, without knowing what the columns mean.
//
// A table is declared once, by the struct of its rows (Declare). From it come
// the Parquet schema, the Writer and the Reader.
//
// The Reader is made for logs of hundreds of millions of rows: it decodes pages
// into struct-of-arrays batches that it reuses, turns repeating text into the
// ids of an Interner, and allocates nothing per row. It reads what other
// programs write: pages of both versions, all codecs and encodings but obsolete
// ones, dictionary and plain pages in one column chunk, optional columns, undeclared
// columns. It refuses a file that is not Parquet, lacks a required column
// that is wanted, gives a declared column another type, wanted or not, or uses what is
// not read, with an error that names file and column and says what to do (FormatError).
//
// Records reads files with undeclared columns, record by record: logs of other
// systems, with nested columns and types of any width. It holds a page of a column.
//
// The Parquet library reads the footer and has the kernels of encodings. Pages are
// read here (pages), because the library takes what a page says of its sizes on
// trust, misreads booleans in runs, and misreads LZ4_RAW. Whatever asks for memory
// is checked in three places before it gets any: the footer in checkFooter, what
// the header of a page says in pages.check, and the numbers of values inside a page
// where they are decoded (hybrid.go, values.go, delta.go).
//
// It does not judge values: what a row means, and whether it may be so, is the
// business of package ingest.
package parquetlog
