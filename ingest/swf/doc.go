// Package swf imports logs in the Standard Workload Format (version 2.2, and
// the extension of the Alea simulator), the format of the public archives of
// batch systems.
//
//	summary, err := swf.Import(ctx, swf.Options{
//		Source: "wagap-2013.swf.gz", Out: "wagap.trace",
//	})
//
// A log is text: comments that begin with a semicolon, first the
// header, and a line of 18 numbers per job, -1 for what is not known. It may
// be gzip or zstd, whatever its name. It is held in memory, because its rows are
// sorted by submit time and a trace by start time: at the peak a million jobs on
// two nodes each take 1.6 GB, so that some millions fit.
//
// # What becomes what
//
//   - A job is an operation, named by its number. It is running, and demands
//     what it was given, from its submission on: nothing in the format holds a
//     job back but the lack of processors. A job that never started demands
//     what it asked for until it left the queue.
//   - Its stay on one node is a job of the trace. Without placements it is one
//     job of all its processors, on an unknown node.
//   - Its queue is its pool (Options.PoolBy: or its group, or its user), and in
//     it each user has an ephemeral pool, pool$user. Numbers get the names of the
//     header's Queue lines, or are named queue-3, group-3, user-3; what is
//     missing is queue-unknown and so on.
//   - All jobs are in one tree, named default, or (Options.TreeBy) each partition
//     is a tree, named by the header's Partition lines or partition-3.
//   - Options.Config, a pool configuration, says what pools are promised.
//     Without it nothing is.
//   - The group, executable, requested time, preceding job and so on become the
//     operation's annotations.
//
// # Times
//
// Submit times count from the header's UnixStartTime. If the earliest is 10^9
// or more, they are Unix seconds already, whatever the header says. Otherwise
// they count from Options.Epoch.
//
// A wait that is not known is taken as none, and noted: unknown_wait. After a
// run time that is not known the job has no known end: unknown_run_time. A run
// time of 0 means less than half a second; such a job ends one microsecond after
// its start (package joblog says why).
//
// # Status
//
//	0   failed; without processors and run time it failed before it started
//	1   completed
//	2   an execution that another one follows: its jobs completed, interrupted
//	    as "checkpointed"
//	3   the last execution of a job that completed
//	4   the last execution of a job that failed
//	5   cancelled: aborted. Without a run time it never started
//	-1  unknown: its end counts as completed, and it has no final state
//
// Lines with one job number and a status of 2, 3 or 4 are one operation that
// ran several times. The line with another status, if there is one, describes
// the job as a whole: its submit time and outcome count, its times do not. The
// wait of an execution counts from the end of the one before, and in between
// the operation demands what it will get. After a last execution of status 2 it
// waits on beyond the end of the log.
//
// Any other line with the number of an earlier job is a job of its own, named
// number#2, and noted: duplicate_job. If all its fields are the same, it is left
// out: duplicate_row.
//
// # Resources
//
// A processor is a core. What was allocated counts, else how many nodes field 19
// lists, else what was requested. Memory is what was requested, else what was
// used: KB per processor in the standard, bytes of the whole job in Alea's
// dialect, which is recognised by field 19 (Options.Dialect overrides). It is
// divided among a job's nodes by processors, and the parts sum up exactly. The
// manifest says whether memory is requested or recorded. A job takes a user
// slot; no log says how many a node has.
//
// # Placements and nodes
//
// Alea's logs have three more fields: {n,n,...}, the number of a node for each
// processor, then the name of the queue, then the resource request. Beside the
// log, or named by Options.Machines, may be a machines file with a line per
// cluster: id, name, nodes, processors per node, speed, KB of memory per node.
//
// With placements, the nodes are those that occur. A node belongs to the cluster
// that most of its jobs asked for by cl_NAME; one on which no job asked for any
// belongs to the cluster that the nearest such nodes on both sides, by number,
// agree on. If the file has one cluster, it is that. Otherwise the node's size is
// not known, and noted: unknown_node_size. Then no total is right, so the manifest
// calls the capacities unknown. Sizes are never derived from what ran on a node.
//
// Without a machines file, a node has MaxProcs/MaxNodes processors by the
// header, if that divides evenly (capacity header). Without placements, the
// nodes are those of the machines file or the header; if the header does not
// divide evenly, one node stands for all its processors. Without either, or with
// several trees and no placements, sizes are unknown.
//
// A node that ran jobs of several partitions stands in the tree of each.
//
// # Further fields
//
// Fields after those of the standard, or after Alea's, are left out. The import
// says once how many lines have them: extra_fields.
//
// # Bad lines
//
// A line that cannot be used becomes a problem of the trace, and the import goes
// on. The codes are in codes.go. A row's number is its zero-based line in the
// file. A negative submit, wait or run time other than -1 leaves its line out;
// of other fields it is taken as missing. A line whose allocated processors are
// not as many as its placed ones is left out: one of the two is wrong, and it is
// unknown which.
package swf
