package core_test

import (
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
)

// TestListsInOrders: jobs of one instant may stand in any order, those of others keep theirs. An operation has a fair
// share of 4 of 8 cores: jobs of 1, 1 and 3 cores of one instant are protected all three if the largest comes last, and
// two if it comes first.
func TestListsInOrders(t *testing.T) {
	s, err := coretest.Parse(`0 tree aggressive_preemption_satisfaction_threshold=1
0 node n user_slots=10 cpu=8
0 pool a
0 pool b
0 start o pool=a
0 running o
0 start p pool=b
0 running p
1 demand o user_slots=9 cpu=9
1 demand p user_slots=9 cpu=9
2 job j1 op=o node=n cpu=3
2 job j2 op=o node=n cpu=1
2 job j3 op=o node=n cpu=1
3 job j4 op=o node=n cpu=1
`)
	if err != nil {
		t.Fatal(err)
	}
	tree := core.New(&s.Dimensions, core.Baseline)
	for i := range s.Events {
		tree.Step(&s.Events[i])
	}
	if err := tree.Update(4 * core.Second); err != nil {
		t.Fatal(err)
	}
	fair, demand := tree.Scheduling().SeenShares(tree.Operation(0).Element)
	var got []int
	tree.ListsInOrders(0, fair, demand, tree.ShareTotal(), func(aggressively, preemptible int) bool {
		got = append(got, preemptible)
		return true
	})
	if want := []int{1, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("preemptible jobs: %v, want %v", got, want)
	}
}
