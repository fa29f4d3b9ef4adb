package pooltree

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"poolproof/core/resource"
)

func definition(name, parent string, a Attributes) Change {
	c, errs := ParsePool(Documented, a)
	if len(errs) > 0 {
		panic(errs[0])
	}
	return Change{Definition: Definition{name, parent, c}}
}

func rules(errs []*RuleError) (names []Rule) {
	for _, e := range errs {
		names = append(names, e.Rule)
	}
	return names
}

// One illegal pool discards every change of the set (core/spec/scheduling.md §4.5).
func TestAnIllegalSetLeavesTheOldOneInForce(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []Change
		want    []Rule
	}{
		{"unknown preset", []Change{definition("new", "", nil), definition("a", "", Attributes{"config_preset": "gone"})}, []Rule{UnknownPreset}},
		{"child under fifo", []Change{definition("new", "", nil), definition("x", "f", nil)}, []Rule{FIFOWithChildren}},
		{"a parent that does not exist", []Change{definition("new", "gone", nil)}, []Rule{NoSuchParent}},
		{"a circle", []Change{definition("new", "", nil), definition("a", "b", nil)}, []Rule{MoveIntoDescendant}},
		{"the root's name", []Change{definition("new", "", nil), definition(RootName, "", nil)}, []Rule{NameReserved}},
		{"limits out of order", []Change{definition("new", "", nil), {Definition: Definition{Name: "a", Config: PoolConfig{
			MaxOperationCount: Some[int64](1), MaxRunningOperationCount: Some[int64](2)}}}}, []Rule{RunningAboveTotal}},
		{"a removed parent of a kept pool", []Change{{Definition: Definition{Name: "a"}, Removed: true}, definition("b", "a", Attributes{"weight": 2.0}), definition("f", "b", nil)}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree := NewTree("t", Documented)
			tree.Apply(definition("a", "", Attributes{"max_operation_count": 5.0}), definition("b", "a", nil), definition("f", "", Attributes{"mode": "fifo"}))
			errs := tree.Apply(c.changes...)
			if !slices.Equal(rules(errs), c.want) {
				t.Fatalf("broken: %v, want %v", errs, c.want)
			}
			if c.want == nil {
				return
			}
			a, _ := tree.Find("a")
			_, limit := tree.Limits(a)
			if _, exists := tree.Find("new"); exists || limit.Value != 5 || tree.Parent(a) != Root {
				t.Error("part of the set was taken over")
			}
		})
	}
}

// Guarantees and sizes are the store's business; the scheduler takes them as
// they are.
func TestTheSchedulerTakesWhatOnlyTheStoreRefuses(t *testing.T) {
	tree := NewTree("t", Documented)
	changes := []Change{definition("a", "", nil), definition("b", "a", Attributes{"strong_guarantee_resources": map[string]any{"memory": 1.0}})}
	if errs := tree.Apply(changes...); len(errs) > 0 {
		t.Error(errs[0])
	}
	pools := []Definition{changes[0].Definition, changes[1].Definition}
	want := []Rule{GuaranteeWithoutParent, MainResource}
	if errs := Validate(Documented, &TreeConfig{}, pools, DefaultMaxSubtreeSize); !slices.Equal(rules(errs), want) {
		t.Errorf("broken: %v, want %v", errs, want)
	}
}

func TestLegacyHasAMainResourceOnlyWhereItIsNamed(t *testing.T) {
	pools := []Definition{definition("a", "", Attributes{"strong_guarantee_resources": map[string]any{"gpu": 8}}).Definition}
	for p := Documented; p <= Legacy; p++ {
		for _, named := range []bool{false, true} {
			config := TreeConfig{}
			if named {
				config.MainResource = Some(resource.Memory)
			}
			broken := slices.Contains(rules(Validate(p, &config, pools, DefaultMaxSubtreeSize)), MainResource)
			if want := p != Legacy || named; broken != want {
				t.Errorf("%s, named %v: refused %v", p, named, broken)
			}
		}
	}
}

func TestEveryRuleHasAMeaning(t *testing.T) {
	e := &RuleError{Rule: GuaranteeSum, Tree: "t", Pool: "p", Option: "o", Detail: "cpu"}
	if want := "tree t: pool p: o: the children's guarantees exceed the parent's (cpu)"; e.Error() != want {
		t.Error(e)
	}
	for _, rule := range Rules() {
		if meaning := rule.Meaning(); meaning == "" || strings.HasSuffix(meaning, ".") {
			t.Errorf("%s: %q", rule, meaning)
		}
	}
}

