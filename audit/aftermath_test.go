package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

func TestOldJobPreempted(t *testing.T) {
	t.Parallel()
	old := func(now, age, younger int) tables.Preemption {
		p := taken(0, 1, now, "old")
		p.StartTime = at(now - age)
		if younger > 0 {
			p.Younger, p.YoungerStart = "young", core.Some(at(now-younger))
		}
		return p
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", old(2000, 700, 300), old(2000, 599, 10), old(2000, 700, 360), old(2000, 900, 0), old(3000, 600, 300)) // the last one just so
	r.addTree("alike", whole())
	put(r, "alike", old(2000, 700, 690))
	r.addTree("young", whole())
	put(r, "young", old(2000, 500, 10))
	r.addTree("calm", whole())
	r.addTree("just", whole())
	put(r, "just", old(2000, 600, 0))
	v := r.judge("old_job_preempted")
	if got, want := v.found("old_job_preempted"), "noted a operation op-a 2 preemptions"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if f := v.Findings[0]; timeText(f.From) != "2023-11-14T22:46:40Z" || timeText(f.To) != "2023-11-14T23:03:20Z" {
		t.Errorf("from %s to %s", timeText(f.From), timeText(f.To))
	}
	for tree, want := range map[string]Outcome{"a": {Seen: 4}, "alike": {Seen: 1}, "just": {Seen: 1}, "young": {Reason: "no job that old was preempted for another"}, "calm": {Reason: "no job that old was preempted for another"}} {
		if o := v.outcome("old_job_preempted", tree); o.Seen != want.Seen || o.Reason != want.Reason {
			t.Errorf("%s is %+v", tree, o)
		}
	}
	r.expect(v, "old_job_preempted", map[string]Judgement{"alike": OK, "just": OK, "young": Idle, "calm": Idle})
}

func TestOperationUnschedulable(t *testing.T) {
	t.Parallel()
	hang := func(operation core.OperationID, seconds int) tables.UnschedulableEpisode {
		return tables.UnschedulableEpisode{Operation: operation, Pool: 0, LimitPool: core.Some(core.PoolID(0)), Resource: resource.CPU, Needed: 400, Limit: 200, FromTime: at(100), ToTime: at(100 + seconds)}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", hang(0, 421), hang(1, 420))
	put(r, "a", tables.Operation{Operation: 0, RunningTime: core.Some(at(90))}, tables.Operation{Operation: 1, RunningTime: core.Some(at(90))})
	r.addTree("none", map[string]string{"demand": "none", "smallest_jobs": "recorded"})
	put(r, "none", hang(0, 1000))
	r.addTree("away", whole())
	later := hang(1, 421)
	later.FromTime, later.ToTime, later.Resource, later.Needed, later.Limit = at(1000), at(2000), resource.Memory, 8<<30, 4<<30
	put(r, "away", hang(0, 421), hang(1, 430), later)
	put(r, "away", tables.Operation{Operation: 0, RunningTime: core.Some(at(90))}, tables.Operation{Operation: 1, RunningTime: core.Some(at(90))})
	put(r, "away", tables.ExcuseWindow{Cause: "scheduler_reconnecting", FromTime: at(520), ToTime: at(1400)})
	v := r.judge("operation_unschedulable")
	if got, want := v.found("operation_unschedulable"), "undecidable none operation op-a prod 1000 s\nexcused away operation op-a prod 421 s\nnoted away operation op-b prod 600 s\nnoted a operation op-a prod 421 s"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	for i, want := range map[int]string{
		2: "Operation op-b waited for 10 min 00 s for a job of at least 8 GiB of memory, and the limit of pool prod is 4 GiB of memory.",
		3: "Operation op-a waited for 7 min 01 s for a job of at least 4 cores, and the limit of pool prod is 2 cores.",
		1: "Operation op-a waited for 7 min 01 s for a job of at least 4 cores, and the limit of pool prod is 2 cores. Excused: the scheduler was away, or had just come back.",
	} {
		if got := v.Findings[i].Reason; got != want {
			t.Error(got)
		}
	}
	if o := v.outcome("operation_unschedulable", "none"); o.Verdict != Undecidable {
		t.Errorf("%+v", o)
	}
}

func TestPreemptionLevelsInverted(t *testing.T) {
	t.Parallel()
	level := func(job string, start, seconds int, level string) tables.Preemption {
		p := taken(0, 1, seconds, job)
		p.StartTime, p.LevelRecorded, p.Node = at(start), level, core.Some(core.NodeID(0))
		return p
	}
	elsewhere := level("d", 10, 300, "preemptible")
	elsewhere.Node = core.Some(core.NodeID(1))
	r := newTestRun(t)
	r.addTree("bad", whole())
	put(r, "bad", level("a", 10, 100, "preemptible"), level("b", 20, 100, "aggressively_preemptible"), level("c", 30, 100, "preemptible"),
		level("p", 40, 200, "aggressively_preemptible"), level("q", 50, 200, "non_preemptible"))
	nowhere := level("h", 10, 500, "preemptible")
	nowhere.Node = core.Optional[core.NodeID]{}
	younger := nowhere
	younger.Job, younger.StartTime, younger.LevelRecorded = "i", at(20), "non_preemptible"
	r.addTree("good", whole())
	put(r, "good", nowhere, younger, // of two nodes, perhaps
		level("a", 10, 100, "aggressively_preemptible"), level("b", 20, 100, "preemptible"), level("c", 20, 100, "aggressively_preemptible"), // b and c are of one moment
		level("x", 10, 200, "preemptible"), level("y", 20, 201, "non_preemptible"), // lists were cut in between
		elsewhere, level("e", 20, 300, "non_preemptible"), // or between two heartbeats
		level("f", 10, 400, "preemptible"), level("g", 20, 400, "ssd_non_preemptible")) // another matter
	r.addTree("silent", whole())
	put(r, "silent", taken(0, 1, 100, "a"), taken(0, 1, 100, "b"))
	v := r.judge("preemption_levels_inverted")
	if got, want := v.found("preemption_levels_inverted"), "violated bad operation op-a 2 jobs"; got != want {
		t.Fatalf("found %q, want %q", got, want)
	}
	if f := v.Findings[0]; timeText(f.From) != "2023-11-14T22:15:00Z" || timeText(f.To) != "2023-11-14T22:16:40Z" {
		t.Errorf("from %s to %s", timeText(f.From), timeText(f.To))
	}
	r.expect(v, "preemption_levels_inverted", map[string]Judgement{"good": OK, "silent": Undecidable})
	if o := v.outcome("preemption_levels_inverted", "good"); o.Seen != 1 { // a
		t.Errorf("%+v", o)
	}
}

// A restart puts into order what ran through it, and nothing else.
func TestOrderLostInRestart(t *testing.T) {
	t.Parallel()
	level := func(job string, start, seconds int, level string) tables.Preemption {
		p := taken(0, 1, seconds, job)
		p.StartTime, p.LevelRecorded, p.Node = at(start), level, core.Some(core.NodeID(0))
		return p
	}
	inverted := []tables.Preemption{level("a", 10, 300, "preemptible"), level("b", 20, 300, "aggressively_preemptible")}
	window := func(cause string, from, to int) tables.ExcuseWindow {
		return tables.ExcuseWindow{Cause: cause, FromTime: at(from), ToTime: at(to)}
	}
	r := newTestRun(t)
	for _, c := range []struct {
		tree    string
		windows []tables.ExcuseWindow
	}{
		{"between", []tables.ExcuseWindow{window("scheduler_reconnecting", 100, 162)}},
		{"twice", []tables.ExcuseWindow{window("scheduler_reconnecting", 5, 9), window("scheduler_reconnecting", 100, 162), window("scheduler_reconnecting", 310, 372)}},
		{"before_start", []tables.ExcuseWindow{window("scheduler_reconnecting", 15, 77)}}, // b came to the lists later
		{"at_start", []tables.ExcuseWindow{window("scheduler_reconnecting", 20, 82)}},
		{"at_once", []tables.ExcuseWindow{window("scheduler_reconnecting", 300, 362)}}, // the heartbeat comes after it
		{"afterwards", []tables.ExcuseWindow{window("scheduler_reconnecting", 310, 372)}},
		{"another", []tables.ExcuseWindow{window("update_pools_alert", 100, 162)}},
	} {
		r.addTree(c.tree, whole())
		put(r, c.tree, inverted...)
		put(r, c.tree, c.windows...)
	}
	r.addTree("in_order", whole())
	put(r, "in_order", window("scheduler_reconnecting", 100, 162))
	put(r, "in_order", level("a", 10, 300, "aggressively_preemptible"), level("b", 20, 300, "preemptible"),
		level("c", 20, 400, "preemptible"), level("d", 20, 400, "aggressively_preemptible")) // at one moment: any order
	v := r.judge("preemption_levels_inverted", "order_lost_in_restart")
	if got, want := v.found("order_lost_in_restart"), "violated at_once operation op-a 1 jobs\nviolated between operation op-a 1 jobs\nviolated twice operation op-a 1 jobs"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if got, want := v.found("preemption_levels_inverted"), "violated afterwards operation op-a 1 jobs\nviolated another operation op-a 1 jobs\nviolated at_start operation op-a 1 jobs\nviolated before_start operation op-a 1 jobs"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if o := v.outcome("order_lost_in_restart", "in_order"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("order_lost_in_restart", "another"); o.Verdict != Undecidable || !strings.Contains(o.Reason, "had run when the scheduler started anew") {
		t.Errorf("%+v", o)
	}
}
