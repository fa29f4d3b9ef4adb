package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

func TestLimitsAreGraded(t *testing.T) {
	t.Parallel()
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
	blind := whole("usage.network", "unknown")
	tree("unknown", "resource_limits prod unverifiable: No audit could judge it. The log does not record what jobs use of network.", blind,
		[]tables.Pool{{Pool: prod, ResourceLimits: amounts(resource.Network, 5)}}, used(0.3, 1))

	share := tables.Pool{Pool: prod, MaxShareRatio: core.Some(0.3)}
	tree("share", "max_share_ratio prod "+tested, whole(), []tables.Pool{share}, used(0.3, 0.3))
	put(r, "share", recordsSeen())
	tree("share recomputed", "max_share_ratio prod unverifiable", whole(), []tables.Pool{share}, used(0.3, 0.3))
	tree("share untested", "max_share_ratio prod vacuous", whole(), []tables.Pool{share}, used(0.2, 0.3))
	share.MaxShareRatio = core.Some(1.0)
	tree("no share", "", whole(), []tables.Pool{share}, used(0.3, 1))
	share.MaxShareRatio = core.Some(0.3)
	above := used(0.3, 0.3)
	above.FairOverLimits, above.FromTime, above.ToTime = 0.1, at(100), at(200)
	tree("share broken", "max_share_ratio prod broken", whole(), []tables.Pool{share}, above)
	put(r, "share broken", recordsSeen())

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
	tree("count too large", "max_running_operation_count prod vacuous\nmax_running_operation_count prod/batch impossible: Its parent prod allows only 5.", whole(), []tables.Pool{counted(prod, 5), inner})
	tree("count shared", "max_running_operation_count batch impossible: It and its siblings allow 11 together, and their parent <Root> allows 10.\nmax_running_operation_count prod impossible", whole(),
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
	tree("fifo unseen", "fifo_order prod unverifiable: No audit saw it tested.", whole(), []tables.Pool{fifo}, operations(prod, 2, 9))
	tree("fifo broken", "fifo_order prod broken", whole(), []tables.Pool{fifo}, operations(prod, 2, 9))
	overtaken := func(second int) tables.Job {
		return tables.Job{Job: "j", Pool: prod, StartTime: at(second), InOrder: true, Overtook: core.Some(core.OperationID(1)), OvertookFits: core.Some(true)}
	}
	put(r, "fifo broken", overtaken(1), overtaken(2), overtaken(3)) // more than its controller may have declined
	v := r.audit(judging(t)...)
	r.check(v, want)
	if got := r.query("SELECT grade, statement, findings FROM promises WHERE tree = 'broken'"); got != "broken,Pool prod never uses more than 30 cores.,1" {
		t.Error(got)
	}
}
