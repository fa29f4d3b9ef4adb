package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/ingest/trace"
)

// guaranteed is a tree in which b has nine of the ten cores that it wants and that it and
// its pool are guaranteed: more than eight tenths of the pool's fair share, so that the
// pool starves for its guarantee or not at all. The other eleven are held by h and
// protected, for less time than an unmet guarantee may take to be told of.
const guaranteed = tree + `
    TRAITS
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}}
      rich: {strong_guarantee_resources: {cpu: 10}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [11, 11], resources: {cpu: 1}, seconds: [230, 0]}]}
  - {name: TREE-b, at: 60s, pool: rich, trees: [TREE], strong_guarantee_resources: {cpu: 10}, tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// forGuarantee are timeouts with which nobody starves for the fair share, and for the
// guarantee after some milliseconds.
func forGuarantee(timeout string) string {
	return `fair_share_starvation_timeout: 600000
    fair_share_aggressive_starvation_timeout: 600000
    min_share_preemption_timeout: ` + timeout
}

// aggressiveSoon is a tree that tells aggressive starvation after a minute.
const aggressiveSoon = `enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 60000`

// sinceOfB alters what snapshots say of b's starving_since.
func sinceOfB(alter func(row *trace.SnapOp)) func(*field) {
	return func(f *field) {
		b := f.operation("b")
		f.record(distortion{operation: func(r *trace.SnapOp) {
			if r.Op == b {
				alter(r)
			}
		}})
	}
}

// sincePlants are about which clock explains a status, and what is said of it.
var sincePlants = []Plant{
	{
		Kind: "min_share_too_early", Severity: "major", About: "pool", Subject: "rich", From: 75 * second, To: 100 * second,
		Sentence:   "A pool that lacks a core of its guarantee is said to starve for it long before that timeout has passed.",
		Invariants: []string{"STV-12"},
		spec:       with(guaranteed, forGuarantee("120000")),
		fault: func(f *field) {
			f.record(distortion{pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("rich") {
					r.StarvationStatus = scheduling.Starving.String()
				}
			}})
		},
	},
	{
		Kind: "min_share_announced_early", Severity: "major", About: "operation", Subject: "b", From: 75 * second, To: 100 * second,
		Sentence:   "It is announced that an operation starves for its own guarantee long before that timeout has passed.",
		Invariants: []string{"STV-12"},
		spec:       with(guaranteed, forGuarantee("120000")), fault: say(always(scheduling.Starving)),
	},
	{
		Kind: "aggressive_for_min_share", Severity: "major", About: "pool", Subject: "rich", From: 140 * second, To: 200 * second,
		Sentence:   "A pool that lacks a core of its guarantee is said to starve aggressively, which goes by the fair share: it has more than eight tenths of that.",
		Invariants: []string{"STV-04"},
		spec:       with(guaranteed, aggressiveSoon),
		fault: func(f *field) {
			f.record(distortion{pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("rich") {
					r.StarvationStatus = scheduling.AggressivelyStarving.String()
				}
			}})
		},
	},
	{
		Kind: "since_begun_anew", Severity: "minor", About: "operation", Subject: "b", From: 70 * second, To: 88 * second,
		Sentence:   "An operation that gets nothing is recorded as below its share since just now, time and again.",
		Invariants: []string{"STV-11"},
		spec:       with(blocked, ""), fault: sinceOfB(func(r *trace.SnapOp) { r.StarvingSince = core.Some(r.Time) }),
	},
	{
		Kind: "since_not_told", Severity: "minor", About: "operation", Subject: "b", From: 70 * second, To: 160 * second,
		Sentence:   "An operation that gets nothing is not recorded as below its share.",
		Invariants: []string{"STV-11"},
		spec:       with(blocked, ""), fault: sinceOfB(func(r *trace.SnapOp) { r.StarvingSince = core.Optional[core.Time]{} }),
	},
	{
		Kind: "since_kept", Severity: "minor", About: "operation", Subject: "b", From: 300 * second, To: 360 * second,
		Sentence:   "An operation that has all it wants is recorded as below its share.",
		Invariants: []string{"STV-11"},
		spec:       with(blocked, ""), fault: sinceOfB(func(r *trace.SnapOp) { r.StarvingSince = core.Some(r.Time - 100*core.Second) }),
	},
}

var legalSincePlants = []Plant{
	legal("legal_aggressive_for_both", "pool", "rich", 75*second, 200*second,
		"A pool starves for its guarantee and then aggressively: it has less than eight tenths of its fair share, too.",
		nil, strings.Replace(with(guaranteed, aggressiveSoon), "jobs: [11, 11]", "jobs: [14, 14]", 1)),
	legal("legal_min_share_starvation", "pool", "rich", 75*second, 200*second,
		"A pool that has more than eight tenths of its fair share starves: it lacks a core of its guarantee.",
		nil, with(guaranteed, forGuarantee("15000"))),
	{
		Kind: "legal_since_of_the_turn", Severity: "none", About: "operation", Subject: "b", From: 5 * second, To: 600 * second,
		Sentence: "Snapshots tell starving_since of operations that starve only, and mean since when they do.",
		spec:     with(blocked, ""),
		fault: func(f *field) {
			turned := map[core.OperationID]core.Time{}
			f.record(distortion{operation: func(r *trace.SnapOp) {
				at, starved := turned[r.Op]
				switch {
				case r.StarvationStatus == scheduling.NonStarving.String():
					delete(turned, r.Op)
					r.StarvingSince = core.Optional[core.Time]{}
					return
				case !starved:
					at = r.Time
					turned[r.Op] = at
				}
				r.StarvingSince = core.Some(at)
			}})
		},
	},
}
