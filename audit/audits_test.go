package audit

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

const second = core.Time(1_000_000)

// at is a time of the tests' day.
func at(s int) core.Time { return core.Time(1_700_000_000)*second + core.Time(s)*second }

// whole is the coverage of a log that tells everything.
func whole() map[string]string {
	states := map[string]string{"demand": "recorded", "placement": "recorded"}
	for k := range resource.Kinds {
		states["capacity."+resource.Kind(k).String()] = "recorded"
		states["usage."+resource.Kind(k).String()] = "recorded"
	}
	return states
}

// addTree writes the rows that every tree has.
func (r *testRun) addTree(tree string, states map[string]string) {
	put(r, tree, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400)})
	var rows []tables.Coverage
	for aspect, state := range states {
		rows = append(rows, tables.Coverage{Aspect: aspect, State: state, Seen: 10})
	}
	put(r, tree, rows...)
}

// judge runs the named audits, or all.
func (r *testRun) judge(audits ...string) *Verdict {
	r.t.Helper()
	return r.judgeWith(Options{Queries: about(r.t, audits...)})
}

// judgeWith audits the run; none of the audits may fail.
func (r *testRun) judgeWith(o Options) *Verdict {
	r.t.Helper()
	o.Dir, o.Workers = r.dir, 2
	v, err := Run(context.Background(), o)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range v.Outcomes {
		if o.Verdict == Failed {
			r.t.Errorf("audit %s failed: %s", o.Audit.ID, o.Reason)
		}
	}
	return v
}

// found is what an audit found, one line per finding, shortest form.
func (v *Verdict) found(audit string) string {
	var lines []string
	for _, f := range v.Findings {
		if f.Audit == audit {
			line := fmt.Sprintf("%s %s %s %s", f.Verdict, f.Tree, f.SubjectKind, f.Subject)
			if f.Aspect != "" {
				line += " " + f.Aspect
			}
			lines = append(lines, fmt.Sprintf("%s %.4g %s", line, *f.Magnitude, f.Unit))
		}
	}
	return strings.Join(lines, "\n")
}

func (v *Verdict) outcome(audit, tree string) Outcome {
	for _, o := range v.Outcomes {
		if o.Audit.ID == audit && o.Tree == tree {
			return o
		}
	}
	return Outcome{}
}

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
	e.Jobs = `["job-1","job-2"]`
	if cause == tables.CauseJobStarted {
		e.CauseJob = core.Some(core.JobID(7))
	}
	return e
}

