package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// The questions that everyone asks, over runs that are worked out by hand: times are seconds
// after that of at(0).

func TestPoolsAtAMoment(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	moment := "make_timestamp((1700000000 + 80) * 1000000::BIGINT)"
	r.answers([][2]string{
		// A span begins at 80, and the one before ends there. The root is its own.
		{"SELECT pool, path, epoch(since_time) - 1700000000, usage_cpu, demand_cpu FROM pools_at(" + moment + ") ORDER BY pool", "<Root>,,0,2,8; batch,prod/batch,80,0,0; prod,prod,0,0,0"},
		{"SELECT count(*) FROM pools_at('2023-11-14 22:13:20')", "3"}, // at(0)
		{"SELECT count(*) FROM pools_at('2023-11-14 22:13:19')", "0"},
		{"SELECT operation, pool FROM operations_at(" + moment + ") ORDER BY ALL", "op-a,prod; op-b,prod"},
		// batch is gone at 120.
		{"SELECT pool, epoch(since_time) - 1700000000 FROM pools_at('2023-11-14 22:15:20') ORDER BY pool", "<Root>,0; prod,100"},
	})
}

// Two pools share what their parent is guaranteed, and are guaranteed more together; a pool that
// is gone does not count.
func TestGuarantees(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Tree{Total: resource.Vector{resource.CPU: 10000}})
	guaranteed := func(pool core.PoolID, path string, parent core.PoolID, cores int64) tables.Pool {
		p := tables.Pool{Pool: pool, Path: path, Parent: parent}
		var amounts resource.Partial
		amounts.Amounts[resource.CPU], amounts.Set[resource.CPU] = cores*100, true
		p.StrongGuarantee = core.Some(amounts)
		return p
	}
	prod, gone := guaranteed(0, "prod", core.RootPool, 60), guaranteed(1, "gone", core.RootPool, 90)
	gone.LastSeen = core.Some(at(5))
	put(r, "a", prod, guaranteed(1, "prod/batch", 0, 40), guaranteed(2, "prod/ads", 0, 30), gone)
	r.answers([][2]string{
		{"SELECT path, resource, guaranteed, with_siblings, available, fits, part_of_tree FROM guarantees ORDER BY path",
			"prod,cpu,60,60,100,true,0.6; prod/ads,cpu,30,70,60,false,0.3; prod/batch,cpu,40,70,60,false,0.4"},
	})
}

func TestPoolsCompared(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool}, tables.Pool{Pool: 1, Path: "batch", Parent: core.RootPool})
	span := func(pool core.PoolID, from, to int, usage float64, status scheduling.Status) tables.PoolInterval {
		return tables.PoolInterval{Pool: pool, Interval: tables.Interval{FromTime: at(from), ToTime: at(to), UsageRatio: usage}, Status: status}
	}
	put(r, "a", span(0, 0, 60, 0.25, scheduling.NonStarving), span(0, 60, 120, 0.75, scheduling.Starving), span(1, 60, 120, 0.5, scheduling.NonStarving))
	r.answers([][2]string{
		{"SELECT path, usage_ratio_before, usage_ratio_after, starvation_status_before, starvation_status_after FROM pools_compared('2023-11-14 22:13:30', '2023-11-14 22:14:30') ORDER BY path",
			"batch,,0.5,,non_starving; prod,0.25,0.75,non_starving,starving"},
	})
}

