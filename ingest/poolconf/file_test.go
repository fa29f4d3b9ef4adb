package poolconf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

const sample = `
# Promises of the production cluster.
main_resource: cpu
max_running_operation_count: 100
job_interrupt_timeout: 10000
fifo_pool_scheduling_order: fifo
integral_guarantees: {smooth_period: 60000}
pools:
  prod:
    weight: 3
    min_share_resources: {cpu: 100.25, memory: 1e9}
    integral_guarantees: {guarantee_type: burst, resource_flow: {cpu: 5}}
    pools:
      etl: {mode: fifo, fifo_sort_parameters: [start_time, weight], max_running_operation_count: 0}
  batch: {max_share_ratio: 0.5, offloading_settings: {b: 1, a: [x]}}
`

var numbers = map[string]core.PoolID{"prod": 7, "etl": 2, "batch": 0}

func TestAFileBecomesRows(t *testing.T) {
	f, err := Parse("pools.yaml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	tree, ok := f.TreeRow("any")
	if !ok || tree.MainResource.Value != "cpu" || tree.PreemptTimeoutMS.Value != 10_000 || tree.SmoothPeriodMS.Value != 60_000 ||
		tree.ConfigJSON != `{"fifo_pool_scheduling_order":"fifo"}` {
		t.Errorf("tree row %+v", tree)
	}
	want := []trace.PoolConfig{{
		Pool: 7, Mode: "fair_share", IntegralType: "burst", Weight: core.Some(3.0),
		Strong: trace.PartialResources{CPUMilli: core.Some[int64](100_250), Memory: core.Some[int64](1_000_000_000)},
		Flow:   trace.PartialResources{CPUMilli: core.Some[int64](5000)},
	}, {
		Pool: 2, Parent: core.Some[core.PoolID](7), Mode: "fifo", IntegralType: "none",
		FIFOSortParameters: core.Some("start_time,weight"), MaxRunningOperationCount: core.Some[int64](0),
	}, {
		Pool: 0, Mode: "fair_share", IntegralType: "none", MaxShareRatio: core.Some(0.5),
		ConfigJSON: `{"offloading_settings":{"a":["x"],"b":1}}`,
	}}
	if diff := cmp.Diff(want, f.PoolRows("any", numbers)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatHasNoColumnIsKept: flags of integral_guarantees stand together in config_json.
func TestWhatHasNoColumnIsKept(t *testing.T) {
	f, err := Parse("pools.yaml", []byte(`pools: {a: {integral_guarantees: {guarantee_type: none, should_distribute_free_volume_among_children: true, can_accept_free_volume: false}}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := f.PoolRows("any", map[string]core.PoolID{"a": 0})[0].ConfigJSON
	if want := `{"integral_guarantees":{"can_accept_free_volume":false,"should_distribute_free_volume_among_children":true}}`; got != want {
		t.Errorf("config_json %s, want %s", got, want)
	}
	_, err = Parse("pools.yaml", []byte(`pools: {a: {integral_guarantees: {should_distribute_free_volume_among_children: 7}}}`))
	if err == nil || !strings.Contains(err.Error(), "must be true or false") {
		t.Errorf("a flag that is a number: %v", err)
	}
}

func TestJSONIsTheSame(t *testing.T) {
	f, err := Parse("pools.json", []byte("{\n\t\"pools\": {\n\t\t\"a\\/b\": {\"weight\": 1e3}\r\n}}"))
	if err != nil {
		t.Fatal(err)
	}
	rows := f.PoolRows("t", map[string]core.PoolID{"a/b": 0})
	if len(rows) != 1 || rows[0].Weight.Value != 1000 {
		t.Errorf("rows %+v", rows)
	}
}

func TestTreesAreToldApart(t *testing.T) {
	f, err := Parse("pools.yaml", []byte("trees:\n  gpu: {main_resource: gpu, pools: {a: }}\n  cpu: \n"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cpu", "gpu"}, f.Trees()); diff != "" {
		t.Error(diff)
	}
	if row, ok := f.TreeRow("gpu"); !ok || row.MainResource.Value != "gpu" {
		t.Errorf("tree gpu is %+v", row)
	}
	if _, ok := f.TreeRow("other"); ok || f.Pools("other") != nil || f.PoolRows("other", nil) != nil {
		t.Error("the file says something of a tree it does not name")
	}
}

func TestAWrongFileIsAnErrorWithItsLine(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"unknown option with a near name", "pools:\n  a:\n    wieght: 2", `f:3: a pool has no option "wieght"; did you mean weight?`},
		{"unknown option without one", "\nzzzzzzzzzzzzz: 1", `f:2: a tree has no option "zzzzzzzzzzzzz"; allowed are accumulated_resource_distribution_update_period, `},
		{"pool option on the tree", "weight: 1", `f:1: a tree has no option "weight"`},
		{"text for a number", "pools:\n  a: {weight: heavy}", "f:2: weight must be a number of at least 0"},
		{"number in quotes", "pools:\n  a: {weight: '1'}", "f:2: weight must be a number of at least 0"},
		{"negative weight", "pools: {a: {weight: -1}}", "f:1: weight must be a number of at least 0"},
		{"not a number", "pools: {a: {weight: .nan}}", "f:1: weight must be a number of at least 0"},
		{"share above one", "pools: {a: {max_share_ratio: 1.5}}", "f:1: max_share_ratio must be a number from 0 to 1"},
		{"part of an operation", "max_operation_count: 1.5", "f:1: max_operation_count must be a whole number of at least 0"},
		{"unknown mode", "pools: {a: {mode: lifo}}", "f:1: mode must be fair_share or fifo"},
		{"unknown resource", "pools: {a: {resource_limits: {cores: 4}}}", `f:1: resource_limits has no resource "cores"; it may name user_slots, cpu, gpu, memory and network`},
		{"resources that are no map", "pools: {a: {resource_limits: 4}}", "f:1: resource_limits must be a map of resources"},
		{"negative resource", "pools: {a: {resource_limits: {gpu: -1}}}", "f:1: resource_limits.gpu must be a whole number of at least 0"},
		{"alias beside its option", "pools:\n  a:\n    min_share_resources: {cpu: 1}\n    strong_guarantee_resources: {cpu: 1}",
			"f:4: strong_guarantee_resources and min_share_resources (line 3) are one option: keep one of them"},
		{"pool named twice", "pools:\n  a: {pools: {b: {}}}\n  b: {}", "f:3: pool b stands on line 2 already; a name is unique in its whole tree"},
		{"key written twice", "pools:\n  a: {}\n  a: {}", "f:3: "},
		{"empty sort parameters", "pools: {a: {fifo_sort_parameters: []}}", "f:1: fifo_sort_parameters must be a list of start_time, weight, pending_job_count or pending_allocation_count"},
		{"sort parameter twice", "pools: {a: {fifo_sort_parameters: [weight, weight]}}", "f:1: fifo_sort_parameters names weight twice"},
		{"pools below a FIFO pool", "pools:\n  a: {mode: fifo, pools: {b: }}", "f:2: pool a is in mode fifo and has pools below it"},
		{"counts out of order", "pools: {a: {max_operation_count: 1, max_running_operation_count: 2}}", "f:1: pool a has a max_running_operation_count of 2 above"},
		{"burst resources of a relaxed pool", "pools: {a: {integral_guarantees: {guarantee_type: relaxed, burst_guarantee_resources: {cpu: 1}}}}", "f:1: pool a has burst_guarantee_resources"},
		{"reserved name", "pools: {a$b: {}}", "f:1: \"a$b\" cannot be the name of a pool: $ is for ephemeral subpools, whose options are those of ephemeral_subpool_config of pool \"a\""},
		{"no name of a hub", "pools: {$b: {}}", "f:1: \"$b\" cannot be the name of a pool: a name has 1 to 100 characters, no $"},
		{"options beside trees", "main_resource: cpu\ntrees: {a: {}}", "f:2: beside trees nothing else may stand"},
		{"anchor", "pools: {a: &x {weight: 1}}", "f:1: anchors, aliases and tags are not taken"},
		{"broken YAML", "pools:\n  a: {", "f:2: "},
		{"two documents", "a: 1\n---\nb: 2", "f:3: a second document begins here"},
		{"a list", "- a", "f:1: the file must be a map"},
		{"too deep", strings.Repeat("[", 10_000), "f:1: values nest deeper than 200 levels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("f", []byte(c.file))
			var bad *input.PlaceError
			if !errors.As(err, &bad) || !bad.BadInput() {
				t.Fatalf("error is %v", err)
			}
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error is\n%s\nwant\n%s", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{sample, "", "{", "trees: {a: }", "pools: {a: {pools: {b: {weight: 1}}}}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Parse("f", b)
		if err != nil {
			var bad *input.PlaceError
			if !errors.As(err, &bad) || bad.Line < 1 {
				t.Fatalf("error without a line: %v", err)
			}
			return
		}
		number := map[string]core.PoolID{}
		for i, name := range file.Pools("t") {
			number[name] = core.PoolID(i)
		}
		if got := len(file.PoolRows("t", number)); got != len(number) {
			t.Fatalf("%d rows of %d pools", got, len(number))
		}
	})
}
