package synthetic

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// What goes wrong once a decision is made.
var aftermathPlants = []Plant{
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
}
