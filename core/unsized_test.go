package core_test

import (
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
)

// While the log does not describe a node that serves the tree, its total is unknown, and so are shares. Where
// nothing shows whether a node serves it, the total that the scheduler recorded decides.
func TestTheTotalIsUnknownWhileANodeIsNotDescribed(t *testing.T) {
	tree := core.New(&core.Dimensions{Nodes: []string{"a", "b"}}, core.Baseline)
	node := func(n core.NodeID, cpu int64, online, undescribed bool) core.Event {
		return core.Event{Kind: core.NodeChanged, Node: n, Online: online, Undescribed: undescribed, Limits: resource.Vector{0, cpu, 0, 0, 0}}
	}
	total := func(cpu int64) core.Event {
		return core.Event{Kind: core.TreeRecorded, TreeRecord: &core.TreeRecord{Total: resource.Vector{0, cpu, 0, 0, 0}}}
	}
	for i, c := range []struct {
		what  string
		event core.Event
		known bool
	}{
		{"a is described", node(0, 800, true, false), true},
		{"b serves, and is not", node(1, 0, true, true), false},
		{"the scheduler records the total of a", total(800), false},
		{"b is described", node(1, 800, true, false), true},
		{"nothing shows whether b serves", node(1, 0, false, true), true},
		{"the scheduler records the total of both", total(1600), false},
		{"the scheduler records the total of a", total(800), true},
		{"the total of a is no longer that of the record", node(0, 900, true, false), false},
		{"b is offline", node(1, 0, false, false), true},
	} {
		c.event.Time = core.Time(i+1) * core.Second
		tree.Step(&c.event)
		if err := tree.Update(c.event.Time); tree.KnowsTotal() != c.known || tree.StartsFromKnownState() != c.known || (err == nil) != c.known {
			t.Errorf("%s: the total is known: %v, shares: %v (%v), want %v", c.what, tree.KnowsTotal(), tree.StartsFromKnownState(), err, c.known)
		}
	}
}
