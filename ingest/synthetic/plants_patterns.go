package synthetic

import (
	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// What is wrong with many decisions together, or with what goes unsaid.

// settled is how long after a preemption its node's backoff is over, and all updates
// that a reader of the trace may take for the last one know of it.
const settled = 8 * core.Second

// twoVictims is a tree that two operations of one pool have filled when the pool of
// b, which is guaranteed half of it, wants that: each is above its share by half.
const twoVictims = tree + richAndPoor + `
nodes:
  - {name: TREE, count: 1, tags: [TREE], resources: {user_slots: 40, cpu: 20, memory: 80GiB, network: 20}}
operations:
  - {name: TREE-v, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-w, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

var patternPlants = []Plant{
	{
		Kind: "node_left_idle", Severity: "info", About: "node", Subject: "-0", From: 60 * second, To: 600 * second,
		Sentence:   "A node whose jobs end one after the other starts none for nine minutes, though an operation waits that runs on the other node.",
		Invariants: []string{"HB-10"}, Consequences: []string{"STV-09"},
		spec: tree + `
    pools: {main: {}}
` + twoNodes + `
operations:
  - {name: TREE-x, at: 3s, pool: main, trees: [TREE], tasks: [{jobs: [400, 400], resources: {cpu: 0.5}, seconds: [120, 0.5]}]}
`,
		fault: func(f *field) {
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				if h.At >= f.from && h.At < f.to && h.Node == core.NodeID(f.node("-0")) {
					d.Started, d.Preempted = nil, nil
				}
				return d
			}
		},
	},
	{
		Kind: "guaranteed_pool_unnoticed", Severity: "major", About: "pool", Subject: "waiting", From: 60 * second, To: 200 * second,
		Sentence:   "A pool that gets nothing of its strong guarantee is not declared starving for two minutes after its timeout has passed.",
		Invariants: []string{"GUA-02"}, Consequences: []string{"STV-02"},
		spec: tree + `
    min_share_preemption_timeout: 30000
    pools:
      fixed: {non_preemptible_resource_usage_threshold: {cpu: 100}}
      waiting: {strong_guarantee_resources: {cpu: 4}}
` + twoNodes + `
operations:
  - {name: TREE-h, at: 3s, pool: fixed, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [230, 0]}]}
  - {name: TREE-b, at: 60s, pool: waiting, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			f.record(distortion{pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("waiting") {
					r.StarvationStatus = scheduling.NonStarving.String()
				}
			}})
		},
	},
	{
		Kind: "fifo_budget_ignored", Severity: "minor", About: "operation", Subject: "y", From: 60 * second, To: 120 * second,
		Sentence:   "An operation without a fair share is recorded as schedulable in a FIFO pool that may have one such only.",
		Invariants: []string{"FIFO-04"},
		spec: tree + `
    max_schedulable_element_count_in_fifo_pool: 1
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}}
` + twoNodes + `
operations:
  - {name: TREE-x, at: 3s, pool: queue, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-y, at: 10s, pool: queue, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			y := f.operation("y")
			f.record(distortion{operation: func(r *trace.SnapOp) {
				if r.Op == y {
					r.UnschedulableReason = core.Optional[string]{}
				}
			}})
		},
	},
	{
		Kind: "guarantee_passed_over", Severity: "minor", About: "operation", Subject: "x", From: 20 * second, To: 120 * second,
		Sentence:   "A job is started for an operation without a guarantee, and one that lacks what its pool is promised could have started it.",
		Invariants: []string{"GUA-08", "HB-09"}, Suspected: []string{"HB-05"}, Noted: []string{"PRE-05"},
		spec: tree + `
    enable_guarantee_priority_scheduling: true
    pools: {rich: {strong_guarantee_resources: {cpu: 10}, compute_promised_guarantee_fair_share: true}, poor: {}}
` + twoNodes + `
operations:
  - {name: TREE-s, at: 2s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [60, 0.4]}]}
  - {name: TREE-p, at: 10s, pool: rich, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-x, at: 12s, pool: poor, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: func(f *field) {
			p, x := f.operation("p"), f.operation("x")
			f.once(func(_ *simulate.Heartbeat, d *core.Decision) (done bool) {
				for i := range d.Started {
					if s := &d.Started[i]; s.Operation == p && s.Stage == scheduling.RegularHigh {
						s.Operation, s.Stage, done = x, scheduling.RegularMedium, true
					}
				}
				return done
			})
		},
	},
	{
		Kind: "starvation_flaps", Severity: "info", About: "operation", Subject: "b", From: 30 * second, To: 640 * second,
		Sentence:   "An operation begins to starve every half minute, because its short jobs are started anew that often only.",
		Invariants: []string{"STV-10"}, Consequences: []string{"HB-05", "HB-10", "STV-10"}, Suspected: []string{"HB-10"},
		spec: tree + `
    fair_share_starvation_timeout: 7000
    pools: {busy: {}, short: {resource_limits: {cpu: 4}}}
` + twoNodes + `
operations:
  - {name: TREE-v, at: 3s, pool: busy, trees: [TREE], tasks: [{jobs: [14, 14], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 5s, pool: short, trees: [TREE], tasks: [{jobs: [2000, 2000], resources: {cpu: 1}, seconds: [8, 0]}]}
`,
		fault: func(f *field) {
			b := f.operation("b")
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				if since := h.At - f.from; since >= 0 && since%(30*core.Second) >= 6*core.Second {
					withhold(d, b)
				}
				return d
			}
		},
	},
	{
		Kind: "preemption_concentrated", Severity: "info", About: "operation", Subject: "v", From: 125 * second, To: 240 * second,
		Sentence:   "All jobs that are taken for another pool are those of one operation, and another of its pool, as far above its share, loses none.",
		Invariants: []string{"PRE-27"}, Consequences: []string{"PRE-06", "PRE-08", "PRE-09", "PRE-11", "PRE-16", "LST-03", "HB-05", "HB-10", "STV-09"}, // who lost them gets none
		spec: twoVictims,
		fault: func(f *field) {
			v, w := f.operation("v"), f.operation("w")
			f.tells = true
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				if h.At < f.from {
					return d
				}
				withhold(d, v) // which would take its share back
				for i := range d.Preempted {
					mine := here(h, latest(h, v, 10))
					if p := &d.Preempted[i]; p.Operation == w && len(mine) > i {
						p.Job, p.Operation, f.happened = mine[i].ID, v, true
					}
				}
				return d
			}
		},
	},
	{
		Kind: "preemption_ping_pong", Severity: "info", About: "operation", Subject: "v", From: 125 * second, To: 240 * second,
		Sentence:   "An operation lost a job to another and takes one from it within a minute.",
		Invariants: []string{"PRE-28"}, Consequences: []string{"PRE-03", "PRE-04", "PRE-05", "PRE-06", "LST-03"},
		Suspected: []string{"GUA-07", "PRE-09"}, // of one job, which is their slack
		spec:      tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			b, v := f.operation("b"), f.operation("v")
			lost, back := core.Time(0), false
			f.tells = true
			f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
				switch mine := here(h, latest(h, b, 1)); {
				case h.At < f.from || back:
				case len(d.Preempted) > 0:
					lost = h.At
				case wanted(h, b) || h.At < lost+settled: // both have their share, then
				case lost > 0 && len(mine) > 0 && wanted(h, v):
					take(d, mine[0], scheduling.Preemptible, scheduling.ForPreemption, f.startFor(d, v, scheduling.PreemptiveNormal))
					back, f.happened = true, true
				}
				return d
			}
		},
	},
}
