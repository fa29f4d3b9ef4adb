package plants

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
)

// promisedBy are the kinds of promises that a rule is about, where it is broken at
// the pool that promised.
var promisedBy = map[string][]string{
	"GUA-01": {"strong_guarantee"}, "GUA-02": {"strong_guarantee"}, "GUA-03": {"strong_guarantee"}, "GUA-07": {"strong_guarantee"},
	"FIFO-01": {"fifo_order"}, "FIFO-02": {"fifo_order"}, "FIFO-03": {"fifo_order"}, "FIFO-04": {"fifo_order"},
	"LIM-01": {"resource_limits"}, "LIM-02": {"resource_limits"}, "LIM-03": {"resource_limits"}, "LIM-04": {"resource_limits"}, "LIM-07": {"resource_limits", "max_share_ratio"},
	"CNT-01": {"max_operation_count"}, "CNT-05": {"max_operation_count"}, "CNT-02": {"max_running_operation_count"}, "CNT-04": {"max_running_operation_count"},
	"CNT-06": {"max_operation_count"}, "PEND-01": {"max_running_operation_count"}, "PEND-04": {"max_running_operation_count"}, "PEND-06": {"max_running_operation_count"},
	"PRE-17": {"allow_aggressive_preemption"}, "PRE-26": {"allow_normal_preemption"}, "LST-05": {"non_preemptible_resource_usage_threshold"},
	"TREE-11": {"scheduling_tag_filter"}, "POOL-02": {"forbid_immediate_operations"}, "LW-02": {"enable_lightweight_operations"}, "HB-08": {"allow_regular_jobs_on_ssd_nodes"},
}

// keptThough complains of promises that are kept or untested although a finding of the same run
// violates them.
func keptThough(t *testing.T, p *synthetic.Planted, v *audit.Verdict) {
	t.Helper()
	for i := range v.Findings {
		f := &v.Findings[i]
		if f.Verdict != audit.Violated || !inTrees(f, p) {
			continue
		}
		pool := promiserOf(t, f)
		for _, promise := range v.Promises {
			if promise.Tree == f.Tree && promise.Subject == pool && (promise.Grade == audit.Kept || promise.Grade == audit.InPart || promise.Grade == audit.Vacuous) && inForce(&promise, f) && slices.Contains(promisedBy[f.Invariant], promise.Kind) {
				t.Errorf("%s: %s of %s is %s, though %s is violated: %s", p.Kind, promise.Kind, pool, promise.Grade, f.Invariant, f.Reason)
			}
		}
	}
}

// inForce reports whether a promise was in force when a finding began.
func inForce(p *audit.Promise, f *audit.Finding) bool {
	return f.From == nil || (p.From == nil || !p.From.After(*f.From)) && (p.To == nil || p.To.After(*f.From))
}

// promiserOf is the pool that promised what a finding violates; empty if an
// operation's own limit or guarantee was.
func promiserOf(t *testing.T, f *audit.Finding) string {
	var evidence struct {
		Pool     string `json:"pool"`
		FullPool string `json:"full_pool"`
		Promised []struct {
			Pool string `json:"pool"`
		} `json:"promised"`
		FirstCases []struct {
			LimitPool string `json:"limit_pool"`
		} `json:"first_cases"`
	}
	if err := json.Unmarshal(f.Evidence, &evidence); err != nil {
		t.Fatal(err)
	}
	switch {
	case f.SubjectKind == "pool":
		return f.Subject
	case strings.HasPrefix(f.Invariant, "FIFO"):
		return evidence.Pool
	case len(evidence.Promised) > 0:
		return evidence.Promised[0].Pool
	case slices.Contains([]string{"PRE-17", "PRE-26", "LST-05", "HB-08"}, f.Invariant):
		return evidence.Pool
	case strings.HasPrefix(f.Invariant, "CNT"):
		return evidence.FullPool
	case len(evidence.FirstCases) > 0:
		return evidence.FirstCases[0].LimitPool
	}
	return ""
}
