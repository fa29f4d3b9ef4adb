package whatif

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/exit"
	"poolproof/core"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest"
	"poolproof/ingest/synthetic"
)

// ruleEdits are edits by which another scheduler would ask, wait, preempt and place otherwise. %s is a
// tree, a pool at its top, and a node.
var ruleEdits = []string{
	`{}`,
	`{trees: {%[1]q: {fair_share_starvation_timeout: 1000, fair_share_aggressive_starvation_timeout: 5000}}}`,
	`{at: "2025-03-03T08:03:00Z", trees: {%[1]q: {job_interrupt_timeout: 2000, job_graceful_interrupt_timeout: 5000}}}`,
	`{trees: {%[1]q: {pools: {%[2]q: {weight: 0.1}}}}}`,
	`{at: "2025-03-03T08:04:00Z", nodes: {%[3]q: {resource_limits: {cpu: 4}}}}`,
	`{trees: {%[1]q: {preemptive_scheduling_backoff: 10000, waiting_job_timeout: 3000}}}`,
	`{trees: {%[1]q: {pools: {%[2]q: {resource_limits: {cpu: 8}}}}}}`,
	`{trees: {%[1]q: {pools: {%[2]q: {weight: 20, max_running_operation_count: 1}}}}}`,
	`{at: "2025-03-03T08:05:00Z", nodes: {%[3]q: {remove: true}}}`,
	`{nodes: {more: {like: %[3]q, count: 2}}}`,
	`{trees: {%[1]q: {non_preemptible_resource_usage_threshold: {user_slots: 2}}}}`,
	`{trees: {%[1]q: {fair_share_starvation_tolerance: 1, enable_conditional_preemption: false}}}`,
}

// TestSweepWhatIfBreaksNoRule: whatever is edited, the core decides both runs and keeps the rules.
// So neither has a violated finding where the recorded log, of the core's own decisions, has none.
func TestSweepWhatIfBreaksNoRule(t *testing.T) {
	specs, err := filepath.Glob("../plants/testdata/innocent/*.yaml")
	if err != nil || len(specs) == 0 {
		t.Fatal(specs, err)
	}
	part := sweep.Take(t, 2*(len(specs)+1))
	specs = append([]string{"testdata/preempted_gracefully.yaml"}, specs...)
	for i, file := range specs {
		var edits []string
		for k, e := range ruleEdits {
			if part.Has(i + k*len(specs)) {
				edits = append(edits, e)
			}
		}
		if len(edits) > 0 {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) { keepsRules(t, file, edits) })
		}
	}
}

// keepsRules tries edits of the first tree of a cluster that has pools.
func keepsRules(t *testing.T, file string, edits []string) {
	t.Parallel()
	spec, err := synthetic.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := limitedTrace(t, string(text), nil)
	trace, err := ingest.Open(filepath.Join(dir, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	pools := slices.DeleteFunc(slices.Clone(trace.Dimensions().Pools), func(p core.PoolInfo) bool { return p.Ephemeral })
	var measures []string
	for _, name := range trace.Trees() {
		measures = append(measures, "violations of "+name)
	}
	grid := "edits:\n"
	for i, e := range edits {
		grid += fmt.Sprintf("  %d: %s\n", i, fmt.Sprintf(e+"%.0[1]s%.0[2]s%.0[3]s", pools[0].Tree, pools[0].Name, spec.Nodes[0].Name+"-0"))
	}
	grid += fmt.Sprintf("measure: [%s]\n", strings.Join(measures, ", "))
	if err := os.WriteFile(filepath.Join(dir, "grid.yaml"), []byte(grid), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--grid", "grid.yaml", "--quiet", "--output", "json")
	a := readAnswer(t, out)
	for _, row := range a.section(t, "trials") {
		for _, m := range measures {
			if n, _ := row[m].(float64); n != 0 {
				t.Errorf("%s of edit %v: %v, in\n%s", m, row["edit"], n, grid)
			}
		}
		if row["refused"] != nil {
			t.Errorf("edit %v is refused: %v", row["edit"], row["refused"])
		}
	}
}
