package core_test

import (
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
)

// tell replays a story without updates and returns what it left.
func tell(t *testing.T, story string) (*core.Tree, *coretest.Scenario) {
	t.Helper()
	s, err := coretest.Parse(story)
	if err != nil {
		t.Fatal(err)
	}
	tree := core.New(&s.Dimensions, core.Documented)
	for i := range s.Events {
		tree.Step(&s.Events[i])
	}
	return tree, s
}

// Pools of one instant are one set, whatever else the log tells of pools between
// them: a child that comes before its parent is not refused.
func TestASetOfPoolsIsNotSplit(t *testing.T) {
	s, err := coretest.Parse("0 pool child parent=top\n0 pool guest parent=top\n0 pool top")
	if err != nil {
		t.Fatal(err)
	}
	s.Events[1].Config.Ephemeral = true
	tree := core.New(&s.Dimensions, core.Documented)
	for i := range s.Events {
		tree.Step(&s.Events[i])
	}
	if refused := tree.Changes().Refused; len(refused) != 0 {
		t.Errorf("refused: %v", refused)
	}
	child, _ := tree.PoolOf(0)
	if top, _ := tree.PoolOf(1); tree.Pool(child).Parent != top {
		t.Errorf("child stands below %d, want %d", tree.Pool(child).Parent, top)
	}
}

// An operation that is registered again after it was gone, by a row that names
// no pool, is where it was.
func TestARevivedOperationIsWhereItWas(t *testing.T) {
	tree, _ := tell(t, "0 pool p\n1 start a pool=p\n2 complete a")
	tree.ClearChanges()
	tree.Step(&core.Event{Time: 3 * core.Second, Kind: core.OperationChanged, Step: core.StepRevived, Pool: core.Unknown})
	slot, ok := tree.OperationOf(0)
	if !ok {
		t.Fatal("the operation is gone")
	}
	if p := tree.Pool(tree.Operation(slot).Pool); p.ID != 0 || p.Operations != 1 {
		t.Errorf("it is in pool %d, which counts %d", p.ID, p.Operations)
	}
}
