// Package episodes records the state of pools and operations as rows: intervals of nearly constant
// usage, demand and shares, and episodes of unmet guarantees and of starvation. Episodes state for
// how long others had the missing share, and for how long preemption could have made room
// (core/spec/invariants.md GUA, STV).
package episodes
