package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// cores is a partial amount of cpu.
func cores(n int64) core.Optional[resource.Partial] { return amounts(resource.CPU, n*100) }

func amounts(k resource.Kind, n int64) core.Optional[resource.Partial] {
	var p resource.Partial
	p.Set[k], p.Amounts[k] = true, n
	return core.Some(p)
}

// pools writes the pools of a tree whose nodes have 100 cores and 1000 bytes.
func (r *testRun) pools(tree string, pools ...tables.Pool) {
	put(r, tree, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400), Total: resource.Vector{resource.CPU: 10_000, resource.Memory: 1000}, Updates: 10})
	for i := range pools {
		if pools[i].Path == "" {
			pools[i].Path = testDimensions.Pools[pools[i].Pool].Name
		}
		if !strings.Contains(pools[i].Path, "/") {
			pools[i].Parent = core.RootPool
		}
		pools[i].Configured = true
	}
	put(r, tree, pools...)
	var versions []tables.PoolVersion
	for _, p := range pools {
		versions = append(versions, tables.PoolVersion{Pool: p, FromTime: at(0), ToTime: at(86400)})
	}
	put(r, tree, versions...)
}

// spanned gives a span to those that have none.
func spanned(spans []tables.PoolInterval) []tables.PoolInterval {
	for i := range spans {
		if spans[i].ToTime == 0 {
			spans[i].FromTime, spans[i].ToTime = at(0), at(100)
		}
	}
	return spans
}

// faulty is a fault of the configuration in force, all day.
func faulty(rule pooltree.Rule, pool, option, detail string) tables.ConfigurationFault {
	return tables.ConfigurationFault{Rule: string(rule), Pool: pool, Option: option, Detail: detail, Meaning: rule.Meaning(), FromTime: at(0), ToTime: at(86400)}
}

// busy is a span in which a pool demanded a part of the tree's cpu, with an equal
// guarantee share and limits that leave it a part.
func busy(pool core.PoolID, demand, guarantee, limits float64) tables.PoolInterval {
	i := tables.PoolInterval{Pool: pool, Interval: tables.Interval{FromTime: at(0), ToTime: at(100), DemandRatio: demand, DemandRatioMax: demand, MinShareRatio: guarantee}}
	i.DemandShare[resource.CPU], i.StrongShare[resource.CPU] = demand, guarantee
	i.Demand[resource.CPU] = int64(demand * 10_000)
	i.LimitsShare = resource.Share{1, limits, 1, 1, 1}
	return i
}

// grades are the promises of a tree, one line each.
func (v *Verdict) grades(tree string) string {
	var lines []string
	for _, p := range v.Promises {
		if p.Tree == tree {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", p.Kind, p.Path, p.Grade, strings.TrimSuffix(p.Reason+" "+p.Missing, " ")))
		}
	}
	return strings.Join(lines, "\n")
}

const tested = "kept: Tested and not broken."

