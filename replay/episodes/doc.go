// Package episodes turns how pools and operations fare into rows: intervals, in which usage,
// demand and shares hardly move, and episodes of unmet guarantees and of starvation, with how
// long others had what was owed and preemption could have made room for it
// (core/spec/invariants.md GUA, STV).
package episodes
