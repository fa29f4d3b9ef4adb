package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// TestNodeLeftIdle: a node that started nothing for long, one for not so long, and
// one that packing may have left alone.
func TestNodeLeftIdle(t *testing.T) {
	t.Parallel()
	const audit = "node_left_idle"
	r := newTestRun(t)
	logged := whole("heartbeats", "sampled")
	idle := func(node core.NodeID, heartbeats int64, verdict, excuse string) tables.IdleNode {
		return tables.IdleNode{
			Node: node, Operation: 1, Pool: 0, First: 1, FromTime: at(100), ToTime: at(100 + int(heartbeats)*60), Heartbeats: heartbeats, Looks: 2,
			Smallest: resource.Vector{1, 200}, Free: resource.Vector{10, 400}, Verdict: verdict, Excuse: excuse,
		}
	}
	for _, tree := range []string{"bad", "good", "packed"} {
		r.addTree(tree, logged)
	}
	r.addTree("silent", whole())
	put(r, "bad", idle(0, 12, "suspect", ""), idle(0, 28, "suspect", ""), idle(0, 40, "excused", "packing"), idle(1, 10, "suspect", ""))
	put(r, "good", idle(0, 10, "suspect", ""))
	put(r, "packed", idle(0, 12, "excused", "packing"))
	v := r.judge(audit)
	if got, want := v.found(audit), "excused packed node node1 12 heartbeats\nnoted bad node node1 28 heartbeats"; got != want {
		t.Errorf("found %s, want %s", got, want)
	}
	if o := v.outcome(audit, "silent"); o.Verdict != Undecidable {
		t.Errorf("silent is %+v", o)
	}
}
