package ingest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A stream of some kinds has these alone, and leaves the problems of the trace as a
// whole stream found them; nodes that stray stand in no tree.
func TestAStreamOfSomeKinds(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.AddClusterConfig(&trace.ClusterConfig{Stamp: stamp(1), Trees: "t"}))
	l.check(l.w.AddNodeState(&trace.NodeState{Stamp: stamp(2), Node: 1, Tags: "x,y"}))
	l.check(l.w.AddNodeState(&trace.NodeState{Stamp: stamp(3), Node: 2, Online: true}))
	l.check(l.tree.AddTreeConfig(&trace.TreeConfig{Stamp: l.at(1), Source: "export"}))
	l.check(l.tree.AddNodeState(&trace.NodeState{Stamp: l.at(1), Node: 0, Online: true}))
	l.check(l.tree.AddOpEvent(&trace.OpEvent{Stamp: l.at(2), Op: 0, Event: "started", Tentative: core.Some(true), Probing: core.Some(false)}))
	l.check(l.tree.AddOpEvent(&trace.OpEvent{Stamp: l.at(3), Op: 1, Event: "started", Offloading: core.Some(false)}))
	l.check(l.tree.AddOpEvent(&trace.OpEvent{Stamp: l.at(4), Op: 2, Event: "started"}))
	l.check(l.tree.AddOpEvent(&trace.OpEvent{Stamp: l.at(5), Op: 7, Event: "started"})) // a problem
	l.check(l.tree.AddHeartbeat(&trace.Heartbeat{Stamp: l.at(5)}))
	l.job(trace.Job{Stamp: l.at(6), ID: "j", EndKind: "unknown"})
	tr := l.open()
	for range tr.Events("t", Options{}) {
	}
	before := tr.Problems()
	var kinds []core.Kind
	var roles []core.Role
	for e, err := range tr.Events("t", Options{Kinds: []core.Kind{core.OperationChanged, core.ClusterConfigured, core.NodeChanged}}) {
		l.check(err)
		kinds = append(kinds, e.Kind)
		if e.Kind == core.OperationChanged {
			roles = append(roles, e.Role)
		}
	}
	if diff := cmp.Diff([]core.Kind{core.ClusterConfigured, core.NodeChanged, core.OperationChanged, core.OperationChanged, core.OperationChanged}, kinds); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]core.Role{core.RoleTentative, core.RoleRegular, core.RoleUnknown}, roles); diff != "" {
		t.Error(diff)
	}
	var strays []core.NodeID
	for e, err := range tr.Strays(Options{}) {
		l.check(err)
		strays = append(strays, e.Node)
	}
	if diff := cmp.Diff([]core.NodeID{1, 2}, strays); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, tr.Problems()); diff != "" || len(before) != 1 {
		t.Errorf("%v %s", before, diff)
	}
}
