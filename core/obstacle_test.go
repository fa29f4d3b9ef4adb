package core_test

import (
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/scheduling"
)

// TestAskNamesAnObstacle: of an operation that a heartbeat of a node starts no job of, each row of the
// answer names an obstacle that is declared as one for which the core declines; where ObstacleOf names
// one for all nodes, it is that one.
func TestAskNamesAnObstacle(t *testing.T) {
	declining := map[scheduling.Obstacle]bool{}
	for _, o := range scheduling.Declining() {
		declining[o] = true
	}
	seen := map[scheduling.Obstacle]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		tree := core.New(&historyDims, rapid.SampledFrom(profiles).Draw(t, "profile"))
		for now := core.Time(0); len(h.events) < 60; {
			e := h.next()
			if e.Time > now {
				pass(t, tree, now, e.Time)
			}
			now = e.Time
			tree.Step(e)
			tree.Changes() // what the instant configured is in force
			for n := range historyDims.Nodes {
				if a := tree.Ask(core.NodeID(n), now, nil); a != nil {
					checkObstacles(t, tree, a, declining, seen)
				}
			}
		}
	})
	for _, o := range []scheduling.Obstacle{scheduling.NotRunning, scheduling.Suspended, scheduling.NoPendingJobs, scheduling.NotOffered, scheduling.NoRoomLeft, scheduling.UnmatchedTag} {
		if seen[o] == 0 {
			t.Errorf("no history had %v: %v", o, seen)
		}
	}
}

func checkObstacles(t *rapid.T, tree *core.Tree, a *core.Answer, declining map[scheduling.Obstacle]bool, seen map[scheduling.Obstacle]int) {
	started := map[core.OperationID]bool{}
	for i := range a.Operations {
		if o := &a.Operations[i]; o.Looked && o.Result == scheduling.NoObstacle {
			started[o.Operation] = true
		}
	}
	for i := range a.Operations {
		o := &a.Operations[i]
		why := max(o.Result, o.Unschedulable)
		if started[o.Operation] {
			continue
		}
		if seen[why]++; !declining[why] {
			t.Fatalf("nothing of operation %d starts on node %d, and the reason is %v: %+v", o.Operation, a.Node, why, *o)
		}
	}
	for slot := range int32(tree.Operations()) {
		o := tree.Operation(slot)
		why := tree.ObstacleOf(slot, a.Time)
		if o.Alive && started[o.ID] && why != scheduling.NoObstacle && why != scheduling.Suspended { // which heartbeats see from the next update on (§6.1)
			t.Fatalf("a job of operation %d starts in spite of %v", o.ID, why)
		}
	}
}