func TestPoolsAreAtMostThirtyDeep(t *testing.T) {
	var pools []Definition
	parent := ""
	for range 31 {
		pools = append(pools, Definition{Name: parent + "a", Parent: parent})
		parent += "a"
	}
	if errs := Validate(Baseline, &TreeConfig{}, pools[:30], 1000); len(errs) > 0 {
		t.Error(errs[0])
	}
	if errs := Validate(Baseline, &TreeConfig{}, pools, 1000); !slices.Equal(rules(errs), []Rule{Depth}) {
		t.Error(errs)
	}
}

func TestSettingsOfATreeGoBeforeTheSpec(t *testing.T) {
	spec := Attributes{
		"weight": 2.0, "resource_limits": map[string]any{"cpu": 1.0}, "pool": "p", "preemption_mode": "graceful",
		"scheduling_options_per_pool_tree": map[string]any{
			"a": map[string]any{"weight": 3.0, "resource_limits": map[string]any{}, "pool": "q"},
			"b": map[string]any{"resource_limits": map[string]any{"memory": 5.0}},
			"c": map[string]any{"fair_share_starvation_timeout": 1.0, "fair_share_preemption_timeout": 2.0},
		},
	}
	a, _ := ParseOperation(Documented, spec, "a")
	b, _ := ParseOperation(Documented, spec, "b")
	if a.Pool != "q" || a.Weight.Value != 3 || a.ResourceLimits.Amounts[resource.CPU] != 100 || !a.Graceful {
		t.Errorf("in a: %+v", a)
	}
	if b.Pool != "p" || b.Weight.Value != 2 || b.ResourceLimits.Set[resource.CPU] || b.ResourceLimits.Amounts[resource.Memory] != 5 {
		t.Errorf("in b: %+v", b)
	}
	if _, errs := ParseOperation(Documented, spec, "c"); !slices.Equal(rules(errs), []Rule{AliasConflict}) {
		t.Errorf("in c: %v", errs)
	}
	if _, errs := ParseOperation(Current, Attributes{"max_unpreemptible_job_count": 1.0}, "a"); !slices.Equal(rules(errs), []Rule{OutOfRange}) {
		t.Errorf("current: %v", errs)
	}
}

func TestPresetsOfLightweightPools(t *testing.T) {
	config, errs := ParseTree(Documented, Attributes{"pool_config_presets": map[string]any{
		"light": map[string]any{"enable_lightweight_operations": true, "allow_regular_jobs_on_ssd_nodes": false}}})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	tree := NewTree("t", Documented)
	tree.SetConfig(config)
	tree.Apply(definition("p", "", Attributes{"mode": "fifo", "config_preset": "light", "max_running_operation_count": 0.0}),
		definition("up", "", Attributes{"config_preset": "light"}), definition("down", "up", Attributes{"allow_regular_jobs_on_ssd_nodes": true}))
	o, err := tree.Start(Request{User: "u", Pool: "p", Vanilla: true})
	if err != nil || !tree.IsLightweight(o) || !tree.IsRunning(o) {
		t.Errorf("not lightweight (%v)", err)
	}
	if down, _ := tree.Find("down"); !tree.effective(down).SSDForbidden {
		t.Error("an ancestor forbids regular jobs on SSD nodes")
	}
	if errs := tree.SetConfig(TreeConfig{}); !slices.Equal(rules(errs), []Rule{UnknownPreset, UnknownPreset}) {
		t.Errorf("a preset in use was removed: %v", errs)
	}
}

// A list of presets is an option of current schedulers, where the later preset goes
// first; elsewhere it is a custom attribute, whatever it holds.
func TestListsOfPresets(t *testing.T) {
	config, errs := ParseTree(Current, Attributes{"pool_config_presets": map[string]any{
		"a": map[string]any{"fair_share_starvation_tolerance": 0.5, "fair_share_starvation_timeout": 1.0},
		"b": map[string]any{"fair_share_starvation_tolerance": 0.6}}})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	for p, want := range map[Profile]float64{Current: 0.6, Baseline: 0.8, Documented: 0.8, Legacy: 0.8} {
		c, errs := ParsePool(p, Attributes{"config_presets": []any{"a", "b"}})
		got := EffectiveRoot(p, &config)
		if got.SetPool(new(c.withPresets(&config))); len(errs) > 0 || got.Tolerance != want {
			t.Errorf("%v: tolerance %g, want %g (%v)", p, got.Tolerance, want, errs)
		}
		if _, errs := ParsePool(p, Attributes{"config_presets": 1.0}); (len(errs) > 0) != (p == Current) {
			t.Errorf("%v: a list that is none: %v", p, errs)
		}
	}
}

