// Package simulate lets the core decide on its own: operations arrive, the
// policy places, starts and preempts them, jobs run as long as the workload
// says, nodes fail, people change configurations.
//
// A Plan holds all that the scheduler does not decide, drawn or recorded beforehand.
// So every operation, pool and node has its id from the start, and one more pool
// shifts no other id. Run follows the plan and hands every fact to a
// Recorder, in the order (time, kind) in which a trace holds them, with the
// scheduler's own view of itself at its period:
//
//	err := simulate.Run(plan, recorder)
//
// Trees that share operations advance together: a job that one of them starts
// is no longer wanted in the others. Components says which trees have nothing to do with each
// other; RunTrees decides such apart, with what they come to together.
//
// # Time
//
// Fair shares are updated at every multiple of Plan.UpdatePeriod, before
// anything else of that instant. Nodes report one at a time: no two heartbeats
// of a tree share an instant. What follows from a decision and stands before it
// in the order of an instant, such as the demand of an operation whose job was
// taken, comes a microsecond later.
//
// # Faults
//
// A FaultInjector alters single decisions; the simulated cluster acts on the altered ones.
// That is how known violations get into a trace.
//
// The package is pure: no clock, no input or output, no goroutine. Where the
// caller has several cores, Plan.Each runs the updates of the trees on them.
package simulate
