package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

// TestSegmentMoves judges a node that changes its segment ten minutes after the
// log begins, for one that has had too little for six.
func TestSegmentMoves(t *testing.T) {
	const minute = 60 * second
	slacks := DefaultSlacks()
	for _, c := range []struct {
		name string
		bend func(m *SegmentMove)
		want Verdict
	}{
		{"the segment was wanting for longer than its timeout", func(*SegmentMove) {}, OK},
		{"the segment had enough", func(m *SegmentMove) { m.Wanting = scheduling.Never }, Violated},
		{"the segment was wanting for a shorter time", func(m *SegmentMove) { m.Wanting = 7 * minute }, Violated},
		{"the segment was wanting for its timeout but a look", func(m *SegmentMove) { m.Wanting = 5*minute + 5*second }, OK},
		{"the segment was wanting when the log began", func(m *SegmentMove) { m.Wanting, m.From = 8*minute, 8*minute }, OK},
		{"the scheduler has just started", func(m *SegmentMove) { m.Began = 6 * minute }, Violated},
		{"the scheduler started a while ago", func(m *SegmentMove) { m.Began = 4 * minute }, OK},
		{"segments have a reserve", func(m *SegmentMove) { m.Wanting, m.Reserve = scheduling.Never, true }, Undecidable},
		{"people may have moved it", func(m *SegmentMove) { m.Wanting, m.Evidence = scheduling.Never, Possible }, Suspect},
		{"shares are not known", func(m *SegmentMove) { m.MissingInputs = NoShares }, Undecidable},
	} {
		m := SegmentMove{
			Context: Context{Evidence: Recomputed, Slacks: &slacks},
			At:      10 * minute, Wanting: 4 * minute, Timeout: 5 * minute, Began: scheduling.Never, Initial: 5 * minute,
		}
		c.bend(&m)
		if got, _ := Worst(m.Judge(nil), SEG03); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