func TestNodeOverCapacity(t *testing.T) {
	r := newTestRun(t)
	states := whole()
	states["usage.memory"] = "requested"
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
	if want := "Jobs on node node1 took up to 12.50 cores of its 10.00 cores for 1 h 00 min. The start of job job-2 took it over."; f.Reason != want {
		t.Errorf("reason %q", f.Reason)
	}
	if !strings.Contains(string(f.Evidence), `"jobs_at_peak":["job-1","job-2"]`) || timeText(f.From) != "2023-11-14T22:15:00Z" {
		t.Errorf("evidence %s from %s", f.Evidence, timeText(f.From))
	}
	if o := v.outcome("node_over_capacity", "a"); o.Verdict != Violated || o.Seen != 10 || !strings.Contains(o.Reason, "memory (node sizes recorded, usage requested)") {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("node_over_capacity", "blind"); o.Verdict != Undecidable || o.Seen != 0 || o.Reason != "the log does not say on which nodes jobs ran" {
		t.Errorf("%+v", o)
	}
}

func TestPoolOverResourceLimits(t *testing.T) {
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
	states := whole()
	states["usage.cpu"] = "requested"
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
	if o := v.outcome("pool_over_resource_limits", "idle"); o.Verdict != Undecidable || o.Reason != "under no pool with resource_limits a job held resources" {
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
	if o := v.outcome("operation_over_resource_limits", "idle"); o.Verdict != Undecidable || o.Reason != "no operation with resource_limits had a job" {
		t.Errorf("%+v", o)
	}
}

func TestPoolsOverOperationCounts(t *testing.T) {
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

func TestStrongGuaranteeUnmet(t *testing.T) {
	unmet := func(pool core.PoolID, seconds, others, limited, withheld int) tables.GuaranteeEpisode {
		return tables.GuaranteeEpisode{
			Withheld: int64(withheld) * 1e6, Resource: resource.CPU,
			Pool: pool, FromTime: at(1000), ToTime: at(1000 + seconds), Guarantee: 0.5, Demand: 0.8, Usage: 0.2, Gap: 0.3, GapTime: at(1010),
			Owed: int64(seconds) * 5e8, Delivered: int64(seconds) * 2e8, Others: int64(others) * 1e6, Limited: int64(limited) * 1e6,
		}
	}
	above := tables.PoolInterval{Pool: 2, Interval: tables.Interval{FromTime: at(0), ToTime: at(2000), UsageRatio: 0.8, FairRatio: 0.5}}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", unmet(0, 600, 400, 500, 300), unmet(1, 300, 300, 0, 300)) // limited while others were not above, mostly
	put(r, "a", tables.Pool{Pool: 0, Path: "prod"}, tables.Pool{Pool: 1, Path: "batch"}, tables.Pool{Pool: 2, Path: "ads"})
	put(r, "a", above)
	r.addTree("b", whole())
	put(r, "b", unmet(0, 600, 200, 0, 200), unmet(1, 600, 600, 400, 200), unmet(2, 600, 600, 300, 0))
	r.addTree("silent", map[string]string{"demand": "none"})
	put(r, "silent", unmet(0, 600, 600, 0, 600))
	r.addTree("free", whole())
	guaranteed := tables.PoolInterval{Pool: 0, Interval: tables.Interval{MinShareRatio: 0.5}}
	demanding := guaranteed
	demanding.Pool, demanding.DemandRatioMax = 1, 0.1
	r.addTree("idle", whole())
	put(r, "idle", guaranteed, tables.PoolInterval{Pool: 2, Interval: tables.Interval{DemandRatioMax: 1}})
	r.addTree("kept", whole())
	put(r, "kept", guaranteed, demanding)
	v := r.judge("strong_guarantee_unmet")
	want := "violated a pool prod 180 share·s\nundecidable silent pool prod 180 share·s\n" +
		"excused b pool ads 180 share·s\nexcused b pool batch 180 share·s\nexcused b pool prod 180 share·s"
	if got := v.found("strong_guarantee_unmet"); got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	wantReason := "Pool prod went for 10 min 00 s without up to 30.00 % of the tree's cpu that it was guaranteed and demanded. Most above its fair share then: pool ads."
	if got := v.Findings[0].Reason; got != wantReason {
		t.Errorf("reason %q", got)
	}
	for i, want := range []string{
		"others used more than their fair share for 10 min 00 s of it, but never while neither the pool nor an ancestor stood at its resource limit.",
		"but only for 3 min 20 s while",
		"others used more than their fair share for only 3 min 20 s of it.",
	} {
		if got := v.Findings[2+i].Reason; !strings.Contains(got, want) {
			t.Errorf("reason %q", got)
		}
	}
	if got := string(v.Findings[0].Evidence); !strings.Contains(got, `"others_above_s":400.0,"limited_s":500.0,"withheld_s":300.0`) {
		t.Errorf("evidence %s", got)
	}
	if o := v.outcome("strong_guarantee_unmet", "idle"); o.Verdict != Undecidable || o.Reason != "no pool with a strong guarantee demanded anything" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("strong_guarantee_unmet", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("strong_guarantee_unmet", "silent"); o.Seen != 0 || o.Verdict != Undecidable || !strings.Contains(o.Reason, "demand is none, not recorded") {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("strong_guarantee_unmet", "free"); o.Verdict != Undecidable || o.Reason != "no pool has a strong guarantee" {
		t.Errorf("%+v", o)
	}
}

// What an integral guarantee owes is found apart from a strong one, by the same
// measure.
func TestIntegralGuaranteeUnmet(t *testing.T) {
	unmet := func(pool core.PoolID, kind tables.GuaranteeKind, seconds, withheld int) tables.GuaranteeEpisode {
		return tables.GuaranteeEpisode{
			Kind: kind, Withheld: int64(withheld) * 1e6, Others: int64(withheld) * 1e6, Resource: resource.CPU,
			Pool: pool, FromTime: at(1000), ToTime: at(1000 + seconds), Guarantee: 0.5, Demand: 0.8, Usage: 0.2, Gap: 0.3, GapTime: at(1010),
			Owed: int64(seconds) * 5e8, Delivered: int64(seconds) * 2e8,
		}
	}
	const id = "integral_guarantee_unmet"
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", unmet(0, tables.BurstGuarantee, 600, 400), unmet(1, tables.RelaxedGuarantee, 600, 600), unmet(2, tables.StrongGuarantee, 600, 600))
	r.addTree("b", whole())
	put(r, "b", unmet(0, tables.BurstGuarantee, 300, 300), unmet(1, tables.RelaxedGuarantee, 600, 200)) // not longer than the SLA; nobody had it
	kind := func(share float64) tables.PoolInterval {
		return tables.PoolInterval{Pool: 0, Interval: tables.Interval{FromTime: at(0), ToTime: at(100)}, Integral: core.Some(share)}
	}
	r.addTree("kept", whole())
	put(r, "kept", kind(0.25))
	r.addTree("exhausted", whole())
	put(r, "exhausted", kind(0))
	put(r, "exhausted", tables.Pool{Pool: 0, Path: "prod", IntegralType: pooltree.Burst})
	r.addTree("free", whole())
	v := r.judge(id, "strong_guarantee_unmet")
	if got := v.found(id); got != "violated a pool batch relaxed 180 share·s\nviolated a pool prod burst 180 share·s\nexcused b pool batch relaxed 180 share·s" {
		t.Errorf("found\n%s", got)
	}
	if got := v.found("strong_guarantee_unmet"); got != "violated a pool ads 180 share·s" {
		t.Errorf("found\n%s", got)
	}
	for _, f := range v.Findings {
		if f.Subject == "prod" && f.Reason != "Pool prod went for 10 min 00 s without up to 30.00 % of the tree's cpu that its burst guarantee owed it." {
			t.Errorf("reason %q", f.Reason)
		}
	}
	for tree, want := range map[string]string{
		"a": "", "kept": "", "exhausted": "no pool with an integral guarantee demanded what its volume pays for", "free": "no pool has an integral guarantee",
	} {
		if o := v.outcome(id, tree); o.Reason != want || (o.Seen == 0) != (want != "") {
			t.Errorf("%+v", o)
		}
	}
}

func TestFairShareAboveItsBounds(t *testing.T) {
	span := func(from, to int, demand, limits float64) tables.Interval {
		return tables.Interval{FromTime: at(from), ToTime: at(to), FairOverDemand: demand, FairOverLimits: limits}
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a",
		tables.PoolInterval{Pool: 0, Interval: span(0, 60, 0, 0.3)}, // totals settle
		tables.PoolInterval{Pool: 0, Interval: span(100, 160, 0.2, 0)},
		tables.PoolInterval{Pool: 0, Interval: span(160, 220, 0.1, 0)}, // goes on
		tables.PoolInterval{Pool: 0, Interval: span(220, 280, 1e-5, 1e-5)},
		tables.PoolInterval{Pool: 0, Interval: span(280, 340, 0.4, 0)}) // another episode
	put(r, "a", tables.OperationInterval{Operation: 1, Interval: span(300, 301, 0, 0.01)})
	v := r.judge("fair_share_over_demand", "fair_share_over_limits")
	if got := v.found("fair_share_over_demand"); got != "violated a pool prod 0.4 share\nviolated a pool prod 0.2 share" {
		t.Error(got)
	}
	if got := v.found("fair_share_over_limits"); got != "violated a operation op-b 0.01 share\nexcused a pool prod 0.3 share" {
		t.Error(got)
	}
	if o := v.outcome("fair_share_over_limits", "a"); o.Seen != 6 {
		t.Errorf("%+v", o)
	}
}

// Shares that were not updated, because the rules refuse it, accuse nobody.
func TestRefusedShareUpdates(t *testing.T) {
	r := newTestRun(t)
	for tree, row := range map[string]tables.Tree{
		"all":  {Updates: 7, RefusedUpdates: 7, RefusedTime: 90e6},
		"some": {Updates: 7, RefusedUpdates: 2, RefusedTime: 90e6},
		"past": {Updates: 7, RefusedUpdates: 2}, // before the window
		"none": {},                              // no update, nothing refused
	} {
		r.addTree(tree, whole())
		row.FromTime, row.ToTime = at(0), at(86400)
		put(r, tree, row)
		put(r, tree, tables.PoolInterval{Pool: 1, Interval: tables.Interval{FromTime: at(100), ToTime: at(200), FairOverDemand: 0.5, FairOverLimits: 0.5}})
		put(r, tree, tables.GuaranteeEpisode{Pool: 1, FromTime: at(100), ToTime: at(900), Owed: 2e9, Delivered: 1e9, Others: 800e6, Withheld: 800e6})
	}
	v := r.judge("fair_share_over_demand", "fair_share_over_limits", "strong_guarantee_unmet")
	for _, audit := range []string{"fair_share_over_demand", "fair_share_over_limits", "strong_guarantee_unmet"} {
		verdicts := map[string]Judgement{"all": Undecidable, "some": Suspect, "past": Violated, "none": Violated}
		reasons := map[string]string{
			"all":  "all 7 share updates were refused: see the problems",
			"some": "for 1 min 30 s the shares were older than what they follow, since 2 of 7 share updates were refused: see the problems",
		}
		for tree, want := range verdicts {
			if o := v.outcome(audit, tree); o.Verdict != want || (o.Seen == 0) != (tree == "all") || o.Reason != reasons[tree] || o.Findings != 1 {
				t.Errorf("%s: %+v", audit, o)
			}
		}
		for _, f := range v.Findings {
			if f.Audit == audit && (f.Verdict != verdicts[f.Tree] || !strings.Contains(f.Reason, reasons[f.Tree])) {
				t.Errorf("%s in %s: %s %s", audit, f.Tree, f.Verdict, f.Reason)
			}
		}
	}
}

func TestFIFOOrderInverted(t *testing.T) {
	overtook := func(op, other core.OperationID, s int, fits core.Optional[bool]) tables.Job {
		return tables.Job{Job: fmt.Sprint("job-", s), Operation: op, Pool: 1, StartTime: at(s), InOrder: true, Overtook: core.Some(other), OvertookFits: fits}
	}
	yes, no, unknown := core.Some(true), core.Some(false), core.Optional[bool]{}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 1, Mode: core.FIFO}, tables.Pool{Pool: 0})
	put(r, "a", overtook(1, 0, 10, no), overtook(1, 0, 20, yes), overtook(1, 0, 30, yes), overtook(1, 0, 40, unknown),
		overtook(2, 0, 50, unknown), overtook(2, 1, 60, no), tables.Job{Job: "other", Pool: 0, StartTime: at(1)})
	r.addTree("free", whole()) // a FIFO pool that nothing says to schedule in order
	put(r, "free", tables.Pool{Pool: 1, Mode: core.FIFO})
	put(r, "free", tables.Job{Job: "x", Pool: 1, StartTime: at(1)})
	r.addTree("kept", whole())
	put(r, "kept", tables.Job{Job: "x", Pool: 1, StartTime: at(1), InOrder: true}, tables.Job{Job: "warm-up", Pool: 1, StartTime: at(-1), InOrder: true})
	v := r.judge("fifo_order_inverted")
	if got := v.found("fifo_order_inverted"); got != "violated a operation op-b op-a 2 jobs\nsuspect a operation op-c op-a 1 jobs" {
		t.Error(got)
	}
	if o := v.outcome("fifo_order_inverted", "a"); o.Seen != 6 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("fifo_order_inverted", "free"); o.Verdict != Undecidable || o.Reason != "no job started in a FIFO pool that is known to schedule in order" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("fifo_order_inverted", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
}

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
