package audit

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// TestSwitchesOfPoolsAreGraded: what a pool forbids, spares or filters is promised to
// all below it, and is graded by what came to its jobs and operations.
func TestSwitchesOfPoolsAreGraded(t *testing.T) {
	t.Parallel()
	const prod, batch = core.PoolID(0), core.PoolID(1)
	some := core.Some[bool]
	r := newTestRun(t)
	want := map[string]string{}
	states := whole()
	tree := func(name, grades string, of tables.Pool) {
		r.addTree(name, states)
		put(r, name, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(1000), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
		of.Pool, of.Path, of.Parent, of.Configured = prod, "prod", core.RootPool, true
		below := tables.Pool{Pool: batch, Path: "prod/batch", Parent: prod, Configured: true}
		put(r, name, of, below)
		put(r, name, tables.PoolVersion{Pool: of, ToTime: at(1000), ClippedFrom: true, ClippedTo: true})
		want[name] = grades
	}
	// taken is a preemption of a job of the pool below.
	taken := func(name, reason string, rule judge.Invariant, v judge.Verdict) {
		p := tables.Preemption{Time: at(10), Job: "j", Pool: batch, Operation: core.OperationID(0), Reason: reason, Node: core.Some(core.NodeID(0))}
		switch v {
		case judge.OK:
			p.Held = rule.String()
		case judge.Violated:
			p.Violated = rule.String()
			d := decided(rule, v, 10, "j")
			d.Pool = batch
			put(r, name, d)
		case judge.Undecidable:
			p.Undecidable = rule.String()
		}
		put(r, name, p)
		put(r, name, counted(rule, v, 1))
	}
	const nothing = " vacuous: Nothing tested it: "
	const untold = " unverifiable: Tested, but no audit could judge it."

	gentle := tables.Pool{Aggressively: some(false)}
	tree("gentle", "allow_aggressive_preemption prod "+tested, gentle)
	taken("gentle", "aggressive_preemption", judge.PRE17, judge.OK)
	tree("gentle broken", "allow_aggressive_preemption prod broken: Violated: 1 finding.", gentle)
	taken("gentle broken", "aggressive_preemption", judge.PRE17, judge.Violated)
	tree("gentle untested", "allow_aggressive_preemption prod"+nothing+"aggressive preemption came to no node that had a job of it.", gentle)
	taken("gentle untested", "preemption", judge.PRE06, judge.OK)
	tree("gentle passed over", "allow_aggressive_preemption prod "+tested, gentle)
	stood := tables.Job{Job: "k", Pool: batch, Node: core.Some(core.NodeID(0)), StartTime: at(5)}
	put(r, "gentle passed over", stood, tables.Job{Job: "l", Node: core.Some(core.NodeID(0)), StartTime: at(5)})
	put(r, "gentle passed over", tables.Preemption{Time: at(10), Job: "l", Pool: core.Unknown, Reason: "aggressive_preemption", Node: core.Some(core.NodeID(0))}, tables.Preemption{Time: at(3), Job: "m", Pool: core.Unknown, Reason: "aggressive_preemption", Node: core.Some(core.NodeID(0))})
	put(r, "gentle passed over", counted(judge.PRE06, judge.OK, 1))
	tree("gentle elsewhere", "allow_aggressive_preemption prod"+nothing+"aggressive", gentle)
	stood.Node = core.Some(core.NodeID(1))
	put(r, "gentle elsewhere", stood)
	put(r, "gentle elsewhere", tables.Preemption{Time: at(10), Job: "l", Pool: core.Unknown, Reason: "aggressive_preemption", Node: core.Some(core.NodeID(0))})
	tree("harsh", "", tables.Pool{Aggressively: some(true), Normally: some(true), RegularOnSSD: some(true), Lightweight: some(false)})

	tree("never taken", "allow_normal_preemption prod broken", tables.Pool{Normally: some(false)})
	taken("never taken", "preemption", judge.PRE26, judge.Violated)

	small := tables.Pool{NonPreemptible: cores(5)}
	tree("small", "non_preemptible_resource_usage_threshold prod"+nothing+"no job of it was preempted.", small)
	tree("small broken", "non_preemptible_resource_usage_threshold prod broken", small)
	taken("small broken", "preemption", judge.LST05, judge.Violated)
	tree("small untold", "non_preemptible_resource_usage_threshold prod"+untold, small)
	taken("small untold", "preemption", judge.LST05, judge.Undecidable)
	put(r, "small untold", counted(judge.PRE06, judge.OK, 1))

	tagged := tables.Pool{TagFilter: "ssd"}
	tree("tagged", "scheduling_tag_filter prod"+nothing+"no job of it started.", tagged)
	started := tables.Job{Job: "j", Pool: batch, StartTime: at(5)}
	tree("tagged untold", "scheduling_tag_filter prod"+untold, tagged)
	put(r, "tagged untold", started)
	states = whole()
	states["tag_filters"] = "recorded"
	tree("tagged broken", "scheduling_tag_filter prod broken", tagged)
	put(r, "tagged broken", started)
	put(r, "tagged broken", tables.MisplacedJob{Time: at(5), Job: "j", Pool: batch, Filter: prod, Invariant: "TREE-11", Verdict: "violated", JudgedBy: "recorded"})
	tree("tagged by another", "scheduling_tag_filter prod "+tested, tagged)
	put(r, "tagged by another", started)
	put(r, "tagged by another", tables.MisplacedJob{Time: at(5), Job: "j", Pool: batch, Filter: core.Unknown, Invariant: "TREE-11", Verdict: "violated", JudgedBy: "recorded"})

	closed := tables.Pool{ForbidImmediate: true}
	tree("closed", "forbid_immediate_operations prod"+nothing+"no operation started in it or below.", closed)
	tree("closed kept", "forbid_immediate_operations prod "+tested, closed)
	put(r, "closed kept", tables.Admission{Time: at(5), Action: "started", Pool: batch, Verdict: "ok", JudgedBy: "recorded"})
	tree("closed broken", "forbid_immediate_operations prod broken", closed)
	put(r, "closed broken", tables.Admission{Time: at(5), Action: "started", Pool: prod, Verdict: "violated", Invariant: "POOL-02", JudgedBy: "recorded"})

	light := tables.Pool{Lightweight: some(true), Mode: core.FIFO}
	const queue = "fifo_order prod vacuous"
	tree("light", "enable_lightweight_operations prod"+nothing+"it had no lightweight operation.\n"+queue, light)
	tree("light kept", "enable_lightweight_operations prod "+tested+"\n"+queue, light)
	put(r, "light kept", tables.Admission{Time: at(5), Action: "running", Pool: prod, Lightweight: true, Verdict: "ok", JudgedBy: "recorded"})
	tree("light broken", "enable_lightweight_operations prod broken\n"+queue, light)
	put(r, "light broken", tables.Admission{Time: at(5), Action: "pending", Pool: prod, Lightweight: true, Verdict: "violated", Invariant: "LW-02", JudgedBy: "recorded"})
	tree("light in vain", "enable_lightweight_operations prod impossible: It is no FIFO pool", tables.Pool{Lightweight: some(true)})
	r.check(r.graded(judging(t)...), want)
}

// TestEveryOptionIsPromisedOrListed: an option that neither makes a promise of the
// report nor stands on the list of those that are none was forgotten.
func TestEveryOptionIsPromisedOrListed(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	one, no, yes := core.Some[int64](1), core.Some(false), core.Some(true)
	put(r, "a", tables.Tree{Profile: "current", Configured: true, ToTime: at(1000), Total: resource.Vector{resource.CPU: 10_000}})
	put(r, "a", tables.TreeVersion{
		ToTime: at(1000), MaxOperations: one, MaxRunning: one, MaxOperationsPerPool: one, MaxRunningPerPool: one, MaxEphemeralPools: one,
		StarvationTimeout: one, MinShareTimeout: one, AggressiveTimeout: one, Threshold: core.Some(1.0), AggressiveThreshold: core.Some(0.5),
		CheckStarvation: yes, GangsAggressively: no, GangsInFIFOOnly: yes, Backoff: one, InterruptTimeout: one, GracefulTimeout: one,
		NonPreemptible: cores(1), GuaranteePriority: yes, SchedulableInFIFO: one,
	})
	all := tables.Pool{
		Path: "prod", Parent: core.RootPool, Configured: true, Mode: core.FIFO, MaxShareRatio: core.Some(0.5), StrongGuarantee: cores(1), ResourceLimits: cores(5),
		MaxRunning: one, OwnRunning: one, MaxOperations: one, OwnOperations: one, IntegralType: pooltree.Burst, Flow: cores(1), Burst: cores(1),
		StarvationTimeout: one, MinShareTimeout: one, Aggressively: no, Normally: no, RegularOnSSD: no, NonPreemptible: cores(1), TagFilter: "x", ForbidImmediate: true, Lightweight: yes,
	}
	put(r, "a", all)
	put(r, "a", tables.PoolVersion{Pool: all, ToTime: at(1000)})
	r.makeDatabase()
	promised := strings.Fields(r.query("SELECT string_agg(DISTINCT subject_kind || '.' || kind, ' ') FROM internal.promise_terms"))
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range promised {
		_, kind, _ := strings.Cut(p, ".")
		if !slices.ContainsFunc(audits, func(a *Audit) bool {
			return slices.ContainsFunc(a.Judges, func(j string) bool { return j == kind || strings.HasPrefix(j, kind+":") })
		}) {
			t.Errorf("no audit judges %s", kind)
		}
	}
	listed := listedOptions(t)
	called := map[string]string{"pool.mode": "pool.fifo_order", "pool.strong_guarantee_resources": "pool.strong_guarantee", "pool.integral_guarantees": "pool.burst_guarantee"}
	seen := map[string]bool{} // a spec names one for its trees as well
	for _, o := range pooltree.Options() {
		name := o.Holder + "." + o.Name
		if o.Holder == "cluster" || seen[name] {
			continue
		}
		seen[name] = true
		kind := name
		if other := called[name]; other != "" {
			kind = other
		}
		switch is := slices.Contains(promised, kind); {
		case is && listed[name]:
			t.Errorf("%s is promised, and FINDINGS.md lists it among what is no promise", name)
		case !is && !listed[name]:
			t.Errorf("%s is neither promised nor listed in FINDINGS.md with a reason", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("FINDINGS.md lists %s, which is no option", name)
	}
}

var optionRow = regexp.MustCompile("(?m)^\\| (`[^|]+) \\| (tree|pool|operation) \\| ")

// listedOptions are the options that FINDINGS.md lists as no promises.
func listedOptions(t *testing.T) map[string]bool {
	text, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, row := range optionRow.FindAllStringSubmatch(string(text), -1) {
		for _, option := range strings.Split(row[1], ", ") {
			listed[row[2]+"."+strings.Trim(option, "`")] = true
		}
	}
	if len(listed) < 50 {
		t.Fatalf("FINDINGS.md lists %d options", len(listed))
	}
	return listed
}
