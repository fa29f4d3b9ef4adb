package audit

import (
	"cmp"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

func TestConfigurations(t *testing.T) {
	t.Parallel()
	fault := func(rule, invariant, severity string, refused bool) tables.ConfigurationFault {
		return tables.ConfigurationFault{
			Pool: "prod", Option: "mode", Rule: rule, Invariant: invariant, Severity: severity, Meaning: "it is wrong", Detail: "so and so",
			Refused: refused, FromTime: at(100), ToTime: at(160),
		}
	}
	of := map[string]struct{ invariant, severity string }{
		"configuration_impossible": {"CFG-02", "critical"}, "configuration_illegal": {"CFG-04", "major"},
		"configuration_careless": {"CFG-17", "minor"}, "configuration_advice": {"CFG-09", "info"},
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Coverage{Aspect: "pool_config", State: "history", Seen: 3}, tables.Coverage{Aspect: "tree_config", State: "history", Seen: 1})
	var rows []tables.ConfigurationFault
	for _, f := range of {
		rows = append(rows, fault("some_rule", f.invariant, f.severity, false), fault("some_rule", f.invariant, f.severity, true))
	}
	put(r, "a", append(rows, fault("no_such_parent", "", "critical", true))...)
	r.addTree("kept", whole())
	put(r, "kept", tables.Coverage{Aspect: "pool_config", State: "history", Seen: 3})
	r.addTree("none", map[string]string{"pool_config": "assumed"})
	v := r.judge("configuration_impossible", "configuration_illegal", "configuration_careless", "configuration_advice")
	for audit, f := range of {
		verdict := "violated"
		if f.severity == "info" {
			verdict = "noted"
		}
		want := verdict + " a pool prod " + f.invariant + " some_rule mode 60 s\n" + verdict + " a pool prod " + f.invariant + " some_rule mode refused 60 s"
		if got := v.found(audit); got != want {
			t.Errorf("%s found\n%s", audit, got)
		}
		if o := v.outcome(audit, "a"); o.Seen != 4 {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "kept"); o.Verdict != OK || o.Seen != 3 {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "none"); o.Verdict != Undecidable || o.Reason != "the log holds no configuration" {
			t.Errorf("%+v", o)
		}
	}
	for _, f := range v.Findings {
		if f.Audit == "configuration_impossible" && strings.Contains(f.Aspect, "refused") &&
			f.Reason != "The configuration of pool prod was refused and the old one in force for 1 min 00 s: it is wrong (so and so). Option mode." {
			t.Error(f.Reason)
		}
	}
}

// misplaced is a job of an operation that started on node1 where it must not.
func misplaced(name string, op core.OperationID, verdict, invariant string, s int) tables.MisplacedJob {
	return tables.MisplacedJob{
		Time: at(s), Job: name, Operation: op, Node: core.Some(core.NodeID(0)), Verdict: verdict, Invariant: invariant, Since: core.Some(at(s - 50)), JudgedBy: "recorded",
	}
}

func TestMisplacedJobs(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	guessed := misplaced("x", 0, "violated", "TREE-11", 100)
	guessed.JudgedBy = "recomputed"
	banned := misplaced("t", 2, "violated", "TREE-09", 110)
	banned.JudgedBy = "recomputed"
	put(r, "a", guessed, misplaced("y", 0, "violated", "TREE-11", 120), misplaced("z", 1, "suspect", "TREE-05", 100),
		misplaced("u", 2, "violated", "TREE-09", 100), banned, misplaced("v", 2, "violated", "TREE-03", 100))
	put(r, "a", tables.Coverage{Aspect: "nodes_filter", State: "recorded", Seen: 7}, tables.Coverage{Aspect: "tag_filters", State: "recorded", Seen: 2})
	put(r, "a", tables.Operation{Operation: 1, State: "erased"}, tables.Operation{Operation: 2, State: "banned"})
	r.addTree("none", whole())
	put(r, "none", tables.Coverage{Aspect: "placement", State: "none"})
	v := r.judge("job_misplaced", "job_in_banned_tree")
	want := "violated a operation op-a TREE-11 violated node1 2 jobs\nviolated a operation op-c TREE-03 violated node1 1 jobs\nsuspect a operation op-b TREE-05 suspect node1 1 jobs"
	if got := v.found("job_misplaced"); got != want {
		t.Errorf("found\n%s", got)
	}
	if got := v.found("job_in_banned_tree"); got != "violated a operation op-c violated 2 jobs" {
		t.Error(got)
	}
	for _, f := range v.Findings {
		// The weakest evidence of several.
		if want := cmp.Or(map[string]string{"TREE-11": "recomputed", "TREE-09": "recomputed"}[f.Invariant], "recorded"); f.Judged != want {
			t.Errorf("%s %s is %s, want %s", f.Invariant, f.Subject, f.Judged, want)
		}
	}
	if o := v.outcome("job_misplaced", "a"); o.Seen != 11 {
		t.Errorf("%+v", o)
	}
	for audit, want := range map[string]Judgement{"job_misplaced": Undecidable, "job_in_banned_tree": Idle} {
		if o := v.outcome(audit, "none"); o.Verdict != want {
			t.Errorf("%+v", o)
		}
	}
}

// A job on a node that another tree had online, and this one had not.
func TestJobOnAnotherTreesNode(t *testing.T) {
	t.Parallel()
	span := func(node core.NodeID, from, to int) tables.Node {
		return tables.Node{Node: node, FromTime: at(from), ToTime: at(to)}
	}
	job := func(name string, node core.NodeID, from, to int) tables.Job {
		return tables.Job{Job: name, Node: core.Some(node), StartTime: at(from), EndTime: core.Some(at(to))}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", span(0, 0, 100), span(1, 0, 1000), span(2, 0, 100))
	put(r, "a", job("own", 0, 50, 110), job("moving", 0, 110, 300), job("late", 0, 200, 300), job("both", 1, 200, 300), job("gone", 2, 200, 300), job("left", 2, 50, 300))
	put(r, "a", tables.Coverage{Aspect: "placement", State: "recorded", Seen: 6})
	r.addTree("b", whole())
	put(r, "b", span(0, 105, 1000), span(1, 150, 1000))
	v := r.judge("job_misplaced", "job_outlived_node")
	if got := v.found("job_misplaced"); got != "violated a operation op-a TREE-03 violated node1 1 jobs" {
		t.Error(got)
	}
	// Of the jobs that were live when their node changed tree, one ended in time; a
	// node that merely left took none along.
	if got := v.found("job_outlived_node"); got != "" {
		t.Error(got)
	}
	if o := v.outcome("job_outlived_node", "a"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	lost := job("lost", 0, 60, 0)
	lost.EndTime = core.Optional[core.Time]{}
	put(r, "a", lost)
	if o := r.judge("job_outlived_node").outcome("job_outlived_node", "a"); o.Verdict != Undecidable || o.Reason != "the log does not record how long 1 job stayed" {
		t.Errorf("%+v", o)
	}
	put(r, "a", job("own", 0, 50, 117), job("moving", 0, 110, 300))
	v = r.judge("job_misplaced", "job_outlived_node")
	if got := v.found("job_outlived_node"); got != "violated a node node1 b 1 jobs" {
		t.Error(got)
	}
	if o := v.outcome("job_outlived_node", "b"); o.Verdict != Idle {
		t.Errorf("%+v", o)
	}
}

func TestSharedNodes(t *testing.T) {
	t.Parallel()
	span := func(node core.NodeID, from, to int, other string, online bool) tables.SharedNode {
		return tables.SharedNode{Node: node, FromTime: at(from), ToTime: at(to), By: "tags", Others: other, Online: online, Tags: "x,y"}
	}
	job := func(name string, node core.NodeID, s int) tables.Job {
		return tables.Job{Job: name, Node: core.Some(node), StartTime: at(s), EndTime: core.Some(at(s + 1))}
	}
	known := []tables.Coverage{{Aspect: "nodes_filter", State: "recorded", Seen: 4}, {Aspect: "other_trees", State: "recorded", Seen: 1}}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", known...)
	put(r, "a", span(0, 100, 150, "b", true), span(0, 150, 200, "b", true), span(1, 100, 121, "b", true), span(2, 100, 200, "b", false))
	put(r, "a", job("before", 0, 99), job("soon", 0, 110), job("late", 0, 160), job("other", 1, 121), job("offline", 2, 180))
	r.addTree("b", whole())
	put(r, "b", known...)
	put(r, "b", span(0, 100, 150, "a", true), span(0, 150, 200, "a", true))
	v := r.judge("node_in_two_trees", "job_on_shared_node")
	if got := v.found("node_in_two_trees"); got != "violated a node node1 tags b 100 s\nviolated b node node1 tags a 100 s" {
		t.Error(got)
	}
	want := "violated a node node3 violated b 1 jobs\nsuspect a node node1 suspect b 1 jobs\nsuspect a node node1 suspect b 1 jobs"
	if got := v.found("job_on_shared_node"); got != want {
		t.Errorf("found\n%s", got)
	}
	if o := v.outcome("job_on_shared_node", "b"); o.Verdict != OK || o.Seen != 4 {
		t.Errorf("%+v", o)
	}
	put(r, "a", tables.Coverage{Aspect: "nodes_filter", State: "recorded", Seen: 4}, tables.Coverage{Aspect: "other_trees", State: "no_filters", Seen: 1})
	if o := r.judge("node_in_two_trees", "job_on_shared_node").outcome("job_on_shared_node", "a"); o.Seen != 0 || !strings.Contains(o.Reason, "of several trees") {
		t.Errorf("%+v", o)
	}
}

func TestTreeTotalWrong(t *testing.T) {
	t.Parallel()
	episode := func(from, last, to int) tables.TotalEpisode {
		return tables.TotalEpisode{Resource: resource.CPU, FromTime: at(from), LastTime: at(last), ToTime: at(to), Records: 2, Recorded: 900, Recomputed: 1000}
	}
	r := newTestRun(t)
	r.addTree("a", whole("tree_totals", "recorded"))
	put(r, "a", episode(100, 160, 161), episode(200, 216, 300))
	r.addTree("away", whole("tree_totals", "recorded"))
	put(r, "away", episode(100, 160, 161), episode(200, 217, 218), episode(300, 316, 320))
	put(r, "away", tables.ExcuseWindow{Cause: "scheduler_reconnecting", FromTime: at(117), ToTime: at(144)}, tables.ExcuseWindow{Cause: "trees_updating", FromTime: at(217), ToTime: at(230)}, tables.ExcuseWindow{Cause: "trees_updating", FromTime: at(316), ToTime: at(330)})
	r.addTree("sampled", whole("tree_totals", "recorded", "node_states", "sampled")) // when nodes came and went is known to half a minute
	put(r, "sampled", episode(100, 151, 152), episode(200, 252, 300))
	r.addTree("none", whole())
	r.addTree("unsized", map[string]string{"tree_totals": "recorded"})
	put(r, "unsized", episode(100, 160, 161))
	v := r.judge("tree_total_wrong")
	if got := v.found("tree_total_wrong"); got != "violated a tree a cpu 1 cores\nviolated away tree away cpu 1 cores\nviolated away tree away cpu 1 cores\nviolated sampled tree sampled cpu 1 cores\nsuspect a tree a cpu 1 cores\nsuspect sampled tree sampled cpu 1 cores\nexcused away tree away cpu 1 cores" {
		t.Error(got)
	}
	if o := v.outcome("tree_total_wrong", "a"); o.Seen != 10 {
		t.Errorf("%+v", o)
	}
	for _, tree := range []string{"none", "unsized"} {
		if o := v.outcome("tree_total_wrong", tree); o.Verdict != Undecidable {
			t.Errorf("%+v", o)
		}
	}
}

// TestUncertainNodes has differences that may come of a node of which the log does not
// settle which tree it served: they are suspect.
func TestUncertainNodes(t *testing.T) {
	t.Parallel()
	total := tables.TotalEpisode{Resource: resource.CPU, FromTime: at(100), LastTime: at(200), ToTime: at(201), Records: 2, Recorded: 900, Recomputed: 1000}
	usage := tables.SnapshotCheck{
		Invariant: "LOG-01", Verdict: "violated", Element: tables.ElementPool, FromTime: at(100), ToTime: at(201), Records: 2,
		Unit: "amount", Resource: resource.CPU, Found: 500, Allowed: 300, Judged: "recomputed",
	}
	shared := func(from, to int) tables.SharedNode {
		return tables.SharedNode{Node: 0, FromTime: at(from), ToTime: at(to), By: "tags", Others: "b", Tags: "x,y"}
	}
	span := func(from, to int) tables.Node { return tables.Node{Node: 0, FromTime: at(from), ToTime: at(to)} }
	r := newTestRun(t)
	add := func(tree, states string) {
		r.addTree(tree, whole("tree_totals", "recorded", "node_states", states))
		put(r, tree, total)
		put(r, tree, usage)
		put(r, tree, tables.SnapshotTally{Invariant: "LOG-01", OK: 1})
	}
	add("shared", "recorded")
	put(r, "shared", shared(150, 160))
	add("before", "recorded")
	put(r, "before", shared(50, 100))
	add("left", "inferred")
	put(r, "left", span(0, 150), span(180, 300))
	add("there", "inferred")
	put(r, "there", span(0, 150), span(150, 300))
	add("told", "sampled")
	put(r, "told", span(0, 150), span(180, 300))
	v := r.judge("tree_total_wrong", "recorded_usage_differs")
	for audit, want := range map[string]string{
		"tree_total_wrong":       "violated before tree before cpu 1 cores\nviolated there tree there cpu 1 cores\nviolated told tree told cpu 1 cores\nsuspect left tree left cpu 1 cores\nsuspect shared tree shared cpu 1 cores",
		"recorded_usage_differs": "damaged before pool prod 2 cores\ndamaged left pool prod 2 cores\ndamaged shared pool prod 2 cores\ndamaged there pool prod 2 cores\ndamaged told pool prod 2 cores",
	} {
		if got := v.found(audit); got != want {
			t.Errorf("%s found\n%s", audit, got)
		}
	}
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Verdict == Damaged && (f.Judged == "possible") != (f.Tree == "left" || f.Tree == "shared") {
			t.Errorf("in tree %s it is %s", f.Tree, f.Judged)
		}
	}
}
