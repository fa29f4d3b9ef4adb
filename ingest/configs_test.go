package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

// configs returns the configurations of tree t in the order of their events.
func configs(t *testing.T, tr *Trace, o Options) (trees []core.TreeConfig, pools []core.PoolConfig) {
	t.Helper()
	for e, err := range tr.Events("t", o) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == core.TreeConfigured {
			trees = append(trees, *e.Tree)
		}
		if e.Kind == core.PoolConfigured {
			pools = append(pools, *e.Config)
		}
	}
	return trees, pools
}

// All options reach the core, those without a column by config_json.
func TestEveryOptionReachesTheCore(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.TreeConfig{
		Stamp: stamp(1), Source: "event", NodesFilter: core.Some("a & !b"), PreemptTimeoutMS: core.Some[int64](7),
		NonPreemptible: trace.PartialResources{CPUMilli: core.Some[int64](1500)}, EnablePoolStarvation: core.Some(true),
		ConfigJSON: `{"max_unpreemptible_running_job_count": 3, "batch_operation_scheduling": {"batch_size": 5},
			"pool_config_presets": {"fast": {"fair_share_starvation_tolerance": 0.9}}}`,
	}))
	l.check(l.tree.Add(&trace.PoolConfig{
		Stamp: stamp(2), Pool: 0, Ephemeral: true, AllowNormalPreemption: core.Some(false), Preset: core.Some("fast"),
		EphemeralSubpoolJSON: core.Some(`{"max_running_operation_count": 2}`), SchedulingTagFilter: core.Some("ssd"),
	}))
	tr := l.open()
	trees, pools := configs(t, tr, Options{})
	filter := func(text string) pooltree.Formula {
		f, err := pooltree.ParseTagFilter(text)
		l.check(err)
		return f
	}
	if diff := cmp.Diff([]core.TreeConfig{{
		Dated: true, NodesFilter: filter("a & !b"), JobInterruptTimeout: core.Some[pooltree.Milliseconds](7), EnablePoolStarvation: core.Some(true),
		NonPreemptibleThreshold: resource.Partial{Amounts: resource.Vector{resource.CPU: 150}, Set: [resource.Kinds]bool{resource.CPU: true}},
		MaxUnpreemptibleJobs:    core.Some[int64](3), Batch: pooltree.Batch{Size: 5},
		Presets: []pooltree.Preset{{Name: "fast", Config: pooltree.PoolConfig{FairShareStarvationTolerance: core.Some(0.9)}}},
	}}, trees, formulas); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]core.PoolConfig{{Parent: core.RootPool, Ephemeral: true, PoolConfig: pooltree.PoolConfig{
		AllowNormalPreemption: core.Some(false), Presets: []string{"fast"}, TagFilter: filter("ssd"),
		Subpools: core.Some(pooltree.Subpool{MaxRunningOperationCount: core.Some[int64](2)}),
	}}}, pools, formulas); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// What is wrong with one value leaves the others as they are.
func TestABadValueTakesNoOtherWithIt(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.PoolConfig{
		Stamp: stamp(1), Pool: 0, Weight: core.Some(-1.0), IntegralType: "burst", RelaxedShareMultiplierLimit: core.Some(99.0),
		Strong:     trace.PartialResources{CPUMilli: core.Some[int64](2000), GPU: core.Some[int32](-1)},
		Burst:      trace.PartialResources{Memory: core.Some[int64](8)},
		ConfigJSON: `{"mode": "fifo", "max_operation_count": "many", "integral_guarantees": {"can_accept_free_volume": []}}`,
	}))
	tr := l.open()
	_, pools := configs(t, tr, Options{})
	only := func(k resource.Kind, amount int64) (p resource.Partial) {
		p.Amounts[k], p.Set[k] = amount, true
		return p
	}
	if diff := cmp.Diff([]core.PoolConfig{{Parent: core.RootPool, PoolConfig: pooltree.PoolConfig{
		Mode: core.Some(core.FIFO), StrongGuarantee: only(resource.CPU, 200),
		Integral: pooltree.IntegralConfig{Type: core.Burst, Burst: only(resource.Memory, 8)},
	}}}, pools, formulas); diff != "" {
		t.Error(diff)
	}
	var columns []string
	for _, p := range tr.Problems() {
		columns = append(columns, p.Column+" "+p.Code)
	}
	if diff := cmp.Diff([]string{"config_json bad_config", "config_json bad_config", "relaxed_share_multiplier_limit bad_number",
		"strong_gpu negative_resource", "weight bad_number"}, columns); diff != "" {
		t.Error(diff)
	}
}

// Whether options may stand side by side is no question of reading them.
func TestOptionsThatContradictEachOtherAreRead(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.PoolConfig{Stamp: stamp(1), Pool: 0,
		MaxOperationCount: core.Some[int64](3), MaxRunningOperationCount: core.Some[int64](4)}))
	tr := l.open()
	_, pools := configs(t, tr, Options{})
	if pools[0].MaxRunningOperationCount != core.Some[int64](4) || len(tr.Problems()) > 0 {
		t.Errorf("the limit is %v, problems are %v", pools[0].MaxRunningOperationCount, tr.Problems())
	}
}

