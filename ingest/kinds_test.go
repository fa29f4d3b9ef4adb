package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A stream of some kinds has these alone, and leaves the problems of the trace as a
// whole stream found them; nodes that stray stand in no tree.
func TestAStreamOfSomeKinds(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.Add(&trace.ClusterConfig{Stamp: stamp(1), Trees: "t"}))
	l.check(l.w.Add(&trace.NodeState{Stamp: stamp(2), Node: 1, Tags: "x,y"}))
	l.check(l.w.Add(&trace.NodeState{Stamp: stamp(3), Node: 2, Online: true}))
	l.check(l.tree.Add(&trace.TreeConfig{Stamp: l.at(1), Source: "export"}))
	l.check(l.tree.Add(&trace.NodeState{Stamp: l.at(1), Node: 0, Online: true}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: l.at(2), Op: 0, Event: "started", Tentative: core.Some(true), Probing: core.Some(false)}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: l.at(3), Op: 1, Event: "started", Offloading: core.Some(false)}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: l.at(4), Op: 2, Event: "started"}))
	l.check(l.tree.Add(&trace.OpEvent{Stamp: l.at(5), Op: 7, Event: "started"})) // a problem
	l.check(l.tree.Add(&trace.Heartbeat{Stamp: l.at(5)}))
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

// Starts and ends of jobs, which follow from each other, can be asked for one by one:
// each is as in the whole stream.
func TestAStreamOfStartsOrEndsOfJobsAlone(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.job(trace.Job{Stamp: l.at(1), ID: "a", EndKind: "completed", FinishTime: core.Some(second(9))})
	l.job(trace.Job{Stamp: l.at(2), Job: 1, ID: "b", EndKind: "aborted", AbortReason: core.Some("preemption"), FinishTime: core.Some(second(7)),
		PreemptTime: core.Some(second(5)), PreemptReason: core.Some("preemption")})
	l.job(trace.Job{Stamp: l.at(3), Job: 2, ID: "c", EndKind: "completed", FinishTime: core.Some(second(3))})
	tr := l.open()
	of := func(kinds ...core.Kind) (told []string) {
		for e, err := range tr.Events("t", Options{Kinds: kinds}) {
			l.check(err)
			if kinds != nil || e.Kind >= core.JobFinished {
				told = append(told, fmt.Sprintf("%d %g %d %s", e.Kind, seconds(e), e.Job, e.Reason))
			}
		}
		return told
	}
	all := of()
	if len(all) != 7 {
		t.Fatalf("the whole stream tells %q", all)
	}
	for _, kinds := range [][]core.Kind{
		{core.JobStarted}, {core.JobFinished}, {core.JobPreempted}, {core.JobStarted, core.JobFinished}, {core.JobPreempted, core.JobStarted},
	} {
		var want []string
		for _, line := range all {
			if slices.ContainsFunc(kinds, func(k core.Kind) bool { return strings.HasPrefix(line, fmt.Sprint(k)+" ") }) {
				want = append(want, line)
			}
		}
		if diff := cmp.Diff(want, of(kinds...)); diff != "" {
			t.Errorf("%v: %s", kinds, diff)
		}
	}
}
