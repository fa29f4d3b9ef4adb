package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// settleSegments judges the nodes that got another segment in this instant
// (SEG-03). Whether the manager of segments moved them, or people, no log tells.
func (r *referee) settleSegments(now core.Time) {
	for _, moved := range r.core.Changes().Moved {
		n, c := r.core.Node(moved.Node), &r.core.Config().Segments
		m := judge.SegmentMove{
			Context: r.context(now, judge.Possible), At: int64(now), From: int64(r.opts.Window.From), Wanting: int64(moved.Wanting),
			Timeout: int64(r.core.RebalanceTimeout()), Began: scheduling.Never, Initial: int64(r.core.InitializationTimeout()), Reserve: c.Reserve,
		}
		row := tables.SegmentMove{
			Time: now, Node: n.ID, From: moved.From, To: moved.To, Module: r.core.ModuleOf(moved.Node), Timeout: m.Timeout,
		}
		if moved.Wanting < 0 {
			m.Wanting = scheduling.Never
		} else {
			row.Wanting = core.Some(moved.Wanting)
		}
		if g := r.excuses; g.returned {
			m.Began = int64(g.back)
		}
		ruling := m.Judge(nil)[0]
		row.Verdict, row.Judged = ruling.Verdict.String(), ruling.Evidence.String()
		row.Excuse, row.Missing, row.Sentence = string(ruling.Excuse), string(ruling.Missing), ruling.Sentence()
		add(r.out, r.out.segmentMoves, &row)
	}
}
