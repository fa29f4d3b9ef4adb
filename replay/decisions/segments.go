package decisions

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// SettleSegments judges the nodes that moved to another segment in this instant (SEG-03). Logs do
// not record whether the segment manager or a user moved them.
func (r *Referee) SettleSegments(now core.Time) {
	for _, moved := range r.Core.Changes().Moved {
		n, c := r.Core.Node(moved.Node), &r.Core.Config().Segments
		m := judge.SegmentMove{
			Context: r.context(now, judge.Possible), At: int64(now), From: int64(r.Log.Window.From), Wanting: int64(moved.ShortSince),
			Timeout: int64(r.Core.RebalanceTimeout()), Began: scheduling.Never, Initial: int64(r.Core.InitializationTimeout()), Reserve: c.Reserve,
		}
		row := tables.SegmentMove{
			Time: now, Node: n.ID, From: moved.From, To: moved.To, Module: r.Core.ModuleOf(moved.Node), Timeout: m.Timeout,
		}
		if moved.ShortSince != core.Never {
			row.Wanting = core.Some(moved.ShortSince)
		}
		if g := r.Excuses; g.Returned {
			m.Began = int64(g.Back)
		}
		ruling := m.Judge(nil)[0]
		row.Verdict, row.Judged = ruling.Verdict.String(), ruling.Evidence.String()
		row.Excuse, row.Missing, row.Sentence = string(ruling.Excuse), string(ruling.Missing), ruling.Sentence(r.Log.Units())
		r.segmentMoves.Add(&row)
	}
}
