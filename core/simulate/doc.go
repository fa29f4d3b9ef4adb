// Package simulate runs the core as a scheduler: operations arrive, the policy places, starts and
// preempts them, jobs run as long as the workload says, nodes fail, and users change
// configurations.
//
// A Plan holds everything that the scheduler does not decide, drawn or recorded beforehand. So
// every operation, pool and node has its id from the start, and an additional pool does not shift
// other ids. Run executes the plan and passes every fact to a Recorder, in the order (time, kind)
// of a trace, with the scheduler's periodic records of its own state:
//
//	err := simulate.Run(plan, recorder)
//
// Trees that share operations advance together: a job that one of them starts is no longer wanted
// in the others. Components groups trees that do not affect each other; RunTrees decides such
// groups separately, with the same result.
//
// # Time
//
// Fair shares are updated at every multiple of Plan.UpdatePeriod, before anything else of that
// instant. Nodes report one at a time: no two heartbeats of a tree share an instant. A consequence
// of a decision that would precede it in the order of an instant, such as the demand of an
// operation whose job was preempted, comes a microsecond later.
//
// # Faults
//
// A FaultInjector alters single decisions; the simulated cluster acts on the altered ones. That
// puts known violations into a trace.
//
// The package is pure: it has no clock, no input or output and no goroutines. Plan.Each lets the
// caller run the updates of the trees on several cores.
package simulate
