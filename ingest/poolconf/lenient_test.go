package poolconf

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/ingest/trace"
)

// What a cluster writes is taken as far as it can be: its own attributes are
// passed over, aliases are understood, and a value that cannot be is told.
func TestAClustersOwnPool(t *testing.T) {
	row, faults := PoolRow(pooltree.Attributes{
		"id": "1-2-3-4", "acl": []any{}, "weight": 2.5, "min_share_resources": map[string]any{"cpu": 1.5, "gpu": int64(2)},
		"mode": "lifo", "max_operation_count": int64(-1), "allow_aggressive_starvation_preemption": false, "max_running_operation_count": nil,
		"fifo_sort_parameters": []any{"weight", "start_time"}, "allowed_profiling_tags": []any{},
	})
	want := trace.PoolConfig{
		Mode: "fair_share", IntegralType: "none", Weight: core.Some(2.5),
		Strong:                    trace.PartialResources{CPUMilli: core.Some[int64](1500), GPU: core.Some[int32](2)},
		AllowAggressivePreemption: core.Some(false), FIFOSortParameters: core.Some("weight,start_time"),
		ConfigJSON: `{"allowed_profiling_tags":[]}`,
	}
	if diff := cmp.Diff(want, row); diff != "" {
		t.Error(diff)
	}
	var options []string
	for _, f := range faults {
		options = append(options, f.Option)
	}
	if diff := cmp.Diff([]string{"max_operation_count", "mode"}, options); diff != "" {
		t.Error(diff, faults)
	}
}

// A row and its attributes say the same, both ways.
func TestATreeAndItsAttributes(t *testing.T) {
	row, faults := TreeRow(pooltree.Attributes{
		"nodes_filter": "cpu", "default_parent_pool": "research", "fair_share_preemption_timeout": int64(15_000),
		"enable_aggressive_starvation": true, "integral_guarantees": map[string]any{"smooth_period": int64(60_000)},
	})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	a, wrong := TreeAttributes(&row)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	again, faults := TreeRow(a)
	if diff := cmp.Diff(row, again); diff != "" || len(faults) > 0 || row.FairShareStarvationTimeoutMS != core.Some[int64](15_000) {
		t.Error(diff, faults, row)
	}
}
