// Package snapshots follows what the scheduler recorded of itself: it compares the records
// with the replay (compare.go), recomputes fair shares from what one snapshot records
// (recompute.go), and judges them (judge.go, core/spec/invariants.md). Rows are spans in
// which nothing of what they say changes (spans.go).
//
// Records stand first in their instant: they are compared with the state of before its
// other events. What the scheduler announces of operations (announcements.go) and the
// configurations that it made for ephemeral pools (ephemeralrows.go) are records, too.
package snapshots
