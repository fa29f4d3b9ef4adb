package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// dayRun is a run of n spans of operations, with the other tables in proportion
// to a day of a large cluster: half as many spans of pools and jobs.
func dayRun(b *testing.B, n int) *testRun {
	const pools, operations, nodes = 1000, 10_000, 2000
	dims := &core.Dimensions{}
	for i := range pools {
		dims.Pools = append(dims.Pools, core.PoolInfo{Name: fmt.Sprintf("pool%d", i)})
	}
	for i := range operations {
		dims.Operations = append(dims.Operations, core.OperationInfo{ID: fmt.Sprintf("%08x-1-2-3", i)})
	}
	for i := range nodes {
		dims.Nodes = append(dims.Nodes, fmt.Sprintf("node%d", i))
	}
	r := newTestRun(b)
	r.dict = tables.NewDictionaries(dims)
	b.Cleanup(r.dict.Release)
	r.addTree("a", whole())
	span := func(i, of int) tables.Interval {
		from := at(86400 * i / of)
		x := tables.Interval{FromTime: from, ToTime: from + 60*second, UsageRatio: 0.001, FairRatio: 0.002, DemandRatio: 0.003, DemandRatioMax: 0.004, UsageRatioMax: 0.001, MinShareRatio: 0.001}
		x.DemandShare[resource.CPU], x.LimitsShare, x.StrongShare[resource.CPU] = 0.003, resource.Share{1, 0.5, 1, 1, 1}, 0.001
		return x
	}
	poolRows := make([]tables.Pool, pools)
	for i := range poolRows {
		poolRows[i] = tables.Pool{Pool: core.PoolID(i), Path: dims.Pools[i].Name, Parent: core.RootPool, Configured: true, StrongGuarantee: cores(1), ResourceLimits: cores(50), MaxRunning: core.Some(int64(8))}
	}
	put(r, "a", poolRows...)
	put(r, "a", tables.Tree{Profile: "documented", FromTime: at(0), ToTime: at(86400), Total: resource.Vector{resource.CPU: 1_000_000}, Updates: 10})
	poolSpans := make([]tables.PoolInterval, n/2)
	for i := range poolSpans {
		poolSpans[i] = tables.PoolInterval{Pool: core.PoolID(i % pools), Interval: span(i, n/2), Operations: int64(i % 9), MaxRunning: core.Some(int64(8))}
		if i%3 == 0 {
			poolSpans[i].UsageRatio = 0.01 // above its fair share
		}
	}
	put(r, "a", poolSpans...)
	operationSpans := make([]tables.OperationInterval, n)
	for i := range operationSpans {
		operationSpans[i] = tables.OperationInterval{Operation: core.OperationID(i % operations), Pool: core.PoolID(i % pools), Interval: span(i, n)}
	}
	put(r, "a", operationSpans...)
	jobs := make([]tables.Job, n/2)
	for i := range jobs {
		start := at(86400 * i / len(jobs))
		jobs[i] = tables.Job{Job: fmt.Sprintf("%08x-a-b-c", i), JobIx: core.JobID(i), Operation: core.OperationID(i % operations), Pool: core.PoolID(i % pools),
			Node: core.Some(core.NodeID(i % nodes)), StartTime: start, EndTime: core.Some(start + 600*second), End: core.EndCompleted, Resources: resource.Vector{1, 100}}
	}
	put(r, "a", jobs...)
	episodes := make([]tables.GuaranteeEpisode, n/500)
	for i := range episodes {
		from := at(80000 * i / len(episodes))
		episodes[i] = tables.GuaranteeEpisode{Pool: core.PoolID(i % pools), FromTime: from, ToTime: from + 600*second, Resource: resource.CPU, Gap: 0.3, GapTime: from + second, Owed: 6e11, Others: 6e8, Withheld: 6e8, Preemptible: 6e8, SurelyPreemptible: 6e8}
	}
	put(r, "a", episodes...)
	return r
}

// BenchmarkAudit judges a run again and again, loaded anew each time and not.
func BenchmarkAudit(b *testing.B) {
	const n = 1_000_000
	r := dayRun(b, n)
	for _, loaded := range []bool{false, true} {
		b.Run(fmt.Sprintf("loaded=%v", loaded), func(b *testing.B) {
			for b.Loop() {
				if !loaded {
					os.Remove(filepath.Join(r.dir, DatabaseName))
				}
				began := map[string]time.Time{}
				if _, err := Run(b.Context(), Options{Dir: r.dir, Queries: queries.Files, Workers: 2, Started: func(name string) { began[name] = time.Now() }}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(2*n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
