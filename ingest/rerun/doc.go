// Package rerun takes out of a recorded trace all that its scheduler did not decide,
// as a plan by which the core decides anew:
//
//	t, err := ingest.Open("trace")
//	plan, unmeasured, err := rerun.Plan(ctx, t, profile, t.Window())
//	err = simulate.Run(plan, recorder)
//
// # What is taken over
//
// Configurations, with what nodes have and when they come and go; what befell the
// scheduler's processes; when operations arrived, in which trees and with what they
// asked for, those that were rejected too; what people did to operations: moved,
// suspended, changed, ended them. An operation that failed fails when it did.
//
// # What is not
//
// Who was refused, ran or waited, who starved, got a job where, lost one, and was banned
// from a tree; a tree that gave an operation up at its start is not asked again. What
// nodes have is that of node_state, and of a resource whose capacity the trace does not record
// as much as all work of the log; when they report is spread evenly over the period.
//
// # Work
//
// The work of an operation is what its jobs did, in the order of their first start: a
// job that names its predecessor does the same work again. In a trace without such jobs,
// one that starts where another of its size left unfinished work goes on with that.
//
// A job that was completed lasts as long, counted from when those were gone that were
// preempted for it; one that put away what it had done as long as
// all that did its work together. A job that failed fails again, after as long. The log
// does not record how long a job would have lasted that was preempted, aborted or still ran
// at its end. Such a job lasts at least as long as it did, and as the median of the completed jobs of
// its size in its operation, else in its operation, else in the trace. In a trace without a completed
// job it lasts to the end of the window, whenever it starts.
//
// Of an operation that was completed this is all. Another's last demand beyond it is
// work as well: in jobs of the sizes known, as many as were pending where one or two of
// them add up to the demand, and else in jobs that share it evenly.
//
// Work is wanted from the moment of the first row of demand that covers it, what was
// begun before included, counted from when the operation could get jobs; without any
// demand in the log, from that moment itself.
//
// An operation without work in the log lives as long as it did once it could get
// jobs; one that never could, since it waited or was rejected, is over as soon as it can.
//
// # Beginning and end
//
// The plan begins with the first event of the log, so that what was alive at the
// window's beginning comes in the order in which it did; but no more than a day before
// the window. What is older begins then, and has only the rest to do: operations where they were
// moved to, in the order in which they came, those first that had got to run; those that were over
// are left out. Where a limit of operations was lowered since, of those that ran on some wait.
// The plan ends with the window. How long jobs last that the log sees no end of is
// estimated from all of the log.
package rerun