func TestChangesBetween(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 0, Path: "prod", Parent: core.RootPool, LastSeen: core.Some(at(30))})
	prod := tables.Pool{Pool: 0, Path: "prod", Weight: core.Some(1.0)}
	heavy := prod
	heavy.Weight, heavy.TagFilter = core.Some(2.5), "ssd"
	put(r, "a", tables.PoolVersion{Pool: prod, FromTime: at(0), ToTime: at(20), ClippedFrom: true}, tables.PoolVersion{Pool: heavy, FromTime: at(20), ToTime: at(30)},
		tables.PoolVersion{Pool: tables.Pool{Pool: 1, Path: "batch"}, FromTime: at(45), ToTime: at(90), ClippedTo: true})
	put(r, "a", tables.TreeVersion{FromTime: at(0), ToTime: at(46), ClippedFrom: true}, tables.TreeVersion{FromTime: at(46), ToTime: at(90), ClippedTo: true, StarvationTimeout: core.Some(int64(30_000))})
	put(r, "a", tables.Operation{Operation: 0, Pool: 0, User: "anna", StartTime: at(10), FinishTime: core.Some(at(25)), State: "failed"})
	put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(15), ClippedFrom: true}, tables.Node{Node: 0, FromTime: at(15), ToTime: at(40)},
		tables.Node{Node: 1, FromTime: at(50), ToTime: at(90), ClippedTo: true})
	put(r, "a", tables.StarvationEpisode{Element: tables.ElementPool, Pool: 0, For: scheduling.FairShare, Since: at(5), FromTime: at(12), ToTime: at(22), Status: scheduling.Starving})
	const columns = "epoch(time) - 1700000000, change, subject_kind, subject, detail"
	r.answers([][2]string{
		{"SELECT " + columns + " FROM changes_between('2023-11-14', '2023-11-15') ORDER BY time", `10,started,operation,op-a,"prod, anna"; 12,starved,pool,prod,; 15,resized,node,node1,; ` +
			`20,configured,pool,prod,weight from 1 to 2.5; scheduling_tag_filter from none to ssd; 22,recovered,pool,prod,recovered; 25,ended,operation,op-a,failed; 30,removed,pool,prod,; 40,left,node,node1,; 45,configured,pool,batch,added; 46,configured,tree,a,fair_share_starvation_timeout_ms from unset to 30000; 50,came,node,node2,`},
		// What happens at the first moment has happened before.
		{"SELECT change FROM changes_between('2023-11-14 22:13:40', '2023-11-14 22:13:45') ORDER BY time", "recovered; ended"},
	})
}

// TestPoolSeries: prod uses 0.25, 0.5 and 0.4 of the tree, batch is there until 120.
func TestPoolSeries(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	r.answers([][2]string{
		{"SELECT epoch(bin) - 1700000000, seconds, round(usage_ratio, 9), round(fair_share_ratio, 9) FROM pool_series(step_s := 150) WHERE pool = 'prod' ORDER BY bin",
			"0,150,0.333333333,0.5; 150,150,0.433333333,0.5; 300,100,0.4,0.5"},
		{"SELECT epoch(bin) - 1700000000, seconds, round(usage_ratio, 9) FROM pool_series() WHERE pool = 'batch' ORDER BY bin", "0,60,0.15; 60,60,0.183333333"},
	})
}

// TestPoolSeriesOfAGuarantee: two spans of different guarantees in one bin.
func TestPoolSeriesOfAGuarantee(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	span := func(from, to int, guarantee, demand float64) tables.PoolInterval {
		i := tables.Interval{FromTime: at(from), ToTime: at(to), MinShareRatio: guarantee, DemandSeconds: int64(demand * 1e9 * float64(to-from))}
		return tables.PoolInterval{Pool: 0, Interval: i}
	}
	put(r, "a", span(0, 15, 0.2, 1), span(15, 60, 0.6, 0.2), span(60, 60, 1, 1))
	r.answers([][2]string{
		{"SELECT epoch(bin) - 1700000000, seconds, min_share_ratio, demand_ratio FROM pool_series(step_s := 30) ORDER BY bin", "0,30,0.4,0.6; 30,30,0.6,0.2"},
	})
}

// TestFairnessBetween: of prod the last 50 s of 0.25 below, 100 s of nothing and 50 s of 0.1;
// of batch 20 s of 0.3, 10 s of nothing and 40 s of 0.4.
func TestFairnessBetween(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	between := "fairness_between('2023-11-14 22:14:10', '2023-11-14 22:17:30')" // 50 to 250
	r.answers([][2]string{
		{"SELECT element, seconds, round(delay, 9), round(usage, 9), round(fair_share, 9), round(satisfaction, 6) FROM " + between + " WHERE element_kind = 'pool' ORDER BY element",
			"batch,70,22,13,35,0.371429; prod,200,17.5,82.5,100,0.825"},
		{"SELECT element, pool, epoch(from_time) - 1700000000, epoch(to_time) - 1700000000, satisfaction FROM " + between + " WHERE element_kind = 'operation' ORDER BY element", "op-a,prod,50,100,1.5; op-b,prod,50,100,"},
		// Over the whole window it is the view.
		{"SELECT count(*) FROM (SELECT * FROM fairness_between('2023-11-14', '2023-11-15') EXCEPT SELECT * FROM fairness)", "0"},
		{"SELECT count(*) FROM fairness_between('2023-11-14', '2023-11-15')", "4"},
	})
}

