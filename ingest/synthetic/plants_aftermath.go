package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
	"poolproof/ingest/trace"
)

// wide is the crowded tree in which b's jobs take two cores, so that two of v go
// for each.
var wide = strings.Replace(without(crowded), "jobs: [6, 6], resources: {cpu: 1}", "jobs: [3, 3], resources: {cpu: 2}", 1)

// aged is a tree in which v holds ten cores from the start, and another ten for
// the last three minutes before b comes.
const aged = twoNodes + `
operations:
  - {name: TREE-s, at: 3s, pool: poor, trees: [TREE], tasks: [{jobs: [10, 10], resources: {cpu: 1}, seconds: [500, 0]}]}
  - {name: TREE-v, at: 20s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-b, at: 700s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [3000, 0]}]}
`

// What goes wrong once a decision is made.
var aftermathPlants = []Plant{
	{
		Kind: "lost_work_forgotten", Severity: "minor", About: "operation", Subject: "v", From: 120 * second, To: 4000 * second,
		Sentence:   "The work of preempted jobs is never begun again, though their operation lives on for more than an hour.",
		Invariants: []string{"PRE-30"},
		// A profile of its own leaves it a trace of its own: an hour is long.
		spec: "profile: documented\n" + tree + richAndPoor + strings.ReplaceAll(without(crowded), "seconds: [3000, 0]", "seconds: [6000, 0]"),
		fault: func(f *field) {
			f.injector.Stop = func(_ core.Time, _ int, _ core.OperationID, e simulate.Ending) simulate.Ending {
				e.Lost = true
				return e
			}
		},
	},
	{
		Kind: "lost_work_passed_over", Severity: "minor", About: "operation", Subject: "v", From: 120 * second, To: 4100 * second,
		Sentence:   "Of the jobs that were preempted all but one are begun again, each naming the one that it continues, and the operation lives on for more than an hour.",
		Invariants: []string{"PRE-30"},
		spec: "profile: documented\n" + tree + richAndPoor + twoNodes + `
operations:
  - {name: TREE-v, at: 10s, pool: poor, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [6000, 0]}]}
  - {name: TREE-b, at: 120s, pool: rich, trees: [TREE], tasks: [{jobs: [6, 6], resources: {cpu: 1}, seconds: [60, 0]}]}
`,
		fault: func(f *field) {
			lost := false
			f.injector.Stop = func(_ core.Time, _ int, _ core.OperationID, e simulate.Ending) simulate.Ending {
				if !lost && !e.Completed {
					e.Lost, lost = true, true
				}
				return e
			}
		},
	},
	{
		Kind: "beneficiary_never_runs", Severity: "minor", About: "operation", Subject: "b", From: 120 * second, To: 240 * second,
		Sentence:   "Jobs are taken for others that wait on their nodes for ever.",
		Invariants: []string{"PRE-23"}, Consequences: []string{"HB-02"},
		spec: tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			b := f.operation("b")
			f.recorder.stuck = append(f.recorder.stuck, func(r *trace.Job, _ core.Time) bool { return r.Op == b })
		},
	},
	{
		Kind: "start_beside_waiting_job", Severity: "critical", About: "operation", Subject: "b", From: 120 * second, To: 240 * second,
		Sentence:   "A job starts on a node where another still waits for its room.",
		Invariants: []string{"HB-02"},
		spec:       tree + richAndPoor + without(crowded),
		fault: func(f *field) {
			b := f.operation("b")
			f.recorder.stuck = append(f.recorder.stuck, func(r *trace.Job, at core.Time) bool { return r.Op == b && at < r.Time+11*core.Second })
		},
	},
	{
		Kind: "older_job_less_protected", Severity: "major", About: "operation", Subject: "v", From: 130 * second, To: 240 * second,
		Sentence:   "Of two jobs taken at one moment the older one is said to be less protected.",
		Invariants: []string{"LST-02"},
		spec:       tree + richAndPoor + wide,
		fault:      invertLevels,
	},
	{
		Kind: "old_job_taken", Severity: "info", About: "operation", Subject: "v", From: 700 * second, To: 840 * second,
		Sentence:   "A job that ran for long is taken, though younger ones of its operation could make the room elsewhere.",
		Invariants: []string{"PRE-29"}, Consequences: []string{"PRE-11", "PRE-06", "PRE-09", "PRE-16", "GUA-07"},
		spec: tree + richAndPoor + aged,
		fault: func(f *field) {
			b, v := f.operation("b"), f.operation("v")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				if f.starving(h, b) == scheduling.NonStarving || !d.Preemptive {
					return false
				}
				mine := here(h, latest(h, v, 20))
				if len(mine) == 0 || h.At-mine[0].Start < 600*core.Second {
					withhold(d, b)
					return false
				}
				return takeForB(f, h, d, scheduling.Preemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
}
