// Package snapshots processes the scheduler's own records: it compares them with the replay
// (compare.go), recomputes fair shares from the records of one snapshot (recompute.go), and judges
// them (judge.go, core/spec/invariants.md). Rows are spans with constant values (spans.go).
//
// Records come first in their instant: they are compared with the state before its other events.
// Announced statuses of operations (announcements.go) and the configurations that the scheduler
// made for ephemeral pools (ephemeralrows.go) are records, too.
package snapshots
