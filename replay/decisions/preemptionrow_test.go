package decisions

import (
	"testing"

	"poolproof/core"
)

// What a preemption lost is what the log records, else nothing of a job that completed, all of one
// that did not, and unknown where the log does not show the end (core/spec/scheduling.md §10.7).
func TestWhatAPreemptionLost(t *testing.T) {
	const ran = 70
	all, none, unknown := core.Some[int64](ran), core.Some[int64](0), core.Optional[int64]{}
	for _, mode := range []string{"", "abort", "interrupt", "graceful"} {
		for end, want := range map[core.EndKind]core.Optional[int64]{
			core.EndCompleted: none, core.EndAborted: all, core.EndFailed: all, core.EndRunning: unknown, core.EndUnknown: unknown,
		} {
			if mode == "abort" && !want.Set {
				want = all // who is aborted at once saves nothing
			}
			if got := lostBy(&core.PreemptionRecord{Mode: mode, End: end}, ran); got != want {
				t.Errorf("mode %q, end %v: lost %v, want %v", mode, end, got, want)
			}
			if got := lostBy(&core.PreemptionRecord{Mode: mode, End: end, LostTime: core.Some[core.Time](7)}, ran); got != core.Some[int64](7) {
				t.Errorf("mode %q, end %v: lost %v, want the 7 that are recorded", mode, end, got)
			}
		}
	}
}