func TestSpanGapsAndOverlaps(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	const spans = `WITH one AS (
			SELECT 'a' AS tree, e AS element, make_timestamp(f * 1000000) AS from_time, make_timestamp(t * 1000000) AS to_time
			FROM (VALUES ('x', 0, 10), ('x', 5, 20), ('x', 20, 30), ('x', 40, 50), ('y', 0, 5)) AS v(e, f, t)
		), two AS (
			SELECT 'a' AS tree, e AS element, make_timestamp(f * 1000000) AS from_time, make_timestamp(t * 1000000) AS to_time
			FROM (VALUES ('x', 8, 25), ('x', 25, 45), ('y', 5, 9), ('z', 0, 9)) AS v(e, f, t)
		) `
	const columns = "element, epoch(from_time), epoch(to_time), seconds"
	r.answers([][2]string{
		{spans + "SELECT " + columns + " FROM span_gaps('one') ORDER BY ALL", "x,30,40,10"},
		// Where spans follow each other, what they have in common goes on; y and z only meet.
		{spans + "SELECT " + columns + " FROM span_overlaps('one', 'two') ORDER BY ALL", "x,8,30,22; x,40,45,5"},
	})
}

func TestPreemptionMatrixAndWastedWork(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	takes := func(cores int64) resource.Vector {
		return resource.Vector{resource.UserSlots: 1, resource.CPU: cores * resource.CentsPerCore, resource.Memory: 1 << 29}
	}
	put(r, "a",
		tables.Preemption{Time: at(50), Job: "x", Pool: 1, ForPool: core.Some[core.PoolID](2), Lost: core.Some[int64](10e6), Resources: takes(2)},
		tables.Preemption{Time: at(60), Job: "v", Pool: 1, ForPool: core.Some[core.PoolID](2), Lost: core.Some[int64](1e6), Resources: takes(2)},
		tables.Preemption{Time: at(70), Job: "z", Pool: 2, Lost: core.Some[int64](2e6), Resources: takes(3)},
		tables.Preemption{Time: at(80), Job: "u", Pool: 2, Resources: takes(3)}, // its end is not in the log
		tables.Preemption{Time: at(80), Job: "w", Pool: 0, Resources: takes(3)})
	job := func(id string, pool core.PoolID, from, to int, end core.EndKind) tables.Job {
		return tables.Job{Job: id, Pool: pool, StartTime: at(from), EndTime: core.Some(at(to)), End: end, Resources: takes(4)}
	}
	put(r, "a", job("x", 1, 0, 50, core.EndPreempted), job("f", 1, 0, 30, core.EndFailed), job("g", 1, 0, 10, core.EndFailed), job("c", 1, 0, 90, core.EndCompleted))
	r.answers([][2]string{
		{"SELECT preemptor, victim, preemptions, lost_slot_seconds, lost_cpu_seconds, lost_gib_seconds FROM preemption_matrix() ORDER BY ALL", "<unknown>,ads,2,2,6,1; <unknown>,prod,1,,,; ads,prod,2,11,22,5.5"},
		{"SELECT preemptor, victim, preemptions FROM preemption_matrix(depth := 2, unknown := 'ads') ORDER BY ALL", "ads,ads,2; ads,prod,1; ads,prod/batch,2"},
		{"SELECT preemptions FROM preemption_matrix(depth := 0)", "5"},
		{"SELECT pool, end_kind, jobs, lost_seconds, lost_slot_seconds, lost_cpu_seconds, lost_gpu_seconds, lost_gib_seconds, unknown_jobs FROM wasted_work ORDER BY ALL",
			"ads,preempted,2,2,2,6,0,1,1; batch,failed,2,40,40,160,0,20,0; batch,preempted,2,11,11,22,0,5.5,0; prod,preempted,1,,,,,,1"},
	})
}

