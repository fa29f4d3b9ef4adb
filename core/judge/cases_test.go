package judge

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// checks says how the worked audits of the specification are run, by the group
// that they name.
var checks = map[string]func(t *testing.T, p scheduling.Profile, given object) []Ruling{
	"preemption": auditPreemption, "starvation": auditStarvation, "counts": auditCounts,
	"queue": auditQueue, "lightweight": auditLightweight, "limits": auditLimits,
}

// TestConformanceCases works the audits of the specification.
func TestConformanceCases(t *testing.T) {
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "judge", func(_ string, data json.RawMessage) {
		if testcorpus.IsForAudits(data) { // those are for audits
			return
		}
		var s object
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		t.Run(s.text("id"), func(t *testing.T) { work(t, s) })
	})
}

// TestOwnScenarios works the audits of this package, in the same format.
func TestOwnScenarios(t *testing.T) {
	data, err := os.ReadFile("testdata/scenarios.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Scenarios []object }
	if err := json.Unmarshal(data, &file); err != nil || len(file.Scenarios) == 0 {
		t.Fatalf("%d scenarios, %v", len(file.Scenarios), err)
	}
	for _, s := range file.Scenarios {
		t.Run(s.text("id"), func(t *testing.T) { work(t, s) })
	}
}

func work(t *testing.T, s object) {
	profile := map[string]scheduling.Profile{
		"baseline": scheduling.Baseline, "current": scheduling.Current, "legacy": scheduling.Legacy, "documented": scheduling.Documented,
	}[s.text("profile")]
	given, want := s.object("given"), s.object("expect")
	group := given.text("checks")
	if group == "" {
		group = "preemption"
	}
	check, known := checks[group]
	if !known {
		t.Fatalf("no judge for the group %q", group)
	}
	rulings := check(t, profile, given)
	for id, verdict := range want.object("verdicts") {
		i, known := invariantOf(id)
		if !known {
			t.Errorf("%s is not judged", id)
			continue
		}
		if got, judged := Worst(rulings, i); !judged || got.String() != verdict {
			t.Errorf("%s = %v (judged: %v), want %v; rulings %+v", id, got, judged, verdict, rulings)
		}
	}
	got := map[bool]string{true: "fair", false: "unfair"}[IsFair(rulings)]
	if overall := want.text("preemption"); overall != "" && got != overall {
		t.Errorf("the preemption is %s, want %s; rulings %+v", got, overall, rulings)
	}
}

func auditStarvation(_ *testing.T, _ scheduling.Profile, g object) (rulings []Ruling) {
	slacks := DefaultSlacks()
	slacks.Tick, slacks.Record = seconds(g.number("tick", 1)), seconds(g.number("record_period", 1))
	s := NewStarvation(Context{Slacks: &slacks}, scheduling.Timeouts{
		Starving: seconds(g.number("effective_timeout", 30)), Aggressive: seconds(g.number("aggressive_timeout", 120)),
		AggressiveEnabled: g.flag("aggressive_enabled", g.flag("effective_aggressive_enabled", false)),
	})
	for _, r := range g.objects("records") {
		rulings = s.Record(StarvationRecord{
			At: seconds(r.number("t", 0)), Below: r.flag("below", false), Status: statusOf(r.text("starvation_status")),
			Unschedulable: r.has("unschedulable_reason"),
		}, rulings)
	}
	return rulings
}

func auditCounts(t *testing.T, _ scheduling.Profile, g object) (rulings []Ruling) {
	slacks := DefaultSlacks()
	event, pools := g.object("event"), byName(g.objects("pools"))
	at := seconds(event.number("t", 0))
	count := func(p object, kind string) PoolCount {
		return PoolCount{Count: int64(p.number(kind, 0)), Limit: int64(p.number("max_"+kind, 0)), Unlimited: !p.has("max_" + kind)}
	}
	step := CountStep{Context: Context{Slacks: &slacks}, At: at, Lightweight: event.flag("lightweight", false), Revived: event.flag("revived", false)}
	for _, x := range g.objects("config_changes") {
		t := seconds(x.number("t", 0))
		step.Reconfigured = step.Reconfigured || t <= at && at-t <= slacks.Configuration
	}
	chain := func(kind string) (list []PoolCount) {
		for name := event.text("pool"); name != ""; name = pools[name].text("parent") {
			list = append(list, count(pools[name], kind))
		}
		return list
	}
	switch event.text("type") {
	case "operation_running":
		step.Chain = chain("running_operation_count")
		return step.JudgeActivation(nil)
	case "operation_started", "operation_registered":
		step.Chain = chain("operation_count")
		return step.JudgeRegistration(nil)
	case "operation_rejected", "operation_failed":
		step.Chain = chain("operation_count")
		return step.JudgeRefusal(nil)
	}
	t.Fatalf("no judge for the event %q", event.text("type"))
	return nil
}

func auditQueue(_ *testing.T, _ scheduling.Profile, g object) (rulings []Ruling) {
	slacks := DefaultSlacks()
	slacks.Rescan = seconds(g.number("scan_period", 60))
	waiting := g.objects("queue")
	for i, event := range g.objects("events") {
		o := Overtaking{
			Context: Context{Slacks: &slacks}, At: seconds(event.number("t", 0)),
			Oldest: scheduling.Never, Ran: scheduling.Never, Room: scheduling.Never,
		}
		if g.has("last_room_event_without_notification") {
			o.Room = seconds(g.number("last_room_event_without_notification", 0))
		}
		at := slices.IndexFunc(waiting, func(w object) bool { return w.text("operation") == event.text("operation") })
		if at >= 0 {
			o.Queued, o.Since = true, seconds(waiting[at].number("t", 0))
			waiting = slices.Delete(slices.Clone(waiting), at, at+1)
		}
		if event.text("type") != "operation_running" {
			continue
		}
		for _, w := range waiting {
			if since := seconds(w.number("t", 0)); o.Oldest == scheduling.Never || since < o.Oldest {
				o.Oldest, o.Ran = since, scheduling.Never
				for _, later := range g.objects("events")[i+1:] {
					if later.text("operation") == w.text("operation") {
						o.Ran = seconds(later.number("t", 0))
					}
				}
			}
		}
		rulings = o.Judge(rulings)
	}
	return rulings
}

func auditLightweight(_ *testing.T, _ scheduling.Profile, g object) []Ruling {
	slacks := DefaultSlacks()
	pool := g.object("pool")
	p := LightweightPool{
		Context: Context{Slacks: &slacks}, FIFO: pool.text("mode") == "fifo", Enabled: pool.flag("enable_lightweight_operations", false),
		Operations: int64(pool.number("operation_count", 0)), Running: int64(pool.number("running_operation_count", 0)),
		Lightweight: int64(pool.number("lightweight_running_operation_count", 0)),
	}
	for _, o := range g.objects("operations") {
		if o.text("type") == "vanilla" {
			p.Vanilla++
		} else {
			p.Others++
		}
	}
	return p.Judge(nil)
}

// auditLimits judges what is started below limits, and what is taken for them.
func auditLimits(t *testing.T, p scheduling.Profile, g object) []Ruling {
	slacks, options := DefaultSlacks(), optionsOf(p, g.object("tree_config"))
	event := g.object("event")
	at := seconds(event.number("t", 0))
	state := State{Options: &options, Total: resource.Unlimited}
	index, before := map[string]int32{"": -1, "<Root>": -1}, []resource.Partial{}
	changed := false
	add := func(name, above string, o object) {
		limits, usage := o.partial(o.either("resource_limits", "specified_limits")), o.partial(o.either("resource_usage", "usage"))
		e := Element{Handle: scheduling.Element(len(state.Elements) + 1), Above: index[above]}
		e.Specified, e.Limits, e.Amount, e.Schedulable = limits, limits.Or(resource.Unlimited), usage.Amounts, true
		e.Demand, e.DemandAmount = resource.Uniform(1), resource.Unlimited
		for _, x := range g.objects("config_changes") {
			changedAt := seconds(x.number("t", 0))
			if recent := changedAt <= at && at-changedAt <= slacks.Configuration; recent && x.text(x.either("pool", "operation")) == name && x.text("attribute") == "resource_limits" {
				limits, changed = x.partial("old"), true
			}
		}
		index[name] = int32(len(state.Elements))
		state.Elements, before = append(state.Elements, e), append(before, limits)
	}
	for _, pool := range g.objects("pools") { // parents first
		add(pool.text("name"), pool.text("parent"), pool)
	}
	operations := byName(g.objects("operations"))
	operation := event.text("operation")
	if _, known := index[operation]; !known {
		add(operation, event.text("pool"), operations[operation])
	}
	size := event.partial(event.either("resources", "usage")).Amounts
	switch event.text("type") {
	case "job_started":
		s := &Start{
			Decision: Decision{Context: Context{Slacks: &slacks}, At: at, States: []State{state}, NoNode: true}, Size: size, Operation: index[operation],
			LimitedSince: scheduling.Never, MovedSince: scheduling.Never, OfflineSince: scheduling.Never, BackSince: scheduling.Never,
			TagsSince: scheduling.Never, SegmentSince: scheduling.Never, RunsSince: scheduling.Never,
		}
		if changed {
			other := s.AddState()
			for e := range other.Elements {
				other.Elements[e].Specified = before[e]
			}
		}
		return s.Judge(nil)
	case "job_preempted":
		b := &Batch{Decision: Decision{Context: Context{Slacks: &slacks}, At: at}, From: scheduling.Never}
		b.States, b.Node = []State{state}, Node{Limits: resource.Unlimited, SSDSince: scheduling.Never, Overcommitted: scheduling.Never, OvercommittedWithin: scheduling.Never, LastPreemptive: scheduling.Never}
		b.Jobs = []Job{{Operation: index[operation], Usage: size, Granted: size, List: scheduling.Preemptible, Placed: true}}
		b.Taken = []Taken{{Reason: reasonOf(t, event.text("reason")), Preemptor: NoPreemptor}}
		if changed {
			other := state.copy()
			for e := range other.Elements {
				other.Elements[e].Specified, other.Elements[e].Limits = before[e], before[e].Or(resource.Unlimited)
			}
			b.States = append(b.States, other)
		}
		return b.Judge(nil)
	}
	t.Fatalf("no judge for the event %q", event.text("type"))
	return nil
}

// byName finds objects by their name or id.
func byName(list []object) map[string]object {
	all := map[string]object{}
	for _, o := range list {
		all[o.text(o.either("name", "id"))] = o
	}
	return all
}

// object is a JSON object whose keys a test looks up by name.
type object map[string]any

func (o object) has(key string) bool { v, ok := o[key]; return ok && v != nil }

// either is the first of two names for the same that the object has.
func (o object) either(name, other string) string {
	if o.has(name) {
		return name
	}
	return other
}

func (o object) text(key string) string { s, _ := o[key].(string); return s }

func (o object) number(key string, fallback float64) float64 {
	if n, ok := o[key].(float64); ok {
		return n
	}
	return fallback
}

func (o object) flag(key string, fallback bool) bool {
	if b, ok := o[key].(bool); ok {
		return b
	}
	return fallback
}

func (o object) object(key string) object { m, _ := o[key].(map[string]any); return m }

func (o object) list(key string) []any { l, _ := o[key].([]any); return l }

func (o object) objects(key string) (list []object) {
	for _, x := range o.list(key) {
		list = append(list, x.(map[string]any))
	}
	return list
}

func (o object) share(key string) (s resource.Share) {
	for name, x := range o.object(key) {
		k, _ := resource.ParseKind(name)
		s[k], _ = x.(float64)
	}
	return s
}

func (o object) partial(key string) (p resource.Partial) {
	for name, x := range o.object(key) {
		k, known := resource.ParseKind(name)
		if !known {
			panic("unknown resource " + name)
		}
		p.Set[k], p.Amounts[k] = true, int64(x.(float64))
		if k == resource.CPU {
			p.Amounts[k] = resource.ParseCPU(x.(float64))
		}
	}
	return p
}

// seconds reads a time of a case, in microseconds.
func seconds(x float64) int64 { return int64(math.Round(x * 1e6)) }

func statusOf(name string) scheduling.Status {
	for s := scheduling.NonStarving; s <= scheduling.AggressivelyStarving; s++ {
		if s.String() == name {
			return s
		}
	}
	panic("unknown status " + name)
}
