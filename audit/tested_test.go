package audit

import (
	"testing"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// TestKeptIsEarnedWhereItIsClaimed: of two pools with the same promise only the one
// that was tested kept it, whatever the audit saw elsewhere in the tree.
func TestKeptIsEarnedWhereItIsClaimed(t *testing.T) {
	t.Parallel()
	const prod, batch = core.PoolID(0), core.PoolID(1)
	const nothing = " vacuous: Nothing tested it: its audits had nothing of it to judge."
	const untold = " unverifiable: Tested, but no audit could judge it. "
	r := newTestRun(t)
	want := map[string]string{}
	tree := func(name string, of func(core.PoolID) tables.Pool, one, other tables.PoolInterval, grade string) string {
		r.addTree(name, whole())
		r.pools(name, of(prod), of(batch))
		one.Pool, other.Pool = prod, batch
		put(r, name, one, other)
		want[name] = name + " prod " + tested + "\n" + name + " batch" + grade
		return name
	}
	asks, idle := busy(prod, 0.3, 0.3, 0.3), busy(batch, 0, 0.3, 0.3)
	asks.Operations, asks.MaxOperations, asks.UsageRatioMax = 2, core.Some(int64(2)), 0.1
	unused := asks
	unused.UsageRatioMax = 0
	tree("strong_guarantee", func(p core.PoolID) tables.Pool { return tables.Pool{Pool: p, StrongGuarantee: cores(30)} }, asks, idle, " vacuous: Nothing tested it: it demanded nothing.")
	tree("resource_limits", func(p core.PoolID) tables.Pool { return tables.Pool{Pool: p, ResourceLimits: cores(30)} }, asks, unused, nothing)
	tree("max_operation_count", func(p core.PoolID) tables.Pool {
		return tables.Pool{Pool: p, MaxOperations: core.Some(int64(2)), OwnOperations: core.Some(int64(2))}
	}, asks, idle, " vacuous: Nothing tested it: it had no operation.")
	fifo := tree("fifo_order", func(p core.PoolID) tables.Pool { return tables.Pool{Pool: p, Mode: core.FIFO} }, asks, asks, nothing)
	put(r, fifo, tables.Job{Job: "j", Pool: prod, StartTime: at(1), InOrder: true})
	burst := tree("burst_guarantee", func(p core.PoolID) tables.Pool {
		return tables.Pool{Pool: p, IntegralType: pooltree.Burst, Flow: cores(10), Burst: cores(30)}
	}, asks, asks, untold+"The log holds no record of the scheduler about it.")
	put(r, burst, tally("GUA-04", prod, 5))
	timeout := tree("fair_share_starvation_timeout", func(p core.PoolID) tables.Pool {
		return tables.Pool{Pool: p, StarvationTimeout: core.Some(int64(30_000))}
	}, lacking(asks), lacking(asks), untold+"Its records cannot be judged without fair shares.")
	blind := tally("STV-02", batch, 0)
	blind.Undecidable, blind.Missing = 3, "fair_shares"
	put(r, timeout, tally("STV-02", prod, 5), blind)

	r.addTree("unordered", whole())
	r.pools("unordered", tables.Pool{Pool: prod, Mode: core.FIFO}, tables.Pool{Pool: batch, Mode: core.FIFO})
	asks.Pool = batch
	put(r, "unordered", asks)
	put(r, "unordered", tables.Job{Job: "i", Pool: prod, StartTime: at(1), InOrder: true}, tables.Job{Job: "j", Pool: batch, StartTime: at(1)})
	want["unordered"] = "fifo_order batch" + untold + "The log does not record that its jobs start in the order of its queue.\nfifo_order prod vacuous"
	r.check(r.graded(judging(t)...), want)
}

// lacking is a span of a pool that had less than its fair share.
func lacking(i tables.PoolInterval) tables.PoolInterval {
	i.FairRatio, i.FairRatioMax, i.UsageRatioMin = 0.3, 0.3, 0.1
	return i
}

// TestKeptIsEarnedByItsVersion: what was seen of a pool before a setting changed
// says nothing of what was promised after it.
func TestKeptIsEarnedByItsVersion(t *testing.T) {
	t.Parallel()
	const prod = core.PoolID(0)
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(2000), Total: resource.Vector{resource.CPU: 10_000}, Updates: 10})
	version := func(seconds int64) tables.Pool {
		return tables.Pool{Pool: prod, Path: "prod", Parent: core.RootPool, Configured: true, StarvationTimeout: core.Some(seconds * 1000)}
	}
	put(r, "a", version(60))
	put(r, "a", tables.PoolVersion{Pool: version(30), FromTime: at(0), ToTime: at(1000)}, tables.PoolVersion{Pool: version(60), FromTime: at(1000), ToTime: at(2000)})
	span := lacking(busy(prod, 0.3, 0, 1))
	span.ToTime = at(2000)
	put(r, "a", span)
	put(r, "a", tally("STV-02", prod, 5))
	r.check(r.graded(judging(t)...), map[string]string{"a": "fair_share_starvation_timeout prod " + tested + "\n" +
		"fair_share_starvation_timeout prod unverifiable: Tested, but no audit could judge it."})
}

// TestATimeoutIsPromisedToAllBelow: what happens in a pool without a timeout of its
// own tests and breaks that of the nearest pool above that states one, and no other.
func TestATimeoutIsPromisedToAllBelow(t *testing.T) {
	t.Parallel()
	const prod, batch, ads = core.PoolID(0), core.PoolID(1), core.PoolID(2)
	patient := func(pool core.PoolID) tables.Pool {
		return tables.Pool{Pool: pool, StarvationTimeout: core.Some(int64(30_000))}
	}
	below := func(p tables.Pool, path string, parent core.PoolID) tables.Pool {
		p.Path, p.Parent = path, parent
		return p
	}
	ignored := tables.SnapshotCheck{
		Invariant: "STV-02", Verdict: "violated", Element: tables.ElementPool, Pool: ads, FromTime: at(10), ToTime: at(20), Records: 2, Unit: "µs", Judged: "recomputed",
	}
	r := newTestRun(t)
	tree := func(name string, pools ...tables.Pool) {
		r.addTree(name, whole())
		r.pools(name, pools...)
		put(r, name, lacking(busy(ads, 0.3, 0, 1)))
		put(r, name, tally("STV-02", ads, 5))
	}
	tree("tested below", patient(prod), below(tables.Pool{Pool: ads}, "prod/ads", prod), patient(batch))
	tree("broken below", patient(prod), below(tables.Pool{Pool: ads}, "prod/ads", prod), patient(batch))
	put(r, "broken below", ignored)
	tree("its own", patient(prod), below(patient(ads), "prod/ads", prod), patient(batch))
	put(r, "its own", ignored)
	const kind, idle = "fair_share_starvation_timeout ", " vacuous: Nothing tested it: nothing in it was below its fair share."
	r.check(r.graded(judging(t)...), map[string]string{
		"tested below": kind + "prod " + tested + "\n" + kind + "batch" + idle,
		"broken below": kind + "prod broken\n" + kind + "batch" + idle,
		"its own":      kind + "prod/ads broken\n" + kind + "prod" + idle + "\n" + kind + "batch" + idle,
	})
}
