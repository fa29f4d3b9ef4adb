package whatif

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/ingest"
	"poolproof/ingest/rerun"
	"poolproof/ingest/synthetic"
)

// A whole is a trace, its plan, and what the core makes of that.
type whole struct {
	trace   *ingest.Trace
	plan    *simulate.Plan
	control *Log
}

// small is the trace of preset small and its control.
var small = sync.OnceValues(func() (*whole, error) {
	spec, err := synthetic.Preset("small")
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(testFolder, "small")
	if _, err := synthetic.Generate(testContext, synthetic.Options{Spec: spec, Seed: 1, Out: dir, Workers: 2}); err != nil {
		return nil, err
	}
	w := &whole{}
	if w.trace, err = ingest.Open(dir); err != nil {
		return nil, err
	}
	if w.plan, _, err = rerun.Plan(testContext, w.trace, core.Documented); err != nil {
		return nil, err
	}
	w.control, err = Simulate(testContext, w.plan)
	return w, err
})

func theSmall(t *testing.T) *whole {
	t.Helper()
	w, err := small()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// edited applies edits to a plan and simulates it.
func (w *whole) edited(t *testing.T, text string) *Log {
	t.Helper()
	e, err := Parse("edit.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Apply(w.plan, e)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Simulate(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// told is what an event is about, for people.
func told(e *core.Event) string {
	return fmt.Sprintf("%s kind %d, operation %d, step %d, node %d, job %d, pool %d, %v %v", timeText(e.Time), e.Kind, e.Operation, e.Step, e.Node, e.Job, e.Pool, e.Limits, e.Usage)
}

// same compares two logs up to a time, and returns when and where they first differ. How a
// job ends is told when it starts: of jobs that end later that is left out.
func same(a, b *Log, to core.Time) error {
	for tree := range a.trees {
		of := func(l *Log) (all []core.Event) {
			for e := range l.Events(tree) {
				if e.Time >= to {
					break
				}
				c := *e
				if c.Finish >= to || c.Finish == 0 {
					c.Finish, c.End, c.Reason = 0, 0, ""
					if c.Kind == core.JobPreempted {
						p := *c.Preemption
						p.End, p.EndReason = 0, ""
						c.Preemption = &p
					}
				}
				all = append(all, c)
			}
			return all
		}
		x, y := of(a), of(b)
		for i := range max(len(x), len(y)) {
			switch {
			case i >= len(x):
				return fmt.Errorf("more: %s", told(&y[i]))
			case i >= len(y):
				return fmt.Errorf("less: %s", told(&x[i]))
			case !reflect.DeepEqual(x[i], y[i]):
				return fmt.Errorf("%s is not %s", told(&x[i]), told(&y[i]))
			}
		}
	}
	return nil
}

const forever = core.Time(1<<63 - 1)

// all are the events of a log of which something holds.
func (l *Log) all(is func(e *core.Event) bool) (found []core.Event) {
	for tree := range l.trees {
		for e := range l.Events(tree) {
			if is(e) {
				found = append(found, *e)
			}
		}
	}
	return found
}

// TestNoEditIsTheControl: edits that edit nothing decide the same to the last event, and so
// does the same plan once more.
func TestNoEditIsTheControl(t *testing.T) {
	w := theSmall(t)
	for _, text := range []string{"", "at: 2025-03-03T08:10:00Z", "pools: {}", "pools: {prod: {}}"} {
		if err := same(w.control, w.edited(t, text), forever); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if n := len(w.control.all(func(e *core.Event) bool { return e.Kind == core.JobPreempted })); n == 0 {
		t.Error("nothing is preempted: the trace tests too little")
	}
	if err := same(w.control, w.edited(t, "pools: {prod: {weight: 3}}"), forever); err == nil {
		t.Error("another weight goes unnoticed")
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

// TestEdits: each kind of edit changes what it says in the plan and nothing else of it, what
// is before its time stays, and the cluster fares otherwise.
func TestEdits(t *testing.T) {
	w := theSmall(t)
	dims := w.plan.Dimensions
	at := w.plan.Window.From + 10*60*core.Second
	preempted := w.control.all(func(e *core.Event) bool { return e.Kind == core.JobPreempted && e.Time > at && e.For >= 0 })
	if len(preempted) == 0 {
		t.Fatal("nothing is preempted after ten minutes")
	}
	victim, job := dims.Operations[preempted[0].Operation].ID, w.plan.JobName(preempted[0].Job)
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
					return o.Operation == late && o.Kind == core.JobStarted && o.Time <= e.Time && o.Finish > e.Time
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
	plan, _, err := rerun.Plan(t.Context(), w.trace, e.Profile.Value)
	if err != nil {
		t.Fatal(err)
	}
	if plan, err = Apply(plan, e); err != nil {
		t.Fatal(err)
	}
	l, err := Simulate(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if same(w.control, l, forever) == nil {
		t.Error("it changes nothing")
	}
}

// TestWrongEdits: errors name the file, the line, what is wrong and what may stand there.
func TestWrongEdits(t *testing.T) {
	w := theSmall(t)
	for text, want := range map[string]string{
		"pools: {prdo: {weight: 2}}":                      `edit.yaml:1: the trace configures no pool "prdo"; did you mean "prod"?`,
		"pools: {adhoc$analyst1: {weight: 2}}":            `edit.yaml:1: "adhoc$analyst1" cannot be the name of a pool: $ is for ephemeral subpools, whose options are those of ephemeral_subpool_config of pool "adhoc"`,
		"pools: {carl: {weight: 2}}":                      `edit.yaml:1: pool "carl" is ephemeral and has no options of its own: edit ephemeral_subpool_config of the pool that it is in`,
		"\npools: {prod: {wieght: 2}}":                    `edit.yaml:2: a pool has no option "wieght"; did you mean weight?`,
		"pools: {prod: {weight: heavy}}":                  "edit.yaml:1: weight must be a number of at least 0",
		"trees: {phisical: {pools: {prod: {weight: 2}}}}": `edit.yaml:1: the trace has no tree "phisical"; did you mean "physical"?`,
		"nodes_filter: x":                                 "edit.yaml:1: nodes_filter is not edited: nodes serve the tree that they served; edit nodes",
		"nodes: {cpu-99: {remove: true}}":                 `edit.yaml:1: the trace has no node "cpu-99"; did you mean`,
		"nodes: {cpu-1: {}}":                              "edit.yaml:1: node cpu-1: say remove: true, resource_limits, or like: NODE with a count",
		"nodes: {cpu-1: {like: cpu-2}}":                   "edit.yaml:1: the trace has a node cpu-1 already",
		"nodes: {cpu-1: {resource_limits: {cpus: 3}}}":    "edit.yaml:1: ",
		"operations: {nope: {remove: true}}":              `edit.yaml:1: the trace has no operation "nope"`,
		"operations: {'': {remove: true}}":                `edit.yaml:1: the trace has no operation ""`,
		"users: {carla: {remove: true}}":                  `edit.yaml:1: no operation of the trace is of user "carla"; did you mean "carl"?`,
		"users: {carl: {delay: soon}}":                    `edit.yaml:1: users: carl: "soon" is no duration: write it like 90s or 10m`,
		"users: {carl: {remove: true, delay: 5m}}":        "edit.yaml:1: an operation is removed or changed, not both",
		"users: {carl: {renice: 5}}":                      `edit.yaml:1: an operation has no option "renice"`,
		"users: {carl: {weight: heavy}}":                  "edit.yaml:1: weight: the value has the wrong type",
		"users: {carl: {is_gang: true}}":                  "edit.yaml:1: is_gang of an operation is not edited",
		"users: {carl: {pool: prodd}}":                    `edit.yaml:1: no tree of the operation has a pool "prodd"; did you mean "prod"?`,
		"users: {carl: 5}":                                "edit.yaml:1: users: carl must be a map",
		"preemptions: [{from: 2025-03-03T08:00:00Z}]":     "edit.yaml:1: name the victim, the beneficiary or the job",
		"at: noon":                 `edit.yaml:1: at: "noon" is no time: write it like 2025-03-03T08:10:00Z`,
		"at: 2025-03-04T08:10:00Z": "edit.yaml:1: edits from 2025-03-04T08:10:00Z on are after the end of the trace",
		"profile: modern":          `edit.yaml:1: profile: unknown profile "modern"`,
		"at: 2025-03-03T08:10:00Z\nprofile: documented": "edit.yaml:2: a profile is that of the whole log",
		"- weight": "edit.yaml:1: the file must be a map",
		"pools: {prod: {resource_limits: {cpu: 1, cpu: }}": "edit.yaml:",
	} {
		e, err := Parse("edit.yaml", []byte(text))
		if err == nil {
			_, err = Apply(w.plan, e)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestWith: a value under a key goes over the rest.
func TestWith(t *testing.T) {
	w := theSmall(t)
	e, err := Parse("edit.yaml", []byte("pools: {prod: {weight: 2, resource_limits: {cpu: 5}}, etl: {weight: 9}}"))
	if err != nil {
		t.Fatal(err)
	}
	if e, err = e.With("pools.prod.resource_limits.cpu", 7); err != nil {
		t.Fatal(err)
	}
	plan, err := Apply(w.plan, e)
	if err != nil {
		t.Fatal(err)
	}
	prod, etl := versions(plan, "physical", "prod")[0].Config, versions(plan, "physical", "etl")[0].Config
	if prod.ResourceLimits.Amounts[resource.CPU] != 700 || prod.Weight.Value != 2 || etl.Weight.Value != 9 {
		t.Errorf("prod is %+v, etl %+v", prod, etl)
	}
	if _, err := e.With("pools.prod.wieght", 7); err == nil || !strings.HasPrefix(err.Error(), "pools.prod.wieght:1: a pool has no option") {
		t.Errorf("a wrong key: %v", err)
	}
}

// TestCompare: a log agrees with itself in full; one without a user does not, by what the
// user had.
func TestCompare(t *testing.T) {
	w := theSmall(t)
	found, err := Compare(t.Context(), w.trace, w.control)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		if a.Overlap < 0.5 || a.Overlap > 1 || a.Jobs[0] == 0 || a.Waited == 0 || a.Usage[0] <= 0 {
			t.Errorf("the control is %+v", a)
		}
	}
	other := w.edited(t, "users: {robot1: {remove: true}, robot2: {remove: true}, carl: {remove: true}}")
	worse, err := Compare(t.Context(), w.trace, other)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(worse, func(a Agreement) bool { return a.Tree == "physical" })
	if worse[i].Overlap >= found[i].Overlap-0.1 {
		t.Errorf("without three users %v of the usage is the same, and with them %v", worse[i].Overlap, found[i].Overlap)
	}
	at := slices.IndexFunc(worse[i].Pools, func(p PoolOverlap) bool { return p.Pool == "peaks" })
	if p := worse[i].Pools[at]; p.Usage[1] != 0 || p.Overlap != 0 || p.Usage[0] == 0 {
		t.Errorf("of a pool that nobody uses any more: %+v", p)
	}
}

// TestSweep: two steps that overlap by half, by hand.
func TestSweep(t *testing.T) {
	one := resource.Vector{resource.CPU: 300}
	turns := func(from, to core.Time) []turn {
		return []turn{{from * core.Second, 1, one, 1}, {to * core.Second, 1, one, -1}}
	}
	s := sweep(resource.CPU, turns(0, 20), turns(10, 30))[1]
	if s.usage != [2]float64{60, 60} || s.least != 30 || s.most != 90 || s.overlap() != 1.0/3 {
		t.Errorf("%+v", s)
	}
}

// TestLogIsALog: events stand in the order of a log, every start knows its end, and what is
// left out of heartbeats changes nothing.
func TestLogIsALog(t *testing.T) {
	w := theSmall(t)
	counts := map[core.Kind]int{}
	for tree := range w.control.trees {
		var before core.Event
		ends := map[core.JobID]core.Event{}
		last := map[core.NodeID]core.Time{}
		for e := range w.control.Events(tree) {
			if c := cmp.Or(cmp.Compare(before.Time, e.Time), cmp.Compare(before.Kind, e.Kind), cmp.Compare(before.Seq, e.Seq)); c >= 0 {
				t.Fatalf("%s follows %s", told(e), told(&before))
			}
			before = *e
			counts[e.Kind]++
			switch e.Kind {
			case core.JobStarted:
				ends[e.Job] = *e
			case core.JobFinished:
				if s := ends[e.Job]; s.Finish != e.Time || s.End != e.End && s.End != core.EndPreempted {
					t.Fatalf("%s, and its start says %s", told(e), told(&s))
				}
				delete(ends, e.Job)
			case core.HeartbeatReceived:
				if gap := e.Time - last[e.Node]; last[e.Node] > 0 && gap > sampleEvery+w.plan.HeartbeatPeriod && gap < 3*60*core.Second { // longer, and it was away
					t.Fatalf("node %d is silent for %d s", e.Node, gap/core.Second)
				}
				last[e.Node] = e.Time
			}
		}
		for _, s := range ends {
			if s.End != core.EndRunning {
				t.Fatalf("%s does not end", told(&s))
			}
		}
	}
	raw := &counter{}
	if err := simulate.Run(w.plan, raw); err != nil {
		t.Fatal(err)
	}
	if counts[core.HeartbeatReceived] >= raw.counts[core.HeartbeatReceived] {
		t.Errorf("all %d heartbeats are kept", counts[core.HeartbeatReceived])
	}
	for k := range raw.counts {
		if kind := core.Kind(k); kind != core.HeartbeatReceived && counts[kind] != raw.counts[k] {
			t.Errorf("of kind %d are %d events, want %d", kind, counts[kind], raw.counts[k])
		}
	}
}

// A counter counts what a simulation records.
type counter struct{ counts [core.JobStarted + 1]int }

func (c *counter) Begin([]*core.Tree) error { return nil }
func (c *counter) Record(_ int, e *core.Event) error {
	c.counts[e.Kind]++
	return nil
}
func (c *counter) Snapshot(int, core.Time) error { return nil }

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
				all = append(all, fmt.Sprintf("%s %d %d", told(&c), c.Finish, c.End))
			}
			return all
		}
		if slices.Equal(of(a), of(b)) == moves {
			t.Errorf("of tree %s something moves: %v, want %v", tree, !moves, moves)
		}
	}
}
