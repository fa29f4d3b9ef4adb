// Package shrink makes of a trace a small one that still shows a finding: what one attaches to
// the report of a bug.
//
// Minimize removes trees, time, records, pools, operations and nodes by delta debugging (ddmin,
// from large parts to single elements). After each removal it asks whether the finding is still
// there. Whoever calls it answers, since this package knows neither the replay nor the audits.
//
// What stays is as it was recorded, row by row. Only the numbers of pools, operations, nodes and
// jobs change, since they count from 0 in every trace. Nothing is made up in place of what left:
// what the scheduler recorded of itself, such as the shares of a snapshot or the usage of a
// node in a heartbeat, stays that of the whole cluster.
//
// An element takes with it what means nothing without it:
//
//   - a tree its pools, and the operations that ran nowhere else;
//   - a pool the pools below it and the operations that ever were in any of these;
//   - an operation its steps, demand and jobs, and the jobs that were preempted for it;
//   - a node its states, its heartbeats and the jobs on it;
//   - the time after the window every row from then on; the time before it what ended by then:
//     settings that others replaced, operations and jobs that were over, what was recorded of
//     the scheduler. What was still there when the window begins stays with its true time
//     (ingest/trace/FORMAT.md §3.7).
//
// Of planted violations one to three operations are left. Of three months of a real cluster,
// metacentrum-wagap-2013 with a guarantee that was not kept, 4 of 17,898 operations are.
//
// The result is the same bytes for any number of workers: they try several removals at a time,
// and the first in order that keeps the finding is taken.
package shrink
