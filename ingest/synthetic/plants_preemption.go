package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// crowded is a tree whose twenty cores fill up one by one with the jobs of
// operation v, because those of s leave one by one. At two minutes b comes, of a
// pool with a guarantee, and wants six: v is above its fair share by as many.
const crowded = twoNodes + `
operations:
  - {name: TREE-s, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [30, 0.4]}]}
  - {name: TREE-v, at: 10s, pool: poor, trees: [TREE], TRAITS tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// cramped is a tree in which v has a tenth less than its fair share, because no
// node has room for one of its jobs more; nor for the one of b, which starves.
const cramped = `
nodes:
  - {name: TREE, count: 4, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-v, at: 5s, pool: poor, trees: [TREE], TRAITS tasks: [{jobs: [24, 24], resources: {cpu: 1.7}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 60s, pool: rich, trees: [TREE], tasks: [{jobs: [1, 1], resources: {cpu: 2}, seconds: [3000, 0]}]}
`

// above is by how many jobs v exceeds its fair share in the crowded tree when b comes.
const above = 6

// exceeding are the jobs of the node by which v exceeds its fair share in the crowded
// tree, the latest first: one less with each that b has.
func (f *field) exceeding(h *simulate.Heartbeat) []simulate.NodeJob {
	return here(h, latest(h, f.operation("v"), max(0, above-len(h.OperationJobs(f.operation("b"))))))
}

// instead alters the first preemption for b that the policy decides.
func (f *field) instead(do func(h *simulate.Heartbeat, d *core.Decision) bool) {
	f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
		if len(d.Preempted) == 0 || d.Preempted[0].For < 0 {
			return false
		}
		return do(h, d)
	})
}

// takeForB starts a job of b and takes the latest jobs of v on the node that
// make room for it.
func takeForB(f *field, h *simulate.Heartbeat, d *core.Decision, list scheduling.List, reason scheduling.Reason, stage scheduling.Stage) bool {
	b, v := f.operation("b"), f.operation("v")
	withhold(d, b)
	free := h.Free()
	victims := here(h, latest(h, v, 20))
	n := 0
	for ; n < len(victims) && !f.size(b).FitsIn(free); n++ {
		free = free.Add(victims[n].Resources)
	}
	if n == 0 || !f.size(b).FitsIn(free) {
		return false
	}
	place := f.startFor(d, b, stage)
	for _, j := range victims[:n] {
		take(d, j, list, reason, place)
	}
	return true
}

var preemptionPlants = []Plant{
	{
		Kind: "beneficiary_not_starving", Severity: "major", About: "operation", Subject: "b", From: 123 * second, To: 135 * second,
		Sentence:   "A job is taken for an operation that does not starve yet.",
		Invariants: []string{"PRE-04"}, Consequences: []string{"PRE-03", "PRE-05"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := f.exceeding(h)
				return d.Preemptive && len(mine) > 0 && wanted(h, f.operation("b")) &&
					takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "older_victim_first", Severity: "major", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "Of two jobs that may be taken the older one is.",
		Invariants: []string{"PRE-11"}, Consequences: []string{"PRE-05"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.instead(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := f.exceeding(h)
				oldest := len(mine) - 1
				if oldest < 1 || mine[oldest].Start == mine[0].Start {
					return false
				}
				d.Preempted[0].Job = mine[oldest].ID
				return true
			})
		},
	},
	{
		Kind: "too_many_victims", Severity: "major", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "Two jobs are taken where one makes the room that is needed.",
		Invariants: []string{"PRE-12"},
		spec:       tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.instead(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := f.exceeding(h)
				if len(mine) < 2 {
					return false
				}
				d.Preempted = d.Preempted[:1]
				take(d, mine[1], scheduling.Preemptible, scheduling.ForPreemption, d.Preempted[0].For)
				return true
			})
		},
	},
	{
		Kind: "two_started_with_preemption", Severity: "critical", About: "operation", Subject: "b", From: 130 * second, To: 200 * second,
		Sentence:   "Two jobs are started with preemption on one heartbeat.",
		Invariants: []string{"PRE-13"}, Consequences: []string{"HB-01", "PRE-02"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.instead(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := f.exceeding(h)
				if len(mine) < 2 {
					return false
				}
				d.Preempted = d.Preempted[:1]
				take(d, mine[1], scheduling.Preemptible, scheduling.ForPreemption, f.startFor(d, f.operation("b"), scheduling.PreemptiveNormal))
				return true
			})
		},
	},
	{
		Kind: "preempted_in_backoff", Severity: "minor", About: "operation", Subject: "b", From: 130 * second, To: 300 * second,
		Sentence:   "Preemption is tried on a node sooner after the last time than the backoff allows.",
		Invariants: []string{"PRE-14"},
		spec: tree + `
    preemptive_scheduling_backoff: 60000` + richAndPoor + without(crowded),
		fault: func(f *field) {
			last, done := map[core.NodeID]core.Time{}, false
			f.tells = true
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				switch {
				case len(d.Preempted) > 0: // only such a report is recorded for sure
					last[h.Node] = h.At
				case !done && h.At >= f.from && !d.Preemptive && h.At-last[h.Node] < 50*core.Second && wanted(h, f.operation("b")) &&
					f.starving(h, f.operation("b")) != scheduling.NonStarving && len(here(h, latest(h, f.operation("v"), 3))) > 0:
					done = takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
					f.happened = done
				}
				return d
			}
		},
	},
	{
		Kind: "preempted_without_beneficiary", Severity: "critical", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "A job is taken for nobody, and its node is not too full.",
		Invariants: []string{"PRE-01"}, Consequences: []string{"PRE-12"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.once(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				if len(d.Preempted) != 1 || d.Preempted[0].For < 0 {
					return false
				}
				victim := d.Preempted[0]
				withhold(d, f.operation("b"))
				victim.For, victim.Proper = -1, false
				d.Preempted = append(d.Preempted, victim)
				return true
			})
		},
	},
	{
		Kind: "preempted_with_room", Severity: "major", About: "operation", Subject: "b", From: 140 * second, To: 170 * second,
		Sentence:   "A job is taken for an operation whose job had room on the node without it.",
		Invariants: []string{"PRE-24"}, Consequences: []string{"PRE-12"},
		spec: tree + richAndPoor + twoNodes + `
operations:
  - {name: TREE-v, at: 10s, pool: poor, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) { // v fills one node, and its latest jobs leave room on the other
			b, done := f.operation("b"), false
			f.tells = true
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				if done {
					return d
				}
				withhold(d, b) // until it starves
				mine := here(h, latest(h, f.operation("v"), 2))
				if h.At >= f.from && d.Preemptive && len(mine) > 0 && f.size(b).FitsIn(h.Free()) && f.starving(h, b) != scheduling.NonStarving {
					take(d, mine[0], scheduling.Preemptible, scheduling.ForPreemption, f.startFor(d, b, scheduling.PreemptiveNormal))
					done, f.happened = true, true
				}
				return d
			}
		},
	},
	{
		Kind: "starving_victim", Severity: "major", About: "operation", Subject: "v", From: 80 * second, To: 140 * second,
		Sentence:   "A job is taken from an operation that starves itself.",
		Invariants: []string{"PRE-08"}, Consequences: []string{"PRE-06", "PRE-09", "PRE-16", "GUA-07", "LST-03"},
		spec: tree + `
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}}
      poor: {strong_guarantee_resources: {cpu: 8}}
      rich: {strong_guarantee_resources: {cpu: 4}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 12s, pool: poor, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 30s, pool: rich, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving && f.starving(h, f.operation("v")) != scheduling.NonStarving &&
					takeForB(f, h, d, scheduling.NonPreemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "victim_within_fair_share", Severity: "major", About: "operation", Subject: "v", From: 80 * second, To: 140 * second,
		Sentence:   "A job is taken from an operation that has less than its fair share.",
		Invariants: []string{"PRE-09"}, Consequences: []string{"PRE-06", "PRE-16"},
		spec: tree + `
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}}
      poor: {weight: 5, fair_share_starvation_tolerance: 0.5}
      rich: {strong_guarantee_resources: {cpu: 6}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 12s, pool: poor, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 30s, pool: rich, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving &&
					takeForB(f, h, d, scheduling.NonPreemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "aggressive_forbidden", Severity: "major", About: "operation", Subject: "v", From: 110 * second, To: 180 * second,
		Sentence:   "A job is taken aggressively from below a pool that forbids it.",
		Invariants: []string{"PRE-17"}, Consequences: []string{"PRE-06", "PRE-09"},
		spec: tree + `
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 40000
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {allow_aggressive_preemption: false}}
` + without(cramped),
		fault: takeAggressively,
	},
	{
		Kind: "aggressive_from_gang", Severity: "major", About: "operation", Subject: "v", From: 110 * second, To: 180 * second,
		Sentence:   "A job of a gang is taken aggressively where the tree forbids it.",
		Invariants: []string{"PRE-18"}, Consequences: []string{"PRE-06", "PRE-09"},
		spec: tree + `
    enable_aggressive_starvation: true
    fair_share_aggressive_starvation_timeout: 40000
    allow_aggressive_preemption_for_gang_operations: false
` + richAndPoor + with(cramped, "is_gang: true,"),
		fault: takeAggressively,
	},
	{
		Kind: "normal_forbidden", Severity: "minor", About: "operation", Subject: "v", From: 140 * second, To: 200 * second,
		Sentence:   "A job is taken from a pool that allows no preemption.",
		Invariants: []string{"PRE-26"},
		spec: tree + `
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {allow_normal_preemption: false}}
` + without(crowded),
		fault: takeNormally,
	},
	{
		Kind: "graceful_victim", Severity: "major", About: "operation", Subject: "v", From: 62 * second, To: 140 * second,
		Sentence:   "A job of a graceful operation is taken in a preemptive stage.",
		Invariants: []string{"PRE-07"}, Consequences: []string{"PRE-06", "PRE-09", "PRE-16"},
		spec: tree + richAndPoor + with(cramped, "preemption_mode: graceful,"),
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving &&
					takeForB(f, h, d, scheduling.AggressivelyPreemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "small_operation_preempted", Severity: "major", About: "operation", Subject: "w", From: 130 * second, To: 200 * second,
		Sentence:   "A job is taken from an operation that uses less than the non-preemptible threshold.",
		Invariants: []string{"LST-05"}, Consequences: []string{"PRE-06", "PRE-11"}, Noted: []string{"PRE-05"},
		spec: tree + `
    pools:
      rich: {strong_guarantee_resources: {cpu: 10}}
      small: {weight: 0.01, non_preemptible_resource_usage_threshold: {cpu: 8}}
      poor: {}
` + twoNodes + `
operations:
  - {name: TREE-w, at: 3s, pool: small, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-v, at: 14s, pool: poor, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			b := f.operation("b")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				small := here(h, latest(h, f.operation("w"), 6))
				if len(small) == 0 || !d.Preemptive || f.starving(h, b) == scheduling.NonStarving {
					return false
				}
				withhold(d, b)
				take(d, small[0], scheduling.NonPreemptible, scheduling.ForPreemption, f.startFor(d, b, scheduling.PreemptiveNormal))
				return true
			})
		},
	},
	{
		Kind: "conditional_for_outsider", Severity: "major", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "A job that only its pool's own operations may displace is taken for one outside.",
		Invariants: []string{"PRE-10"}, Consequences: []string{"PRE-09", "PRE-11", "GUA-07"}, Suspected: []string{"GUA-07"},
		spec: tree + `
    min_share_preemption_timeout: 60000
    pools:
      closed: {strong_guarantee_resources: {cpu: 10}, pools: {left: {}, right: {}}}
      poor: {}
      rich: {strong_guarantee_resources: {cpu: 10}}
` + twoNodes + `
operations:
  - {name: TREE-v, at: 3s, pool: left, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-o, at: 14s, pool: poor, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-w, at: 118s, pool: right, trees: [TREE], tasks: [{jobs: [5, 5], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			b, v := f.operation("b"), f.operation("v")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := here(h, latest(h, v, 4))
				if len(mine) == 0 || !d.Preemptive || f.starving(h, b) == scheduling.NonStarving {
					return false
				}
				withhold(d, b, f.operation("w"))
				return takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "graceful_asked_too_soon", Severity: "major", About: "operation", Subject: "v", From: 80 * second, To: 140 * second,
		Sentence:   "A job of a graceful operation is asked to leave that is not preemptible.",
		Invariants: []string{"GRC-01"},
		spec:       tree + richAndPoor + with(cramped, "preemption_mode: graceful,"),
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				mine := here(h, latest(h, f.operation("v"), 4))
				if len(mine) == 0 || len(d.Preempted) > 0 {
					return false
				}
				take(d, mine[0], scheduling.AggressivelyPreemptible, scheduling.ForGracefulPreemption, -1)
				d.Preempted[0].Timeout = 60 * core.Second
				return true
			})
		},
	},
	{
		Kind: "graceful_aborted_early", Severity: "major", About: "operation", Subject: "v", From: 120 * second, To: 240 * second,
		Sentence:   "Jobs that were asked to leave gracefully are aborted long before their time is over.",
		Invariants: []string{"GRC-02"},
		spec:       tree + richAndPoor + with(crowded, "preemption_mode: graceful,"),
		fault: func(f *field) {
			f.injector.Stop = func(core.Time, int, core.OperationID, simulate.Ending) simulate.Ending {
				return simulate.Ending{After: 2 * core.Second}
			}
		},
	},
	{
		Kind: "aborted_before_deadline", Severity: "major", About: "operation", Subject: "v", From: 120 * second, To: 240 * second,
		Sentence:   "Interruptible jobs are aborted long before the time they were given is over.",
		Invariants: []string{"PRE-22"},
		spec:       tree + richAndPoor + with(crowded, "interruptible: true,"),
		fault: func(f *field) {
			f.injector.Stop = func(core.Time, int, core.OperationID, simulate.Ending) simulate.Ending {
				return simulate.Ending{After: 2 * core.Second, Interruptible: true}
			}
		},
	},
	{
		Kind: "ssd_reason_elsewhere", Severity: "critical", About: "operation", Subject: "v", From: 130 * second, To: 200 * second,
		Sentence:   "A job is taken for an SSD in a tree that gives none priority.",
		Invariants: []string{"PRE-19"}, Consequences: []string{"PRE-03", "PRE-05"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.instead(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				p := &d.Preempted[0]
				p.Reason, d.Started[p.For].Stage = scheduling.ForSSDPreemption, scheduling.PreemptiveSSDNormal
				return true
			})
		},
	},
	{
		Kind: "beneficiary_job_unknown", Severity: "minor", About: "operation", Subject: "v", From: 130 * second, To: 240 * second,
		Sentence:   "A preempted job is said to make room for one that never was.",
		Invariants: []string{"PRE-25"}, Consequences: []string{"PRE-01", "PRE-02"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			v := f.operation("v")
			f.recorder.endings = append(f.recorder.endings, func(r *trace.Job) {
				if r.Op == v && r.PreemptedForJob.Set {
					r.PreemptedForJob = core.Some("0-0-3e8-0")
				}
			})
		},
	},
	{
		Kind: "explanation_contradicts_codes", Severity: "minor", About: "operation", Subject: "v", From: 120 * second, To: 240 * second,
		Sentence:   "The scheduler says of preemptions that another stage took the jobs than its codes say.",
		Invariants: []string{"PRE-25"},
		spec:       tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			v := f.operation("v")
			f.recorder.endings = append(f.recorder.endings, func(r *trace.Job) {
				if r.Op == v && r.Explanation.Set {
					r.Explanation.Value = strings.Replace(r.Explanation.Value, `target priority was "normal"`, `target priority was "aggressive"`, 1)
				}
			})
		},
	},
	{
		Kind: "preempted_job_lingers", Severity: "minor", About: "operation", Subject: "v", From: 120 * second, To: 300 * second,
		Sentence:   "Preempted jobs leave their nodes long after the time they were given.",
		Invariants: []string{"PRE-21"}, Consequences: []string{"PRE-23"}, Suspected: []string{"LST-01"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			f.injector.Stop = func(core.Time, int, core.OperationID, simulate.Ending) simulate.Ending {
				return simulate.Ending{After: 60 * core.Second}
			}
		},
	},
	{
		Kind: "graceful_started_above_share", Severity: "minor", About: "operation", Subject: "v", From: 120 * second, To: 240 * second,
		Sentence:   "A graceful operation starts a job though it has its fair share.",
		Invariants: []string{"HB-06"},
		spec: tree + `
    pools: {poor: {weight: 0.2}, rich: {}}
` + twoNodes + `
operations:
  - {name: TREE-v, at: 3s, pool: poor, trees: [TREE], preemption_mode: graceful, tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 20s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 3}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			v := f.operation("v")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				if len(d.Started)+len(d.Preempted) > 0 || !wanted(h, v) || !f.size(v).FitsIn(h.Free()) {
					return false
				}
				f.start(d, v)
				return true
			})
		},
	},
}

// takeAggressively takes jobs of v for b, that starves aggressively.
func takeAggressively(f *field) {
	f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
		return d.Preemptive && f.starving(h, f.operation("b")) == scheduling.AggressivelyStarving &&
			takeForB(f, h, d, scheduling.AggressivelyPreemptible, scheduling.ForAggressivePreemption, scheduling.PreemptiveAggressive)
	})
}

// takeNormally takes a job of v, above its fair share, for b, that starves.
func takeNormally(f *field) {
	f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
		return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving && len(f.exceeding(h)) > 0 &&
			takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
	})
}
