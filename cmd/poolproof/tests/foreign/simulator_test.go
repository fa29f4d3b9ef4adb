package foreign

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/trace"
)

// TestSweepCasesOfTheSimulator imports and judges small logs that the scheduler's own code wrote in its simulator, each
// about one point of dispute. The scheduler kept its rules: nothing is violated but what an edit of the log broke,
// and the shares agree.
func TestSweepCasesOfTheSimulator(t *testing.T) {
	part := sweep.Take(t, 6)
	for i, c := range []struct {
		name     string
		violated []string // audits
		noted    []string // audits that note something legal
		settled  []string // audits that leave no doubt
		judged   []string // audits that judge something
		problems []string // of the import
		disagree bool     // shares are not compared
	}{
		// The second operation waits until the first one ends, and is recorded with zeros until then.
		{
			name:    "waiting",
			settled: []string{"recorded_limits_differ", "operation_ran_over_limit", "recorded_counts_do_not_add_up", "pool_over_running_operation_count"},
			judged:  []string{"operation_ran_over_limit", "pool_over_running_operation_count", "pending_operation_had_jobs", "pending_with_room", "queue_order_inverted"},
		},
		// A pool is ephemeral until an explicit one of its name is made.
		{name: "adopted", settled: []string{"ephemeral_pool_misplaced", "start_out_of_turn"}},
		// An explicit pool is removed while it has operations, lives on as an ephemeral one and is made again.
		{name: "deleted", settled: []string{"ephemeral_pool_misplaced", "start_out_of_turn"}},
		// The tree's starvation timeout was raised, and only effective values of records say so.
		{
			name:    "tree-setting",
			settled: []string{"starvation_unnoticed", "starving_too_early", "starving_though_served", "preemption_without_right"},
			judged:  []string{"starvation_unnoticed", "recorded_settings_differ"},
		},
		// The scheduler starts jobs above the max_share_ratio of an operation and takes them back.
		{name: "max-share", noted: []string{"operation_above_max_share"}},
		// By its settings a pool has weight 4; the scheduler gave it 1, and records say so.
		{name: "weight", violated: []string{"recorded_fair_share_underivable"}, disagree: true},
		// Recorded volumes were halved, so that they grow by half of the flow.
		{name: "volume", violated: []string{"integral_volume_wrong"}},
		// By its settings the backoff is 60 s; the scheduler took jobs of a node every 5 s.
		{name: "backoff", violated: []string{"preemption_before_backoff"}},
		// By its settings a pool forbids normal preemption; it lost five jobs to it, the only stage that was possible.
		{name: "normal-forbidden", violated: []string{"preemption_before_backoff"}, judged: []string{"preemption_without_right"}},
		// The ends of three jobs were edited to name another node than their starts do.
		{name: "two-nodes", problems: []string{"start_and_finish_differ"}, disagree: true},
		// Twelve of 45 snapshots have lost their rows of operations: what pools use cannot be added up there.
		{name: "lost-operations", settled: []string{"recorded_usage_differs"}, problems: []string{"incomplete_snapshots"}},
	} {
		if !part.Has(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			run := simulatorRun(t, c.name)
			v, err := audit.ReadVerdict(run)
			if err != nil {
				t.Fatal(err)
			}
			var violated, noted []string
			for i := range v.Findings {
				f := &v.Findings[i]
				switch doubt := f.Verdict == audit.Suspect || f.Verdict == audit.Violated; {
				case f.Verdict == audit.Noted:
					noted = append(noted, f.Audit)
				case f.Verdict == audit.Violated && slices.Contains(c.violated, f.Audit):
					violated = append(violated, f.Audit)
				case f.Verdict == audit.Violated, doubt && slices.Contains(c.settled, f.Audit):
					t.Errorf("%s %s: %s", f.Verdict, f.Audit, f.Reason)
				}
			}
			for _, id := range c.violated {
				if !slices.Contains(violated, id) {
					t.Errorf("%s is not violated", id)
				}
			}
			for _, id := range c.noted {
				if !slices.Contains(noted, id) {
					t.Errorf("%s notes nothing", id)
				}
			}
			for _, o := range v.Outcomes {
				if slices.Contains(c.judged, o.Audit.ID) && o.Seen == 0 {
					t.Errorf("%s judges nothing", o.Audit.ID)
				}
			}
			if a := v.ShareAgreement; !c.disagree && (a == nil || a.Records == 0 || a.Within(-9) != 1) {
				t.Errorf("shares: %+v", a)
			}
			problems := problemsOf(t, filepath.Join(filepath.Dir(run), "trace"))
			if !slices.Equal(problems, c.problems) {
				t.Errorf("problems %q, want %q", problems, c.problems)
			}
		})
	}
}

