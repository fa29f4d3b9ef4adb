package ingest

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

// shares of 0.1 to 0.5 beyond a base: every column is its own.
func sharesFrom(base float64) trace.Shares {
	return trace.Shares{UserSlots: base + 0.1, CPU: base + 0.2, GPU: base + 0.3, Memory: base + 0.4, Network: base + 0.5}
}

func shareFrom(base float64) resource.Share {
	return resource.Share{base + 0.1, base + 0.2, base + 0.3, base + 0.4, base + 0.5}
}

func amountsFrom(n int64) trace.Resources {
	return trace.Resources{UserSlots: n, CPUMilli: 10 * (n + 1), GPU: int32(n + 2), Memory: n + 3, Network: n + 4}
}

func vectorFrom(n int64) resource.Vector { return resource.Vector{n, n + 1, n + 2, n + 3, n + 4} }

var recordedShares = trace.SnapShares{
	Usage: amountsFrom(1), Demand: amountsFrom(11), Limits: core.Some(amountsFrom(21)),
	UsageShare: core.Some(sharesFrom(1)), DemandShare: core.Some(sharesFrom(2)), StrongShare: core.Some(sharesFrom(3)), FairTotal: core.Some(sharesFrom(4)),
	FairStrong: core.Some(sharesFrom(5)), FairIntegral: core.Some(sharesFrom(6)), FairWeight: core.Some(sharesFrom(7)),
	Dominant: "gpu", Satisfaction: core.Some(0.7), LocalSatisfaction: core.Some(0.8), StarvationStatus: "starving",
}

var recordedState = core.RecordedState{
	Snapshot: "s1", Usage: vectorFrom(1), Demand: vectorFrom(11), Limits: core.Some(vectorFrom(21)),
	UsageShare: shareFrom(1), DemandShare: shareFrom(2), StrongShare: shareFrom(3), FairShare: shareFrom(4),
	FairStrong: core.Some(shareFrom(5)), FairIntegral: core.Some(shareFrom(6)), FairWeight: core.Some(shareFrom(7)),
	Dominant: "gpu", Satisfaction: core.Some(0.7), LocalSatisfaction: core.Some(0.8), Status: "starving",
}

// A snapshot stands first in its instant: the tree, its pools, its operations.
func TestTheSchedulersOwnViewReachesTheCore(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.Add(&trace.Pool{Pool: 2, Tree: "t", Name: "c"}))
	n := core.Some[int64]
	l.check(l.tree.Add(&trace.TreeConfig{Stamp: stamp(5)}))
	l.check(l.tree.Add(&trace.SnapOp{Stamp: stamp(5), Snapshot: "s1", Op: 2, Pool: 2, SnapShares: recordedShares,
		PreemptibleJobs: n(3), AggressivePreemptible: n(4), StarvingSince: core.Some(second(2)), UnschedulableReason: core.Some("pending"),
		FIFOIndex: core.Some[int32](0), SchedulingIndex: core.Some[int32](6), Declines: n(9), BestAllocation: core.Some(sharesFrom(8))}))
	l.check(l.tree.Add(&trace.SnapOp{Stamp: stamp(6), Snapshot: "s2", Op: 1, Pool: 0, SnapShares: trace.SnapShares{Dominant: "cpu"}}))
	l.check(l.tree.Add(&trace.SnapPool{Stamp: stamp(5), Snapshot: "s1", Pool: core.RootPool, Mode: "fair_share", Weight: 1}))
	for i, row := range []trace.SnapPool{
		{Snapshot: "s1", Pool: 0, Mode: "fifo", Weight: 2.5, SnapShares: recordedShares,
			AccumulatedRatioVolume: core.Some(12.5), RunningOperations: n(1), Operations: n(2), LightweightRunning: n(0)},
		{Snapshot: "s1", Pool: 2, Parent: core.Some[core.PoolID](0)},
	} {
		row.Stamp = trace.Stamp{Time: second(5), Seq: int64(10 + i)}
		l.check(l.tree.Add(&row))
	}
	l.check(l.tree.Add(&trace.SnapTree{Stamp: stamp(5), Snapshot: "s1", Limits: amountsFrom(100), NodeCount: n(7)}))
	l.check(l.tree.Add(&trace.SnapTree{Stamp: stamp(6), Snapshot: "s2"}))
	tr := l.open()
	var got []any
	for e, err := range tr.Events("t", Options{}) {
		l.check(err)
		switch e.Kind {
		case core.TreeRecorded:
			got = append(got, *e.TreeRecord)
		case core.PoolRecorded:
			got = append(got, *e.PoolRecord)
		case core.OperationRecorded:
			got = append(got, *e.OperationRecord)
		default:
			got = append(got, fmt.Sprint("kind ", e.Kind))
		}
	}
	of := func(snapshot string) core.RecordedState { // of a row without shares
		const no = core.Unrecorded
		return core.RecordedState{Snapshot: snapshot, UsageDetail: no, DemandDetail: no, StrongDetail: no, FairDetail: no}
	}
	cpu := of("s2")
	cpu.Dominant = "cpu"
	if diff := cmp.Diff([]any{
		core.TreeRecord{Snapshot: "s1", Total: vectorFrom(100), NodeCount: n(7)},
		core.PoolRecord{RecordedState: of("s1"), Pool: core.RootPool, Parent: core.Unknown, Mode: "fair_share", Weight: 1},
		core.PoolRecord{RecordedState: recordedState, Pool: 0, Parent: core.RootPool, Mode: "fifo", Weight: 2.5,
			RatioVolume: core.Some(12.5), Running: n(1), Operations: n(2), Lightweight: n(0)},
		core.PoolRecord{RecordedState: of("s1"), Pool: 2, Parent: 0},
		core.OperationRecord{RecordedState: recordedState, Operation: 2, Pool: 2, Preemptible: n(3), AggressivePreempt: n(4),
			StarvingSince: core.Some(second(2)), Unschedulable: "pending", FIFOIndex: core.Some[int32](0), SchedulingIndex: core.Some[int32](6), Declines: n(9), BestAllocation: core.Some(shareFrom(8))},
		fmt.Sprint("kind ", core.TreeConfigured),
		core.TreeRecord{Snapshot: "s2"},
		core.OperationRecord{RecordedState: cpu, Operation: 1, Pool: 0},
	}, got); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// Before September 2020 no share was recorded of every resource (ingest/trace/FORMAT.md §1.9).