// TestStrongGuaranteesAreGraded plants every grade beside what looks like it.
func TestStrongGuaranteesAreGraded(t *testing.T) {
	const prod, batch, ads = core.PoolID(0), core.PoolID(1), core.PoolID(2)
	unmet := tables.GuaranteeEpisode{Pool: prod, FromTime: at(0), ToTime: at(600), Resource: resource.CPU, Gap: 0.3, GapTime: at(10), Owed: 6e11, Others: 6e8, Withheld: 6e8}
	guaranteed := func(pool core.PoolID, n int64) tables.Pool { return tables.Pool{Pool: pool, StrongGuarantee: cores(n)} }
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name, grades string, states map[string]string, pools []tables.Pool, spans ...tables.PoolInterval) {
		r.addTree(name, states)
		r.pools(name, pools...)
		put(r, name, spanned(spans)...)
		want[name] = grades
	}
	tree("kept", "strong_guarantee prod "+tested, whole(), []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	tree("broken", "strong_guarantee prod broken: Violated in 1 case.", whole(), []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	put(r, "broken", unmet)
	excused := unmet
	excused.Withheld = 0
	tree("excused", "strong_guarantee prod kept: Tested and not broken; 1 case is excused.", whole(), []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	put(r, "excused", excused)
	asked := whole()
	asked["usage.cpu"] = "requested"
	tree("suspect", "strong_guarantee prod unverifiable: Suspect in 1 case, since the log does not settle it. What finding", asked, []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	put(r, "suspect", unmet)
	tree("another's", "strong_guarantee batch "+tested+"\nstrong_guarantee prod broken", whole(), []tables.Pool{guaranteed(prod, 40), guaranteed(batch, 40)}, busy(prod, 0.1, 0.4, 1), busy(batch, 0.1, 0.4, 1))
	put(r, "another's", unmet)
	tree("idle", "strong_guarantee prod vacuous: Nothing tested it: it demanded nothing.", whole(), []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0, 0.6, 1))
	tree("zero", "", whole(), []tables.Pool{guaranteed(prod, 0)}, busy(prod, 0.1, 0, 1))
	tree("blind", "strong_guarantee prod unverifiable: No audit could judge it. The log lacks what operations demanded (demand is none", map[string]string{"demand": "none"},
		[]tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	tree("sizeless", "strong_guarantee prod unverifiable: The log does not tell what it is about. The log would have to tell what the tree's nodes have of gpu.", whole(),
		[]tables.Pool{{Pool: prod, StrongGuarantee: amounts(resource.GPU, 4)}}, busy(prod, 0.1, 0, 1))
	tree("oversold", "strong_guarantee batch impossible: "+sentence(pooltree.GuaranteeAboveTotal.Meaning()+" (cpu: 110 of 100)")+"\n"+
		"strong_guarantee prod impossible", whole(), []tables.Pool{guaranteed(prod, 60), guaranteed(batch, 50)}, busy(prod, 0.1, 0.6, 1))
	put(r, "oversold", faulty(pooltree.GuaranteeAboveTotal, "", "strong_guarantee_resources", "cpu: 110 of 100"))
	tree("just sold", "strong_guarantee batch vacuous\nstrong_guarantee prod "+tested, whole(), []tables.Pool{guaranteed(prod, 60), guaranteed(batch, 42)}, busy(prod, 0.1, 0.6, 1))
	child := guaranteed(ads, 50)
	child.Path, child.Parent = "prod/ads", prod
	tree("parent", "strong_guarantee prod "+tested+"\nstrong_guarantee prod/ads impossible: "+sentence(pooltree.GuaranteeSum.Meaning()+" (prod: cpu: 50 of 40)"), whole(),
		[]tables.Pool{guaranteed(prod, 40), child}, busy(prod, 0.1, 0.4, 1))
	put(r, "parent", faulty(pooltree.GuaranteeSum, "prod", "strong_guarantee_resources", "cpu: 50 of 40"))
	refused := faulty(pooltree.GuaranteeSum, "prod", "strong_guarantee_resources", "cpu: 50 of 40")
	refused.Refused = true
	tree("parent keeps", "strong_guarantee prod "+tested+"\nstrong_guarantee prod/ads vacuous", whole(), []tables.Pool{guaranteed(prod, 50), child}, busy(prod, 0.1, 0.5, 1))
	limited := guaranteed(prod, 60)
	limited.ResourceLimits = cores(59)
	tree("limited", "resource_limits prod vacuous: Nothing tested it: it never demanded as much.\nstrong_guarantee prod impossible: Pool prod is limited to 59.00 cores.", whole(), []tables.Pool{limited}, busy(prod, 0.1, 0.6, 0.59))
	limited.ResourceLimits = cores(60)
	tree("limited enough", "resource_limits prod vacuous\nstrong_guarantee prod "+tested, whole(), []tables.Pool{limited}, busy(prod, 0.1, 0.6, 0.6))
	tree("ancestor limits", "resource_limits prod vacuous\nstrong_guarantee prod impossible: Pool prod is limited to 30.00 cores.\nstrong_guarantee prod/ads impossible: Pool prod is limited to 30.00 cores.", whole(),
		[]tables.Pool{{Pool: prod, StrongGuarantee: cores(50), ResourceLimits: cores(30)}, child}, busy(ads, 0.1, 0.5, 0.3))
	capped := guaranteed(prod, 60)
	capped.MaxShareRatio = core.Some(0.5)
	tree("capped", "max_share_ratio prod vacuous\nstrong_guarantee prod impossible: A max_share_ratio of 0.5 of pool prod is below its share of 0.6.", whole(), []tables.Pool{capped}, busy(prod, 0.1, 0.6, 0.5))
	hungry := busy(prod, 0.1, 0.6, 1)
	hungry.DemandRatio, hungry.DemandShare[resource.Memory] = 0.4, 0.4
	tree("other resource", "strong_guarantee prod impossible: What its operations demanded most of was never a resource that it is guaranteed.", whole(), []tables.Pool{guaranteed(prod, 60)}, hungry)
	tree("once its own", "strong_guarantee prod "+tested, whole(), []tables.Pool{guaranteed(prod, 60)}, hungry, busy(prod, 0.1, 0.6, 1))
	put(r, "parent keeps", refused)   // what is not in force makes nothing void
	byDefault := guaranteed(prod, 60) // what no configuration says has no version
	byDefault.Path = "prod"
	r.addTree("unconfigured", whole())
	put(r, "unconfigured", tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
	put(r, "unconfigured", byDefault)
	put(r, "unconfigured", busy(prod, 0.1, 0.6, 1))
	want["unconfigured"] = ""
	v := r.judge(judging(t)...)
	r.check(v, want)
}

// check compares grades with what is wanted of each line, which may be its start.
func (r *testRun) check(v *Verdict, want map[string]string) {
	r.t.Helper()
	for tree, lines := range want {
		got := strings.Split(v.grades(tree), "\n")
		wanted := strings.Split(lines, "\n")
		// The worst grade comes first; the lines here are in the order of paths.
		for _, w := range wanted {
			found := w == ""
			for _, g := range got {
				found = found || w != "" && strings.HasPrefix(g, w)
			}
			if !found || len(got) != len(wanted) || lines == "" && got[0] != "" {
				r.t.Errorf("tree %s: got\n%s\nwant\n%s", tree, strings.Join(got, "\n"), lines)
				break
			}
		}
	}
}

func TestLimitsAreGraded(t *testing.T) {
	const prod, batch = core.PoolID(0), core.PoolID(1)
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name, grades string, states map[string]string, pools []tables.Pool, spans ...tables.PoolInterval) {
		r.addTree(name, states)
		r.pools(name, pools...)
		put(r, name, spanned(spans)...)
		want[name] = grades
	}
	used := func(demand, limits float64) tables.PoolInterval {
		i := busy(prod, demand, 0, limits)
		i.UsageRatioMax = 0.1
		return i
	}
	limited := tables.Pool{Pool: prod, ResourceLimits: cores(30)}
	tree("kept", "resource_limits prod "+tested, whole(), []tables.Pool{limited}, used(0.3, 0.3))
	tree("untested", "resource_limits prod vacuous", whole(), []tables.Pool{limited}, used(0.29, 0.3))
	tree("broken", "resource_limits prod broken", whole(), []tables.Pool{limited}, used(0.3, 0.3))
	put(r, "broken", poolOver(prod, tables.ResourceLimits, tables.CauseJobStarted))
	blind := whole()
	blind["usage.network"] = "unknown"
	tree("unknown", "resource_limits prod unverifiable: The log does not tell what it is about. The log would have to tell what jobs use of network.", blind,
		[]tables.Pool{{Pool: prod, ResourceLimits: amounts(resource.Network, 5)}}, used(0.3, 1))

	share := tables.Pool{Pool: prod, MaxShareRatio: core.Some(0.3)}
	tree("share", "max_share_ratio prod "+tested, whole(), []tables.Pool{share}, used(0.3, 0.3))
	tree("share untested", "max_share_ratio prod vacuous", whole(), []tables.Pool{share}, used(0.2, 0.3))
	share.MaxShareRatio = core.Some(1.0)
	tree("no share", "", whole(), []tables.Pool{share}, used(0.3, 1))
	share.MaxShareRatio = core.Some(0.3)
	above := used(0.3, 0.3)
	above.FairOverLimits, above.FromTime, above.ToTime = 0.1, at(100), at(200)
	tree("share broken", "max_share_ratio prod broken", whole(), []tables.Pool{share}, above)

	counted := func(pool core.PoolID, most int64) tables.Pool {
		return tables.Pool{Pool: pool, MaxRunning: core.Some(most), OwnRunning: core.Some(most)}
	}
	operations := func(pool core.PoolID, n, most int64) tables.PoolInterval {
		return tables.PoolInterval{Pool: pool, Operations: n, Running: min(n, most), MaxRunning: core.Some(most)}
	}
	tree("count", "max_running_operation_count prod "+tested, whole(), []tables.Pool{counted(prod, 5)}, operations(prod, 5, 5))
	tree("count untested", "max_running_operation_count prod vacuous: Nothing tested it: it never had more than 4 operations.", whole(), []tables.Pool{counted(prod, 5)}, operations(prod, 4, 5))
	tree("count empty", "max_running_operation_count prod vacuous: Nothing tested it: it had no operation.", whole(), []tables.Pool{counted(prod, 5)})
	tree("count broken", "max_running_operation_count prod broken", whole(), []tables.Pool{counted(prod, 5)}, operations(prod, 6, 5))
	put(r, "count broken", poolOver(prod, tables.MaxRunningOperationCount, tables.CauseOperation))
	inner := counted(batch, 6)
	inner.Path, inner.Parent = "prod/batch", prod
	tree("count too large", "max_running_operation_count prod vacuous\nmax_running_operation_count prod/batch impossible: Its parent prod has room for 5 only.", whole(), []tables.Pool{counted(prod, 5), inner})
	tree("count shared", "max_running_operation_count batch impossible: With its siblings it has room for 11, and their parent <Root> for 10.\nmax_running_operation_count prod impossible", whole(),
		[]tables.Pool{counted(prod, 5), counted(batch, 6)}, operations(core.RootPool, 1, 10))
	tree("count fits", "max_running_operation_count batch vacuous\nmax_running_operation_count prod vacuous", whole(),
		[]tables.Pool{counted(prod, 4), counted(batch, 6)}, operations(core.RootPool, 1, 10))
	inherited := tables.Pool{Pool: prod, MaxRunning: core.Some(int64(8))}
	tree("count inherited", "", whole(), []tables.Pool{inherited}, operations(prod, 8, 8))
	tree("total", "max_operation_count prod "+tested, whole(), []tables.Pool{{Pool: prod, MaxOperations: core.Some(int64(5)), OwnOperations: core.Some(int64(5))}},
		tables.PoolInterval{Pool: prod, Operations: 5, MaxOperations: core.Some(int64(5))})

	fifo := tables.Pool{Pool: prod, Mode: core.FIFO}
	tree("fifo alone", "fifo_order prod vacuous: Nothing tested it: it never had two operations at once.", whole(), []tables.Pool{fifo}, operations(prod, 1, 9))
	tree("fifo", "fifo_order prod "+tested, whole(), []tables.Pool{fifo}, operations(prod, 2, 9))
	put(r, "fifo", tables.Job{Job: "j", Pool: prod, StartTime: at(1), InOrder: true})
	tree("fifo unseen", "fifo_order prod unverifiable: No audit saw anything of it.", whole(), []tables.Pool{fifo}, operations(prod, 2, 9))
	tree("fifo broken", "fifo_order prod broken", whole(), []tables.Pool{fifo}, operations(prod, 2, 9))
	put(r, "fifo broken", tables.Job{Job: "j", Pool: prod, StartTime: at(1), InOrder: true, Overtook: core.Some(core.OperationID(1)), OvertookFits: core.Some(true)})
	v := r.judge(judging(t)...)
	r.check(v, want)
	if got := r.query("SELECT grade, statement, findings FROM promises WHERE tree = 'broken'"); got != "broken,Pool prod never uses more than 30.00 cores.,1" {
		t.Error(got)
	}
}

// TestIntegralGuaranteesAndTimeoutsAreGraded: they are judged by what the
// scheduler recorded of itself; without its records they are unverifiable.
func TestIntegralGuaranteesAndTimeoutsAreGraded(t *testing.T) {
	const prod, batch = core.PoolID(0), core.PoolID(1)
	const unlacked = " vacuous: Nothing tested it: the pool never lacked its fair share."
	const alone = " unverifiable: No audit saw anything of it."
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name, grades string, pools ...tables.Pool) {
		r.addTree(name, whole())
		r.pools(name, pools...)
		put(r, name, busy(prod, 0.1, 0.6, 1))
		want[name] = grades
	}
	burst := func(pool core.PoolID, flow, burst int64) tables.Pool {
		p := tables.Pool{Pool: pool, IntegralType: pooltree.Burst}
		if flow > 0 {
			p.Flow = cores(flow)
		}
		if burst > 0 {
			p.Burst = cores(burst)
		}
		return p
	}
	tree("burst", "burst_guarantee prod"+alone, burst(prod, 10, 50))
	tree("no flow", "burst_guarantee prod impossible: It has no resource_flow, which is taken as zero.", burst(prod, 0, 50))
	tree("no burst", "burst_guarantee prod impossible: It has no burst_guarantee_resources, which is taken as zero.", burst(prod, 10, 0))
	tree("both fit", "burst_guarantee prod"+alone+"\nburst_guarantee batch vacuous: Nothing tested it: it demanded nothing.", burst(prod, 10, 50), burst(batch, 10, 52))
	tree("bursts do not", "burst_guarantee batch impossible\nburst_guarantee prod impossible: Pools are promised bursts of 103.00 cores, and the tree has 100.00 cores.", burst(prod, 10, 50), burst(batch, 10, 53))
	tree("flows do not", "burst_guarantee batch impossible\nburst_guarantee prod impossible: Pools are promised a flow of 103.00 cores, and the tree has 100.00 cores.", burst(prod, 50, 10), burst(batch, 53, 10))
	relaxed := tables.Pool{Pool: prod, IntegralType: pooltree.Relaxed, Flow: cores(10)}
	tree("relaxed", "relaxed_guarantee prod"+alone, relaxed)
	relaxed.Flow = core.Optional[resource.Partial]{}
	tree("relaxed without", "relaxed_guarantee prod impossible: It has no resource_flow", relaxed)
	tree("neither", "", tables.Pool{Pool: prod, Flow: cores(10), Burst: cores(10)})

	timeouts := tables.Pool{Pool: prod, StarvationTimeout: core.Some(int64(30_000)), MinShareTimeout: core.Some(int64(15_000))}
	tree("timeouts", "min_share_preemption_timeout prod"+alone+"\nfair_share_starvation_timeout prod"+unlacked, timeouts)
	tree("an old scheduler", "min_share_preemption_timeout prod impossible: Schedulers of the profile baseline take no notice of it.\nfair_share_starvation_timeout prod"+unlacked, timeouts)
	judged := tables.SnapshotTally{Invariant: "GUA-04", OK: 5}
	tree("granted", "burst_guarantee prod kept: Tested and not broken.", burst(prod, 10, 50))
	put(r, "granted", judged)
	tree("not granted", "burst_guarantee prod broken: Violated in 1 case.", burst(prod, 10, 50))
	put(r, "not granted", judged)
	put(r, "not granted", tables.SnapshotRuling{
		Invariant: "GUA-04", Verdict: "violated", Element: tables.ElementPool, Pool: prod, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "share", Judged: "recorded",
	})
	put(r, "an old scheduler", tables.Tree{Profile: "baseline", FromTime: at(0), ToTime: at(86400)})
	v := r.judge(judging(t)...)
	r.check(v, want)
	if got := r.query("SELECT statement FROM promises WHERE tree = 'burst'"); got != "\"Pool prod gets 50.00 cores when it demands them, while the volume lasts that a flow of 10.00 cores gathers.\"" {
		t.Error(got)
	}
	if got := r.query("SELECT statement FROM promises WHERE tree = 'timeouts' ORDER BY ALL LIMIT 1"); got != "Pool prod is declared starving when it lacks its strong guarantee for 15 s." {
		t.Error(got)
	}
	if got := r.query("SELECT count(*) FROM promise_terms WHERE kind LIKE '%timeout' AND untested IS NOT NULL"); got != "2" {
		t.Errorf("%s timeouts were not tested, though nothing lacked its fair share", got)
	}
}

func TestNodesOfATreeAreGraded(t *testing.T) {
	configured := func(r *testRun, tree string, nodes int64) {
		r.addTree(tree, whole())
		put(r, tree, tables.Tree{Profile: "documented", Configured: true, FromTime: at(0), ToTime: at(86400), Nodes: nodes})
		put(r, tree, tables.Node{Node: 0, FromTime: at(0), ToTime: at(100)})
	}
	r := newTestRun(t)
	configured(r, "a", 1)
	r.check(r.judge(judging(t)...), map[string]string{"a": "nodes_filter  vacuous: Nothing tested it: the run has no other tree."})
	configured(r, "b", 1)
	configured(r, "c", 0)
	put(r, "b", tables.Node{Node: 1, FromTime: at(0), ToTime: at(100)})
	r.check(r.judge(judging(t)...), map[string]string{"a": "nodes_filter  broken", "b": "nodes_filter  " + tested, "c": "nodes_filter  broken"})
}

func TestKindsWithoutAnAudit(t *testing.T) {
	term := promiseTerm{Promise: Promise{Kind: "x"}}
	if term.settle(nil, nil, nil); term.Grade != Unverifiable || !strings.HasPrefix(term.Missing, "An audit that judges") {
		t.Errorf("%+v", term.Promise)
	}
	failed := &Outcome{Audit: &Audit{ID: "x"}, Verdict: Failed}
	if term.settle(nil, []*Outcome{failed}, nil); term.Grade != Unverifiable || term.Missing != "That audit x runs: it failed." {
		t.Errorf("%+v", term.Promise)
	}
}

// TestEveryJudgedKindIsPromised: a header that names a kind that nothing promises
// is a slip.
func TestEveryJudgedKindIsPromised(t *testing.T) {
	r := newTestRun(t)
	r.addTree("a", whole())
	v := r.judge()
	sql := r.query("SELECT string_agg(sql, ' ') FROM duckdb_views() WHERE view_name LIKE '%promise%'")
	for _, a := range v.Audits {
		kinds := slices.Clone(a.Judges)
		for _, b := range a.Breaks {
			kind, _, _ := strings.Cut(b, ":")
			kinds = append(kinds, kind)
		}
		for _, kind := range kinds {
			if !strings.Contains(sql, "'"+kind+"'") {
				t.Errorf("audit %s judges %s, which is no kind of promise", a.ID, kind)
			}
		}
	}
}

// TestOtherAuditsBreakPromises: what an audit of another rule finds breaks the promise
// of whoever made it, and of nobody else; that it finds nothing keeps none.
func TestOtherAuditsBreakPromises(t *testing.T) {
	const prod, batch, ads = core.PoolID(0), core.PoolID(1), core.PoolID(2)
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name, grades string, pools ...tables.Pool) {
		r.addTree(name, whole())
		r.pools(name, pools...)
		var spans []tables.PoolInterval
		for _, p := range pools {
			i := busy(p.Pool, 0.3, 0.3, 0.3)
			i.Operations, i.UsageRatioMax = 2, 0.1
			spans = append(spans, i)
		}
		put(r, name, spans...)
		want[name] = grades
	}
	limited := func(pool core.PoolID) tables.Pool { return tables.Pool{Pool: pool, ResourceLimits: cores(30)} }
	guaranteed := func(pool core.PoolID) tables.Pool { return tables.Pool{Pool: pool, StrongGuarantee: cores(30)} }
	decision := func(i judge.Invariant, v judge.Verdict, of core.Optional[core.PoolID], job string) tables.Decision {
		d := decided(i, v, 100, job)
		d.Pool, d.LimitPool = ads, of
		return d
	}
	record := func(invariant, verdict string, element tables.ElementKind, pool core.PoolID) tables.SnapshotRuling {
		s := tables.SnapshotRuling{Invariant: invariant, Verdict: verdict, Element: element, Pool: pool, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "share", Judged: "recorded"}
		if element == tables.ElementOperation {
			s.Operation = core.Some(core.OperationID(0))
		}
		return s
	}
	tree("limits", "resource_limits prod broken: Violated in 1 case.\nresource_limits batch unverifiable: Suspect in 1 case\nresource_limits ads "+tested, limited(prod), limited(batch), limited(ads))
	put(r, "limits", decision(judge.LIM01, judge.Violated, core.Some(prod), "x"), decision(judge.LIM01, judge.Suspect, core.Some(batch), "y"))
	tree("guarantees", "strong_guarantee prod broken\nstrong_guarantee ads "+tested, guaranteed(prod), guaranteed(ads))
	put(r, "guarantees", counted(judge.GUA07, judge.Violated, 1))
	put(r, "guarantees", decision(judge.GUA07, judge.Violated, core.Some(prod), "x"))
	tree("own", "strong_guarantee ads "+tested, guaranteed(ads))
	put(r, "own", decision(judge.GUA07, judge.Violated, core.Optional[core.PoolID]{}, "x"))
	put(r, "own", counted(judge.GUA07, judge.Violated, 1))
	put(r, "own", tables.SnapshotTally{Invariant: "GUA-01", Violated: 1})
	put(r, "own", record("GUA-01", "violated", tables.ElementOperation, ads))
	tree("recorded", "strong_guarantee prod broken\nstrong_guarantee batch unverifiable: Suspect in 1 case\nstrong_guarantee ads "+tested, guaranteed(prod), guaranteed(batch), guaranteed(ads))
	put(r, "recorded", tables.SnapshotTally{Invariant: "GUA-01", Violated: 1}, tables.SnapshotTally{Invariant: "STV-02", Violated: 2})
	put(r, "recorded", record("GUA-01", "violated", tables.ElementPool, prod), record("GUA-02", "suspect", tables.ElementPool, batch), record("STV-02", "violated", tables.ElementPool, ads))
	tree("share", "resource_limits prod broken", limited(prod))
	put(r, "share", tables.SnapshotTally{Invariant: "LIM-07", Violated: 1})
	put(r, "share", record("LIM-07", "violated", tables.ElementPool, prod))
	tree("fifo", "fifo_order prod broken", tables.Pool{Pool: prod, Mode: core.FIFO})
	put(r, "fifo", tables.SnapshotTally{Invariant: "FIFO-02", Violated: 1})
	put(r, "fifo", record("FIFO-02", "violated", tables.ElementOperation, prod))
	counted5 := func(pool core.PoolID) tables.Pool {
		return tables.Pool{Pool: pool, MaxOperations: core.Some(int64(5)), OwnOperations: core.Some(int64(5))}
	}
	tree("count", "max_operation_count prod broken\nmax_operation_count batch vacuous", counted5(prod), counted5(batch))
	put(r, "count", tables.Admission{Time: at(1), Action: "started", Invariant: "CNT-01", Verdict: "violated", JudgedBy: "recorded", Pool: batch, FullPool: core.Some(prod)})
	r.addTree("silent", map[string]string{"demand": "none"})
	r.pools("silent", guaranteed(prod))
	put(r, "silent", busy(prod, 0.3, 0.3, 1))
	put(r, "silent", counted(judge.GUA07, judge.OK, 9))
	want["silent"] = "strong_guarantee prod unverifiable: No audit could judge it."
	r.check(r.judge(judging(t)...), want)
}

func TestHowMuchOfATreeWasJudged(t *testing.T) {
	slot := resource.Vector{resource.UserSlots: 1}
	r := newTestRun(t)
	states := whole()
	r.addTree("a", states)
	put(r, "a", tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 10, RefusedUpdates: 2, RefusedTime: 250e6})
	put(r, "a", tables.Job{Job: "before", StartTime: at(-5), End: core.EndRunning}, tables.Job{Job: "x", Resources: slot, StartTime: at(5), End: core.EndRunning},
		tables.Job{Job: "y", Resources: slot, StartTime: at(6), End: core.EndPreempted, EndTime: core.Some(at(7))})
	// One step breaks two rules, and nobody knows of another.
	put(r, "a", tables.Admission{Time: at(1), Action: "started", Verdict: "violated"}, tables.Admission{Time: at(1), Action: "started", Verdict: "undecidable"},
		tables.Admission{Time: at(2), Action: "started", Verdict: "undecidable"})
	put(r, "a", tables.BlindWindow{FromTime: at(100), ToTime: at(150)}, tables.BlindWindow{FromTime: at(950), ToTime: at(2000)}) // the half of it after the window
	r.addTree("b", states)
	put(r, "b", tables.Tree{FromTime: at(0), ToTime: at(1000)})
	r.addTree("c", states)
	put(r, "c", tables.Tree{FromTime: at(0), ToTime: at(1000), Updates: 1})
	put(r, "c", tables.Job{Job: "z", Resources: slot, StartTime: at(5), End: core.EndRunning}) // its start is among those counted
	put(r, "c", tables.DecisionCount{Invariant: "HB-01", Verdict: "ok", Decisions: 6}, tables.DecisionCount{Invariant: "HB-02", Verdict: "excused", Decisions: 1},
		tables.DecisionCount{Invariant: "HB-02", Verdict: "undecidable", Decisions: 3})
	v := r.judge("job_without_end")
	a, b := v.TreeCoverage[0], v.TreeCoverage[1]
	if c := v.TreeCoverage[2]; c.Decisions != 10 || c.JudgedDecisions != 7 || c.Reason != "3 judgements of starts and preemptions that the log does not settle: see decision_counts" {
		t.Errorf("%+v", c)
	}
	if a.Seconds != 1000 || a.Time() != 0.65 || a.Decisions != 5 || a.JudgedDecisions != 3 ||
		!strings.HasSuffix(a.Reason, "were refused: see the problems; for 1 min 40 s nothing is alleged: see the table blind_windows; no audit judges 1 preemption; 1 step whose admission the log does not settle") {
		t.Errorf("%+v", a)
	}
	if b.Time() != 0 || b.Decisions != 0 || b.DecisionShare() != 0 || b.Reason != "no fair share was computed" {
		t.Errorf("%+v", b)
	}
	for policy, want := range map[string]int{"": 0, "min_time_coverage: 0.1": 3, "min_decision_coverage: 0.6": 0, "min_decision_coverage: 0.65": 3} {
		if got := r.judgeBy(policy, "job_without_end").ExitCode(); got != want {
			t.Errorf("%s: exit code %d, want %d", policy, got, want)
		}
	}
	if got := r.query("SELECT judged_seconds, decisions FROM tree_coverage WHERE tree = 'a'"); got != "650,5" {
		t.Error(got)
	}
}