// simulatorRun imports and judges a log of the simulator.
func simulatorRun(t *testing.T, name string) string {
	t.Helper()
	file := func(end string) string {
		return commandtest.InProject("ingest/ytsaurus/testdata/simulator/" + name + end)
	}
	return filepath.Join(commandtest.Made(t, []string{
		"import ytsaurus " + file(".yson.zst") + " --pool-trees " + file(".pool_trees.yson") + " --out trace --quiet",
		"run trace --out run --quiet --min-coverage 0",
	}), "run")
}

// problemsOf returns the codes of the problems of a trace.
func problemsOf(t *testing.T, dir string) []string {
	t.Helper()
	m, err := trace.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(m.Quarantined))
}

// TestSweepCasesOfDamagedExports: an export that was taken before a tree was made does not show that the tree
// is gone, and what it lost of a configuration, or has damaged, was not the default one.
func TestSweepCasesOfDamagedExports(t *testing.T) {
	part := sweep.Take(t, 6)
	b, err := os.ReadFile(exportOf(t, "2023"))
	if err != nil {
		t.Fatal(err)
	}
	type object = map[string]any
	in := func(of object, keys ...string) object {
		for _, key := range keys {
			of = of[key].(object)
		}
		return of
	}
	cases := map[string]struct {
		damage   func(trees object)
		problems []string
	}{
		"a tree": {func(trees object) { delete(trees, "devices") }, []string{"tree_without_config"}},
		"the config of trees": {func(trees object) {
			delete(in(trees, "devices", "$attributes"), "config")
			delete(in(trees, "physical", "$attributes"), "config")
		}, []string{"tree_without_config"}},
		"a config that is none":  {func(trees object) { in(trees, "devices", "$attributes")["config"] = nil }, []string{"tree_without_config"}},
		"the attributes of one":  {func(trees object) { delete(in(trees, "devices"), "$attributes") }, []string{"tree_without_config"}},
		"attributes of a pool":   {func(trees object) { delete(in(trees, "physical", "$value", "prod"), "$attributes") }, []string{"pool_without_config"}},
		"a filter that is none":  {func(trees object) { in(trees, "devices", "$attributes", "config")["nodes_filter"] = "a &" }, []string{"bad_option", "tree_without_config"}},
		"a filter that is a map": {func(trees object) { in(trees, "devices", "$attributes", "config")["nodes_filter"] = object{} }, []string{"bad_option", "tree_without_config"}},
		"bytes of a parent": {func(trees object) {
			in(trees, "physical", "$attributes", "config")["default_parent_pool"] = "\ufffd"
		}, []string{"bad_option", "tree_without_config"}},
		"a guarantee that is a text": {func(trees object) {
			in(trees, "physical", "$value", "prod", "$attributes")["strong_guarantee_resources"] = "much"
		}, []string{"bad_option"}},
	}
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		if !part.Has(i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			var export object
			if err := json.Unmarshal(b, &export); err != nil {
				t.Fatal(err)
			}
			c.damage(in(export, "$value"))
			text, err := json.Marshal(export)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			trees, made := filepath.Join(dir, "trees.json"), filepath.Join(dir, "trace")
			if err := os.WriteFile(trees, text, 0o666); err != nil {
				t.Fatal(err)
			}
			log := commandtest.InProject("ingest/ytsaurus/testdata/samples/2023.jsonl.gz")
			commandtest.Succeed(t, "import", "ytsaurus", log, "--pool-trees", trees, "--out", made, "--quiet")
			commandtest.Succeed(t, "run", made, "--out", filepath.Join(dir, "run"), "--quiet", "--min-coverage", "0")
			var noted []string
			for _, p := range joblogtest.Read(t, made).Problems {
				noted = append(noted, p.Code)
			}
			for _, code := range c.problems {
				if !slices.Contains(noted, code) {
					t.Errorf("no problem %s in %q", code, noted)
				}
			}
		})
	}
}
