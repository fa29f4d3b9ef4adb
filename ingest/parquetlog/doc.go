// Package parquetlog reads and writes the Parquet files of a trace as they are:
// flat tables, column by column, without knowing what the columns mean.
//
// A table is declared once, by the struct of its rows (Declare). From it come
// the Parquet schema, the Writer and the Reader.
//
// The Reader is made for logs of hundreds of millions of rows: it decodes pages
// into struct-of-arrays batches that it reuses, turns repeating text into the
// ids of an Interner, and allocates nothing per row. It reads what other
// programs write: any encoding, dictionary and plain pages in one column chunk,
// optional columns, columns nobody declared. It refuses a file that is not
// Parquet, lacks a required column or gives a column another type, with an
// error that names file and column and says what to do (FormatError).
//
// It does not judge values: what a row means, and whether it may be so, is the
// business of package ingest.
package parquetlog