// TestEveryGradeOfGuaranteesAndTimeouts: each kind in each grade that it can have.
func TestEveryGradeOfGuaranteesAndTimeouts(t *testing.T) {
	const prod = core.PoolID(0)
	guaranteed := tables.Pool{Pool: prod, StrongGuarantee: cores(60)}
	burst := tables.Pool{Pool: prod, IntegralType: pooltree.Burst, Flow: cores(10), Burst: cores(50)}
	relaxed := tables.Pool{Pool: prod, IntegralType: pooltree.Relaxed, Flow: cores(10)}
	flowless := relaxed
	flowless.Flow = core.Optional[resource.Partial]{}
	patient := tables.Pool{Pool: prod, StarvationTimeout: core.Some(int64(30_000))}
	eager := tables.Pool{Pool: prod, MinShareTimeout: core.Some(int64(15_000))}
	asks, idle := busy(prod, 0.1, 0.6, 1), busy(prod, 0, 0.6, 1)
	lacks := asks
	lacks.FairRatio, lacks.FairRatioMax = 0.1, 0.1
	unmet := func(kind tables.GuaranteeKind) tables.GuaranteeEpisode {
		return tables.GuaranteeEpisode{Kind: kind, Pool: prod, FromTime: at(0), ToTime: at(600), Resource: resource.CPU, Gap: 0.3, GapTime: at(10), Owed: 6e11, Others: 6e8, Withheld: 6e8}
	}
	noticed := tables.SnapshotTally{Invariant: "STV-02", OK: 5}
	ignored := tables.SnapshotRuling{
		Invariant: "STV-02", Verdict: "violated", Element: tables.ElementPool, Pool: prod, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "µs", Judged: "recomputed",
	}
	granted := tables.SnapshotTally{Invariant: "GUA-04", OK: 5}
	void := faulty(pooltree.GuaranteeAboveTotal, "", "strong_guarantee_resources", "cpu: 110 of 100")
	nested := faulty(pooltree.IntegralUnderIntegral, "prod", "integral_guarantees", "below up")
	silent := map[string]string{"demand": "none"}
	r := newTestRun(t)
	want := map[string]string{}
	for _, c := range []struct {
		kind   string
		grade  Grade
		states map[string]string
		pool   tables.Pool
		spans  tables.PoolInterval
		also   func(tree string)
	}{
		{"strong_guarantee", Kept, whole(), guaranteed, asks, nil},
		{"strong_guarantee", Broken, whole(), guaranteed, asks, func(tree string) { put(r, tree, unmet(tables.StrongGuarantee)) }},
		{"strong_guarantee", Impossible, whole(), guaranteed, asks, func(tree string) { put(r, tree, void) }},
		{"strong_guarantee", Unverifiable, silent, guaranteed, asks, nil},
		{"strong_guarantee", Vacuous, whole(), guaranteed, idle, nil},
		{"burst_guarantee", Kept, whole(), burst, asks, func(tree string) { put(r, tree, granted) }},
		{"burst_guarantee", Broken, whole(), burst, asks, func(tree string) { put(r, tree, unmet(tables.BurstGuarantee)) }},
		{"burst_guarantee", Impossible, whole(), burst, asks, func(tree string) { put(r, tree, nested) }},
		{"burst_guarantee", Unverifiable, whole(), burst, asks, nil},
		{"burst_guarantee", Vacuous, whole(), burst, idle, nil},
		{"relaxed_guarantee", Kept, whole(), relaxed, asks, func(tree string) { put(r, tree, granted) }},
		{"relaxed_guarantee", Broken, whole(), relaxed, asks, func(tree string) { put(r, tree, unmet(tables.RelaxedGuarantee)) }},
		{"relaxed_guarantee", Impossible, whole(), flowless, asks, nil},
		{"relaxed_guarantee", Unverifiable, whole(), relaxed, asks, nil},
		{"relaxed_guarantee", Vacuous, whole(), relaxed, idle, nil},
		{"fair_share_starvation_timeout", Kept, whole(), patient, lacks, func(tree string) { put(r, tree, noticed) }},
		{"fair_share_starvation_timeout", Broken, whole(), patient, lacks, func(tree string) { put(r, tree, noticed); put(r, tree, ignored) }},
		{"fair_share_starvation_timeout", Unverifiable, whole(), patient, lacks, nil},
		{"fair_share_starvation_timeout", Vacuous, whole(), patient, asks, nil},
		{"min_share_preemption_timeout", Kept, whole(), eager, asks, func(tree string) { put(r, tree, noticed) }},
		{"min_share_preemption_timeout", Broken, whole(), eager, asks, func(tree string) { put(r, tree, noticed); put(r, tree, ignored) }},
		{"min_share_preemption_timeout", Impossible, whole(), eager, asks, func(tree string) {
			put(r, tree, tables.Tree{Profile: "baseline", FromTime: at(0), ToTime: at(86400)})
		}},
		{"min_share_preemption_timeout", Unverifiable, whole(), eager, asks, nil},
		{"min_share_preemption_timeout", Vacuous, whole(), eager, idle, nil},
	} {
		tree := c.kind + " " + string(c.grade)
		r.addTree(tree, c.states)
		r.pools(tree, c.pool)
		put(r, tree, c.spans)
		if c.also != nil {
			c.also(tree)
		}
		want[tree] = c.kind + " prod " + string(c.grade)
	}
	v := r.judge(judging(t)...)
	r.check(v, want)
	for _, p := range v.Promises {
		if (p.Missing == "") != (p.Grade != Unverifiable) {
			t.Errorf("%s is %s, and missing is %q", p.Tree, p.Grade, p.Missing)
		}
		if p.Tree == "burst_guarantee unverifiable" && p.Missing != "A log of which this is not true: the log holds no records of the scheduler about itself; no pool with an integral guarantee demanded what its volume pays for." {
			t.Error(p.Missing)
		}
	}
}

