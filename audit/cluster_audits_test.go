package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// ruled is a check on an operation in its trees at second 100.
func ruled(operation core.OperationID, invariant, verdict string) tables.TreeCheck {
	return tables.TreeCheck{Time: at(100), Operation: operation, Invariant: invariant, Verdict: verdict, Leading: true, Trees: "a,b", JudgedBy: "recorded"}
}

// Every rule on the trees of an operation: one that breaks it, with the sentence, and
// ones that do not. A tree that is not the operation's first tells of nothing.
func TestOperationsInTheirTrees(t *testing.T) {
	t.Parallel()
	with := func(r tables.TreeCheck, change func(*tables.TreeCheck)) tables.TreeCheck {
		change(&r)
		return r
	}
	cases := []struct {
		audit, invariant, unit string
		breach                 func(*tables.TreeCheck)
		want, reason           string
	}{
		{"operation_in_removed_tree", "TREE-06", "lost trees", func(r *tables.TreeCheck) { r.Trees = "a" },
			"TREE-06 a 1 operations", "stayed in tree a, which was gone at 2023-11-14 22:15:00 UTC."},
		{"operation_in_removed_tree", "TREE-06", "lost trees", func(r *tables.TreeCheck) { r.Trees, r.Ended, r.Until = "a", "erased", core.Some(at(180)) },
			"TREE-06 a 1 operations", "left tree a 1 min 20 s after it was removed (erased)."},
		{"operation_in_removed_tree", "TREE-06", "lost trees", func(r *tables.TreeCheck) { r.Trees, r.Ended, r.Until = "", "completed", core.Some(at(120)) },
			"TREE-06 1 operations", "completed 20 s after it had lost its last tree, for which it is to be aborted."},
		{"operation_in_removed_tree", "TREE-06", "lost trees", func(r *tables.TreeCheck) { r.Trees = "" },
			"TREE-06 1 operations", "lived on after it had lost its last tree"},
		{"operation_in_removed_tree", "TREE-06", "lost trees", func(r *tables.TreeCheck) { r.Trees, r.Ended, r.Until = "", "aborted", core.Some(at(180)) },
			"TREE-06 1 operations", "was aborted 1 min 20 s after it had lost its last tree."},
		{"default_tree_ignored", "TREE-07", "starts without a tree", func(r *tables.TreeCheck) { r.Expected = "c" },
			"TREE-07 a,b 1 operations", "named no tree and started in a and b, although the default tree is c."},
		{"default_tree_ignored", "TREE-07", "starts without a tree", func(*tables.TreeCheck) {},
			"TREE-07 a,b 1 operations", "although there is no default tree."},
		{"default_tree_ignored", "TREE-07", "starts without a tree", func(r *tables.TreeCheck) { r.Expected, r.ErrorCode = "c", core.Some[int32](214) },
			"TREE-07 a,b 1 operations", "was refused for want of one (error 214), although c is the default tree."},
		{"operation_in_several_trees", "TREE-10", "choices of a tree", func(r *tables.TreeCheck) { r.Count, r.Limit = 2, 1 },
			"TREE-10 a,b 1 trees", "kept a and b once it had materialized."},
		{"operation_in_several_trees", "TREE-10", "choices of a tree", func(r *tables.TreeCheck) { r.Trees, r.Count, r.Limit = "b", 1, 1 },
			"TREE-10 b 1 trees", "kept b, where it did not run."},
		{"cluster_over_operation_count", "CNT-08", "starts", func(r *tables.TreeCheck) { r.Count, r.Limit = 7, 5 },
			"CNT-08 a,b 3 operations", "started in a cluster that held 7 operations and may hold 5 (max_operation_count)."},
	}
	for _, c := range cases {
		t.Run(c.invariant+" "+c.reason, func(t *testing.T) {
			breach := with(ruled(1, c.invariant, "violated"), c.breach)
			excused := with(breach, func(r *tables.TreeCheck) { r.Operation, r.Verdict, r.Excuse = 0, "excused", "trees_updating" })
			doubted := with(breach, func(r *tables.TreeCheck) { r.Operation, r.Verdict = 2, "suspect" })
			r := newTestRun(t)
			r.addTree("a", whole())
			put(r, "a", breach, excused, doubted, with(ruled(0, c.invariant, "ok"), c.breach), ruled(0, "LOG-01", "violated"))
			r.addTree("b", whole())
			put(r, "b", with(breach, func(r *tables.TreeCheck) { r.Leading = false }))
			r.addTree("c", whole())
			put(r, "c", with(ruled(0, c.invariant, "undecidable"), func(r *tables.TreeCheck) { r.Missing = "configuration" }))
			r.addTree("d", whole())
			v := r.judge(c.audit)
			want := "violated a operation op-b " + c.want + "\nsuspect a operation op-c " + c.want + "\nexcused a operation op-a " + c.want
			if got := v.found(c.audit); got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
			for _, f := range v.Findings {
				if f.Verdict == "violated" && !strings.Contains(f.Reason, c.reason) {
					t.Error(f.Reason)
				}
				if f.Verdict == "excused" && !strings.HasSuffix(f.Reason, " Excused: the set of trees had just been changed.") {
					t.Error(f.Reason)
				}
			}
			if o := v.outcome(c.audit, "a"); o.Seen != 4 || o.Audit.ID != c.audit {
				t.Errorf("%+v", o)
			}
			if o := v.outcome(c.audit, "b"); o.Verdict != OK || o.Seen != 1 {
				t.Errorf("%+v", o)
			}
			if o := v.outcome(c.audit, "c"); o.Verdict != Undecidable || o.Reason != "the log does not hold the settings above the trees" {
				t.Errorf("%+v", o)
			}
			if o := v.outcome(c.audit, "d"); o.Verdict != Idle || o.Seen != 0 {
				t.Errorf("%+v", o)
			}
		})
	}
}

