package core_test

import (
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
)

// TestPlacesThatShiftChangeNothing: that all operations of a FIFO pool move up since the first has left needs no
// update of shares. Recorded places that are not those of the last update do.
func TestPlacesThatShiftChangeNothing(t *testing.T) {
	s, err := coretest.Parse(`
0 tree
0 node n1 cpu=8
0 pool q mode=fifo
1 start a pool=q
1 running a
1 start b pool=q
1 running b
1 start c pool=q
1 running c
3 snapshot s1 cpu=8
3 sees a pool=q fifo=0
3 sees b pool=q fifo=1
3 sees c pool=q fifo=2
4 complete a
5 snapshot s2 cpu=8
5 sees b pool=q fifo=0
5 sees c pool=q fifo=1
7 snapshot s3 cpu=8
7 sees b pool=q fifo=1
7 sees c pool=q fifo=0
8 complete c
9 snapshot s4 cpu=8
9 sees b pool=q fifo=0
`)
	if err != nil {
		t.Fatal(err)
	}
	tree := core.New(&s.Dimensions, core.Baseline)
	last := core.Time(0)
	stale := map[core.Time]bool{}
	for i := range s.Events {
		e := &s.Events[i]
		if e.Time > last {
			if err := tree.Update(e.Time); err != nil {
				t.Fatal(err)
			}
			last = e.Time
		}
		tree.Step(e)
		if e.Kind == core.OperationRecorded {
			stale[e.Time/core.Second] = stale[e.Time/core.Second] || tree.Stale()
		}
	}
	for at, want := range map[core.Time]bool{3: false, 5: false, 7: true, 9: false} {
		if stale[at] != want {
			t.Errorf("records of %d s make the shares stale: %v, want %v", at, stale[at], want)
		}
	}
}