// TestPromisesAreOfAVersion: a setting that is changed makes another promise, one
// that stays the same, whatever else changes, goes on.
func TestPromisesAreOfAVersion(t *testing.T) {
	const prod = core.PoolID(0)
	version := func(guarantee int64, weight float64) tables.Pool {
		return tables.Pool{Pool: prod, Path: "prod", Parent: core.RootPool, Configured: true, StrongGuarantee: cores(guarantee), Weight: core.Some(weight)}
	}
	span := func(from, to int, demand float64) tables.PoolInterval {
		i := busy(prod, demand, 0.6, 1)
		i.FromTime, i.ToTime = at(from), at(to)
		return i
	}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(40_000), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
	put(r, "a", version(60, 3))
	of := func(from, to int, p tables.Pool) tables.PoolVersion {
		return tables.PoolVersion{Pool: p, FromTime: at(from), ToTime: at(to)}
	}
	put(r, "a", of(0, 10_000, version(60, 1)), of(10_000, 20_000, version(60, 2)), // which promise the same
		of(20_000, 30_000, version(50, 2)), of(30_000, 40_000, version(60, 3))) // and the first once more
	put(r, "a", span(0, 20_000, 0.1), span(20_000, 30_000, 0), span(30_000, 40_000, 0.1))
	put(r, "a", tables.GuaranteeEpisode{Pool: prod, FromTime: at(31_000), ToTime: at(31_600), Resource: resource.CPU, Gap: 0.3, GapTime: at(31_010), Owed: 6e11, Others: 6e8, Withheld: 6e8})
	part := faulty(pooltree.GuaranteeAboveTotal, "", "strong_guarantee_resources", "cpu: 110 of 100")
	part.ToTime = at(1800)
	put(r, "a", part)
	v := r.judge("strong_guarantee_unmet")
	var got []string
	ids := map[string]bool{}
	for _, p := range v.Promises {
		ids[p.ID] = true
		got = append(got, fmt.Sprintf("%d-%d %s %s: %s", p.From.Unix()-at0, p.To.Unix()-at0, p.Grade, p.Statement, p.Reason))
	}
	want := "30000-40000 broken Pool prod gets 60.00 cores whenever it demands them.: Violated in 1 case. It was in force from 2023-11-15T06:33:20.000000Z to 2023-11-15T09:20:00.000000Z.\n" +
		"20000-30000 vacuous Pool prod gets 50.00 cores whenever it demands them.: Nothing tested it: it demanded nothing. It was in force from 2023-11-15T03:46:40.000000Z to 2023-11-15T06:33:20.000000Z.\n" +
		"0-20000 kept Pool prod gets 60.00 cores whenever it demands them.: Tested and not broken. For 30 min 00 s of its time it could not be kept: " +
		pooltree.GuaranteeAboveTotal.Meaning() + " (cpu: 110 of 100). It was in force from 2023-11-14T22:13:20.000000Z to 2023-11-15T03:46:40.000000Z."
	if lines := strings.Join(got, "\n"); lines != want || len(ids) != 3 {
		t.Errorf("got\n%s\nwant\n%s", lines, want)
	}
}

const at0 = 1_700_000_000 // second of at(0)