func TestARatioStandsForAShareOfWhichNoMoreIsTold(t *testing.T) {
	l := newLog(t, trace.Options{})
	ratios := trace.SnapShares{Dominant: "gpu", StrongRatio: core.Some(0.25), FairRatio: core.Some(0.5)}
	both := ratios
	both.FairTotal = core.Some(sharesFrom(0))
	nameless := ratios
	nameless.Dominant, nameless.StrongRatio = "", core.Optional[float64]{}
	for i, shares := range []trace.SnapShares{ratios, both, nameless} {
		l.check(l.tree.Add(&trace.SnapOp{Stamp: stamp(int64(i) + 1), Snapshot: "s", SnapShares: shares}))
	}
	got := of(t, l.open(), core.OperationRecorded, func(e *core.Event) string {
		x := &e.OperationRecord.RecordedState
		return fmt.Sprint(x.StrongShare, x.StrongDetail, x.FairShare, x.FairDetail, x.UsageDetail, x.DemandDetail)
	})
	if diff := cmp.Diff([]string{
		fmt.Sprint(resource.Share{resource.GPU: 0.25}, core.DominantOnly, resource.Share{resource.GPU: 0.5}, core.DominantOnly, core.Unrecorded, core.Unrecorded),
		fmt.Sprint(resource.Share{resource.GPU: 0.25}, core.DominantOnly, shareFrom(0), core.PerResource, core.Unrecorded, core.Unrecorded),
		fmt.Sprint(resource.Share{}, core.Unrecorded, resource.Share{resource.CPU: 0.5}, core.DominantOnly, core.Unrecorded, core.Unrecorded),
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsWrongInASnapshotIsAProblem(t *testing.T) {
	pool := func(change func(*trace.SnapPool)) func(*log) {
		return func(l *log) {
			row := trace.SnapPool{Stamp: stamp(1), Snapshot: "s", Pool: 0}
			change(&row)
			l.check(l.tree.Add(&row))
		}
	}
	op := func(change func(*trace.SnapOp)) func(*log) {
		return func(l *log) {
			row := trace.SnapOp{Stamp: stamp(1), Snapshot: "s", Op: 0, Pool: 0}
			change(&row)
			l.check(l.tree.Add(&row))
		}
	}
	report := func(change func(*trace.Accumulated)) func(*log) {
		return func(l *log) {
			row := trace.Accumulated{Stamp: stamp(1), Fair: core.Some(trace.Volume{}), Deficit: core.Some(trace.Volume{})}
			change(&row)
			l.check(l.tree.Add(&row))
		}
	}
	const (
		trees   = "tree=t/snap_tree-000.parquet"
		pools   = "tree=t/snap_pools-000.parquet"
		ops     = "tree=t/snap_ops-000.parquet"
		reports = "tree=t/accumulated-000.parquet"
	)
	for _, c := range []struct {
		name  string
		plant func(*log)
		want  Problem
		left  int
	}{
		{"a total below zero", func(l *log) {
			l.check(l.tree.Add(&trace.SnapTree{Stamp: stamp(1), Limits: trace.Resources{GPU: -1}}))
		}, Problem{trees, 0, "total_limits_gpu", negativeResource, "-1"}, 0},
		{"a pool that is not there", pool(func(r *trace.SnapPool) { r.Pool = 9 }), Problem{pools, 0, "pool_ix", idOutOfRange, "9"}, 0},
		{"a pool that is unknown", pool(func(r *trace.SnapPool) { r.Pool = core.Unknown }), Problem{pools, 0, "pool_ix", idOutOfRange, "-1"}, 0},
		{"a parent in another tree", pool(func(r *trace.SnapPool) { r.Parent = core.Some[core.PoolID](1) }), Problem{pools, 0, "parent_ix", poolOfOtherTree, "other"}, 0},
		{"a weight that is no number", pool(func(r *trace.SnapPool) { r.Weight = math.NaN() }), Problem{pools, 0, "weight", badNumber, "NaN"}, 0},
		{"a share that is no number", pool(func(r *trace.SnapPool) { r.StrongShare = core.Some(trace.Shares{Memory: math.Inf(-1)}) }), Problem{pools, 0, "strong_share_memory", badNumber, "-Inf"}, 0},
		{"a ratio that is no number", pool(func(r *trace.SnapPool) { r.FairRatio = core.Some(math.NaN()) }), Problem{pools, 0, "fair_ratio", badNumber, "NaN"}, 1},
		{"a part of a share that is no number", pool(func(r *trace.SnapPool) { r.FairIntegral = core.Some(trace.Shares{GPU: math.NaN()}) }), Problem{pools, 0, "fair_integral_gpu", badNumber, "NaN"}, 0},
		{"a volume that is no number", pool(func(r *trace.SnapPool) { r.AccumulatedRatioVolume = core.Some(math.NaN()) }),
			Problem{pools, 0, "accumulated_ratio_volume", badNumber, "NaN"}, 1},
		{"a usage below zero", op(func(r *trace.SnapOp) { r.Usage.CPUMilli = -20 }), Problem{ops, 0, "usage_cpu_milli", negativeResource, "-20"}, 0},
		{"a limit below zero", op(func(r *trace.SnapOp) { r.Limits = core.Some(trace.Resources{Network: -2}) }), Problem{ops, 0, "limits_network", negativeResource, "-2"}, 0},
		{"an operation that is not there", op(func(r *trace.SnapOp) { r.Op = 3 }), Problem{ops, 0, "op_ix", idOutOfRange, "3"}, 0},
		{"a satisfaction that is no number", op(func(r *trace.SnapOp) { r.Satisfaction = core.Some(math.Inf(1)) }), Problem{ops, 0, "satisfaction", badNumber, "+Inf"}, 1},
		{"a time of starvation that stands for none", op(func(r *trace.SnapOp) { r.StarvingSince = core.Some[core.Time](253402300799_000000) }),
			Problem{ops, 0, "starving_since", timeOutOfRange, "9999-12-31T23:59:59Z"}, 1},
		{"a volume of an operation that is not there", report(func(r *trace.Accumulated) { r.Op = 3 }), Problem{reports, 0, "op_ix", idOutOfRange, "3"}, 0},
		{"a deficit that is no number", report(func(r *trace.Accumulated) { r.Deficit.Value.CPU = math.NaN() }), Problem{reports, 0, "deficit_cpu", badNumber, "NaN"}, 0},
		{"a fair volume that no cluster has", report(func(r *trace.Accumulated) { r.Fair.Value.Memory = -1e22 }), Problem{reports, 0, "fair_memory", badNumber, "-1e+22"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t, trace.Options{})
			c.plant(l)
			tr := l.open()
			left := 0
			for _, err := range tr.Events("t", Options{}) {
				l.check(err)
				left++
			}
			if diff := cmp.Diff([]Problem{c.want}, tr.Problems()); diff != "" || left != c.left {
				t.Errorf("%d events are left; %s", left, diff)
			}
		})
	}
}

// What jobs tells of as well makes no event and is counted.
func TestAllocationsBringNewsOfJobs(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.job(trace.Job{Stamp: stamp(1), Job: 5, ID: "j5", Op: 1, Node: 2, EndKind: "running"})
	usage := core.Some(amountsFrom(1))
	const file = "tree=t/allocations-000.parquet"
	for i, row := range []trace.Allocation{
		{Job: 5, Op: 1, Node: 2, Action: "start"},
		{Job: 5, Op: 1, Node: 2, Action: "state", State: core.Some("running")},
		{Job: 5, Op: 1, Node: 2, Action: "usage", Usage: usage},
		{Job: 5, Op: 1, Node: -7, Action: "usage", Usage: core.Some(trace.Resources{})},
		{Job: 5, Op: 1, Node: 2, Action: "usage"},
		{Job: -5, Op: 1, Node: 2, Action: "usage", Usage: usage},
		{Job: 5, Op: 8, Node: 2, Action: "usage", Usage: usage},
		{Job: 5, Op: 1, Node: 8, Action: "usage", Usage: usage},
		{Job: 5, Op: 1, Node: 2, Action: "usage", Usage: core.Some(trace.Resources{Memory: -1})},
		{Job: 5, Op: 1, Node: 2, Action: "nap"},
		{Job: 5, Op: 1, Node: 2, Action: "preempt"},
		{Job: 5, Op: 1, Node: 2, Action: "preempt", TimeoutMS: core.Some[int64](10_000)},
		{Job: 5, Op: 1, Node: 2, Action: "preempt", TimeoutMS: core.Some[int64](-1)},
		{Job: 5, Op: 1, Node: 2, Action: "state", State: core.Some("asleep")},
	} {
		row.Stamp = stamp(int64(i) + 2)
		l.check(l.tree.Add(&row))
	}
	tr := l.open()
	got := of(t, tr, core.JobReported, func(e *core.Event) string {
		if !e.Uses {
			return fmt.Sprint(seconds(e), " ", e.Job, " ", e.Operation, " ", e.Node, " ", e.State, " ", e.Timeout)
		}
		return fmt.Sprint(seconds(e), " ", e.Job, " ", e.Operation, " ", e.Node, " ", e.Usage)
	})
	if diff := cmp.Diff([]string{"3 5 1 2 running 0", "4 5 1 2 [1 2 3 4 5]", "5 5 1 -1 [0 0 0 0 0]", "13 5 1 2  10000000"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Problem{
		{file, 4, "usage_user_slots", nullValue, ""}, {file, 5, "job_ix", idOutOfRange, "-5"}, {file, 6, "op_ix", idOutOfRange, "8"},
		{file, 7, "node_ix", idOutOfRange, "8"}, {file, 8, "usage_memory", negativeResource, "-1"}, {file, 9, "action", unknownEnum, "nap"},
		{file, 12, "timeout_ms", badNumber, "-1"}, {file, 13, "state", unknownEnum, "asleep"},
	}, tr.Problems()); diff != "" {
		t.Error(diff)
	}
	if n := tr.StateChanges("t"); n != 2 {
		t.Errorf("%d changes of state are counted, want 2", n)
	}
}

// What a snapshot's rows are read into is used again.
func TestNothingIsAllocatedPerRecord(t *testing.T) {
	l := newLog(t, trace.Options{})
	const snapshots, operations = 200, 3
	for s := range int64(snapshots) {
		id := fmt.Sprintf("snapshot %d", s)
		l.check(l.tree.Add(&trace.SnapTree{Stamp: trace.Stamp{Time: second(float64(s)), Seq: s}, Snapshot: id}))
		for i := range int64(100) {
			at := trace.Stamp{Time: second(float64(s)), Seq: s*1000 + i}
			l.check(l.tree.Add(&trace.SnapOp{Stamp: at, Snapshot: id, Op: core.OperationID(i % operations), Pool: 0, SnapShares: recordedShares}))
			l.check(l.tree.Add(&trace.SnapPool{Stamp: at, Snapshot: id, Pool: 0, SnapShares: recordedShares}))
		}
	}
	tr := l.open()
	events := 0
	allocations := testing.AllocsPerRun(1, func() {
		events = 0
		for _, err := range tr.Events("t", Options{}) {
			l.check(err)
			events++
		}
	})
	if want := snapshots * 201; events != want || allocations > 10_000 {
		t.Errorf("%v allocations for %d events, want %d", allocations, events, want)
	}
}
