package judge

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// checks says how the worked audits of the specification are run, by the group
// that they name.
var checks = map[string]func(t *testing.T, p scheduling.Profile, given object) []Ruling{
	"preemption": auditPreemption, "starvation": auditStarvation, "counts": auditCounts,
	"trees": auditTrees, "queue": auditQueue, "lightweight": auditLightweight,
}

// TestConformanceCases works the audits of the specification.
func TestConformanceCases(t *testing.T) {
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "judge", func(_ string, data json.RawMessage) {
		var s object
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		t.Run(s.text("id"), func(t *testing.T) { work(t, s) })
	})
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
		i, known := ParseInvariant(id)
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
	event, pools := g.object("event"), map[string]object{}
	for _, p := range g.objects("pools") {
		pools[p.text("name")] = p
	}
	at := seconds(event.number("t", 0))
	count := func(p object, kind string) PoolCount {
		c := PoolCount{Held: scheduling.Never, Unlimited: !p.has("max_" + kind)}
		c.Count, c.Limit = int64(p.number(kind, 0)), int64(p.number("max_"+kind, 0))
		for _, x := range g.objects("config_changes") {
			change := CountChange{At: seconds(x.number("t", 0)), Old: int64(x.number("old", 0))}
			switch attribute := x.text("attribute"); {
			case attribute == "max_"+kind && x.text("pool") == p.text("name") && (!x.has("old") || x.number("old", 0) > x.number("new", 0)):
				change.Why = LimitLowered
				if !x.has("old") {
					change.Old = math.MaxInt64
				}
			case attribute == "parent" || attribute == "pool":
				change.Why = PoolMoved
			case attribute == "enable_lightweight_operations" || attribute == "mode":
				change.Why = LightweightOff
			default:
				continue
			}
			c.Changes = append(c.Changes, change)
		}
		return c
	}
	step := CountStep{Context: Context{Slacks: &slacks}, At: at, Lightweight: event.flag("lightweight", false), Revived: event.flag("revived", false)}
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
	case "record":
		for _, p := range g.objects("pools") {
			for _, kind := range []string{"running_operation_count", "operation_count"} {
				if p.has(kind) {
					r := CountRecord{Context: step.Context, At: at, Running: kind == "running_operation_count", PoolCount: count(p, kind)}
					rulings = r.Judge(rulings)
				}
			}
		}
		return rulings
	}
	t.Fatalf("no judge for the event %q", event.text("type"))
	return nil
}

func auditTrees(t *testing.T, _ scheduling.Profile, g object) []Ruling {
	slacks := DefaultSlacks()
	node, event := g.object("node"), g.object("event")
	var names []string
	for _, x := range node.list("tags") {
		names = append(names, x.(string))
	}
	tags := pooltree.NewTags(names...)
	n := NodeTrees{Context: Context{Slacks: &slacks}, At: seconds(event.number("t", 0)), Since: scheduling.Never, Own: No}
	if node.has("tags_since") {
		n.Since = seconds(node.number("tags_since", 0))
	}
	n.Online, n.Started = node.text("state") != "offline", event.text("type") == "job_started"
	for _, x := range g.objects("trees") {
		f, err := pooltree.ParseFormula(x.text("nodes_filter"))
		if err != nil {
			t.Fatal(err)
		}
		if !f.Match(tags) {
			continue
		}
		if n.Trees++; x.text("name") == event.text("tree") {
			n.Own = Yes
		}
	}
	return n.Judge(nil)
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

// object is a JSON object whose keys a test looks up by name.
type object map[string]any

func (o object) has(key string) bool { v, ok := o[key]; return ok && v != nil }

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
