// Package scheduling says who starves in a pool tree, whose jobs may be taken
// away, and what a node's heartbeat starts and preempts. The contract is
// core/spec/scheduling.md, whose sections the comments cite as §n.
//
// # Use
//
// A Tree stands beside a fairshare.Tree and knows its elements by the same
// handles. The caller adds nodes, jobs and what operations need, updates the
// fair shares, and then ticks:
//
//	shares := fairshare.New(fairshare.Options{MainResource: resource.CPU})
//	tree := scheduling.New(shares, scheduling.DefaultOptions(scheduling.Documented))
//	pool := shares.AddPool(fairshare.Root, fairshare.Pool{})
//	tree.AddPool(pool, scheduling.Root, &pooltree.PoolConfig{})
//	…
//	err := shares.Update(now, previous)
//	tree.Tick(now)
//
// Between ticks heartbeats come. Report is one that the log shows to have
// decided nothing. Decide decides and takes effect; Ask answers what would be
// decided; with Heartbeat.Explain both name every operation and job that was
// looked at, and why it was passed over. Explain answers the same and leaves no
// trace at all, at the price of a copy of the tree. MayStart and Prove judge a
// start or a preemption that a log recorded.
//
// The caller reports what happened by AddJob, SetJobUsage, PreemptJob (its resources are
// gone, its place in the list is not) and RemoveJob. After Decide only what it
// started and preempted is in the tree: the caller removes the jobs that leave.
//
// # What is where
//
//   - Starvation: relation.go, starvation.go, update.go; values in
//     force: inherit in tree.go.
//   - Preemptible lists: list.go, job.go.
//   - Heartbeats: heartbeat.go is the order of things, choice.go, branch.go and rank.go the
//     next operation, attempt.go the offer to it, packing.go who waits for a node that
//     suits better, preempt.go the victims, held.go the usage that protects them all the same,
//     overcommit.go what goes whoever starves.
//   - Answers: explain.go, judge.go, competitor.go; words of the source: level.go.
//
// core/testdata/README.md names the script that shows each stage, and each fact of a
// fair preemption.
//
// # Ties
//
// Operations of equal satisfaction are served in child order, in pools with
// fewer children than Options.MinChildHeapSize; in others a heap decides. The
// scheduling order is that of heaps only, over the operations as the tree has them:
// first those with guarantee priority, then the others. Stages over a part of the
// operations, batches and those of guarantee priority, take them in scheduling
// order, and there the child that goes first changes places with the one in front,
// so that equal ones do not keep their order. No recorded decision is to be judged
// by any of it. Jobs with the same list and start
// time are taken in the order they came to the node. Comparisons of shares are
// exact, except where §1.3 names a tolerance: a share that is off by its last
// bit may move a boundary by one job.
//
// # Packing
//
// Of §9.8 the contract leaves open what is read here so: the metric is angle_length
// and no least window is asked for, unless options say otherwise. The window of an
// operation holds, the newest last, the room that it saw when it first came to the
// check of packing in a heartbeat, in a stage that heeds packing and whether or not
// a job started; at most 10 heartbeats count, and at most 1 hour old ones. A
// heartbeat is compared with those before it, and enters once it is over. The
// smallest job, by kind, stands for all. No log holds a window: the one of
// Decide fills by itself, and after Ask by Remember.
//
// # What it does not do
//
// Throttling by a controller's concurrency and disk
// quotas beyond the flag SSD are not modelled either: Controller.Offer may decline
// for all of them.
// Tag filters are the caller's: see SetAdmission. There is no input or output,
// no clock, no goroutine and no ranging over a map; a decision allocates nothing
// once its buffers have grown.
package scheduling
