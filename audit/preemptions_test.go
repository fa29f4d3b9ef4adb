package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// taken is a job of an operation that went for one of another.
func taken(operation, beneficiary core.OperationID, seconds int, job string) tables.Preemption {
	return tables.Preemption{
		Time: at(seconds), Job: job, Operation: operation, Pool: 0, For: core.Some(beneficiary), Reason: "preemption", Lost: core.Some[int64](5e6),
	}
}

// jobsOf are jobs of an operation in the first pool that run for a minute.
func jobsOf(operation core.OperationID, n, seconds int) (jobs []tables.Job) {
	for range n {
		jobs = append(jobs, tables.Job{Job: "job", Operation: operation, StartTime: at(seconds), EndTime: core.Some(at(seconds + 60))})
	}
	return jobs
}

func TestPreemptionConcentrated(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for _, tree := range []string{"bad", "shared", "few"} {
		r.addTree(tree, whole())
		put(r, tree, append(jobsOf(0, 10, 100), jobsOf(1, 10, 100)...)...)
	}
	var rows []tables.Preemption
	for i := range 6 {
		rows = append(rows, taken(0, 2, 200+i, "job"))
	}
	put(r, "bad", rows...)
	put(r, "shared", append(rows, taken(1, 2, 300, "job"))...) // both lost some
	put(r, "few", rows[:5]...)                                 // one half is not most
	r.addTree("moved", whole())                                // 12 of 30 in the second pool, none in the first
	moved := jobsOf(0, 30, 1500)
	for i := range moved {
		moved[i].Pool = 1
	}
	put(r, "moved", append(append(moved, jobsOf(0, 10, 100)...), jobsOf(1, 10, 100)...)...)
	var went []tables.Preemption
	for i := range 12 {
		went = append(went, taken(0, 2, 1600+i, "job"))
		went[i].Pool = 1
	}
	put(r, "moved", went...)
	r.addTree("running", whole()) // a hundred more run until the log ends
	running := append(jobsOf(0, 10, 7300), jobsOf(1, 10, 7300)...)
	for range 100 {
		running = append(running, tables.Job{Job: "job", Operation: 0, StartTime: at(100), End: core.EndRunning})
	}
	put(r, "running", running...)
	went = []tables.Preemption{taken(0, 2, 150, "job")}
	for i := range 6 {
		went = append(went, taken(0, 2, 7400+i, "job"))
	}
	put(r, "running", went...)
	r.addTree("twice", whole()) // in two hours, each with jobs of its own
	var both []tables.Job
	went = nil
	for hour, start := range []int{100, 3000} {
		both = append(append(both, jobsOf(0, 10, start)...), jobsOf(1, 10, start)...)
		for i := range 7 + hour {
			went = append(went, taken(0, 2, start+i, "job"))
		}
	}
	put(r, "twice", both...)
	put(r, "twice", went...)
	r.addTree("small", whole()) // who was spared had too few jobs to compare
	put(r, "small", append(jobsOf(0, 10, 100), jobsOf(1, 9, 100)...)...)
	put(r, "small", rows...)
	v := r.judge("preemption_concentrated")
	if got, want := v.found("preemption_concentrated"), "noted twice operation op-a 8 jobs\nnoted twice operation op-a 7 jobs\nnoted bad operation op-a 6 jobs"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if o := v.outcome("preemption_concentrated", "few"); o.Verdict != OK || o.Seen != 5 {
		t.Errorf("%+v", o)
	}
}

