package whatif

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/ingest/rerun"
)

// TestEdits: each kind of edit changes what it says in the plan and nothing else of it, what
// is before its time stays, and the cluster fares otherwise.
func TestEdits(t *testing.T) {
	w := theSmall(t)
	dims := w.plan.Dimensions
	at := w.plan.Window.From + 10*60*core.Second
	preempted := w.control.all(func(e *core.Event) bool { return e.Kind == core.JobPreempted && e.Time > at && e.Preemptor >= 0 })
	if len(preempted) == 0 {
		t.Fatal("nothing is preempted after ten minutes")
	}
	victim := dims.Operations[preempted[0].Operation].ID
	job := string(w.control.all(func(e *core.Event) bool {
		return e.Kind == core.JobStarted && e.Operation == preempted[0].Operation && e.Job == preempted[0].Job
	})[0].Name)
	// An operation that comes after ten minutes and gets jobs, and one that lives then.
	var late, alive core.OperationID = core.Unknown, core.Unknown
	for _, e := range w.control.all(func(e *core.Event) bool { return e.Kind == core.JobStarted && e.Time > at }) {
		switch submit := w.plan.Operations[e.Operation].Submit; {
		case submit > at && late == core.Unknown:
			late = e.Operation
		case submit < at && alive == core.Unknown:
			alive = e.Operation
		}
	}
	id := func(o core.OperationID) string { return dims.Operations[o].ID }
	starts := func(l *Log, of func(e *core.Event) bool) int {
		return len(l.all(func(e *core.Event) bool { return e.Kind == core.JobStarted && e.Time >= at && of(e) }))
	}
	for _, c := range []struct {
		edit  string
		alike func(tree string, f *core.Event) bool // facts of the plan that the edit is about
		check func(t *testing.T, l *Log)
	}{
		{"pools: {research: {weight: 7}}", isPool(dims, "research"), func(t *testing.T, l *Log) {
			got := versions(l.Plan, "physical", "research")
			var weights []float64
			for _, v := range got {
				weights = append(weights, v.Config.Weight.Value)
			}
			if !slices.Equal(weights, []float64{2, 4, 7}) || got[2].Time != at {
				t.Errorf("weights %v", weights)
			}
		}},
		{"pools: {etl: {strong_guarantee_resources: {cpu: 20}}}", isPool(dims, "etl"), func(t *testing.T, l *Log) {
			got := versions(l.Plan, "physical", "etl")
			if last := got[len(got)-1].Config; last.StrongGuarantee.Amounts[resource.CPU] != 2000 || last.Weight.Value != 3 {
				t.Errorf("the last version is %+v", last)
			}
		}},
		{"pools: {adhoc: {resource_limits: null}}", isPool(dims, "adhoc"), func(t *testing.T, l *Log) {
			for _, v := range versions(l.Plan, "physical", "adhoc") {
				if v.Time >= at && !v.Config.ResourceLimits.IsEmpty() {
					t.Errorf("at %s there is a limit yet", timeText(v.Time))
				}
			}
		}},
		{"pools: {research: {mode: fifo}}", isPool(dims, "research"), nil},
		{"trees: {physical: {fair_share_starvation_timeout: 1000}}", func(tree string, f *core.Event) bool {
			return tree == "physical" && f.Kind == core.TreeConfigured
		}, func(t *testing.T, l *Log) {
			got := versions(l.Plan, "physical", "")
			last := got[len(got)-1].Tree // a later version that people set
			if last.FairShareStarvationTimeout.Value != 1000 || last.FairShareStarvationTolerance.Value != 0.9 || last.EnableAggressiveStarvation != core.Some(true) {
				t.Errorf("the last version is %+v", last)
			}
		}},
		{"nodes: {'cpu-[0-4]': {remove: true}}", isNode(dims, "cpu-"), func(t *testing.T, l *Log) {
			if n := starts(l, func(e *core.Event) bool { return dims.Nodes[e.Node] < "cpu-5" }); n > 0 {
				t.Errorf("%d jobs start on nodes that are gone", n)
			}
		}},
		{"nodes: {'cpu-*': {resource_limits: {cpu: 12}}}", isNode(dims, "cpu-"), func(t *testing.T, l *Log) {
			for _, e := range l.all(func(e *core.Event) bool {
				return e.Kind == core.HeartbeatReceived && e.Time > at && strings.HasPrefix(dims.Nodes[e.Node], "cpu-")
			}) {
				if e.Limits[resource.CPU] != 1200 || e.Limits[resource.UserSlots] != 48 {
					t.Fatalf("a node has %v", e.Limits)
				}
			}
		}},
		{"nodes: {spare: {like: cpu-0, count: 3}}", func(_ string, f *core.Event) bool { return int(f.Node) >= len(dims.Nodes) }, func(t *testing.T, l *Log) {
			if added := l.Plan.Dimensions.Nodes[len(dims.Nodes):]; !slices.Equal(added, []string{"spare-0", "spare-1", "spare-2"}) {
				t.Errorf("added are %v", added)
			}
			if starts(l, func(e *core.Event) bool { return int(e.Node) >= len(dims.Nodes) }) == 0 {
				t.Error("nothing starts on the nodes that are added")
			}
		}},
		// The nodes of tree devices serve tree physical, or none.
		{"trees: {physical: {nodes_filter: cpu | gpu}, devices: {nodes_filter: '!cpu & !gpu'}}", func(_ string, f *core.Event) bool {
			return f.Kind == core.TreeConfigured || f.Kind == core.NodeChanged && strings.HasPrefix(dims.Nodes[f.Node], "gpu-")
		}, func(t *testing.T, l *Log) {
			for tree := range l.Plan.Trees {
				jobs := 0
				for e := range l.Events(tree) {
					if e.Kind == core.JobStarted && e.Time > at && strings.HasPrefix(dims.Nodes[e.Node], "gpu-") {
						jobs++
					}
				}
				if name := l.Plan.Trees[tree].Name; (name == "physical") != (jobs > 0) {
					t.Errorf("%d jobs start on nodes gpu-* in tree %s", jobs, name)
				}
			}
		}},
		{"trees: {devices: {nodes_filter: none}}", func(tree string, f *core.Event) bool {
			return f.Kind == core.TreeConfigured || f.Kind == core.NodeChanged && strings.HasPrefix(dims.Nodes[f.Node], "gpu-")
		}, func(t *testing.T, l *Log) {
			if n := starts(l, func(e *core.Event) bool { return strings.HasPrefix(dims.Nodes[e.Node], "gpu-") }); n > 0 {
				t.Errorf("%d jobs start on nodes that no filter matches", n)
			}
		}},
		{"operations: {" + id(late) + ": {remove: true}}", isOperation(late), func(t *testing.T, l *Log) {
			if found := l.all(func(e *core.Event) bool { return e.Operation == late }); len(found) > 0 {
				t.Errorf("it is there at %s", timeText(found[0].Time))
			}
		}},
		{"operations: {" + id(alive) + ": {remove: true}}", isOperation(alive), func(t *testing.T, l *Log) {
			found := l.all(func(e *core.Event) bool { return e.Operation == alive && e.Kind == core.OperationChanged })
			if last := found[len(found)-1]; last.Time != at || last.Step != core.StepAborted {
				t.Errorf("it ends at %s by step %d", timeText(last.Time), last.Step)
			}
		}},
		{"operations: {" + id(late) + ": {delay: 3m}}", isOperation(late), func(t *testing.T, l *Log) {
			found := l.all(func(e *core.Event) bool { return e.Operation == late })
			if want := w.plan.Operations[late].Submit + 180*core.Second; found[0].Time != want {
				t.Errorf("it comes at %s, want %s", timeText(found[0].Time), timeText(want))
			}
		}},
		{"operations: {" + id(late) + ": {weight: 50}}", isOperation(late), func(t *testing.T, l *Log) {
			found := l.all(func(e *core.Event) bool { return e.Operation == late && e.Step == core.StepStarted })
			if len(found) == 0 || found[0].Params == nil || found[0].Params.Weight.Value != 50 {
				t.Errorf("it starts as %+v", found)
			}
		}},
		{"operations: {" + id(late) + ": {resource_limits: {user_slots: 1}, scheduling_tag_filter: '!none'}}", isOperation(late), func(t *testing.T, l *Log) {
			found := l.all(func(e *core.Event) bool { return e.Operation == late && e.Step == core.StepStarted })
			if p := found[0].Params; p == nil || p.ResourceLimits.Value.Amounts[resource.UserSlots] != 1 || p.TagFilter == nil {
				t.Errorf("it starts as %+v", p)
			}
			for _, e := range l.all(func(e *core.Event) bool { return e.Operation == late && e.Kind == core.JobStarted }) {
				if n := len(l.all(func(o *core.Event) bool {
					return o.Operation == late && o.Kind == core.JobStarted && o.Time <= e.Time && o.Finish.Value > e.Time
				})); n > len(w.plan.Operations[late].Requests) { // one in each of its trees
					t.Fatalf("%d of its jobs run at %s", n, timeText(e.Time))
				}
			}
		}},
		{"operations: {" + id(alive) + ": {max_share_ratio: 0.01}}", isOperation(alive), func(t *testing.T, l *Log) {
			found := l.all(func(e *core.Event) bool { return e.Operation == alive && e.Step == core.StepParamsChanged })
			if len(found) == 0 || found[0].Time != at || found[0].Params.MaxShareRatio.Value != 0.01 {
				t.Errorf("it changes as %+v", found)
			}
		}},
		{"operations: {" + id(late) + ": {pool: peaks}, " + id(alive) + ": {pool: peaks}}", func(tree string, f *core.Event) bool { return f.Operation == late || f.Operation == alive }, func(t *testing.T, l *Log) {
			for o, step := range map[core.OperationID]core.Step{late: core.StepStarted, alive: core.StepPoolChanged} {
				found := l.all(func(e *core.Event) bool { return e.Operation == o && e.Step == step && e.Time >= at })
				if !slices.ContainsFunc(found, func(e core.Event) bool { return dims.Pools[e.Pool].Name == "peaks" }) {
					t.Errorf("operation %d goes into no pool peaks: %+v", o, found)
				}
			}
		}},
		{"users: {carl: {remove: true}}", func(_ string, f *core.Event) bool {
			return f.Operation >= 0 && dims.Operations[f.Operation].User == "carl"
		}, func(t *testing.T, l *Log) {
			if n := starts(l, func(e *core.Event) bool { return e.Time > at && dims.Operations[e.Operation].User == "carl" }); n > 0 {
				t.Errorf("%d jobs of the user start", n)
			}
		}},
		{"preemptions: [{victim: " + victim + "}]", nil, func(t *testing.T, l *Log) {
			if n := len(l.all(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Time >= at && e.Operation == preempted[0].Operation
			})); n > 0 {
				t.Errorf("it loses %d jobs", n)
			}
		}},
		{"preemptions: [{job: " + job + "}]", nil, func(t *testing.T, l *Log) {
			if err := same(w.control, l, preempted[0].Time); err != nil {
				t.Errorf("before it, %v", err)
			}
			if n := len(l.all(func(e *core.Event) bool { return e.Kind == core.JobPreempted && e.Job == preempted[0].Job })); n > 0 {
				t.Error("it is preempted")
			}
		}},
	} {
		t.Run(c.edit, func(t *testing.T) {
			l := w.edited(t, "at: "+timeText(at)+"\n"+c.edit)
			if err := same(w.control, l, at); err != nil {
				t.Errorf("before the time of the edit, %v", err)
			}
			if same(w.control, l, forever) == nil {
				t.Error("it changes nothing")
			}
			if c.alike == nil {
				c.alike = func(string, *core.Event) bool { return false }
			}
			w.factsAlike(t, l.Plan, c.alike)
			if c.check != nil {
				c.check(t, l)
			}
		})
	}
}

