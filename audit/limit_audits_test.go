package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// limitOver is an episode over a limit of 10, from second 100 for an hour.
func limitOver(e tables.LimitEpisode) tables.LimitEpisode {
	e.FromTime, e.ToTime, e.PeakTime = at(100), at(3700), at(200)
	e.LimitValue, e.Value = 1000, 1250
	return e
}

func poolOver(pool core.PoolID, limit tables.LimitKind, cause tables.Cause) tables.LimitEpisode {
	e := limitOver(tables.LimitEpisode{Element: tables.ElementPool, Pool: core.Some(pool), Limit: limit, Cause: cause})
	if limit == tables.ResourceLimits {
		e.Resource = core.Some(resource.CPU)
	}
	return e
}

func nodeOver(node core.NodeID, k resource.Kind, cause tables.Cause) tables.LimitEpisode {
	e := limitOver(tables.LimitEpisode{Element: tables.ElementNode, Node: core.Some(node), Limit: tables.NodeCapacity, Resource: core.Some(k), Cause: cause})
	e.Jobs, e.Allowed = `["job-1","job-2"]`, int64(25*second)
	if cause == tables.CauseJobStarted {
		e.CauseJob = core.Some(core.JobID(7))
	}
	return e
}

func TestNodeOverCapacity(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	states := whole("usage.memory", "requested")
	r.addTree("a", states)
	put(r, "a",
		nodeOver(0, resource.CPU, tables.CauseJobStarted),
		nodeOver(0, resource.Memory, tables.CauseJobStarted), // what jobs asked for is not what they took
		nodeOver(1, resource.CPU, tables.CauseLimit),
		nodeOver(2, resource.UserSlots, tables.CauseOperation))
	put(r, "a", tables.Job{Job: "job-2", JobIx: 7, StartTime: at(100)})
	r.addTree("blind", map[string]string{"placement": "none", "usage.cpu": "recorded"})
	r.addTree("before", whole()) // the start lies before the window, in which nothing starts
	put(r, "before", tables.Coverage{Aspect: "placement", State: "recorded"},
		tables.Coverage{Aspect: "capacity.cpu", State: "recorded"}, tables.Coverage{Aspect: "usage.cpu", State: "recorded"})
	put(r, "before", nodeOver(0, resource.CPU, tables.CauseJobStarted))
	v := r.judge("node_over_capacity")
	want := "violated a node node1 cpu 2.5 cores\nviolated before node node1 cpu 2.5 cores\nsuspect a node node3 user_slots 250 slots\nexcused a node node2 cpu 2.5 cores"
	if got := v.found("node_over_capacity"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	f := v.Findings[0]
	if want := "Jobs on node node1 took up to 12.5 cores of its 10 cores for 1 h 00 min. The start of job job-2 exceeded the capacity."; f.Reason != want {
		t.Errorf("reason %q", f.Reason)
	}
	if !strings.Contains(string(f.Evidence), `"jobs_at_peak":["job-1","job-2"]`) || timeText(f.From) != "2023-11-14T22:15:00Z" {
		t.Errorf("evidence %s from %s", f.Evidence, timeText(f.From))
	}
	if o := v.outcome("node_over_capacity", "a"); o.Verdict != Violated || o.Seen != 10 || !strings.Contains(o.Reason, "memory (node sizes recorded, usage requested)") {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("node_over_capacity", "blind"); o.Verdict != Undecidable || o.Seen != 0 || o.Reason != "the log does not record on which nodes jobs ran" {
		t.Errorf("%+v", o)
	}
}

func TestPoolOverResourceLimits(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	short := poolOver(0, tables.ResourceLimits, tables.CauseJobStarted)
	short.FromTime, short.ToTime = at(5000), at(5010)
	put(r, "a",
		poolOver(0, tables.ResourceLimits, tables.CauseJobStarted), short,
		poolOver(1, tables.ResourceLimits, tables.CauseLimit),
		poolOver(2, tables.ResourceLimits, tables.CauseOperation))
	r.addTree("moved", whole())
	put(r, "moved", poolOver(0, tables.ResourceLimits, tables.CausePoolMoved), poolOver(1, tables.ResourceLimits, tables.CauseRevived))
	began := poolOver(1, tables.ResourceLimits, tables.CauseJobStarted)
	began.CauseJob = core.Some(core.JobID(7))
	r.addTree("known", whole()) // LIM-01 holds the start against the scheduler, so this one does as well
	put(r, "known", began)
	put(r, "known", tables.Job{Job: "job-2", JobIx: 7, StartTime: at(100)})
	put(r, "known", decided(judge.LIM01, judge.Violated, 100, "job-2"))
	r.addTree("lowered", whole()) // the limit came down just before
	put(r, "lowered", began)
	put(r, "lowered", tables.Job{Job: "job-2", JobIx: 7, StartTime: at(100)})
	put(r, "lowered", decided(judge.LIM01, judge.Suspect, 100, "job-2"))
	states := whole("usage.cpu", "requested")
	r.addTree("asked", states)
	put(r, "asked", poolOver(1, tables.ResourceLimits, tables.CauseJobStarted))
	r.addTree("kept", whole())
	limits := resource.Partial{}
	limits.Set[resource.CPU] = true
	put(r, "kept", tables.Pool{Pool: 1, ResourceLimits: core.Some(limits)}, tables.Pool{Pool: 0, ResourceLimits: core.Some(limits)}, tables.Pool{Pool: 2})
	put(r, "kept", tables.PoolInterval{Pool: 1, Interval: tables.Interval{UsageRatioMax: 0.1}},
		tables.PoolInterval{Pool: 0}, tables.PoolInterval{Pool: 2, Interval: tables.Interval{Usage: resource.Vector{1}}})
	r.addTree("idle", whole())
	put(r, "idle", tables.Pool{Pool: 1, ResourceLimits: core.Some(limits)})
	put(r, "idle", tables.PoolInterval{Pool: 1}, tables.PoolInterval{Pool: 2, Interval: tables.Interval{UsageRatioMax: 0.1}})
	r.addTree("free", whole())
	put(r, "free", tables.Pool{Pool: 1})
	v := r.judge("pool_over_resource_limits", "operation_over_resource_limits")
	want := "violated a pool prod cpu 2.5 cores\nviolated known pool batch cpu 2.5 cores\nsuspect asked pool batch cpu 2.5 cores\n" +
		"excused a pool ads cpu 2.5 cores\nexcused a pool batch cpu 2.5 cores\nexcused a pool prod cpu 2.5 cores\n" +
		"excused lowered pool batch cpu 2.5 cores\nexcused moved pool batch cpu 2.5 cores\nexcused moved pool prod cpu 2.5 cores"
	if got := v.found("pool_over_resource_limits"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if o := v.outcome("pool_over_resource_limits", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("pool_over_resource_limits", "idle"); o.Verdict != Idle || o.Reason != "under no pool with resource_limits a job held resources" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("pool_over_resource_limits", "free"); o.Verdict != Undecidable || o.Reason != "no pool has resource_limits" {
		t.Errorf("%+v", o)
	}
	if got := v.found("operation_over_resource_limits"); got != "" {
		t.Errorf("a pool's episodes are no operation's: %s", got)
	}
}

func TestOperationOverResourceLimits(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	over := poolOver(0, tables.ResourceLimits, tables.CauseJobStarted)
	over.Element, over.Operation = tables.ElementOperation, core.Some(core.OperationID(1))
	lowered := over
	lowered.Operation, lowered.Cause = core.Some(core.OperationID(2)), tables.CauseLimit
	put(r, "a", over, lowered)
	limits := resource.Partial{}
	limits.Set[resource.CPU] = true
	limited := tables.Operation{Operation: 1, ResourceLimits: core.Some(limits)}
	r.addTree("kept", whole())
	put(r, "kept", limited, tables.Operation{Operation: 0})
	put(r, "kept", tables.Job{Job: "x", Operation: 1}, tables.Job{Job: "y", Operation: 1}, tables.Job{Job: "z", Operation: 0})
	r.addTree("idle", whole())
	put(r, "idle", limited)
	put(r, "idle", tables.Job{Job: "z", Operation: 0})
	v := r.judge("operation_over_resource_limits")
	if got := v.found("operation_over_resource_limits"); got != "violated a operation op-b cpu 2.5 cores\nexcused a operation op-c cpu 2.5 cores" {
		t.Error(got)
	}
	if o := v.outcome("operation_over_resource_limits", "a"); o.Seen != 2 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("operation_over_resource_limits", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("operation_over_resource_limits", "idle"); o.Verdict != Idle || o.Reason != "no operation with resource_limits had a job" {
		t.Errorf("%+v", o)
	}
}

// Operations 1 and 2 have a ratio of one half. One lost two jobs above it for nobody and started another since;
// the other lost one for nobody, one within the ratio, one for another operation and one for another reason.
func TestOperationAboveMaxShare(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	lost := func(operation core.OperationID, second int, usage float64) tables.Preemption {
		return tables.Preemption{Job: "v", Operation: operation, Time: at(second), UsageBefore: usage, Lost: core.Some(int64(3_000_000))}
	}
	forOther, named, graceful := lost(2, 50, 0.7), lost(2, 50, 0.7), lost(2, 50, 0.7)
	forOther.For, named.ForJob, graceful.Reason = core.Some(core.OperationID(0)), "x", "graceful_preemption"
	limits := lost(1, 60, 0.8)
	limits.Reason = "resource_limits_violated"
	bounded := func(operation core.OperationID) tables.Operation {
		return tables.Operation{Operation: operation, MaxShareRatio: core.Some(0.5)}
	}
	r.addTree("a", whole())
	put(r, "a", bounded(1), bounded(2), tables.Operation{Operation: 0, MaxShareRatio: core.Some(1.0)})
	put(r, "a", lost(1, 50, 0.7), limits, lost(1, 70, 0.50005), lost(2, 50, 0.7), forOther, named, graceful, lost(0, 50, 0.9), lost(0, 60, 0.9))
	put(r, "a", tables.Job{Job: "x", Operation: 1, StartTime: at(40)}, tables.Job{Job: "y", Operation: 1, StartTime: at(50)},
		tables.Job{Job: "z", Operation: 2, StartTime: at(55)})
	r.addTree("ended", whole()) // it started none of them again
	put(r, "ended", bounded(1))
	put(r, "ended", lost(1, 50, 0.7), lost(1, 60, 0.7))
	put(r, "ended", tables.Job{Job: "x", Operation: 1, StartTime: at(40)})
	put(r, "newer", tables.Tree{Profile: "current", FromTime: at(0), ToTime: at(86400)}) // the ratio limits nothing there
	put(r, "newer", bounded(1))
	put(r, "newer", lost(1, 50, 0.7), lost(1, 60, 0.7))
	put(r, "newer", tables.Job{Job: "x", Operation: 1, StartTime: at(55)})
	r.addTree("free", whole())
	put(r, "free", tables.Operation{Operation: 1})
	v := r.judge("operation_above_max_share")
	if got := v.found("operation_above_max_share"); got != "noted a operation op-b 2 jobs" {
		t.Error(got)
	}
	const want = "has a max_share_ratio of 0.5 and used up to 80 % of the tree: 2 jobs of it were preempted for nobody, and it started 1 job from the first of them on."
	if got := v.Findings[0].Reason; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want it to end in %q", got, want)
	}
	if o := v.outcome("operation_above_max_share", "a"); o.Seen != 2 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("operation_above_max_share", "ended"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("operation_above_max_share", "free"); o.Verdict != Idle || o.Reason != "no operation has a max_share_ratio" {
		t.Errorf("%+v", o)
	}
}

func TestPoolsOverOperationCounts(t *testing.T) {
	t.Parallel()
	for audit, limit := range map[string]tables.LimitKind{
		"pool_over_running_operation_count": tables.MaxRunningOperationCount, "pool_over_operation_count": tables.MaxOperationCount,
	} {
		r := newTestRun(t)
		r.addTree("a", whole())
		put(r, "a", poolOver(0, limit, tables.CauseOperation), poolOver(1, limit, tables.CauseLimit), poolOver(2, limit, tables.CausePoolMoved))
		r.addTree("moved", whole())
		put(r, "moved", poolOver(0, limit, tables.CausePoolMoved), poolOver(1, limit, tables.CauseRevived))
		idle := tables.PoolInterval{Pool: 1, MaxRunning: core.Some(int64(5)), MaxOperations: core.Some(int64(5))}
		used := idle
		used.Operations = 1
		r.addTree("kept", whole())
		put(r, "kept", used, idle, used, tables.PoolInterval{Pool: 2, Operations: 7})
		r.addTree("idle", whole())
		put(r, "idle", idle, tables.PoolInterval{Pool: 2, Operations: 7})
		r.addTree("free", whole())
		put(r, "free", tables.PoolInterval{Pool: 1})
		v := r.judge(audit)
		want := "violated a pool prod 250 operations\nexcused a pool ads 250 operations\nexcused a pool batch 250 operations\n" +
			"excused moved pool batch 250 operations\nexcused moved pool prod 250 operations"
		if got := v.found(audit); got != want {
			t.Errorf("%s found\n%s\nwant\n%s", audit, got, want)
		}
		if o := v.outcome(audit, "kept"); o.Verdict != OK || o.Seen != 1 {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "idle"); o.Verdict != Undecidable || !strings.HasPrefix(o.Reason, "no pool with max_") {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "moved"); o.Verdict != Excused || o.Seen != 2 {
			t.Errorf("%+v", o)
		}
		if o := v.outcome(audit, "free"); o.Verdict != Undecidable || !strings.HasPrefix(o.Reason, "no pool has max_") {
			t.Errorf("%+v", o)
		}
	}
}

// TestCountsByLimitsOfBefore: what begins an episode over a count may be due to a limit of
// before, as far as the check of that step says so; whoever else begins one in that instant
// may not, nor does a step begin what was there before the log, or came otherwise.
func TestCountsByLimitsOfBefore(t *testing.T) {
	t.Parallel()
	over := poolOver(0, tables.MaxRunningOperationCount, tables.CauseOperation)
	lowered, clipped := over, over
	lowered.Cause, clipped.ClippedFrom = tables.CauseLimit, true
	begun := func(verdict, invariant string) tables.Admission {
		a := step(1, "running", verdict, invariant, 0)
		a.Time = over.FromTime
		return a
	}
	const doubt, excuse = "What began it is suspect, too.", "Excused: the step that began it is excused."
	excused := excusedFor(begun("", "CNT-02"), "update_pools_alert")
	for _, c := range []struct {
		name    string
		episode tables.LimitEpisode
		steps   []tables.Admission
		want    Judgement
		told    string
		judged  string
	}{
		{"a limit of before", over, []tables.Admission{begun("suspect", "CNT-02")}, Suspect, doubt, "possible"},
		{"one that is not taken over", over, []tables.Admission{excused}, Excused, excuse, "recorded"},
		{"both", over, []tables.Admission{begun("suspect", "CNT-02"), excused}, Suspect, doubt, "possible"},
		{"a move by it", over, []tables.Admission{begun("suspect", "PEND-07")}, Suspect, doubt, "possible"},
		{"another beyond all", over, []tables.Admission{begun("suspect", "CNT-02"), begun("violated", "CNT-02")}, Violated, "", "recorded"},
		{"a registration", over, []tables.Admission{begun("suspect", "CNT-01")}, Violated, "", "recorded"},
		{"nothing", over, nil, Violated, "", "recorded"},
		{"something before the log", clipped, []tables.Admission{begun("suspect", "CNT-02")}, Violated, "", "recorded"},
		{"a limit that came down", lowered, []tables.Admission{begun("suspect", "CNT-02")}, Excused, "", "recorded"},
	} {
		r := newTestRun(t)
		r.addTree("a", whole())
		put(r, "a", c.episode)
		put(r, "a", c.steps...)
		v := r.judge("pool_over_running_operation_count")
		if len(v.Findings) != 1 || v.Findings[0].Verdict != c.want || v.Findings[0].Judged != c.judged {
			t.Errorf("%s: %+v", c.name, v.Findings)
			continue
		}
		for _, text := range []string{doubt, excuse} {
			if told := strings.Contains(v.Findings[0].Reason, text); told != (text == c.told) {
				t.Errorf("%s: %s", c.name, v.Findings[0].Reason)
			}
		}
	}
}

// TestDoubtfulEpisodes: what rests on jobs or operations of which the log does not record for sure
// when they left is suspect at most. The episodes last for an hour.
func TestDoubtfulEpisodes(t *testing.T) {
	t.Parallel()
	const hour = 3600_000_000
	node := nodeOver(0, resource.CPU, tables.CauseJobStarted)
	pool := poolOver(0, tables.ResourceLimits, tables.CauseJobStarted)
	running, all := poolOver(0, tables.MaxRunningOperationCount, tables.CauseOperation), poolOver(0, tables.MaxOperationCount, tables.CauseOperation)
	for _, c := range []struct {
		audit    string
		episode  tables.LimitEpisode
		doubtful int64
		want     Judgement
	}{
		{"node_over_capacity", node, hour, Suspect},
		{"node_over_capacity", node, hour - 1, Violated},
		{"node_stays_overcommitted", node, hour - 49_000_000, Suspect},
		{"node_stays_overcommitted", node, hour - 49_000_001, Violated},
		{"pool_over_resource_limits", pool, hour - 10_000_000, Suspect},
		{"pool_over_resource_limits", pool, hour - 10_000_001, Violated},
		{"pool_over_running_operation_count", running, hour, Suspect},
		{"pool_over_running_operation_count", running, 0, Violated},
		{"pool_over_operation_count", all, hour, Suspect},
	} {
		r := newTestRun(t)
		r.addTree("a", whole("heartbeats", "recorded"))
		c.episode.Doubtful = c.doubtful
		put(r, "a", c.episode)
		v := r.judge(c.audit)
		if len(v.Findings) != 1 || v.Findings[0].Verdict != c.want {
			t.Errorf("%s, of which %d µs are doubtful: %+v", c.audit, c.doubtful, v.Findings)
			continue
		}
		told := " of it, this holds only if jobs were still there whose departure the log does not record exactly."
		switch c.episode.Limit {
		case tables.ResourceLimits:
		case tables.NodeCapacity:
			told = " of it, this holds only if jobs were still there, or the node was still smaller; the log"
		default:
			told = " The log may record the end of another operation that much too late."
		}
		if reason := v.Findings[0].Reason; strings.Contains(reason, told) != (c.doubtful > 0) {
			t.Error(reason)
		}
	}
}
