// Package queries is the SQL of the project: the audits and the views they
// share. It is data; package audit runs it.
//
// views/ holds macros and views, run in the order of its order.txt, which stay in
// a run's database for whoever opens it later. audits/<topic>/ holds one file
// per audit: a header of comments, the query that selects what is wrong and,
// after a line "-- @seen", the query that says how much it judged in each tree.
// The header is explained in package audit.
package queries

import "embed"

// Files is the SQL: views/order.txt, views/*.sql and audits/<topic>/*.sql.
//
//go:embed views audits
var Files embed.FS
