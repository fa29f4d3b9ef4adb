package synthetic

import (
	"poolproof/core"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// ignore has an operation get nothing during the fault's span.
func ignore(name string) func(*field) {
	return func(f *field) {
		o := f.operation(name)
		f.injector.Decide = func(h *simulate.Heartbeat, d *core.Decision) *core.Decision {
			if h.At >= f.from && h.At < f.to {
				withhold(d, o)
			}
			return d
		}
	}
}

var guaranteePlants = []Plant{
	{
		Kind: "guarantee_ignored", Severity: "major", About: "pool", Subject: "rich", From: 120 * second, To: 740 * second,
		Sentence:   "A pool gets nothing of its strong guarantee for ten minutes, and one without a guarantee has more than its fair share.",
		Invariants: []string{"GUA-03"}, Consequences: []string{"STV-09", "HB-05", "HB-10"},
		spec:  tree + richAndPoor + without(crowded),
		fault: ignore("b"),
	},
	{
		Kind: "burst_ignored", Severity: "major", About: "pool", Subject: "peaks", From: 180 * second, To: 800 * second,
		Sentence:   "A pool with volume left gets nothing of its burst guarantee for ten minutes.",
		Invariants: []string{"GUA-03"}, Consequences: []string{"STV-09", "HB-05", "HB-10"},
		spec:  with(bursting, "8}}"),
		fault: ignore("b"),
	},
	{
		Kind: "fifo_inversion", Severity: "minor", About: "operation", Subject: "y", From: 30 * second, To: 120 * second,
		Sentence:   "Again and again a job of a later operation of a FIFO pool is started where the first could have started one.",
		Invariants: []string{"FIFO-03"}, Consequences: []string{"HB-05"},
		spec: tree + patient + `
    pools: {queue: {mode: fifo, fifo_sort_parameters: [start_time]}, other: {}}
` + twoNodes + `
operations:
  - {name: TREE-s, at: 2s, pool: other, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [60, 0.4]}]}
  - {name: TREE-x, at: 10s, pool: queue, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-y, at: 12s, pool: queue, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: insteadOf("x", "y", 4),
	},
	{
		Kind: "less_satisfied_passed_over", Severity: "minor", About: "operation", Subject: "y", From: 60 * second, To: 200 * second,
		Sentence:   "A job is started for an operation that has its share, and one of the same pool without any could have started it.",
		Invariants: []string{"HB-05"},
		spec: tree + patient + `
    pools: {shared: {}}
` + twoNodes + `
operations:
  - {name: TREE-s, at: 2s, pool: shared, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [100, 0.2]}]}
  - {name: TREE-y, at: 4s, pool: shared, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-x, at: 14s, pool: shared, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
`,
		fault: insteadOf("x", "y", 1),
	},
	recorded("share_below_guarantee", "GUA-01", "A recorded fair share is half of the guarantee that is demanded.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("rich") {
				r.FairTotal.Value.CPU, r.FairStrong.Value.CPU = r.FairTotal.Value.CPU/2, r.FairStrong.Value.CPU/2
				r.FairTotal.Value.UserSlots, r.FairStrong.Value.UserSlots = r.FairTotal.Value.UserSlots/2, r.FairStrong.Value.UserSlots/2
			}
		}}
	}),
	recorded("share_over_demand", "GUA-09", "A recorded fair share exceeds the demand.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("rich") {
				r.FairTotal.Value.CPU, r.FairWeight.Value.CPU = r.FairTotal.Value.CPU+0.1, r.FairWeight.Value.CPU+0.1
			}
		}}
	}),
	recorded("share_over_limit", "LIM-07", "A recorded fair share exceeds the pool's resource_limits.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("capped") {
				r.FairTotal.Value.CPU, r.FairWeight.Value.CPU = r.FairTotal.Value.CPU+0.1, r.FairWeight.Value.CPU+0.1
			}
		}}
	}),
	recorded("relaxed_share_over_cap", "GUA-05", "A relaxed pool's recorded integral share exceeds what its flow allows.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("calm") {
				r.FairIntegral.Value.CPU += 0.3
			}
		}}
	}),
	{
		Kind: "relaxed_flow_withheld", Severity: "major", About: "pool", Subject: "calm", From: 60 * second, To: 300 * second,
		Sentence:   "A relaxed pool that wants more all the time is recorded with a quarter of its flow for four of its saturation periods.",
		Invariants: []string{"GUA-10"},
		spec:       without(flowing),
		fault: func(f *field) {
			q := f.operation("q")
			f.record(distortion{
				pool: func(r *trace.SnapPool) {
					if r.Pool == f.pool("calm") {
						scale(&r.SnapShares, 0.25)
					}
				},
				operation: func(r *trace.SnapOp) {
					if r.Op == q {
						scale(&r.SnapShares, 0.25)
					}
				},
			})
		},
	},
	recorded("volume_over_capacity", "GUA-06", "A recorded accumulated volume exceeds what the pool may keep.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("peaks") {
				r.AccumulatedRatioVolume = core.Some(r.AccumulatedRatioVolume.Value + 100_000)
			}
		}}
	}),
}

// scale multiplies what a record gives beyond the strong guarantee.
func scale(r *trace.SnapShares, by float64) {
	for _, x := range []*float64{&r.FairTotal.Value.CPU, &r.FairIntegral.Value.CPU, &r.FairWeight.Value.CPU, &r.FairTotal.Value.UserSlots, &r.FairIntegral.Value.UserSlots, &r.FairWeight.Value.UserSlots} {
		*x *= by
	}
}

// insteadOf starts jobs of the second operation in place of those of the first, at so
// many moments at least a second apart: nobody declines once and explains two of them.
// It is for trees in which nobody starves, so that nothing is preempted meanwhile.
func insteadOf(first, second string, moments int) func(*field) {
	return func(f *field) {
		x, y := f.operation(first), f.operation(second)
		left, last := moments, f.from-core.Second
		f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
			bent := false
			for i := range d.Started {
				if s := &d.Started[i]; s.Operation == x {
					s.Operation, bent = y, true
				}
			}
			if bent && h.At-last >= core.Second {
				left, last = left-1, h.At
			}
			return left == 0
		})
	}
}

// bursting is a tree of another's in which, after three minutes, a pool wants its
// burst guarantee of most of the tree. Its flow is still to be named.
const bursting = tree + `
    pools:
      peaks: {integral_guarantees: {guarantee_type: burst, burst_guarantee_resources: {cpu: 16}, resource_flow: {cpu: TRAITS}
      poor: {weight: 8}
` + twoNodes + `
operations:
  - {name: TREE-v, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 180s, pool: peaks, trees: [TREE], tasks: [{jobs: [16, 16], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// flowing is a tree in which a relaxed pool is promised a flow of a fifth, and has
// what flowed within a minute. The rest is another's by weight.
const flowing = tree + `
    integral_guarantees: {pool_capacity_saturation_period: 60000, smooth_period: 10000}
    pools:
      calm: {integral_guarantees: {guarantee_type: relaxed, resource_flow: {cpu: 4}}, weight: 0.01}
      poor: {TRAITS}
` + twoNodes + `
operations:
  - {name: TREE-q, at: 3s, pool: calm, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-p, at: 4s, pool: poor, trees: [TREE], tasks: [{jobs: [30, 30], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// everyKind is a tree with a pool of every kind, of whose recorded state
// something may be wrong.
const everyKind = tree + `
    pools:
      rich: {strong_guarantee_resources: {cpu: 6}, max_running_operation_count: 1}
      capped: {resource_limits: {cpu: 2}}
      queue: {mode: fifo, fifo_sort_parameters: [start_time]}
      peaks: {integral_guarantees: {guarantee_type: burst, resource_flow: {cpu: 2}, burst_guarantee_resources: {cpu: 3}}}
      calm: {integral_guarantees: {guarantee_type: relaxed, resource_flow: {cpu: 1}}}
      poor: {}
` + twoNodes + `
operations:
  - {name: TREE-q, at: 2s, pool: calm, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-r, at: 3s, pool: rich, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-c, at: 4s, pool: capped, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-x, at: 5s, pool: queue, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-y, at: 6s, pool: queue, trees: [TREE], tasks: [{jobs: [2, 2], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-p, at: 7s, pool: poor, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// recorded is a plant whose scheduler decides well and records a pool wrongly.
func recorded(kind, invariant, sentence string, of func(*field) distortion) Plant {
	severity := map[string]string{
		"GUA-01": "major", "GUA-09": "major", "LIM-07": "major", "GUA-06": "minor", "CNT-03": "critical", "LST-01": "minor", "LOG-01": "minor",
		"FIFO-01": "minor", "FIFO-02": "major", "LIM-09": "minor", "GUA-05": "major",
	}[invariant]
	subject := map[string]string{"LIM-07": "capped", "LIM-09": "capped", "GUA-06": "peaks", "FIFO-01": "queue", "FIFO-02": "queue", "GUA-05": "calm"}[invariant]
	set(&subject, "rich")
	consequences := map[string][]string{"GUA-01": {"GUA-09"}, "GUA-09": {"GUA-09"}, "LIM-07": {"GUA-09"}, "CNT-03": {"LW-05"}, "LST-01": {"LST-03"}}[invariant]
	return Plant{
		Kind: kind, Severity: severity, About: "pool", Subject: subject, From: 60 * second, To: 75 * second,
		Sentence: sentence, Invariants: []string{invariant}, Consequences: consequences, spec: everyKind,
		fault: func(f *field) { f.record(of(f)) },
	}
}

var recordPlants = []Plant{
	recorded("counters_torn", "CNT-03", "A pool's recorded running operations are not those of its operations.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("rich") {
				r.RunningOperations = core.Some(r.RunningOperations.Value + 1)
			}
		}}
	}),
	recorded("wrong_lists", "LST-01", "An operation's recorded preemptible jobs are far from those of the rule.", func(f *field) distortion {
		r := f.operation("r")
		return distortion{operation: func(row *trace.SnapOp) {
			if row.Op == r {
				row.PreemptibleJobs = core.Some(row.PreemptibleJobs.Value + 4)
			}
		}}
	}),
	recorded("usage_not_of_jobs", "LOG-01", "A pool's recorded usage is not that of its jobs.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("rich") {
				r.Usage.CPUMilli += 3000
				r.UsageShare.Value.CPU += 0.15
			}
		}}
	}),
	recorded("fifo_index_inverted", "FIFO-01", "The recorded order of a FIFO pool is not that of its sort parameters.", func(f *field) distortion {
		return distortion{operation: func(r *trace.SnapOp) {
			if r.Pool == f.pool("queue") {
				r.FIFOIndex = core.Some(1 - r.FIFOIndex.Value)
			}
		}}
	}),
	recorded("fifo_share_inverted", "FIFO-02", "In a FIFO pool a later operation is recorded with a fair share that an earlier one lacks.", func(f *field) distortion {
		x := f.operation("x")
		return distortion{operation: func(r *trace.SnapOp) {
			if r.Op == x {
				r.FairTotal.Value, r.FairWeight.Value = trace.Shares{}, trace.Shares{}
			}
		}}
	}),
	recorded("wrong_limits", "LIM-09", "A pool's recorded limits are twice what is configured.", func(f *field) distortion {
		return distortion{pool: func(r *trace.SnapPool) {
			if r.Pool == f.pool("capped") {
				r.Limits.Value.CPUMilli *= 2
			}
		}}
	}),
	{
		Kind: "pool_starving_where_off", Severity: "minor", About: "pool", Subject: "waiting", From: 150 * second, To: 170 * second,
		Sentence:   "A pool is recorded as starving where pools cannot starve.",
		Invariants: []string{"STV-08"},
		spec:       with(blocked, "enable_pool_starvation: false"),
		fault: func(f *field) {
			f.record(distortion{pool: func(r *trace.SnapPool) {
				if r.Pool == f.pool("waiting") {
					r.StarvationStatus = "starving"
				}
			}})
		},
	},
	{
		Kind: "job_of_two_slots", Severity: "minor", About: "operation", Subject: "a", From: 10 * second, To: 30 * second,
		Sentence:   "A job takes two user slots.",
		Invariants: []string{"LOG-06"}, Consequences: []string{"HB-04"},
		spec: tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
  - {name: TREE-b, at: 20s, pool: free, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [600, 0]}]}
`,
		fault: func(f *field) {
			f.from = f.window.From
			f.once(func(_ *simulate.Heartbeat, d *core.Decision) bool {
				if len(d.Started) == 0 {
					return false
				}
				d.Started[0].Resources[0] = 2
				return true
			})
		},
	},
}
