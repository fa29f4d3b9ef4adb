package replay

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// totals compare the tree's totals that the scheduler recorded with those of the
// online nodes (TREE-08), by resource.
type totals struct {
	open    [resource.Kinds]*tables.TotalEpisode
	records int64 // compared in the window
	nodes   bool  // the log has told of nodes
}

// compareTotals looks at a record of the tree, which shows the state before the
// other events of its instant. Before the first row of nodes, which nodes are online is unknown. While
// the log does not describe some, no difference shows anything.
func (r *recorder) compareTotals(e *core.Event) {
	if e.Kind == core.NodeChanged {
		r.totals.nodes = true
	}
	if !r.totals.nodes || e.Kind != core.TreeRecorded || e.TreeRecord == nil || !r.Begun {
		return
	}
	t, total := &r.totals, r.Core.Total()
	differs := !core.SameTotal(e.TreeRecord.Total, total)
	unknown := differs && r.Core.DoubtsNodes()
	for k, recorded := range e.TreeRecord.Total {
		off := !unknown && !core.SameAmount(recorded, total[k])
		switch open := t.open[k]; {
		case off && open != nil:
			open.Records++
			open.LastTime = e.Time
		case off:
			t.open[k] = &tables.TotalEpisode{
				Resource: resource.Kind(k), FromTime: e.Time, LastTime: e.Time, Records: 1, Recorded: recorded, Recomputed: total[k],
			}
		case open != nil:
			r.closeTotal(k, e.Time, false)
		}
	}
	if !differs || !unknown && !r.isBeforeSample(e.Time) {
		t.records++
	}
}

// isBeforeSample reports whether the log may hold no sample of nodes up to a moment: it begins
// anywhere between two, and who was online before the first one is a guess.
func (r *recorder) isBeforeSample(at core.Time) bool {
	return at < r.Log.RecordedFrom()+r.Log.NodesLag()
}

func (r *recorder) closeTotal(k int, to core.Time, clipped bool) {
	row := r.totals.open[k]
	r.totals.open[k] = nil
	if r.isBeforeSample(row.LastTime) {
		return
	}
	row.ToTime, row.ClippedTo = to, clipped
	r.totalEpisodes.Add(row)
}

// finishTotals closes what is open at the window's end.
func (r *recorder) finishTotals(to core.Time) {
	for k := range r.totals.open {
		if r.totals.open[k] != nil {
			r.closeTotal(k, to, true)
		}
	}
}
