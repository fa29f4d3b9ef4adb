// Package decisions judges recorded starts and preemptions by the state before them, and
// what heartbeats left undone (core/spec/invariants.md §1, core/judge).
//
// A decision passes Referee.Decide, which judges it by the best estimate. One that breaks a
// rule is held (held.go) until the log has told all that may bear on it; it is then judged in
// every state that the scheduler may have been in (heldstates.go), and becomes a row.
package decisions
