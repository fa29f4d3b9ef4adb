// Package audit judges a run: it loads the result tables into DuckDB, runs the
// audits, which are SQL, and collects what they find.
package audit