// A weight of zero is legal by the documentation alone.
func TestTheProfileSaysWhatAValueMayBe(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.tree.Add(&trace.PoolConfig{Stamp: stamp(1), Pool: 0, Weight: core.Some(0.0)}))
	tr := l.open()
	for profile, want := range map[core.Profile]core.Optional[float64]{core.Documented: core.Some(0.0), core.Baseline: {}} {
		_, pools := configs(t, tr, Options{Profile: profile})
		if pools[0].Weight != want || (len(tr.Problems()) == 0) != want.Set {
			t.Errorf("%v: the weight is %v, problems are %v", profile, pools[0].Weight, tr.Problems())
		}
	}
}

func TestTheManifestMayNameTheProfile(t *testing.T) {
	for name, want := range map[string]core.Profile{"": core.Documented, "legacy": core.Legacy} {
		got, err := (&Trace{manifest: &trace.Manifest{Profile: name}}).Profile()
		if got != want || err != nil {
			t.Errorf("%q is %v, %v", name, got, err)
		}
	}
	if _, err := (&Trace{manifest: &trace.Manifest{Profile: "modern"}}).Profile(); !input.IsBad(err) {
		t.Errorf("the profile modern gives %v", err)
	}
}

// A version ends at its valid_to unless the next one comes until then.
func TestAVersionWithoutASuccessorEnds(t *testing.T) {
	l := newLog(t, trace.Options{})
	l.check(l.w.Add(&trace.Pool{Pool: 2, Tree: "t", Name: "c"}))
	to := func(s float64) core.Optional[core.Time] { return core.Some(second(s)) }
	l.check(l.tree.Add(&trace.TreeConfig{Stamp: stamp(1), ValidTo: to(4), MaxOperationCount: core.Some[int64](5)}))
	for _, row := range []trace.PoolConfig{
		{Stamp: stamp(1), Pool: 0, ValidTo: to(3), Weight: core.Some(1.0)},
		{Stamp: stamp(2), Pool: 2, Parent: core.Some[core.PoolID](0), ValidTo: to(6)},
		{Stamp: stamp(3), Pool: 0, ValidTo: to(5), Weight: core.Some(3.0)}, // in time
		{Stamp: stamp(7), Pool: 0, ValidTo: to(20), Weight: core.Some(7.0)},
		{Stamp: stamp(8), Pool: 0, ValidTo: to(9), Deleted: true},
		{Stamp: stamp(9), Pool: 2, ValidTo: to(2000)},
	} {
		l.check(l.tree.Add(&row))
	}
	tr := l.open()
	var got []string
	for e, err := range tr.Events("t", Options{To: second(1000)}) {
		l.check(err)
		s := int(e.Time-start) / int(core.Second)
		if e.Kind == core.TreeConfigured {
			got = append(got, strings.TrimSpace(fmt.Sprintln(s, "tree", e.Tree.Assumed, e.Tree.MaxOperationCount.Set, "row", e.Seq)))
		} else {
			got = append(got, strings.TrimSpace(fmt.Sprintln(s, "pool", e.Pool, "below", e.Config.Parent, "gone", e.Config.Deleted, e.Config.Weight.Value, "row", e.Seq)))
		}
	}
	if diff := cmp.Diff([]string{
		"1 tree false true row 1", "1 pool 0 below -2 gone false 1 row 1",
		"2 pool 2 below 0 gone false 0 row 2",
		"3 pool 0 below -2 gone false 3 row 3",
		"4 tree true false row 1",
		"5 pool 0 below -2 gone true 0 row 3",
		"6 pool 2 below 0 gone true 0 row 2",
		"7 pool 0 below -2 gone false 7 row 7",
		"8 pool 0 below -2 gone true 0 row 8",
		"9 pool 2 below -2 gone false 0 row 9",
	}, got); diff != "" {
		t.Error(diff)
	}
	if p := tr.Problems(); len(p) > 0 {
		t.Error(p)
	}
}

// An option under two names in config_json is told of with its version; beside the
// column that holds it any one of its names does no harm.
func TestOptionsUnderTwoNames(t *testing.T) {
	l := newLog(t, trace.Options{})
	for i, config := range []string{
		`{"fair_share_starvation_timeout":1000,"fair_share_preemption_timeout":1000}`,
		`{"fair_share_preemption_timeout":1000}`,
	} {
		row := trace.PoolConfig{Stamp: l.at(float64(1 + i)), Pool: 0, ConfigJSON: config, FairShareStarvationTimeoutMS: core.Some[int64](1000)}
		l.check(l.tree.Add(&row))
		tree := trace.TreeConfig{Stamp: l.at(float64(1 + i)), ConfigJSON: config}
		l.check(l.tree.Add(&tree))
	}
	var got []string
	for e, err := range l.open().Events("t", Options{}) {
		l.check(err)
		got = append(got, fmt.Sprint(int64(e.Time-start)/1e6, " ", e.Doubled))
	}
	alias := "[fair_share_preemption_timeout: the option and its alias cannot both be set (beside fair_share_starvation_timeout)]"
	if diff := cmp.Diff([]string{"1 " + alias, "1 " + alias, "2 []", "2 []"}, got); diff != "" {
		t.Error(diff)
	}
}
