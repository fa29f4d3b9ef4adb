package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// plainTree is one in which all have what they want.
const plainTree = tree + `
    pools: {free: {}}
` + twoNodes + `
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [12, 12], resources: {cpu: 1}, seconds: [90, 0.3]}]}
  - {name: TREE-c, at: 6s, pool: free, trees: [TREE], tasks: [{jobs: [1, 1], resources: {cpu: 1}, seconds: [100, 0]}]}
`

// Logs that contradict themselves.
var logPlants = []Plant{
	{
		Kind: "job_in_two_places", Severity: "critical", About: "operation", Subject: "a", From: 5 * second, To: 180 * second,
		Sentence:   "Two jobs on different nodes have one id.",
		Invariants: []string{"LOG-04"},
		spec:       plainTree,
		fault: func(f *field) {
			var first *trace.Job
			second := false
			f.recorder.endings = append(f.recorder.endings, func(r *trace.Job) {
				switch {
				case r.Op != f.operation("a") || second:
				case first == nil:
					own := *r
					first = &own
				case r.Node != first.Node:
					r.ID, second = first.ID, true
				}
			})
		},
	},
	{
		Kind: "job_without_end", Severity: "minor", About: "operation", Subject: "c", From: 5 * second, To: 180 * second,
		Sentence:   "The log loses a job: nothing says how it ended.",
		Invariants: []string{"LOG-02"}, Consequences: []string{"LOG-01"}, Excused: []string{"LOG-01"},
		spec: plainTree,
		fault: func(f *field) {
			c := f.operation("c")
			f.recorder.endings = append(f.recorder.endings, func(r *trace.Job) {
				if r.Op == c {
					r.EndKind, r.FinishTime, r.TotalTimeMS = "unknown", core.Optional[core.Time]{}, core.Optional[int64]{}
				}
			})
		},
	},
	{
		Kind: "configuration_gap", Severity: "info", About: "tree", Subject: "", From: 60 * second, To: 120 * second,
		Sentence:   "The history of the tree's configuration loses the version of a minute.",
		Invariants: []string{"LOG-05"},
		spec:       plainTree,
		configure: func(f *field) {
			row := f.trees[f.tree].config
			row.ValidTo = core.Some(f.from)
			ended := row
			f.add(f.tree, f.from-5*core.Second, core.TreeConfigured, &ended)
			row.ValidTo = core.Optional[core.Time]{}
			f.add(f.tree, f.to, core.TreeConfigured, &row)
		},
	},
	{
		Kind: "overcommitting_heartbeats", Severity: "info", About: "tree", Subject: "", From: 5 * second, To: 180 * second,
		Sentence:   "One job in six is aborted because concurrent heartbeats used up its limits.",
		Invariants: []string{"HB-11"},
		spec:       plainTree,
		fault: func(f *field) {
			a := f.operation("a")
			f.recorder.endings = append(f.recorder.endings, func(r *trace.Job) {
				if r.Op == a && r.Job%6 == 0 {
					r.EndKind, r.AbortReason = "aborted", core.Some("scheduling_resource_overcommit")
				}
			})
		},
	},
}