// versions are those of a pool in a plan, of its tree without one.
func versions(p *simulate.Plan, tree, pool string) (all []core.Event) {
	for i := range p.Trees {
		for _, f := range p.Trees[i].Facts {
			if p.Trees[i].Name != tree || pool == "" && f.Kind != core.TreeConfigured {
				continue
			}
			if pool == "" || f.Kind == core.PoolConfigured && p.Dimensions.Pools[f.Pool].Name == pool {
				all = append(all, f)
			}
		}
	}
	return all
}

// factsAlike wants all facts of a plan but some as they were.
func (w *whole) factsAlike(t *testing.T, edited *simulate.Plan, but func(tree string, f *core.Event) bool) {
	t.Helper()
	of := func(p *simulate.Plan, tree int) (all []core.Event) {
		for i := range p.Trees[tree].Facts {
			if f := &p.Trees[tree].Facts[i]; !but(p.Trees[tree].Name, f) {
				all = append(all, *f)
			}
		}
		return all
	}
	for tree := range w.plan.Trees {
		if !reflect.DeepEqual(of(w.plan, tree), of(edited, tree)) {
			t.Errorf("other facts of tree %s are not as they were", w.plan.Trees[tree].Name)
		}
	}
	moved := 0
	for id := range w.plan.Operations {
		if w.plan.Operations[id].Submit != edited.Operations[id].Submit && !but("", &core.Event{Operation: core.OperationID(id)}) {
			moved++
		}
	}
	if moved > 0 {
		t.Errorf("%d other operations come at another time", moved)
	}
}

