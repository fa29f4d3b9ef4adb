package replay

import (
	"testing"

	"poolproof/core"
)

// TestRecordClock: snapshots that come as often as updates are the clock, and others leave updates at whole periods.
func TestRecordClock(t *testing.T) {
	const ms = core.Second / 1000
	for _, c := range []struct {
		name      string
		snapshots []core.Time // in ms
		next      core.Time   // in ms; core.Never if whole periods count
	}{
		{"one snapshot says nothing", []core.Time{620}, core.Never},
		{"a snapshot a second", []core.Time{620, 1620}, 4000},
		{"a little late", []core.Time{620, 1860}, 4000},
		{"at whole seconds", []core.Time{1000, 2000}, 4000},
		{"one that is late ends it", []core.Time{620, 1620, 3620}, core.Never},
		{"and two begin it again", []core.Time{620, 1620, 3620, 4620}, 7000},
		{"a snapshot in two seconds", []core.Time{620, 2620}, core.Never},
	} {
		clock := recordClock{last: core.Never}
		for _, at := range c.snapshots {
			clock.record(at*ms, core.Second)
		}
		want := c.next
		if want != core.Never {
			want *= ms
		}
		if got := clock.next(core.Second); got != want {
			t.Errorf("%s: %d, want %d", c.name, got, want)
		}
	}
}
