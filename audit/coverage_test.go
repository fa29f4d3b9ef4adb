package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// Where the source counts GPUs in thousandths, a finding speaks of GPUs.
func TestGPUsAreCountedWhole(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for tree, unit := range map[string]string{"milli": "milli_gpu", "whole": "gpu", "silent": ""} {
		states := whole()
		if unit != "" {
			states["unit.gpu"] = unit
		}
		r.addTree(tree, states)
		over := poolOver(0, tables.ResourceLimits, tables.CauseJobStarted)
		over.Resource = core.Some(resource.GPU)
		put(r, tree, over, nodeOver(0, resource.GPU, tables.CauseJobStarted))
	}
	v := r.judge("pool_over_resource_limits", "node_over_capacity")
	if got := v.found("pool_over_resource_limits"); got != "violated silent pool prod gpu 250 devices\nviolated whole pool prod gpu 250 devices\nviolated milli pool prod gpu 0.25 devices" {
		t.Error(got)
	}
	if got := v.found("node_over_capacity"); !strings.HasSuffix(got, "\nviolated milli node node1 gpu 0.25 devices") {
		t.Error(got)
	}
	for _, f := range v.Findings {
		want := map[string]string{"milli": "1.25 GPUs", "whole": "1,250 GPUs", "silent": "1,250 GPUs"}[f.Tree]
		if !strings.Contains(f.Reason, want) {
			t.Errorf("tree %s: %s", f.Tree, f.Reason)
		}
	}
}

// TestAssumedStates: where the log does not record what runs from what waits, a
// count of running operations accuses nobody.
func TestAssumedStates(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	for tree, state := range map[string]string{"told": "recorded", "guessed": "assumed"} {
		states := whole("operation_states", state)
		r.addTree(tree, states)
		put(r, tree, poolOver(0, tables.MaxRunningOperationCount, tables.CauseOperation))
	}
	v := r.judge("pool_over_running_operation_count")
	if told, guessed := v.outcome("pool_over_running_operation_count", "told"), v.outcome("pool_over_running_operation_count", "guessed"); told.Verdict != Violated || guessed.Verdict != Suspect {
		t.Errorf("told %+v, guessed %+v", told, guessed)
	}
}