// Amounts are legal as long as their storage holds them; beyond any real total they
// are no limit, and guarantees of several pools can be added up.
func TestAmountsBeyondAnyTotal(t *testing.T) {
	for _, c := range []struct {
		amounts map[string]any
		want    resource.Partial
		rules   []Rule
	}{
		{map[string]any{"gpu": 1e9}, resource.Partial{Amounts: resource.Vector{resource.GPU: 1 << 29}, Set: [5]bool{resource.GPU: true}}, nil},
		{map[string]any{"gpu": 2147483648.0}, resource.Partial{}, []Rule{OutOfRange}},
		{map[string]any{"cpu": 5e16}, resource.Partial{Amounts: resource.Vector{resource.CPU: 1 << 61}, Set: [5]bool{resource.CPU: true}}, nil},
		{map[string]any{"cpu": 1e17}, resource.Partial{}, []Rule{OutOfRange}},
		{map[string]any{"memory": int64(math.MaxInt64)}, resource.Partial{Amounts: resource.Vector{resource.Memory: 1 << 61}, Set: [5]bool{resource.Memory: true}}, nil},
		{map[string]any{"memory": uint64(1) << 63}, resource.Partial{}, []Rule{WrongType}},
	} {
		p, errs := ParsePool(Baseline, Attributes{"resource_limits": c.amounts})
		if p.ResourceLimits != c.want || !slices.Equal(rules(errs), c.rules) {
			t.Errorf("%v: %v %v", c.amounts, p.ResourceLimits, errs)
		}
	}
}

// Defaults hold nobody where no configuration is known.
func TestAssumedDefaultsAreNotInForce(t *testing.T) {
	tree := NewTree("t", Documented)
	tree.SetConfig(TreeConfig{Assumed: true})
	for range 100 {
		if o, err := tree.Start(Request{User: "u"}); err != nil || !tree.IsRunning(o) {
			t.Fatal("held by a default", err)
		}
	}
	p, _ := tree.Find("u")
	if running, all := tree.Limits(p); running.Set || all.Set {
		t.Errorf("limits %v and %v", running, all)
	}
}

