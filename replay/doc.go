// Package replay runs one core per pool tree over the recorded events and
// fills the result tables.
//
// Trees are independent, so they run in parallel, at most Options.Workers at a
// time; one tree is one goroutine, and what it writes goes to files of its own.
// The tables of a trace are the same bytes for any number of workers.
//
// The log is followed: after every instant the core stands where the recorded
// scheduler stood, whatever the policy would have done. Shares are updated at
// the end of every period of updates in which something changed: as long as the cluster
// states, a second where it states nothing.
//
// Replay knows nothing of Parquet: a tree's events come as a sequence of one
// reused core.Event. It writes into a directory that its caller makes appear
// whole.
package replay
