package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// TestPromisesOfTreesAreGraded: what a tree states is promised to all in it, and is
// graded by what the audits saw while it was in force.
func TestPromisesOfTreesAreGraded(t *testing.T) {
	t.Parallel()
	const prod, batch = core.PoolID(0), core.PoolID(1)
	some := core.Some[int64]
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name, grades string, version tables.TreeVersion) {
		r.addTree(name, whole())
		put(r, name, tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(1000), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
		version.ToTime, version.ClippedFrom, version.ClippedTo = at(1000), true, true
		put(r, name, version)
		put(r, name, tables.Pool{Pool: prod, Path: "prod", Parent: core.RootPool}, tables.Pool{Pool: batch, Path: "batch", Parent: core.RootPool, OwnOperations: some(3), MaxOperations: some(3)})
		want[name] = grades
	}
	has := func(name string, pool core.PoolID, n, most int64) {
		put(r, name, tables.PoolInterval{Pool: pool, Operations: n, MaxOperations: some(most), Interval: tables.Interval{FromTime: at(0), ToTime: at(100)}})
	}
	decides := func(name string, i judge.Invariant, v judge.Verdict, reason string) {
		put(r, name, counted(i, v, 1))
		put(r, name, tables.Preemption{Time: at(10), Job: "j", Reason: reason})
		if v == judge.Violated {
			put(r, name, decided(i, v, 10, "j"))
		}
	}
	const untested = " vacuous: Nothing tested it: "

	total := tables.TreeVersion{MaxOperations: some(5)}
	tree("room", "max_operation_count  "+tested, total)
	has("room", core.RootPool, 5, 5)
	tree("room untested", "max_operation_count "+untested+"it never had more than 4 operations.", total)
	has("room untested", core.RootPool, 4, 5)
	tree("room broken", "max_operation_count  broken: Violated: 1 finding.", total)
	has("room broken", core.RootPool, 5, 5)
	put(r, "room broken", poolOver(core.RootPool, tables.MaxOperationCount, tables.CauseOperation))

	each := tables.TreeVersion{MaxOperationsPerPool: some(3)}
	tree("each", "max_operation_count_per_pool  "+tested, each)
	has("each", prod, 3, 3)
	tree("each but its own", "max_operation_count_per_pool "+untested+"no such pool had more than 0 operations.", each)
	has("each but its own", batch, 3, 3)
	put(r, "each but its own", poolOver(batch, tables.MaxOperationCount, tables.CauseOperation))
	tree("each broken", "max_operation_count_per_pool  broken", each)
	has("each broken", prod, 4, 3)
	put(r, "each broken", poolOver(prod, tables.MaxOperationCount, tables.CauseOperation))

	patient := tables.TreeVersion{StarvationTimeout: some(30_000)}
	starved := tables.StarvationEpisode{Element: tables.ElementPool, Pool: prod, For: scheduling.FairShare, Since: at(10), FromTime: at(40), ToTime: at(60)}
	tree("timeout", "fair_share_starvation_timeout  "+tested, patient)
	put(r, "timeout", starved)
	put(r, "timeout", tally("STV-02", prod, 5))
	tree("timeout untested", "fair_share_starvation_timeout "+untested+"nothing in it was below its fair share.", patient)
	tree("timeout unseen", "fair_share_starvation_timeout  unverifiable: No audit saw it tested.", patient)
	put(r, "timeout unseen", starved)
	eager := tables.TreeVersion{StarvationTimeout: some(30_000), MinShareTimeout: some(15_000)}
	starved.For = scheduling.MinShare
	tree("timeout of the other share", "min_share_preemption_timeout  unverifiable: No audit saw it tested.\nfair_share_starvation_timeout "+untested+"nothing in it was below its fair share.", eager)
	put(r, "timeout of the other share", starved)

	limit := tables.TreeVersion{Threshold: core.Some(0.8)}
	tree("threshold", "preemption_satisfaction_threshold  "+tested, limit)
	decides("threshold", judge.PRE16, judge.OK, "preemption")
	tree("threshold broken", "preemption_satisfaction_threshold  broken", limit)
	decides("threshold broken", judge.PRE16, judge.Violated, "preemption")
	tree("threshold of another rule", "preemption_satisfaction_threshold "+untested+"its audits had nothing of it to judge.", limit)
	decides("threshold of another rule", judge.PRE08, judge.Violated, "preemption")
	tree("threshold idle", "preemption_satisfaction_threshold "+untested+"no job was preempted.", limit)
	tree("threshold untold", "preemption_satisfaction_threshold  unverifiable: Tested, but no audit could judge it. The log lacks an input: configuration.", limit)
	decides("threshold untold", judge.PRE16, judge.Undecidable, "preemption")
	put(r, "threshold untold", counted(judge.PRE16, judge.Undecidable, 1), counted(judge.PRE06, judge.OK, 1))

	tree("aggressive", "aggressive_preemption_satisfaction_threshold "+untested+"no job was preempted aggressively.", tables.TreeVersion{AggressiveThreshold: core.Some(0.5)})
	decides("aggressive", judge.PRE16, judge.OK, "preemption")
	tree("checked", "preemption_check_starvation  broken", tables.TreeVersion{CheckStarvation: core.Some(true)})
	decides("checked", judge.PRE08, judge.Violated, "preemption")
	tree("unchecked", "", tables.TreeVersion{CheckStarvation: core.Some(false)})
	tree("gangs", "allow_aggressive_preemption_for_gang_operations  "+tested, tables.TreeVersion{GangsAggressively: core.Some(false)})
	decides("gangs", judge.PRE18, judge.OK, "aggressive_preemption")
	tree("backoff", "preemptive_scheduling_backoff  broken", tables.TreeVersion{Backoff: some(1000)})
	decides("backoff", judge.PRE14, judge.Violated, "preemption")
	tree("interrupts", "job_interrupt_timeout  "+tested+"\njob_graceful_interrupt_timeout "+untested+"no job was preempted gracefully.", tables.TreeVersion{InterruptTimeout: some(10_000), GracefulTimeout: some(60_000)})
	decides("interrupts", judge.PRE22, judge.OK, "preemption")
	tree("an old scheduler", "allow_gang_operations_only_in_fifo_pools  impossible: Schedulers of the profile documented ignore it.", tables.TreeVersion{GangsInFIFOOnly: core.Some(true)})
	tree("ephemeral", "max_ephemeral_pools_per_user "+untested+"no user had an ephemeral pool.", tables.TreeVersion{MaxEphemeralPools: some(2)})
	tree("assumed", "", tables.TreeVersion{Assumed: true, MaxOperations: some(5)})
	v := r.graded(judging(t)...)
	r.check(v, want)
	for _, p := range v.Promises {
		if p.SubjectKind != "tree" || p.Subject != p.Tree || !strings.Contains(p.Statement, p.Tree) || p.Statement == "" {
			t.Errorf("%+v", p)
		}
	}
}
