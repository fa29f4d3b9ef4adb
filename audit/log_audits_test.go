package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

func TestNodeInTwoTrees(t *testing.T) {
	t.Parallel()
	span := func(node core.NodeID, from, to int, others string) tables.SharedNode {
		return tables.SharedNode{Node: node, By: "presence", Online: true, FromTime: at(from), ToTime: at(to), Others: others}
	}
	beside := tables.Coverage{Aspect: "other_trees", State: "no_filters", Seen: 2}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", beside)
	put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(200)})
	cut := span(2, 195, 200, "b") // the log ends: the change may still arrive
	cut.ClippedTo = true
	put(r, "a", cut, span(0, 50, 90, "b"), span(0, 90, 120, "b,c"), span(0, 120, 150, "c"), // 100 s, whoever else has it
		span(1, 79, 100, "b")) // 21 s: a change on its way
	r.addTree("b", whole()) // and c is not replayed
	put(r, "b", beside)
	put(r, "b", tables.Node{Node: 0, FromTime: at(50), ToTime: at(120)})
	put(r, "b", span(0, 50, 90, "a"), span(0, 90, 120, "a,c"), span(1, 79, 100, "a"))
	v := r.judge("node_in_two_trees")
	if got := v.found("node_in_two_trees"); got != "violated a node node1 b, c 100 s\nviolated b node node1 a, c 70 s\nsuspect a node node3 b 5 s" {
		t.Error(got)
	}
	for tree, findings := range map[string]int{"a": 2, "b": 1} {
		if o := v.outcome("node_in_two_trees", tree); o.Verdict != Violated || o.Findings != findings {
			t.Errorf("%+v", o)
		}
	}
	r = newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(100)})
	put(r, "a", tables.Coverage{Aspect: "other_trees", State: "none"})
	if o := r.judge("node_in_two_trees").outcome("node_in_two_trees", "a"); o.Verdict != Idle || o.Reason != "the log has only one tree" {
		t.Errorf("%+v", o)
	}
}

// Of a job whose node or operation is gone when the log is about to end the log may tell no
// end; of one that was lost before it should have.
func TestJobCutByTheLog(t *testing.T) {
	t.Parallel()
	const end = 86400
	job := func(name string, op core.OperationID, node core.NodeID, how core.EndKind) tables.Job {
		return tables.Job{Job: name, Operation: op, Node: core.Some(node), StartTime: at(10), End: how}
	}
	span := func(node core.NodeID, from, to int) tables.Node {
		return tables.Node{Node: node, FromTime: at(from), ToTime: at(to), ClippedTo: to == end}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", job("done", 0, 0, 2), job("cut", 0, 0, 0), job("lost", 1, 1, 0), job("stays", 2, 2, 0))
	put(r, "a", span(0, 0, end-5), span(1, 0, end-20), span(2, 0, end-5), span(2, end-5, end))
	if got := r.judge("job_without_end").found("job_without_end"); got != "damaged a operation op-b prod 1 jobs\ndamaged a operation op-c prod 1 jobs" {
		t.Error(got)
	}
	over := newTestRun(t)
	over.addTree("a", whole())
	put(over, "a", tables.Operation{Operation: 0, FinishTime: core.Some(at(end - 5))}, tables.Operation{Operation: 1, FinishTime: core.Some(at(end - 20))})
	put(over, "a", job("done", 0, 0, 2), job("cut", 0, 0, 0), job("lost", 1, 1, 0))
	if got := over.judge("job_without_end").found("job_without_end"); got != "damaged a operation op-b prod 1 jobs" {
		t.Error(got)
	}
}

func TestJobWithoutEnd(t *testing.T) {
	t.Parallel()
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
	r.addTree("silent", whole())
	put(r, "silent", job("x", 0, 0), job("running", 2, 1))
	v := r.judge("job_without_end")
	if got := v.found("job_without_end"); got != "damaged a operation op-b prod 2 jobs\ndamaged a operation op-a prod 1 jobs" {
		t.Error(got)
	}
	if o := v.outcome("job_without_end", "empty"); o.Verdict != Idle || o.Seen != 0 || o.Reason != "no job started in the window" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("job_without_end", "silent"); o.Verdict != Undecidable || o.Reason != "the log records the end of no job" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("job_without_end", "a"); o.Seen != 5 {
		t.Errorf("%+v", o)
	}
}