// TestNodeUtilization: of 10 cores for 1,000 s, 9 are used from 100 to 300 and 1 from 200 to
// 400: no core is left from 200 to 300, and one from 100 to 200.
func TestNodeUtilization(t *testing.T) {
	t.Parallel()
	r := metricsRun(t)
	has := func(cores int64) resource.Vector { return resource.Vector{resource.CPU: cores * resource.CentsPerCore} }
	put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(1000), Limits: has(10)}, tables.Node{Node: 1, FromTime: at(0), ToTime: at(500), Limits: has(2)})
	put(r, "a", tables.Job{Job: "x", Node: core.Some[core.NodeID](0), StartTime: at(100), EndTime: core.Some(at(300)), End: core.EndCompleted, Resources: has(9)},
		tables.Job{Job: "y", Node: core.Some[core.NodeID](0), StartTime: at(200), EndTime: core.Some(at(400)), End: core.EndCompleted, Resources: has(2)},
		tables.Job{Job: "z", Node: core.Some[core.NodeID](1), StartTime: at(-50), EndTime: core.Some(at(100)), End: core.EndCompleted, Resources: has(1)})
	r.answers([][2]string{
		// The smallest job takes 1 core. From 200 to 300 node1 holds 11 of 10.
		{"SELECT node, resource, capacity, used, idle, not_schedulable, invalid, used_part FROM node_utilization ORDER BY node",
			"node1,cpu,10000,1100,7900,0,1000,0.11; node2,cpu,1000,100,900,0,0,0.1"},
	})
}

func TestPoolQueueWaits(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	op := func(id core.OperationID, pool core.PoolID, start, running int, state string) tables.Operation {
		o := tables.Operation{Operation: id, Pool: pool, StartTime: at(start), State: state, FinishTime: core.Some(at(100))}
		if running >= 0 {
			o.RunningTime = core.Some(at(running))
		}
		return o
	}
	put(r, "a", op(0, 0, 10, 10, "completed"), op(1, 0, 10, 16, "completed"), op(2, 0, 40, -1, "aborted"))
	r.addTree("c", whole())
	put(r, "c", op(0, 1, 40, 41, "completed"))
	r.addTree("b", whole("operation_states", "assumed"))
	put(r, "b", op(0, 0, 30, 70, "aborted"))
	r.answers([][2]string{
		{"SELECT tree, pool, operations, waited, never_ran, mean_wait_s, median_wait_s, wait_95_s, longest_wait_s FROM pool_queue_waits ORDER BY pool", "c,batch,1,1,0,1,1,1,1; a,prod,3,2,1,22,6,60,60"},
	})
}

// TestDebts: batch has 6 of prod's lacking share over a minute, half of it preemptible, and 3 of
// another pool's; of the last 30 s a half of each counts.
func TestDebts(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	row := func(pool core.PoolID, deficit, owed int64, cause tables.DebtCause, obstacle scheduling.Obstacle) tables.ShareDebt {
		return tables.ShareDebt{
			Element: tables.ElementPool, Pool: pool, Level: tables.ToFairShare, FromTime: at(0), ToTime: at(60), Lacking: 1e6,
			Deficit: deficit * 1e9, Cause: cause, Owed: owed * 1e9, Obstacle: obstacle,
		}
	}
	others := func(pool core.PoolID, deficit, owed int64, obstacle scheduling.Obstacle) tables.ShareDebt {
		d := row(pool, deficit, owed, tables.OthersOverFairShare, obstacle)
		d.Holder, d.HolderOperation = core.Some(core.PoolID(1)), core.Some(core.OperationID(1))
		return d
	}
	wanted := func(pool core.PoolID, owed int64) tables.ShareDebt {
		d := row(pool, owed, owed, tables.FairSharesOfOthers, 0)
		d.Level = tables.ToDemand
		return d
	}
	put(r, "a", wanted(0, 20), wanted(1, 10), others(0, 8, 3, scheduling.IsPreemptible), others(0, 8, 3, scheduling.TimeoutNotOver), row(0, 8, 2, tables.Fragmentation, 0), others(1, 3, 3, scheduling.NotStarving))
	r.answers([][2]string{
		{"SELECT holder_pool, holder_operation, creditors, held, preemptible FROM top_debtors", "batch,op-b,2,9,3"},
		{"SELECT cause, obstacle, epoch(from_time) - 1700000000, lacked, part FROM debts_between('2023-11-14 22:13:50', '2023-11-15') WHERE element = 'prod' ORDER BY cause, obstacle",
			"fragmentation,,30,1,0.25; others_over_fair_share,timeout_not_over,30,1.5,0.375; others_over_fair_share,preemptible,30,1.5,0.375; fair_shares_of_others,,30,10,1"},
		// Of prod 8 of 28 are more than a quarter, of batch 3 of 13 are less.
		{"SELECT element, level, cause, lacked, deficit, holder_operation, obstacle FROM main_causes('2023-11-14', '2023-11-15') ORDER BY element",
			"batch,demand,fair_shares_of_others,10,10,,; prod,fair_share,others_over_fair_share,6,8,op-b,preemptible"},
	})
}
