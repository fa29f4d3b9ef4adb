package whatif

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/rerun"
)

// TestTextOfEdits: edits have one text however they are laid out, and none like that of others or
// of none.
func TestTextOfEdits(t *testing.T) {
	text := func(file string) string {
		e, err := Parse("edits", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Text()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var none *Edits
	if got, err := none.Text(); err != nil || got != text("") {
		t.Errorf("no edits are %s, %v, and an empty file is %s", got, err, text(""))
	}
	same := text("pools: {a: {weight: 2}, b: {weight: 3}}")
	if other := text("pools:\n  b: {weight: 3}\n  a: {weight: 2}\n"); other != same {
		t.Errorf("%s and %s are the same edits", same, other)
	}
	for _, file := range []string{"", "pools: {a: {weight: 2}, b: {weight: 4}}", "at: 2025-03-03T08:10:00Z\npools: {a: {weight: 2}, b: {weight: 3}}"} {
		if text(file) == same {
			t.Errorf("%q has the text of other edits", file)
		}
	}
	later, err := (&Edits{At: core.Some(core.Second)}).Text()
	if err != nil || later == text("") {
		t.Errorf("edits from another time on are %s too, %v", later, err)
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
		"trees: {physical: {nodes_filter: cpu | gpu}}":    "edit.yaml:1: node gpu-0 would serve both tree devices and tree physical: edit nodes_filter of the other one, too",
		"nodes_filter: cpu":                               "edit.yaml:1: node cpu-0 would serve both tree devices and tree physical: edit nodes_filter of the other one, too",
		"nodes: {cpu-99: {remove: true}}":                 `edit.yaml:1: the trace has no node "cpu-99"; did you mean`,
		"nodes: {cpu-1: {}}":                              "edit.yaml:1: node cpu-1: say remove: true, resource_limits, or like: NODE with a count",
		"nodes: {cpu-1: {like: cpu-2}}":                   "edit.yaml:1: the trace has a node cpu-1 already",
		"nodes: {cpu-1: {resource_limits: {cpus: 3}}}":    "edit.yaml:1: ",
		"operations: {nope: {remove: true}}":              `edit.yaml:1: the trace has no operation "nope"`,
		"operations: {'': {remove: true}}":                `edit.yaml:1: the trace has no operation ""`,
		"users: {carla: {remove: true}}":                  `edit.yaml:1: no operation of the trace is of user "carla"; did you mean "carl"?`,
		"users: {carl: {delay: soon}}":                    `edit.yaml:1: users: carl: invalid duration "soon" (want 90s or 10m)`,
		"users: {carl: {remove: true, delay: 5m}}":        "edit.yaml:1: an operation is removed or changed, not both",
		"users: {carl: {renice: 5}}":                      `edit.yaml:1: an operation has no option "renice"`,
		"users: {carl: {weight: heavy}}":                  "edit.yaml:1: weight: the value has the wrong type",
		"users: {carl: {is_gang: true}}":                  "edit.yaml:1: is_gang of an operation is not edited",
		"users: {carl: {pool: prodd}}":                    `edit.yaml:1: no tree of the operation has a pool "prodd"; did you mean "prod"?`,
		"users: {carl: 5}":                                "edit.yaml:1: users: carl must be a map",
		"preemptions: [{from: 2025-03-03T08:00:00Z}]":     "edit.yaml:1: name the victim, the beneficiary or the job",
		"at: noon":                 `edit.yaml:1: at: invalid time "noon" (want one like 2025-03-03T08:10:00Z)`,
		"at: 2025-03-04T08:10:00Z": "edit.yaml:1: edits from 2025-03-04T08:10:00Z on are after the end of the window",
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

// TestAnEditOfWhatIsNotDecided: an operation that comes after the window of the plan is not edited.
func TestAnEditOfWhatIsNotDecided(t *testing.T) {
	w := theSmall(t)
	window := w.trace.Window()
	window.To = window.From + 60*core.Second
	plan, _, err := rerun.Plan(t.Context(), w.trace, core.Documented, window)
	if err != nil {
		t.Fatal(err)
	}
	decided, later := "", ""
	for id, o := range plan.Operations {
		if name := plan.Dimensions.Operations[id].ID; o.Submit < window.To {
			decided = name
		} else {
			later = name
		}
	}
	for name, want := range map[string]string{
		decided: "<nil>",
		later:   "edit.yaml:1: operation " + later + " is none of those that are decided: from 2025-03-03T08:00:00Z to 2025-03-03T08:01:00Z it is over, or has not come",
	} {
		e, err := Parse("edit.yaml", []byte("operations: {"+name+": {delay: 5m}}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Apply(plan, e); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
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