func TestPreemptionPingPong(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("bad", whole())
	put(r, "bad", taken(0, 1, 100, "a"), taken(1, 0, 150, "b"))
	r.addTree("late", whole())
	put(r, "late", taken(0, 1, 100, "a"), taken(1, 0, 161, "b"))
	r.addTree("third", whole())
	put(r, "third", taken(0, 1, 100, "a"), taken(1, 2, 110, "b"), taken(0, 0, 120, "c"), taken(0, 0, 130, "d"))
	r.addTree("often", whole()) // each loss and each that follows one within the time, the last just so
	put(r, "often", taken(0, 1, 100, "a"), taken(0, 1, 120, "b"), taken(1, 0, 120, "c"), taken(1, 0, 150, "d"), taken(1, 0, 180, "e"))
	r.addTree("none", whole())
	r.addTree("pairs", whole()) // two at once, alike in all but their names
	put(r, "pairs", taken(0, 1, 100, "a"), taken(0, 1, 100, "b"), taken(1, 0, 150, "c"), taken(1, 0, 150, "d"))
	v := r.judge("preemption_ping_pong")
	if got, want := v.found("preemption_ping_pong"), "noted often operation op-a op-b 3 preemptions\nnoted pairs operation op-a op-b 2 preemptions\nnoted bad operation op-a op-b 1 preemptions"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if f := v.Findings[0]; timeText(f.From) != "2023-11-14T22:15:00Z" || timeText(f.To) != "2023-11-14T22:16:20Z" || !strings.Contains(string(f.Evidence), `"lost":2,"taken_back":3,"lost_seconds":25.0`) {
		t.Errorf("from %s to %s: %s", timeText(f.From), timeText(f.To), f.Evidence)
	}
	if o := v.outcome("preemption_ping_pong", "none"); o.Verdict != Idle {
		t.Errorf("%+v", o)
	}
}