func isPool(dims *core.Dimensions, name string) func(string, *core.Event) bool {
	return func(_ string, f *core.Event) bool {
		return f.Kind == core.PoolConfigured && dims.Pools[f.Pool].Name == name
	}
}

func isNode(dims *core.Dimensions, prefix string) func(string, *core.Event) bool {
	return func(_ string, f *core.Event) bool {
		return f.Kind == core.NodeChanged && strings.HasPrefix(dims.Nodes[f.Node], prefix)
	}
}

func isOperation(id core.OperationID) func(string, *core.Event) bool {
	return func(_ string, f *core.Event) bool { return f.Operation == id }
}

// TestProfileOfEdits: another profile makes another plan.
func TestProfileOfEdits(t *testing.T) {
	w := theSmall(t)
	e, err := Parse("edit.yaml", []byte("profile: baseline"))
	if err != nil || e.Profile != core.Some(core.Baseline) {
		t.Fatalf("the profile is %v, %v", e, err)
	}
	if _, err := Apply(w.plan, e); err == nil {
		t.Error("a plan of another profile is edited")
	}
	plan, _, err := rerun.Plan(t.Context(), w.trace, e.Profile.Value, w.trace.Window())
	if err != nil {
		t.Fatal(err)
	}
	if plan, err = Apply(plan, e); err != nil {
		t.Fatal(err)
	}
	l, err := Simulate(t.Context(), plan, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if same(w.control, l, forever) == nil {
		t.Error("it changes nothing")
	}
}

// TestTreesThatShareNothing: an edit in one tree moves nothing in another that shares no
// operation with it, but for the numbers of jobs, which are those of the cluster.
func TestTreesThatShareNothing(t *testing.T) {
	w := theSmall(t)
	const apart = "users: {jon: {remove: true}}\n"
	a, b := w.edited(t, apart), w.edited(t, apart+"trees: {devices: {pools: {speech: {resource_limits: {gpu: 4}}}}}")
	for tree, moves := range map[string]bool{"devices": true, "physical": false} {
		i := slices.IndexFunc(w.plan.Trees, func(p simulate.Tree) bool { return p.Name == tree })
		of := func(l *Log) (all []string) {
			for e := range l.Events(i) {
				c := *e
				c.Job = 0
				all = append(all, fmt.Sprintf("%s %d %d", told(&c), c.Finish.Value, c.End))
			}
			return all
		}
		if slices.Equal(of(a), of(b)) == moves {
			t.Errorf("of tree %s something moves: %v, want %v", tree, !moves, moves)
		}
	}
}
