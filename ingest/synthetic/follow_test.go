package synthetic

import (
	"math"
	"path/filepath"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest"
	"poolproof/ingest/trace"
)

// A core that follows a generated trace, update by update, has the shares,
// counts and lists that the scheduler of the simulation recorded.
func TestWhoFollowsTheTraceSeesWhatTheSchedulerSaw(t *testing.T) {
	spec := preset(t, "small", 30*minute)
	dir, s := generate(t, Options{Spec: spec, Seed: 1, Workers: 2})
	for _, tree := range s.Trees {
		if n := follow(t, dir, tree, core.Time(spec.FairShareUpdatePeriod)); n == 0 {
			t.Errorf("%s: nothing is compared", tree)
		}
	}
}

// follow compares a tree's snapshots with a core that follows its log, and
// returns how many elements it compared.
func follow(t *testing.T, dir, tree string, period core.Time) (compared int) {
	t.Helper()
	pools, operations := map[core.Time][]trace.SnapPool{}, map[core.Time][]trace.SnapOp{}
	folder := filepath.Join(dir, trace.TreeDir(tree))
	eachRow(t, filepath.Join(folder, "snap_pools-000.parquet"), trace.SnapPools, func(r *trace.SnapPool) { pools[r.Time] = append(pools[r.Time], *r) })
	eachRow(t, filepath.Join(folder, "snap_ops-000.parquet"), trace.SnapOps, func(r *trace.SnapOp) { operations[r.Time] = append(operations[r.Time], *r) })
	in, err := ingest.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	c := core.New(in.Dimensions(), core.Documented)
	next := in.Window().From + period
	wrong := 0
	complain := func(format string, args ...any) {
		if wrong++; wrong <= 10 {
			t.Errorf(tree+": "+format, args...)
		}
	}
	for e, err := range in.Events(tree, ingest.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		for ; e.Time >= next; next += period {
			c.ClearChanges()
			if err := c.Update(next); err != nil {
				t.Fatal(err)
			}
			for _, r := range pools[next] {
				slot, ok := c.PoolOf(r.Pool)
				if !ok || c.Pool(slot).Removed.Set {
					complain("%d: pool %d is not there", (next-in.Window().From)/core.Second, r.Pool)
					continue
				}
				compared++
				p := c.Pool(slot)
				if now := c.Shares(p.Element); !same(now.FairShare.Total, r.FairTotal.Value) || p.Running != r.RunningOperations.Value || trace.FromVector(now.Usage) != r.Usage {
					complain("%d: pool %s has fair share %v, %d running, %v, recorded are %v, %d, %v", (next-in.Window().From)/core.Second,
						in.Dimensions().Pools[r.Pool].Name, now.FairShare.Total, p.Running, trace.FromVector(now.Usage), r.FairTotal.Value, r.RunningOperations.Value, r.Usage)
				}
			}
			for _, r := range operations[next] {
				slot, ok := c.OperationOf(r.Op)
				if !ok || !c.Operation(slot).Enabled() {
					complain("%d: operation %d is not there", (next-in.Window().From)/core.Second, r.Op)
					continue
				}
				compared++
				element := c.Operation(slot).Element
				aggressively, preemptible := c.Scheduling().Lists(element)
				status := c.Scheduling().Starvation(element).Status().String()
				if now := c.Shares(element); !same(now.FairShare.Total, r.FairTotal.Value) || status != r.StarvationStatus ||
					int64(preemptible) != r.PreemptibleJobs.Value || int64(aggressively) != r.AggressivePreemptible.Value {
					complain("%d: operation %d has %v, %s, lists of %d and %d, recorded are %v, %s, %d and %d", (next-in.Window().From)/core.Second, r.Op,
						now.FairShare.Total, status, aggressively, preemptible, r.FairTotal, r.StarvationStatus, r.AggressivePreemptible.Value, r.PreemptibleJobs.Value)
				}
			}
		}
		c.Step(e)
	}
	return compared
}

func same(s resource.Share, r trace.Shares) bool {
	recorded := sharesOf(s)
	for _, d := range []float64{recorded.CPU - r.CPU, recorded.UserSlots - r.UserSlots, recorded.GPU - r.GPU, recorded.Memory - r.Memory, recorded.Network - r.Network} {
		if math.Abs(d) > 1e-12 {
			return false
		}
	}
	return true
}
