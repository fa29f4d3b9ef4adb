// Package replay runs one core per pool tree over the recorded events and fills the result
// tables.
//
// Trees are independent and run in parallel, at most Options.Workers at a time. One goroutine
// follows a tree and writes files of its own, so that the tables of a trace are the same bytes
// for any number of workers. A second one reads the events of the tree ahead, others keep the
// ledger and write. The largest tree begins first.
//
// The replay follows the log: after every instant the core is in the state of the recorded
// scheduler, whatever the policy would have done. Shares are updated at the end of every update
// period in which something changed. The cluster's configuration states the period; without it
// the period is one second.
//
// Replay does not depend on Parquet: a tree's events come as a sequence of one reused core.Event.
// The caller of Run makes the directory of results appear whole.
package replay
