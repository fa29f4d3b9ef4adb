// Package ytsaurus imports the event log of a YTsaurus scheduler as a trace.
//
// A scheduler and its controller agents write a row for each event of an
// operation or a job, and now and then rows with the shares of all pools and
// operations, with all nodes and with the configurations of all pools
// (ingest/trace/FORMAT.md §1). The rows come in any order, in several forms and in
// the words of several ages.
//
// An import has two parts. A loader takes the rows in, in whatever order they
// come. What is as long as the log becomes records that package extsort sorts;
// what lives in the cluster, its operations, pools and nodes, stays in memory.
// An assembly then writes the trace, tree by tree (ingest/trace/FORMAT.md §4):
// it joins the rows of each job, infers when operations came to run, finds the
// place of users' own pools, and reconstructs heartbeats. Nothing depends on the
// order of the rows or on how they were cut into files: the same rows give the
// same tables. So the numbers of a trace follow the order of ids and names, and
// its columns src are null: an id and a time find the row again.
//
// Two more sources fill in what the log lacks: rows of the operations archive, and Orchid
// dumps of the scheduler. Where the log says something, it counts. A row shows by its
// columns whether it is of the log or of the archive, a document by its keys whether it is
// a dump or an export of pool trees.
//
// Rows whose time is far from all others, of a clock that was never set, are left out
// (hourCount.bulk). They show only when all rows are read: then the sources are read again.
//
// What rows do not record is never made up. Numbers that are inferred are marked
// in the manifest's coverage, and a row that cannot be used becomes a problem
// with a code (Explanations).
//
// The package does not decide whether the scheduler did right.
package ytsaurus
