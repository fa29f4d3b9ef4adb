package judge

import "poolproof/core/scheduling"

// A SegmentMove is a node that was given another segment.
type SegmentMove struct {
	Context
	At      int64
	From    int64 // when the log begins: what was wanting then may have been for longer
	Wanting int64 // since when the segment that it went to has had too little, scheduling.Never if it had enough
	Timeout int64 // after which that counts

	Began   int64 // when the scheduler started last, scheduling.Never if the log does not record
	Initial int64 // for how long after it nothing is moved
	Reserve bool  // segments count as satisfied by other amounts than their fair shares
}

// Judge judges SEG-03 and appends the ruling. Segments are looked at once in a
// period.
func (m *SegmentMove) Judge(rulings []Ruling) []Ruling {
	slack := m.Slacks.Segments
	f := finding{missing: m.MissingInputs.Missing(NoConfiguration | NoShares)}
	switch {
	case f.missing != NothingMissing:
	case m.Began != scheduling.Never && m.At-m.Began < m.Initial-slack:
		f = compared(false, float64(m.At-m.Began), float64(m.Initial))
	case m.Reserve:
		f.missing = Configuration
	case m.Wanting == scheduling.Never:
		f = compared(false, 0, float64(m.Timeout))
	default:
		waited := m.At - m.Wanting
		f = compared(waited > m.Timeout-slack || m.Wanting <= m.From+slack, float64(waited), float64(m.Timeout))
	}
	f.doubt = Movers
	return append(rulings, m.rule(SEG03, f))
}