// An operation that starts in a tree that it does not ask for breaks a rule where it
// gets a job there.
func TestJobsInTreesNobodyAskedFor(t *testing.T) {
	t.Parallel()
	foreign := func(operation core.OperationID, verdict string) tables.TreeCheck {
		r := ruled(operation, "TREE-05", verdict)
		r.Expected = "b,c"
		return r
	}
	job := func(name string, operation core.OperationID) tables.Job {
		return tables.Job{Job: name, Operation: operation, Node: core.Some(core.NodeID(0)), StartTime: at(110)}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", foreign(0, "violated"), foreign(1, "violated"), foreign(2, "ok"))
	put(r, "a", job("x", 0), job("y", 2))
	put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(1000)})
	r.addTree("b", whole()) // one of those that they ask for
	put(r, "b", foreign(0, "violated"))
	put(r, "b", job("z", 0))
	put(r, "b", tables.Node{Node: 0, FromTime: at(0), ToTime: at(1000)})
	v := r.judge("job_misplaced")
	if got := v.found("job_misplaced"); got != "violated a operation op-a TREE-05 violated node1 1 jobs" {
		t.Error(got)
	}
	if got := v.Findings[0].Reason; got != "1 job of operation op-a started on node node1, in a tree that it does not ask for (it asks for b and c)." {
		t.Error(got)
	}
	if o := v.outcome("job_misplaced", "b"); o.Seen < 1 {
		t.Errorf("%+v", o)
	}
}

// An operation that gives up full trees is refused only where all of them are.
func TestStartRefusedWithTreeLeft(t *testing.T) {
	t.Parallel()
	refusal := func(operation core.OperationID, leading bool) tables.TreeChoice {
		return tables.TreeChoice{
			Time: at(100), Operation: operation, Action: "rejected", Leading: leading, Trees: "a,b", Specified: true, Erases: true,
			Live: 3, Limit: core.Some[int64](5), ErrorCode: core.Some[int32](202),
		}
	}
	met := func(operation core.OperationID, verdict, limit string) tables.Admission {
		a := step(operation, "rejected", verdict, "", 100)
		a.Limit, a.ErrorCode = limit, core.Some[int32](202)
		return a
	}
	crowded, strict := refusal(1, true), refusal(2, true)
	crowded.Live, strict.Erases = 5, false
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", refusal(0, true), crowded, strict)
	put(r, "a", met(0, "ok", "max_operation_count"), met(1, "violated", ""), met(2, "violated", ""))
	r.addTree("b", whole())
	put(r, "b", refusal(0, false))
	put(r, "b", met(0, "violated", ""))
	r.addTree("c", whole())
	v := r.judge("start_refused_with_tree_left")
	if got := v.found("start_refused_with_tree_left"); got != "violated a operation op-a a,b 1 trees" {
		t.Error(got)
	}
	if got := v.Findings[0].Reason; got != "Operation op-a, which gives up trees that are full, was refused in a and b for too many operations although b had room." {
		t.Error(got)
	}
	if o := v.outcome("start_refused_with_tree_left", "a"); o.Seen != 2 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("start_refused_with_tree_left", "c"); o.Verdict != Idle {
		t.Errorf("%+v", o)
	}
	put(r, "b", met(0, "ok", "max_operation_count"))
	if got := r.judge("start_refused_with_tree_left").found("start_refused_with_tree_left"); got != "" {
		t.Error(got)
	}
}
