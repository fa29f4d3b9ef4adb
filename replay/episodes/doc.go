// Package episodes turns how pools and operations fare into rows: intervals, in which usage,
// demand and shares hardly move, and episodes of unmet guarantees and of starvation. Episodes
// hold for how long others had the missing share, and for how long preemption could have made
// room (core/spec/invariants.md GUA, STV).
package episodes
