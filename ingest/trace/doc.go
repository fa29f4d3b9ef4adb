// Package trace declares the native trace bundle, version 1: its tables, its
// manifest and its writer (ingest/trace/FORMAT.md §3).
//
// A bundle is a folder:
//
//	manifest.json              what it is and how much of the truth it holds
//	dim/                       operations, pools, nodes: what the numbers mean
//	tree=<name>/               the tables of one pool tree
//	global/                    what concerns no tree or several
//
// A table is declared by the struct of its rows, where every column has its
// name, encoding and sentence, and by an entry in tables.go, which says where the
// table is and what its rows are. Schema, writer, reader, anonymize and shrink follow
// from these. The structs hold the file's units: times are core.Time, cpu is in thousandths of
// a core, a null is a core.Optional that is not set.
//
// An importer writes a bundle like this, rows of each table in the order of
// (time, seq):
//
//	w, err := trace.Create(dir, trace.Options{})
//	defer w.Abort()
//	w.Add(&trace.Node{Node: 0, Address: "n1"})
//	t := w.Tree("physical")
//	t.Add(&trace.Job{Stamp: trace.Stamp{Time: start, Seq: t.NextSeq()}, ...})
//	return w.Commit(trace.Manifest{Cluster: "c1", Window: window, ...})
//
// The bundle appears whole, at Commit, or not at all.
//
// A declared column of another type is refused, with file, column and type, in every
// table that a replay opens, whether or not it reads the column. It opens all tables, and
// ignores columns that are not declared.
//
// The package does not judge rows beyond their order, and does not read events:
// that is package ingest.
package trace
