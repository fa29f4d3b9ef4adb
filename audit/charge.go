package audit

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// A charge is a finding as it concerns one of those who promised something.
type charge struct {
	*Finding
	subject string    // the pool or the tree whose promise it is about
	verdict Judgement // of what concerns that one
	named   bool      // by the audit, and not only as the home of an operation
	rank    int       // of the finding among all, the worst first
	title   string    // of the audit
	since   string    // since when before the window it lasted, in words; empty where it began in it
}

// charges are whose promises a finding is about: those that its evidence names as
// promised, or else the pool that it is about or in, or else the tree.
func (f *Finding) charges() []charge {
	var evidence struct {
		Promised []struct {
			Pool    string    `json:"pool"`
			Verdict Judgement `json:"verdict"`
		} `json:"promised"`
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil || evidence.Promised == nil {
		return []charge{{Finding: f, subject: cmp.Or(f.pool(), f.Tree), verdict: f.Verdict, named: f.SubjectKind != "operation"}}
	}
	var charges []charge
	for _, p := range evidence.Promised {
		if p.Verdict.Rank() < f.Verdict.Rank() {
			p.Verdict = f.Verdict // which may have been found milder since
		}
		charges = append(charges, charge{Finding: f, subject: p.Pool, verdict: p.Verdict, named: true})
	}
	return charges
}

// promisedToOperations are the kinds that a pool promises to its operations. What
// was done to an operation's own limit or guarantee breaks no other promise of its
// pool.
var promisedToOperations = []string{
	"fifo_order", "fair_share_starvation_timeout", "min_share_preemption_timeout",
	"allow_aggressive_preemption", "allow_normal_preemption", "non_preemptible_resource_usage_threshold",
	"allow_regular_jobs_on_ssd_nodes", "forbid_immediate_operations", "enable_lightweight_operations",
}

// concerns reports whether a charge can be about what was promised.
func (t *promiseTerm) concerns(c *charge) bool {
	return c.named || t.SubjectKind == "tree" || slices.Contains(promisedToOperations, t.Kind)
}

// meets reports whether a span lies in the time in which the promise was in force.
func (t *promiseTerm) meets(from, to *time.Time) bool {
	begins := from == nil || t.To == nil || from.Before(*t.To)
	return begins && (to == nil || t.From == nil || to.After(*t.From) || from != nil && !from.Before(*t.From))
}