func TestTentativeTreeIsBannedWhenSlow(t *testing.T) {
	e := Eligibility{}
	slow := Durations{10, 10 * 300_001}
	for _, c := range []struct {
		name            string
		here, elsewhere Durations
		want            bool
	}{
		{"more than ten times slower", slow, Durations{5, 5 * 30_000}, true},
		{"exactly ten times slower", Durations{10, 10 * 300_000}, Durations{5, 5 * 30_000}, false},
		{"too small a sample", Durations{9, 9 * 400_000}, Durations{5, 5 * 30_000}, false},
		{"short jobs", Durations{10, 10 * 29_999}, Durations{5, 5}, false},
		{"nothing to compare", slow, Durations{}, false},
	} {
		if got := e.Bans(c.here, c.elsewhere); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if e.Saturated(0, 9) || !e.Saturated(0, 10) || !e.Saturated(4, 6) || e.Saturated(10, 20) {
		t.Error("saturated when the sample is in flight, and not after it")
	}
}

// TestTotalsEqualARecount changes nodes at random: totals by filter are those of the
// nodes, counted anew.
func TestTotalsEqualARecount(t *testing.T) {
	filters := []string{"", "a", "!a", "a & b | c", "b"}
	rapid.Check(t, func(t *rapid.T) {
		totals := NewTagTotals()
		type known struct {
			tags   Tags
			limits resource.Vector
			serves bool
		}
		nodes := [4]known{}
		t.Repeat(map[string]func(*rapid.T){
			"node": func(t *rapid.T) {
				i := rapid.IntRange(0, 3).Draw(t, "node")
				nodes[i] = known{NewTags(rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"})).Draw(t, "tags")...),
					resource.Vector{rapid.Int64Range(0, 3).Draw(t, "slots")}, rapid.Bool().Draw(t, "serves")}
				totals.SetNode(i, nodes[i].tags, nodes[i].limits, nodes[i].serves)
			},
			"": func(t *rapid.T) {
				for _, text := range filters[:rapid.IntRange(1, len(filters)).Draw(t, "filters")] {
					f, _ := ParseTagFilter(text)
					var want resource.Vector
					for _, n := range nodes {
						if n.serves && f.Match(n.tags) {
							want = want.Add(n.limits)
						}
					}
					if got := totals.Total(totals.Filter(f)); got != want {
						t.Fatalf("%q: %v, want %v", text, got, want)
					}
				}
			},
		})
	})
}

func TestRosterLosesNobody(t *testing.T) {
	r := NewRoster[int]()
	r.Add(1, []string{"b", "a", "b"})
	r.Add(2, []string{"a"})
	r.Add(3, []string{"c"})
	if r.Erase(1, "c") || r.Erase(3, "a") {
		t.Error("a tree was erased that the operation does not have")
	}
	aborted, left := r.RemoveTree("a")
	if !slices.Equal(aborted, []int{2}) || !slices.Equal(left, []int{1}) || !slices.Equal(r.Trees(1), []string{"b"}) {
		t.Errorf("aborted %v, left %v", aborted, left)
	}
	if !r.Erase(1, "b") || r.Trees(1) != nil {
		t.Error("the last tree was erased, and the operation lives")
	}
	r.Remove(3)
	if r.Trees(3) != nil {
		t.Error("removed, and still there")
	}
}

func TestTemplatesAreMergedByPriority(t *testing.T) {
	all, _ := ParseFormula("")
	other, _ := ParseFormula("other")
	templates := []Template{
		{all, 2, Attributes{"max_operation_count": 2.0, "ssd_priority_preemption": map[string]any{"enable": true}}},
		{all, 1, Attributes{"max_operation_count": 1.0, "max_operation_count_per_pool": 1.0}},
		{other, 3, Attributes{"max_operation_count": 3.0}},
	}
	own := Attributes{"ssd_priority_preemption": map[string]any{"node_tag_filter": "ssd"}, "max_operation_count_per_pool": 7.0}
	for _, object := range []Attributes{own, {"config": map[string]any(own), "max_operation_count": 9.0}} {
		c, errs := ParseTree(Baseline, TreeAttributes("t", object, templates))
		if len(errs) > 0 || c.MaxOperationCount.Value != 2 || c.MaxOperationCountPerPool.Value != 7 || !c.SSD.Enable || c.SSD.Filter.String() != "ssd" {
			t.Errorf("%+v, %v", c, errs)
		}
	}
}

// A steady state allocates nothing, also where pools come and go.
func TestAdmissionAllocatesNothing(t *testing.T) {
	tree := NewTree("t", Documented)
	tree.Apply(definition("hub", "", Attributes{"create_ephemeral_subpools": true}), definition("p", "", Attributes{"max_running_operation_count": 1.0}))
	running, _ := tree.Start(Request{User: "u", Pool: "p"})
	cycle := func() {
		var started [3]Operation
		for i, pool := range []string{"hub", "", "p"} {
			started[i], _ = tree.Start(Request{User: "u", Pool: pool})
		}
		tree.Finish(running) // releases the one that waits in p
		running = started[2]
		tree.Finish(started[0])
		tree.Finish(started[1])
		tree.ClearChanged()
	}
	cycle()
	if n := testing.AllocsPerRun(100, cycle); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if names := tree.EphemeralPools("u"); len(names) > 0 || tree.Counts(Root).Operations != 1 {
		t.Errorf("left behind: %v, %+v", names, tree.Counts(Root))
	}
}

func TestChangesOfOneInstantAreOneSet(t *testing.T) {
	tree := NewTree("t", Documented)
	tree.Apply(definition("b", "a", nil), definition("a", "", nil), definition("c", "b", nil)) // children first
	o, _ := tree.Start(Request{User: "u", Pool: "c"})
	removed := Change{Definition: Definition{Name: "a"}, Removed: true}
	if errs := tree.Apply(removed, definition("a", "", nil), Change{Definition: Definition{Name: "x"}, Removed: true}, definition("x", "", nil), definition("c", "x", nil)); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	x, exists := tree.Find("x")
	if b, kept := tree.Find("b"); !exists || !kept || tree.PoolName(tree.Parent(b)) != "a" || tree.Parent(tree.OperationPool(o)) != x {
		t.Error("a pool that is removed and there again keeps its subtree")
	}
	if errs := tree.Apply(removed); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if _, kept := tree.Find("b"); kept || tree.Counts(x).Running != 1 {
		t.Error("a removed pool takes its subtree along, and nothing else")
	}
	checkInvariants(t, tree)
}

// What a tree refuses names the pool, whether one option breaks the rule or two.
func TestRefusedPoolsAreNamed(t *testing.T) {
	tree := NewTree("t", Baseline)
	bad := PoolConfig{MaxOperationCount: Some(int64(1)), MaxRunningOperationCount: Some(int64(2))}
	errs := tree.Apply(definition("a", "", nil), Change{Definition: Definition{Name: "b", Parent: "a", Config: bad}},
		Change{Definition: Definition{Name: "c", Parent: "gone"}})
	var got []string
	for _, e := range errs {
		got = append(got, string(e.Rule)+" of "+e.Pool)
	}
	if want := []string{"running_above_total of b", "no_such_parent of c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, exists := tree.Find("a"); exists {
		t.Error("a part of a refused set was taken over")
	}
}

// effective returns the values in force for a pool.
func (t *Tree) effective(p Pool) Effective {
	if p == Root {
		return EffectiveRoot(t.profile, &t.config)
	}
	e := t.effective(t.pools[p].parent)
	e.SetPool(t.pools[p].config)
	return e
}

// A pool has what it names, else what its parent has, down to its operations.
func TestEverythingIsInherited(t *testing.T) {
	for _, p := range []Profile{Documented, Baseline, Current, Legacy} {
		tree := NewTree("t", p)
		own := Attributes{
			"fair_share_starvation_tolerance": 0.1, "fair_share_starvation_timeout": 2.0, "min_share_preemption_timeout": 3.0,
			"enable_aggressive_starvation": true, "allow_aggressive_preemption": false, "allow_normal_preemption": false, "allow_regular_jobs_on_ssd_nodes": false,
			"use_pool_satisfaction_for_scheduling":     true,
			"non_preemptible_resource_usage_threshold": map[string]any{"cpu": 4.0},
		}
		own["fifo_pool_scheduling_order"] = orderNames[1-p.FIFOOrder()]
		if errs := tree.Apply(definition("up", "", own), definition("down", "up", nil), definition("beside", "", nil)); len(errs) > 0 {
			t.Fatal(errs)
		}
		at := func(name string) Effective {
			pool, _ := tree.Find(name)
			return tree.effective(pool)
		}
		root, up := tree.effective(Root), at("up")
		minShare := p == Documented || p == Legacy // elsewhere starvation is for the fair share alone
		want := Effective{
			Tolerance: 0.1, Timeout: 2000, MinShareTimeout: 3000, AggressiveStarvation: true, SSDForbidden: true, NormalForbidden: true,
			FIFOOrder: p.FIFOOrder() != OrderFIFO, PoolSatisfaction: true, NonPreemptible: cpus(4),
		}
		if !minShare {
			want.MinShareTimeout = root.MinShareTimeout
		}
		if p == Current { // which ignores them (§3.6)
			want.FIFOOrder, want.PoolSatisfaction = root.FIFOOrder, root.PoolSatisfaction
		}
		if up != want {
			t.Errorf("%v: %+v, want %+v", p, up, want)
		}
		if at("down") != up || at("beside") != root {
			t.Errorf("%v: below %+v, beside %+v", p, at("down"), at("beside"))
		}
		down, _ := tree.Find("down")
		none, _ := ParseOperation(p, nil, "t")
		got := up
		if got.SetOperation(p, &none.OperationSettings, false); got != up {
			t.Errorf("%v: an operation %+v", p, got)
		}
		spec, errs := ParseOperation(p, Attributes{
			"fair_share_starvation_tolerance": 0.5, "fair_share_starvation_timeout": 6.0, "min_share_preemption_timeout": 7.0,
			"enable_aggressive_starvation": false, "non_preemptible_resource_usage_threshold": map[string]any{"cpu": 8.0},
		}, "t")
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		switch p {
		case Documented, Legacy: // who heed the spec (§3.3)
			want.Tolerance, want.Timeout, want.MinShareTimeout, want.AggressiveStarvation = 0.5, 6000, 7000, false
		case Baseline:
			want.AggressiveStarvation = false
		case Current: // §15 (8), (11)
			want.Timeout, want.NonPreemptible = 6000, cpus(8)
		}
		got = tree.effective(down)
		spec.DropIgnored(p)
		if got.SetOperation(p, &spec.OperationSettings, false); got != want {
			t.Errorf("%v: an operation's own %+v, want %+v", p, got, want)
		}
	}
}

// An operation is a gang if its spec or a task of it says so.
func TestGangs(t *testing.T) {
	task := func(m map[string]any) map[string]any { return map[string]any{"a": map[string]any{}, "b": m} }
	for _, c := range []struct {
		spec Attributes
		want bool
	}{
		{Attributes{"is_gang": true}, true},
		{Attributes{"is_gang": false, "tasks": task(map[string]any{})}, false},
		{Attributes{"tasks": task(map[string]any{"gang_options": map[string]any{}})}, true},
		{Attributes{"is_gang": false, "tasks": task(map[string]any{"gang_options": map[string]any{"size": 2}})}, true},
	} {
		if o, errs := ParseOperation(Current, c.spec, "t"); o.Gang != c.want || len(errs) > 0 {
			t.Errorf("%v: gang %v, %v", c.spec, o.Gang, errs)
		}
	}
}
