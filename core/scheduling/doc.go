// Package scheduling computes starvation in a pool tree, which jobs are preemptible, and what a
// node's heartbeat starts and preempts. The specification is core/spec/scheduling.md, whose
// sections the comments cite as §n.
//
// # Use
//
// A Tree accompanies a fairshare.Tree and uses the same handles of elements. The caller adds nodes,
// jobs and the needs of operations, updates the fair shares, and then ticks:
//
//	shares := fairshare.New(fairshare.Options{MainResource: resource.CPU})
//	tree := scheduling.New(shares, scheduling.DefaultOptions(scheduling.Documented))
//	pool := shares.AddPool(fairshare.Root, fairshare.Pool{})
//	tree.AddPool(pool, scheduling.Root, &pooltree.PoolConfig{})
//	…
//	err := shares.Update(now, previous)
//	tree.Tick(now)
//
// Heartbeats come between ticks. Report handles a heartbeat that decided nothing. Decide decides
// and applies the decision; Ask only returns it. With Heartbeat.Explain both list every operation
// and job that was considered, and why it was skipped. Explain does the same on a copy of the tree
// and changes nothing at all. MayStart and Prove judge a recorded start or preemption.
//
// The caller reports events by AddJob, SetJobUsage, PreemptJob (the job loses its resources and
// keeps its place in the list) and RemoveJob. Decide itself adds the jobs that it starts and
// preempts its victims; the caller removes jobs when they stop.
//
// # What is where
//
//   - Starvation: relation.go, starvation.go, update.go; values in
//     force: inherit in tree.go.
//   - Preemptible lists: list.go, job.go.
//   - Heartbeats: heartbeat.go runs the stages; choice.go, branch.go and rank.go find the next
//     operation, attempt.go offers it the node, packing.go makes it wait for a better one;
//     preempt.go finds victims, held.go keeps released usage that still protects jobs, and
//     overcommit.go preempts whether or not an operation starves.
//   - Answers: explain.go, judge.go, competitor.go; words of the source: level.go.
//
// core/testdata/README.md names the script that shows each stage, and each fact of a
// fair preemption.
//
// # Ties
//
// Operations of equal satisfaction are served in child order, in pools with fewer children than
// Options.MinChildHeapSize; in others a heap decides. The scheduling order is that of heaps only,
// over the operations as the tree has them: first those with guarantee priority, then the others.
// Stages over a part of the operations, batches and those of guarantee priority, take them in
// scheduling order, and there the child that goes first changes places with the one in front, so
// that equal ones do not keep their order. Recorded decisions are not judged by any of this. Jobs
// with the same list and start time are taken in the order they came to the node. Comparisons of
// shares are exact, except where §1.3 names a tolerance: a share that is off by its last bit may
// move a boundary by one job.
//
// # Packing
//
// §9.8 leaves some points open, which are read as follows. The metric is angle_length and the
// minimum window is 0, unless options say otherwise. The window of an operation holds, newest last,
// the free resources of the node when the operation was first checked for packing in a heartbeat,
// whether or not a job started; at most 10 heartbeats count, each at most 1 hour old. A heartbeat
// is compared with earlier ones and added when it ends. The smallest job of each kind represents
// all. Logs do not record windows: Decide fills them, and Remember does so after Ask.
//
// # What it does not do
//
// It does not model throttling by a controller's concurrency, nor disk quotas beyond the flag SSD:
// Controller.Offer may decline for such reasons. The caller evaluates tag filters: see
// SetAdmission. It does without input and output, clocks, goroutines and ranging over maps; a
// decision does not allocate once its buffers have grown.
package scheduling