func TestNodeStaysOvercommitted(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	short := nodeOver(1, resource.CPU, tables.CauseLimit)
	short.ToTime = short.FromTime + 49*second
	patient, hasty, seldom := short, short, short
	seldom.Node, seldom.Interval, seldom.ToTime = core.Some(core.NodeID(2)), int64(20*second), short.FromTime+105*second
	patient.Allowed, patient.ToTime = int64(40*second), short.FromTime+64*second
	hasty.Node, hasty.Allowed = core.Some(core.NodeID(2)), int64(20*second)
	states := whole("heartbeats", "recorded")
	r.addTree("a", states)
	put(r, "a", nodeOver(0, resource.CPU, tables.CauseLimit), short, patient, hasty, seldom)
	r.addTree("silent", whole())
	put(r, "silent", nodeOver(0, resource.CPU, tables.CauseLimit))
	quiet, lost := nodeOver(0, resource.CPU, tables.CauseLimit), nodeOver(1, resource.CPU, tables.CauseLimit) // for an hour
	lost.Unanswered = int64(3551 * second)
	quiet.Unanswered = lost.Unanswered - 1
	r.addTree("unanswered", states)
	put(r, "unanswered", quiet, lost)
	states["usage.cpu"] = "requested"
	r.addTree("asked", states)
	put(r, "asked", nodeOver(0, resource.CPU, tables.CauseJobStarted))
	v := r.judge("node_stays_overcommitted")
	if got, want := v.found("node_stays_overcommitted"), "violated a node node1 cpu 3600 s\nviolated unanswered node node1 cpu 3600 s\nviolated a node node3 cpu 49 s\nsuspect asked node node1 cpu 3600 s\nexcused unanswered node node2 cpu 3600 s"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestSchedulingOvercommitAborts(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for tree, lost := range map[string]int{"bad": 2, "rare": 1} {
		r.addTree(tree, whole())
		jobs := jobsOf(0, 150, 100)
		for i := range jobs {
			jobs[i].End = core.EndCompleted
		}
		for i := range lost {
			jobs[i].End, jobs[i].Reason = core.EndAborted, "scheduling_resource_overcommit"
		}
		jobs[149].End, jobs[149].Reason = core.EndAborted, "resource_overcommit" // of a node: not of heartbeats
		put(r, tree, jobs...)
	}
	v := r.judge("scheduling_overcommit_aborts")
	if got, want := v.found("scheduling_overcommit_aborts"), "noted bad tree bad 2 jobs"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	r.expect(v, "scheduling_overcommit_aborts", map[string]Judgement{"rare": OK})
}

func TestPreemptionNamesNobody(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	named := func(job, other string) tables.Preemption {
		p := taken(0, 1, 100, job)
		p.ForJob = other
		return p
	}
	later := func(p tables.Preemption) tables.Preemption {
		p.Time = at(200)
		return p
	}
	logged := whole("heartbeats", "sampled")
	r.addTree("bad", logged)
	put(r, "bad", named("a", "b"), named("c", "never-was"), later(named("i", "nor-was")))
	put(r, "bad", tables.Job{Job: "b", Operation: 1, StartTime: at(100)})
	r.addTree("elsewhere", logged) // that it started in another tree is another rule's matter
	put(r, "elsewhere", named("d", "b"), taken(0, 1, 100, "e"))
	r.addTree("ends only", whole())
	put(r, "ends only", named("f", "still-runs"))
	r.addTree("none", logged)
	put(r, "none", taken(0, 1, 100, "g"))
	explained := taken(0, 1, 100, "h")
	explained.Explained = true
	r.addTree("explained", logged)
	put(r, "explained", explained)
	explained.Contradicts, explained.Explanation = "target_priority,conditional", "Preempted to start …"
	r.addTree("contradicted", logged)
	put(r, "contradicted", explained, later(explained))
	v := r.judge("preemption_names_nobody")
	if got, want := v.found("preemption_names_nobody"), "violated bad operation op-a PRE-25 2 preemptions\nviolated contradicted operation op-a PRE-25 explanation 2 preemptions\nsuspect ends only operation op-a PRE-25 1 preemptions"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	for _, f := range v.Findings[:2] {
		if timeText(f.From) != "2023-11-14T22:15:00Z" || timeText(f.To) != "2023-11-14T22:16:40Z" {
			t.Errorf("%s from %s to %s", f.Aspect, timeText(f.From), timeText(f.To))
		}
	}
	if o := v.outcome("preemption_names_nobody", "explained"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("preemption_names_nobody", "elsewhere"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("preemption_names_nobody", "none"); o.Verdict != Undecidable {
		t.Errorf("%+v", o)
	}
}

// A job that a preemption names and that only another tree holds is of that tree (PRE-02):
// neither one of the same tree, whoever else has it, nor one that no tree holds.
func TestTheBeneficiaryIsOfAnotherTree(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.addTree("b", whole())
	put(r, "a",
		tables.Preemption{Time: at(90), Job: "v1", Operation: 1, Pool: 1, ForJob: "own"},
		tables.Preemption{Time: at(100), Job: "v2", Operation: 1, Pool: 1, ForJob: "far", For: core.Some(core.OperationID(2))},
		tables.Preemption{Time: at(110), Job: "v3", Operation: 1, Pool: 1, ForJob: "nowhere"},
		tables.Preemption{Time: at(120), Job: "v4", Operation: 1, Pool: 1, ForJob: "twice"},
		tables.Preemption{Time: at(130), Job: "v5", Operation: 1, Pool: 1},
		tables.Preemption{Time: at(140), Job: "v6", Operation: 1, Pool: 1, ForJob: "far"})
	put(r, "a", tables.Job{Job: "own", StartTime: at(90)}, tables.Job{Job: "twice", StartTime: at(120)})
	put(r, "b", tables.Job{Job: "far", StartTime: at(100)}, tables.Job{Job: "twice", StartTime: at(120)}, tables.Job{StartTime: at(120)})
	v := r.judge("preemption_without_beneficiary")
	if got := v.found("preemption_without_beneficiary"); got != "violated a operation op-b other_tree 2 preemptions" {
		t.Error(got)
	}
	if want := "job v2 was preempted for job far in b."; len(v.Findings) != 1 || !strings.Contains(v.Findings[0].Reason, want) || v.Findings[0].Invariant != "PRE-02" {
		t.Errorf("%+v", v.Findings)
	}
	if a, b := v.outcome("preemption_without_beneficiary", "a"), v.outcome("preemption_without_beneficiary", "b"); a.Seen != 2 || b.Seen != 0 || b.Verdict != Idle {
		t.Errorf("%+v, %+v", a, b)
	}
	if f := v.Findings[0]; timeText(f.From) != "2023-11-14T22:15:00Z" || timeText(f.To) != "2023-11-14T22:15:40Z" {
		t.Errorf("from %s to %s", timeText(f.From), timeText(f.To))
	}
}
