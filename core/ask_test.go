package core_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core"
	"poolproof/core/scheduling"
)

// decided tells what heartbeats of all nodes would do.
func decided(tree *core.Tree, now core.Time) (lines []string) {
	for n := range historyDims.Nodes {
		if _, ok := tree.NodeOf(core.NodeID(n)); ok {
			d := tree.Decide(core.NodeID(n), now, tree.SmallestJobs())
			lines = append(lines, fmt.Sprintf("node %d: %+v", n, *d))
		}
	}
	return lines
}

// Of two trees with the same history one is asked between all events: what is
// published, decided and changed is the same. What the one that is asked answers
// is what it then decides.
func TestAskChangesNothing(t *testing.T) {
	answered := 0
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t}
		profile := rapid.SampledFrom(profiles).Draw(t, "profile")
		asked, other := core.New(&historyDims, profile), core.New(&historyDims, profile)
		heaps := rapid.Bool().Draw(t, "decide now and then")
		for now := core.Time(0); len(h.events) < 60; {
			e := h.next()
			if e.Time > now {
				pass(t, asked, now, e.Time)
				pass(t, other, now, e.Time)
			}
			now = e.Time
			asked.Step(e)
			other.Step(e)
			for n := range historyDims.Nodes {
				if a := asked.Ask(core.NodeID(n), now, nil); a != nil {
					answered += len(a.Operations) + len(a.Jobs)
				}
			}
			if a, b := fmt.Sprintf("%+v", *asked.Changes()), fmt.Sprintf("%+v", *other.Changes()); a != b {
				t.Fatalf("at %d the changes are\n%s\nand without asking\n%s", now, a, b)
			}
			if !heaps || rapid.IntRange(0, 4).Draw(t, "decide") > 0 {
				continue
			}
			for n := range historyDims.Nodes { // asked with the configuration in force
				checkAnswer(t, asked, core.NodeID(n), now)
			}
			if a, b := decided(asked, now), decided(other, now); !slices.Equal(a, b) {
				t.Fatalf("at %d it decides\n%s\nand without asking\n%s", now, a, b)
			}
		}
		if a, b := published(asked), published(other); !slices.Equal(a, b) {
			t.Fatalf("published\n%s\nand without asking\n%s", a, b)
		}
	})
	if answered == 0 {
		t.Error("nobody was asked anything")
	}
}

// checkAnswer holds an answer against the decision, unless the node is not offered,
// which Decide leaves to its caller.
func checkAnswer(t *rapid.T, tree *core.Tree, node core.NodeID, now core.Time) {
	a := tree.Ask(node, now, nil)
	if a == nil || a.Stages[0].LeftOut == scheduling.NotOffered {
		return
	}
	d := tree.Decide(node, now, tree.SmallestJobs())
	if slot, _ := tree.NodeOf(node); a.Stages[len(a.Stages)-1].LeftOut != scheduling.WithinBackoff && !d.Preemptive && int64(now)-tree.Scheduling().DescribeNode(scheduling.Node(slot)).LastPreemptive < int64(core.HeartbeatSpan) {
		return // its preemptive stages of this heartbeat are known, which Ask leaves out
	}
	if !slices.Equal(a.Started, d.Started) || !slices.Equal(a.Preempted, d.Preempted) {
		t.Fatalf("node %d answers %+v %+v and decides %+v %+v", node, a.Started, a.Preempted, d.Started, d.Preempted)
	}
	taken, started := 0, 0
	for i := range a.Jobs {
		j := &a.Jobs[i]
		if j.Taken {
			taken++
		}
		better := slices.ContainsFunc(a.Jobs, func(x core.AskedJob) bool { return x.Stage == j.Stage && x.Rank >= 0 && x.Rank < j.Rank && !x.Taken })
		if stays := j.Rank >= 0 && !j.Taken; (j.Fact == 6) != (stays && better) || (j.Fact == 7) != (stays && !better) {
			t.Fatalf("taking a job would break F%d; it is %+v", j.Fact, *j)
		}
		if a.Jobs[i].Taken != (a.Jobs[i].Fact == 0) && a.Jobs[i].Taken {
			t.Fatalf("a job is taken and breaks F%d", a.Jobs[i].Fact)
		}
	}
	for i := range a.Operations {
		if o := &a.Operations[i]; o.Looked && o.Result == 0 {
			started++
		}
	}
	if taken != len(a.Preempted) || started != len(a.Started) {
		t.Fatalf("node %d: rows tell of %d started and %d taken, the decision of %d and %d", node, started, taken, len(a.Started), len(a.Preempted))
	}
}

// A history that is not asked allocates nothing for it, and asking a node that the
// log never introduced is answered with nil.
func TestAskUnknownNode(t *testing.T) {
	tree := core.New(&historyDims, core.Documented)
	if a := tree.Ask(1, 0, nil); a != nil {
		t.Errorf("a node that is not there answers %+v", a)
	}
	if tree.Nodes() != 0 {
		t.Error("asking introduced the node")
	}
}
