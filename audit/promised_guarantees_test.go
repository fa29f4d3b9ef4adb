package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// TestStrongGuaranteesAreGraded plants every grade beside what looks like it.
func TestStrongGuaranteesAreGraded(t *testing.T) {
	t.Parallel()
	const prod, batch, ads = core.PoolID(0), core.PoolID(1), core.PoolID(2)
	unmet := tables.GuaranteeEpisode{Pool: prod, FromTime: at(0), ToTime: at(600), Resource: resource.CPU, Gap: 0.3, GapTime: at(10), Owed: 6e11, Others: 6e8, Withheld: 6e8, Preemptible: 6e8, SurelyPreemptible: 6e8}
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
	tree("broken", "strong_guarantee prod broken: Violated: 1 finding.", whole(), []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	put(r, "broken", unmet)
	excused := unmet
	excused.Withheld, excused.Preemptible, excused.SurelyPreemptible = 0, 0, 0
	const reason = "others used more than their fair share for 10 min 00 s of it, but never while neither the pool nor an ancestor stood at its resource limit (10 min 00 s)."
	asking := func(from, to int) tables.PoolInterval {
		span := busy(prod, 0.1, 0.6, 1)
		span.FromTime, span.ToTime = at(from), at(to)
		return span
	}
	tree("excused", "strong_guarantee prod excused: Kept for 10 min 00 s of the 20 min 00 s that tested it. It was not kept for 10 min 00 s (1 finding), which is excused: "+reason,
		whole(), []tables.Pool{guaranteed(prod, 60)}, asking(1000, 2200), busy(prod, 0, 0.6, 1)) // without demand nothing is tested
	put(r, "excused", excused)
	tree("mostly excused", "strong_guarantee prod excused: Kept for 9 min 59 s of the 19 min 59 s that tested it. It was not kept for 10 min 00 s (1 finding), which is excused: "+reason,
		whole(), []tables.Pool{guaranteed(prod, 60)}, asking(1000, 2199))
	put(r, "mostly excused", excused)
	asked := whole("usage.cpu", "requested")
	tree("suspect", "strong_guarantee prod unverifiable: Suspect: 1 finding that the log does not settle. It is known that it was unmet for 10 min 00 s of 10 min 00 s in 1 stretch where 5 min 00 s are allowed. Finding", asked, []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	put(r, "suspect", unmet)
	tree("another's", "strong_guarantee batch "+tested+"\nstrong_guarantee prod broken", whole(), []tables.Pool{guaranteed(prod, 40), guaranteed(batch, 40)}, busy(prod, 0.1, 0.4, 1), busy(batch, 0.1, 0.4, 1))
	put(r, "another's", unmet)
	tree("idle", "strong_guarantee prod vacuous: Nothing tested it: it demanded nothing.", whole(), []tables.Pool{guaranteed(prod, 60)}, busy(prod, 0, 0.6, 1))
	tree("zero", "", whole(), []tables.Pool{guaranteed(prod, 0)}, busy(prod, 0.1, 0, 1))
	tree("blind", "strong_guarantee prod unverifiable: No audit could judge it. The log lacks what operations demanded (demand: none, not recorded or snapshots or reconstructed).", map[string]string{"demand": "none"},
		[]tables.Pool{guaranteed(prod, 60)}, busy(prod, 0.1, 0.6, 1))
	tree("sizeless", "strong_guarantee prod unverifiable: No audit could judge it. The log does not record what the tree's nodes have of gpu.", whole(),
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
	tree("limited", "resource_limits prod vacuous: Nothing tested it: it never demanded as much.\nstrong_guarantee prod impossible: Pool prod is limited to 59 cores.", whole(), []tables.Pool{limited}, busy(prod, 0.1, 0.6, 0.59))
	limited.ResourceLimits = cores(60)
	tree("limited enough", "resource_limits prod vacuous\nstrong_guarantee prod "+tested, whole(), []tables.Pool{limited}, busy(prod, 0.1, 0.6, 0.6))
	tree("ancestor limits", "resource_limits prod vacuous\nstrong_guarantee prod impossible: Pool prod is limited to 30 cores.\nstrong_guarantee prod/ads impossible: Pool prod is limited to 30 cores.", whole(),
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
	r.check(r.graded(judging(t)...), want)
	// Of an SLA only the hours count, here about half of the excused time.
	hours := "slas: [{pool: prod, tree: mostly excused, hours: '22:18-23:00', bounds: {strong_guarantee_unmet: {sla_s: 60}}}]"
	if v := r.gradedBy(hours, judging(t)...); !strings.HasPrefix(v.grades("mostly excused"), "strong_guarantee prod excused: Kept for 14 min 39 s of the 19 min 59 s that tested it.") {
		t.Error(v.grades("mostly excused"))
	}
}

// TestIntegralGuaranteesAndTimeoutsAreGraded: they are judged by what the
// scheduler recorded of itself; without its records they are unverifiable.
func TestIntegralGuaranteesAndTimeoutsAreGraded(t *testing.T) {
	t.Parallel()
	const prod, batch = core.PoolID(0), core.PoolID(1)
	const unlacked = " vacuous: Nothing tested it: nothing in it was below its fair share."
	const alone = " unverifiable: No audit saw it tested."
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
	tree("bursts do not", "burst_guarantee batch impossible\nburst_guarantee prod impossible: Pools are promised bursts of 103 cores, and the tree has 100 cores.", burst(prod, 10, 50), burst(batch, 10, 53))
	tree("flows do not", "burst_guarantee batch impossible\nburst_guarantee prod impossible: Pools are promised a flow of 103 cores, and the tree has 100 cores.", burst(prod, 50, 10), burst(batch, 53, 10))
	relaxed := tables.Pool{Pool: prod, IntegralType: pooltree.Relaxed, Flow: cores(10)}
	tree("relaxed", "relaxed_guarantee prod"+alone, relaxed)
	relaxed.Flow = core.Optional[resource.Partial]{}
	tree("relaxed without", "relaxed_guarantee prod impossible: It has no resource_flow", relaxed)
	tree("neither", "", tables.Pool{Pool: prod, Flow: cores(10), Burst: cores(10)})

	timeouts := tables.Pool{Pool: prod, StarvationTimeout: core.Some(int64(30_000)), MinShareTimeout: core.Some(int64(15_000))}
	tree("timeouts", "min_share_preemption_timeout prod"+alone+"\nfair_share_starvation_timeout prod"+unlacked, timeouts)
	tree("an old scheduler", "min_share_preemption_timeout prod impossible: Schedulers of the profile baseline ignore it.\nfair_share_starvation_timeout prod"+unlacked, timeouts)
	judged := tally("GUA-04", prod, 5)
	tree("granted", "burst_guarantee prod kept: Tested and not broken.", burst(prod, 10, 50))
	put(r, "granted", judged)
	tree("not granted", "burst_guarantee prod broken: Violated: 1 finding.", burst(prod, 10, 50))
	put(r, "not granted", judged)
	put(r, "not granted", tables.SnapshotCheck{
		Invariant: "GUA-04", Verdict: "violated", Element: tables.ElementPool, Pool: prod, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "share", Judged: "recorded",
	})
	put(r, "an old scheduler", tables.Tree{Profile: "baseline", FromTime: at(0), ToTime: at(86400)})
	v := r.audit(judging(t)...)
	r.check(v, want)
	if got := r.query("SELECT statement FROM promises WHERE tree = 'burst'"); got != "\"Pool prod gets 50 cores within 5 minutes of demanding them, while the volume lasts that a flow of 10 cores gathers.\"" {
		t.Error(got)
	}
	if got := r.query("SELECT statement FROM promises WHERE tree = 'timeouts' ORDER BY ALL DESC LIMIT 1"); got != "What is below its strong guarantee in pool prod for 15 s is declared starving." {
		t.Error(got)
	}
	if got := r.query("SELECT count(*) FROM internal.promise_terms WHERE kind LIKE '%timeout' AND untested IS NOT NULL"); got != "2" {
		t.Errorf("%s timeouts were not tested, though nothing lacked its fair share", got)
	}
}

// TestEveryGradeOfGuaranteesAndTimeouts: each kind in each grade that it can have.
func TestEveryGradeOfGuaranteesAndTimeouts(t *testing.T) {
	t.Parallel()
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
		return tables.GuaranteeEpisode{Kind: kind, Pool: prod, FromTime: at(0), ToTime: at(600), Resource: resource.CPU, Gap: 0.3, GapTime: at(10), Owed: 6e11, Others: 6e8, Withheld: 6e8, Preemptible: 6e8, SurelyPreemptible: 6e8}
	}
	noticed := tally("STV-02", prod, 5)
	ignored := tables.SnapshotCheck{
		Invariant: "STV-02", Verdict: "violated", Element: tables.ElementPool, Pool: prod, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "µs", Judged: "recomputed",
	}
	granted := tally("GUA-04", prod, 5)
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
	v := r.graded(judging(t)...)
	r.check(v, want)
	for _, p := range v.Promises {
		if (p.Missing == "") != (p.Grade != Unverifiable) {
			t.Errorf("%s is %s, and missing is %q", p.Tree, p.Grade, p.Missing)
		}
		if p.Tree == "burst_guarantee unverifiable" && p.Missing != "The log holds no records of the scheduler about itself; no pool with an integral guarantee demanded what its volume pays for." {
			t.Error(p.Missing)
		}
	}
}
