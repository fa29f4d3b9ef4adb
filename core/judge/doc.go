// Package judge decides whether recorded decisions of a scheduler were allowed, and how certain
// that is. It implements core/spec/invariants.md, whose ids the rulings carry, and
// core/spec/scheduling.md §13, whose sections the comments cite as §n.
//
// # Rulings
//
// Every judge takes evidence, a struct of plain numbers, and appends Rulings to the caller's slice:
// one for each invariant that the decision touches, including those that hold, so that the caller
// can count them. An invariant that the decision says nothing about gets no ruling.
//
// The verdict is the first that applies. Undecidable: an input is missing, and Missing names it.
// OK: the rule holds in the best estimate. Excused: it does not, but Excuse names why a correct
// scheduler may break it. Suspect: it holds in another state that the scheduler may have been in,
// or may hold because of something that logs do not record, which Missing names. Violated: it holds
// in no state. Other states are tried only for a rule that the best estimate breaks, so doubt is
// free if all is well. Evidence that is only Possible never makes a rule violated.
//
// A global excuse window excuses only breaches of rules that honour it (see windows). For other
// rules the scheduler's inputs may be less certain within the window: Context.Shaken names them,
// and rules that depend on them are at most suspect.
//
// core/spec/rules.txt states the rules, and rules.go declares how they are judged. A check judges one
// rule for preemptions or for starts; evaluate in check.go runs it.
//
// Rulings of severity Info never count against a scheduler: see Ruling.Counts.
//
// # Evidence
//
//   - Batch: the preemptions of one heartbeat on one node (preemptor.go, victim.go and taking.go).
//   - Ending: the end of a preempted job, and the start of its preemptor.
//   - Start: a job that started (startrules.go).
//   - Starvation: the recorded statuses of one element, in order of time.
//   - CountStep, CountRecord, CountSum: operation counts at an event, and as
//     recorded.
//   - Placing, PoolChange: the pool in which an operation was placed.
//   - JobPlacement: where a job started.
//   - Overtaking, Waiting: pending operations.
//   - LightweightPool, ListRecord: one record each.
//   - SegmentMove: the move of a node to another segment.
//
// All of them embed a Context: the source of the evidence, the excuse window that it falls in, if
// any, the inputs that are uncertain there, and the Slacks.
//
// # Preemptions in a replay
//
// A Batch is filled from a scheduling.Tree that replays the log, before the heartbeat's own starts
// and preemptions are applied:
//
//	batch.LookAt(tree, node, at)
//	who := batch.Start(operation, granted)
//	batch.AddVictim(job, reason, who)
//	rulings = batch.Judge(rulings[:0])
//	proof := batch.Prove(0)
//
// A decision that does not pass may have been based on the next tick in the log, or on another
// version of the configuration. Keep a Clone, and let it look again in that state:
//
//	later := batch.Clone()
//	… the next tick …
//	later.LookAgain(tree, nil)
//	rulings = later.Judge(rulings[:0])
//
// A rule is violated only if it is broken in the first state and in all others, also with a
// boundary off by one job, a status by one tick, and usage by 1 % where it is not exact. Elements
// may be removed meanwhile; LookAgain's second argument excludes those whose handles were reused.
//
// # Starts in a replay
//
// A Start is filled likewise before its job is added to the tree, and compared with an operation
// that could have started instead:
//
//	start.LookAt(tree, node, at, operation, granted)
//	start.Running, start.Demand = judge.Yes, judge.Yes
//	start.CompareWith(other)
//	rulings = start.Judge(rulings[:0])
//
// Rulings of a preemption or start become columns: Invariant, Verdict, Evidence, Excuse, Missing,
// Left, Right and, for users, Sentence. Facts sums up the conditions of a fair preemption, and a
// Tally counts rulings.
//
// # What it does not do
//
// The package does without input and output, clocks and goroutines. It does not know names, and it
// does not look for decisions that should have been made and were not: audits find elements that
// starved too long. Ties that the rules leave open are never a breach.
package judge
