package plants

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

// An auditCase is a worked audit of counts or usage that a record shows, with the changes
// before it, or of a node and the trees that claim it (core/spec/cases).
type auditCase struct {
	ID, Profile string
	Given       struct {
		Checks string
		Pools  []map[string]any
		Event  struct {
			T          float64
			Type, Tree string
		}
		Changes []struct {
			T                       float64
			Pool, Attribute, Parent string
			Old, New                any
		} `json:"config_changes"`
		Trees []struct {
			Name   string
			Filter string `json:"nodes_filter"`
		}
		Node struct {
			ID, State string
			Tags      []string
			Since     float64 `json:"tags_since"`
		}
	}
	Expect struct{ Verdicts map[string]string }
}

// caseAudits judge the rules CNT-04, CNT-05 and LIM-02, of limits that a record may
// exceed, and TREE-01 and TREE-02.
var caseAudits = []string{
	"pool_over_running_operation_count", "pool_over_operation_count", "pool_over_resource_limits", "node_in_two_trees", "job_on_shared_node",
}

// TestAuditCases works the audits of queries: each case is a log that is replayed and
// audited.
func TestAuditCases(t *testing.T) {
	worked := 0
	testcorpus.Scenarios(t, testcorpus.SchedulingScenarios, "audit", func(_ string, data json.RawMessage) {
		if !testcorpus.IsForAudits(data) {
			return
		}
		var c auditCase
		if err := json.Unmarshal(data, &c); err != nil {
			t.Fatal(err)
		}
		worked++
		t.Run(c.ID, func(t *testing.T) { c.work(t) })
	})
	if worked == 0 {
		t.Error("no case for audits")
	}
	data, err := os.ReadFile("testdata/cases/records.json")
	if err != nil {
		t.Fatal(err)
	}
	var own struct{ Scenarios []auditCase }
	if err := json.Unmarshal(data, &own); err != nil || len(own.Scenarios) == 0 {
		t.Fatalf("%d cases of our own, %v", len(own.Scenarios), err)
	}
	for _, c := range own.Scenarios {
		t.Run(c.ID, func(t *testing.T) { c.work(t) })
	}
}

func (c *auditCase) work(t *testing.T) {
	logs := map[string]string{}
	for _, tree := range c.Given.Trees {
		logs[tree.Name] = c.treeLog(tree.Name, tree.Filter)
	}
	if len(logs) == 0 {
		logs["tree"] = c.log(t)
	}
	var trees []env.Tree
	dims := core.Dimensions{}
	for _, name := range slices.Sorted(maps.Keys(logs)) {
		s, err := coretest.Parse(logs[name])
		if err != nil {
			t.Fatal(err)
		}
		if trees = append(trees, env.Tree{Name: name, Events: s.Sequence()}); len(s.Dimensions.Nodes) > 0 { // no other tree has any
			dims = s.Dimensions
			for i := range dims.Pools {
				dims.Pools[i].Tree = name
			}
		}
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
	summary, err := replay.Run(t.Context(), dir, &dims, trees, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := replay.NewManifest("test", opts, summary).Write(dir); err != nil {
		t.Fatal(err)
	}
	v, err := audit.Run(t.Context(), audit.Options{Dir: dir, Queries: queries.Files, Only: caseAudits})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range c.Expect.Verdicts {
		if got := verdictOnRule(v, id); got != want {
			t.Errorf("%s is %s, want %s; the logs:\n%v", id, got, want, logs)
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
func (c *auditCase) log(t *testing.T) string {
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

// treeLog tells of a tree that may claim the node of a case and, of the one that has it,
// of the job that starts there.
func (c *auditCase) treeLog(name, filter string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "0 tree nodes=%s\n", filter)
	if n := &c.Given.Node; name == c.Given.Event.Tree {
		fmt.Fprintf(&b, "0 node %s cpu=1\n", n.ID)
		fmt.Fprintf(&b, "%g node %s cpu=1 tags=%s\n", n.Since, n.ID, strings.Join(n.Tags, ","))
		if c.Given.Event.Type == "job_started" {
			fmt.Fprintf(&b, "1 pool p\n1 start o pool=p\n1 running o\n%g job j op=o node=%s cpu=1\n", c.Given.Event.T, n.ID)
		}
	}
	return b.String()
}

// own is how many operations a pool counts that no pool below it does.
func (c *auditCase) own(pool map[string]any, counter string) int {
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
func (c *auditCase) configure(t *testing.T, b *strings.Builder, at float64, pool map[string]any) {
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
