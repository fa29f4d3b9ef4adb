package synthetic

import (
	"testing"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/ingest/trace"
)

// Several plants grow in one trace: a fault in the records of one tree leaves those of the
// others alone.
func TestRecordFaultsStayInTheirTree(t *testing.T) {
	f := &field{recorder: &recorder{}, tree: 1, to: 100 * core.Second}
	recordSinceTurn(f, &Fault{})
	for tree, altered := range map[int]bool{0: false, 1: true} {
		row := trace.SnapOp{StarvingSince: core.Some(5 * core.Second)}
		row.StarvationStatus = scheduling.NonStarving.String()
		f.recorder.alter[0](tree, 10*core.Second, trace.SnapOps.Name, &row)
		if row.StarvingSince.Set == altered {
			t.Errorf("tree %d: starving_since is %v", tree, row.StarvingSince)
		}
	}
}
