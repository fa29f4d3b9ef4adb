// Package decisions judges recorded starts and preemptions by the state before them, and what
// heartbeats should have done (core/spec/invariants.md §1, core/judge).
//
// Referee.Decide judges a decision by the best estimate. A decision that breaks a rule is held
// (held.go) until all events that may affect the ruling have been read. It is then judged in every
// state that the scheduler may have been in (heldstates.go), and becomes a row.
package decisions
