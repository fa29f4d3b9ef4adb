package core

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/scheduling"
)

// statedDefaults are all options by their names with the defaults of the profile
// baseline, as a scheduler writes them out; those that it does not tell are left out.
func statedDefaults(t *testing.T) map[string]pooltree.Attributes {
	data, err := os.ReadFile(testcorpus.File(t, testcorpus.Conformance, "scheduling", "defaults.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]pooltree.Attributes
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, section := range all {
		untold(section)
	}
	return all
}

func untold(a map[string]any) {
	maps.DeleteFunc(a, func(_ string, v any) bool {
		if inner, ok := v.(map[string]any); ok {
			untold(inner)
		}
		return v == "?"
	})
}

// Who states every default gets what naming none gives, of trees, pools, operations
// and above all trees.
func TestStatedDefaultsChangeNothing(t *testing.T) {
	all := statedDefaults(t)
	config, errs := pooltree.ParseTree(Baseline, all["tree_config"])
	above, wrong := pooltree.ParseCluster(Baseline, all["scheduler_config"])
	for _, e := range append(errs, wrong...) {
		t.Error(e)
	}
	settings := func(c *TreeConfig, above *ClusterConfig) (scheduling.Options, fairshare.Options) {
		tree := New(&Dimensions{}, Baseline)
		tree.config = *c
		options := scheduling.OptionsOf(Baseline, c, above)
		options.AggressiveSatisfactionThreshold = Some(options.AggressiveThreshold())
		shares := fairshare.New(tree.shareOptions()).Options()
		shares.Name = nil
		return options, shares
	}
	stated, statedShares := settings(&config, &above)
	silent, silentShares := settings(&TreeConfig{}, &ClusterConfig{})
	if !reflect.DeepEqual(stated, silent) || !reflect.DeepEqual(statedShares, silentShares) {
		t.Errorf("stated\n%+v\n%+v, silent\n%+v\n%+v", stated, statedShares, silent, silentShares)
	}
	pool, errs := pooltree.ParsePool(Baseline, all["pool_config"])
	for _, e := range errs {
		t.Error(e)
	}
	inherited := pooltree.EffectiveRoot(Baseline, &TreeConfig{})
	if own := inherited; pool.Mode.Value != FairShare || !pool.ResourceLimits.IsEmpty() {
		t.Errorf("a pool states %+v", pool)
	} else if own.SetPool(&pool); own != inherited {
		t.Errorf("a pool: stated %+v, silent %+v", own, inherited)
	}
	statedPool := New(&Dimensions{}, Baseline).sharePool(&Pool{Config: &pool})
	statedPool.FIFOSort = [3]fairshare.FIFOKey{} // that of those that name none
	if silent := New(&Dimensions{}, Baseline).sharePool(&Pool{Config: &noOptions}); statedPool.HistoryAlpha.Set || !same(statedPool, silent) {
		t.Errorf("the share of a pool: stated %+v, silent %+v", statedPool, silent)
	}
	for _, section := range []string{"operation_spec", "operation_runtime_parameters"} {
		stated, errs := pooltree.ParseOperation(Baseline, all[section], "tree")
		for _, e := range errs {
			t.Error(e)
		}
		stated.LimitingAncestorCheck = Optional[bool]{}
		if !reflect.DeepEqual(stated, pooltree.OperationConfig{}) {
			t.Errorf("%s: stated %+v", section, stated)
		}
	}
	spec, errs := pooltree.ParseTreeSpec(Baseline, "map", all["operation_spec"])
	if silent := (pooltree.TreeSpec{Type: "map", Eligibility: spec.Eligibility}); len(errs) > 0 || !reflect.DeepEqual(spec, silent) {
		t.Errorf("trees of an operation: stated %+v (%v)", spec, errs)
	}
}

// same compares pools but for switches that say what the tree says anyway, and the
// decay of a history that is not kept.
func same(a, b fairshare.Pool) bool {
	a.HistoryAlpha, b.HistoryAlpha = fairshare.Optional{}, fairshare.Optional{}
	return reflect.DeepEqual(a, b)
}
