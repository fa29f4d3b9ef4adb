// Package judge says whether recorded decisions of a scheduler were allowed,
// with honest doubt. The contract is core/spec/invariants.md, whose ids the rulings
// carry, and core/spec/scheduling.md §13, whose sections the comments cite as §n.
//
// # Rulings
//
// Every judge takes evidence, a struct of plain numbers, and appends Rulings to
// a slice of the caller's: one for each invariant that the decision touches,
// those that hold included, so that the caller can count them. An invariant of
// which nothing can be seen in the decision gets no ruling.
//
// A verdict is found in this order. Undecidable: an input is missing, and
// Missing names it. OK: the rule holds by the best estimate. Excused: it does
// not, but Excuse names what lets a correct scheduler break it. Suspect: it
// holds in another state that the scheduler may have been in, or for what no log
// tells, which Missing names. Violated: it holds in none. The other states are tried only for a rule
// that the best estimate breaks, so that doubt costs nothing where all is well. Evidence that is only
// Possible never makes a rule violated.
//
// A global excuse window excuses breaches of those rules only that honour it
// (see windows). For the others it is no excuse, but what the scheduler then
// went by may be less certain: Context.Shaken names it, and what rests on that is at
// most suspect.
//
// All rules are declared in rules.go; how one is judged of preemptions and of starts is a check,
// which evaluate in check.go goes by.
//
// Rulings of severity Info never count against a scheduler: see Ruling.Counts.
//
// # Evidence
//
//   - Batch: what one heartbeat took away on one node (beneficiary.go, victim.go
//     and taking.go).
//   - Ending: what became of a preempted job and of its beneficiary.
//   - Start: a job that started (startrules.go).
//   - Starvation: the recorded statuses of one element, in order of time.
//   - CountStep, CountRecord, CountSum: operation counts at an event, and as
//     recorded.
//   - Placing, PoolChange: where an operation landed.
//   - JobPlacement: where a job started.
//   - Overtaking, Waiting: pending operations.
//   - LightweightPool, ListRecord: one record each.
//   - SegmentMove: a node that was given another segment.
//
// All of them embed a Context: how the evidence was come by, the excuse
// window that it falls in, if any, what that leaves uncertain, and the Slacks.
//
// # Preemptions in a replay
//
// A Batch is filled from a scheduling.Tree that follows the log, before the
// heartbeat's own starts and preemptions reach it:
//
//	batch.Look(tree, node, at)
//	who := batch.Start(operation, granted)
//	batch.Take(job, reason, who)
//	rulings = batch.Judge(rulings[:0])
//	proof := batch.Prove(0)
//
// What does not simply pass may have been decided by the tick that the log shows
// next, or by another version of the configuration. Keep a Clone, and when
// that state is there let it look again:
//
//	later := batch.Clone()
//	… the next tick …
//	later.LookAgain(tree, nil)
//	rulings = later.Judge(rulings[:0])
//
// A rule is violated only if it is broken in the first state and in all others,
// also with a boundary off by one job, a status by one tick, and usage by 1 %
// where it is not exact. Elements may go meanwhile; those whose handles were
// given to others are kept out by LookAgain's second argument.
//
// # Starts in a replay
//
// A Start is filled likewise before its job is added to the tree, and compared
// with operations that could have started in its place:
//
//	start.Look(tree, node, at, operation, granted)
//	start.Running, start.Demand = judge.Yes, judge.Yes
//	start.Against(tree, other)
//	rulings = start.Judge(rulings[:0])
//
// Rulings of a preemption or start become columns: Invariant, Verdict, Evidence,
// Excuse, Missing, Left, Right, and Sentence for a person. Facts sums up the
// conditions of a fair preemption, a Tally what was judged at all.
//
// # What it does not do
//
// There is no input or output, no clock, no goroutine. It knows no names, and it
// does not look for decisions that should have been taken and were not: who
// starved too long is an audit's question. Ties that no rule orders
// break none.
package judge
