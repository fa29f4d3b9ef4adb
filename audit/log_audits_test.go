package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

func TestNodeInTwoTrees(t *testing.T) {
	span := func(node core.NodeID, from, to int) tables.Node {
		return tables.Node{Node: node, FromTime: at(from), ToTime: at(to)}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", span(0, 0, 100), span(0, 100, 200), // resized at 100
		span(1, 0, 100), span(2, 0, 100))
	r.addTree("b", whole())
	put(r, "b", span(0, 50, 90), span(0, 90, 150), // 100 s in both
		span(1, 79, 200), // 21 s: a change on its way
		span(2, 100, 200))
	v := r.judge("node_in_two_trees")
	if got := v.found("node_in_two_trees"); got != "violated a node node1 b 100 s\nviolated b node node1 a 100 s" {
		t.Error(got)
	}
	for _, tree := range []string{"a", "b"} {
		if o := v.outcome("node_in_two_trees", tree); o.Verdict != Violated || o.Findings != 1 {
			t.Errorf("%+v", o)
		}
	}
	r = newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", span(0, 0, 100))
	if o := r.judge("node_in_two_trees").outcome("node_in_two_trees", "a"); o.Verdict != Undecidable || o.Reason != "the run has only one tree" {
		t.Errorf("%+v", o)
	}
}

func TestJobWithoutEnd(t *testing.T) {
	job := func(name string, op core.OperationID, end core.EndKind) tables.Job {
		return tables.Job{Job: name, Operation: op, StartTime: at(10), End: end}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	old := job("old", 2, 0)
	old.StartTime = at(-1)
	put(r, "a", job("x", 0, 0), job("y", 1, 0), job("z", 1, 0), job("running", 2, 1), job("done", 2, 2), old)
	r.addTree("empty", whole())
	put(r, "empty", old)
	v := r.judge("job_without_end")
	if got := v.found("job_without_end"); got != "violated a operation op-b prod 2 jobs\nviolated a operation op-a prod 1 jobs" {
		t.Error(got)
	}
	if o := v.outcome("job_without_end", "empty"); o.Verdict != Undecidable || o.Seen != 0 || o.Reason != "no job started in the window" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("job_without_end", "a"); o.Seen != 5 {
		t.Errorf("%+v", o)
	}
}
