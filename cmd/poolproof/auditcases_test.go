package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay"
	"poolproof/replay/env"
)

// A recordCase is a worked audit of counts or usage that a record shows, with the
// changes before it (core/spec/cases).
type recordCase struct {
	ID, Profile string
	Given       struct {
		Checks string
		Pools  []map[string]any
		Event  struct {
			T    float64
			Type string
		}
		Changes []struct {
			T                       float64
			Pool, Attribute, Parent string
			Old, New                any
		} `json:"config_changes"`
	}
	Expect struct{ Verdicts map[string]string }
}

// recordAudits judge the rules CNT-04, CNT-05 and LIM-02, of limits that a record may
// exceed.
var recordAudits = []string{"pool_over_running_operation_count", "pool_over_operation_count", "pool_over_resource_limits"}

// TestRecordCases works the audits of what records show: each case is a log that is
// replayed and audited.
func TestRecordCases(t *testing.T) {
	worked := 0
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "audit", func(_ string, data json.RawMessage) {
		if !testcorpus.IsOfRecords(data) {
			return
		}
		var c recordCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		worked++
		t.Run(c.ID, func(t *testing.T) { c.work(t) })
	})
	if worked == 0 {
		t.Error("no case of a record")
	}
	data, err := os.ReadFile("testdata/cases/records.json")
	if err != nil {
		t.Fatal(err)
	}
	var own struct{ Scenarios []recordCase }
	if err := json.Unmarshal(data, &own); err != nil || len(own.Scenarios) == 0 {
		t.Fatalf("%d cases of our own, %v", len(own.Scenarios), err)
	}
	for _, c := range own.Scenarios {
		t.Run(c.ID, func(t *testing.T) { c.work(t) })
	}
}

func (c *recordCase) work(t *testing.T) {
	s, err := coretest.Parse(c.log(t))
	if err != nil {
		t.Fatal(err)
	}
	profile, err := core.ParseProfile(c.Profile)
	if err != nil {
		t.Fatal(err)
	}
	at := core.Time(c.Given.Event.T * 1e6)
	all := [5]bool{true, true, true, true, true}
	dir := t.TempDir()
	opts := replay.Options{Log: env.Log{Window: core.Span{To: at + core.Second}, Profile: profile, Measured: all, Sized: all}}
	for k := range resource.Kinds {
		opts.Facts = append(opts.Facts, env.Fact{Aspect: "usage." + resource.Kind(k).String(), State: "recorded"})
	}
	summary, err := replay.Run(t.Context(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := replay.NewManifest("test", opts, summary).Write(dir); err != nil {
		t.Fatal(err)
	}
	v, err := audit.Run(t.Context(), audit.Options{Dir: dir, Queries: queries.Files, Only: recordAudits})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range c.Expect.Verdicts {
		if got := verdictOnRule(v, id); got != want {
			t.Errorf("%s is %s, want %s; the log:\n%s", id, got, want, c.log(t))
		}
	}
}

// verdictOnRule is the worst verdict on a rule, "" if no audit judged it.
func verdictOnRule(v *audit.Verdict, id string) string {
	for _, f := range v.Findings { // the worst first
		if f.Invariant == id {
			return string(f.Verdict)
		}
	}
	for _, o := range v.Outcomes {
		if slices.Contains(o.Audit.Invariants, id) && o.Seen > 0 {
			return "ok"
		}
	}
	return ""
}

// log tells of the pools of a case as they come to what the record shows: each runs
// what it counts itself, beside the pools below it.
func (c *recordCase) log(t *testing.T) string {
	var b strings.Builder
	fmt.Fprintln(&b, "0 node n1 cpu=1000 user_slots=1000 gpu=1000 memory=1000 network=1000")
	for _, pool := range c.Given.Pools {
		c.configure(t, &b, 0, pool)
	}
	var jobs strings.Builder
	for i, pool := range c.Given.Pools {
		running, all := c.own(pool, "running_operation_count"), c.own(pool, "operation_count")
		used, _ := pool["resource_usage"].(map[string]any)
		if len(used) > 0 {
			running = max(running, 1)
		}
		for k := range max(running, all) {
			o := fmt.Sprintf("o%d_%d", i, k)
			fmt.Fprintf(&b, "1 start %s pool=%s\n", o, pool["name"])
			if k < running {
				fmt.Fprintf(&b, "1 running %s\n", o)
			}
			if k == 0 && len(used) > 0 {
				fmt.Fprintf(&jobs, "2 job j%d op=%s node=n1%s\n", i, o, amountsOf(used, ""))
			}
		}
	}
	b.WriteString(jobs.String())
	for _, x := range c.Given.Changes {
		for _, pool := range c.Given.Pools {
			if pool["name"] == x.Pool {
				c.configure(t, &b, x.T, pool)
			}
		}
	}
	return b.String()
}

// own is how many operations a pool counts that no pool below it does.
func (c *recordCase) own(pool map[string]any, counter string) int {
	n, _ := pool[counter].(float64)
	for _, below := range c.Given.Pools {
		if m, _ := below[counter].(float64); below["parent"] == pool["name"] {
			n -= m
		}
	}
	return int(n)
}

// configure writes the configuration of a pool as it is at a moment: with the old values
// of what changes later.
func (c *recordCase) configure(t *testing.T, b *strings.Builder, at float64, pool map[string]any) {
	settings := maps.Clone(pool)
	for i := len(c.Given.Changes) - 1; i >= 0; i-- {
		if x := c.Given.Changes[i]; x.Pool == pool["name"] && x.T > at {
			settings[x.Attribute] = x.Old
		}
	}
	fmt.Fprintf(b, "%g pool %s", at, pool["name"])
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		value := settings[name]
		if value == nil {
			continue
		}
		switch name {
		case "parent", "mode":
			fmt.Fprintf(b, " %s=%s", name, value)
		case "resource_limits":
			fmt.Fprint(b, amountsOf(value.(map[string]any), "limit."))
		case "max_running_operation_count":
			fmt.Fprintf(b, " max_running=%g", value)
		case "max_operation_count":
			fmt.Fprintf(b, " max_operations=%g", value)
		case "enable_lightweight_operations":
			if value == true {
				fmt.Fprint(b, " lightweight=1")
			}
		case "name", "resource_usage", "running_operation_count", "operation_count": // what the record shows
		default:
			t.Fatalf("unknown setting %s of a pool", name)
		}
	}
	fmt.Fprintln(b)
}

func amountsOf(amounts map[string]any, prefix string) (text string) {
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		value := amounts[name]
		if name == "memory" { // a scenario counts GiB
			value = value.(float64) / (1 << 30)
		}
		text += fmt.Sprintf(" %s%s=%v", prefix, name, value)
	}
	return text
}
