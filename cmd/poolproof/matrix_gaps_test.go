package main

import (
	"testing"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
	"poolproof/queries"
)

// doubts are the kinds of which no log can tell more than a suspicion, and why.
var doubts = map[string]string{
	"node_moved_without_need":    "no log tells that people moved the node",
	"guarantee_passed_over":      "no log tells whether the controller of the one that was passed over declined",
	"less_satisfied_passed_over": "no log tells whether the controller of the one that was passed over declined",
}

// gaps are the kinds that are not found yet, and why. A kind that is found has
// to go: the list only becomes shorter.
var gaps = map[string]string{}

// unplanted are the audits that find nothing of all that is planted, and why. The
// list only becomes shorter, too.
var unplanted = map[string]string{
	"fair_share_over_demand": "it judges the shares that the replay computes itself, which no trace can bend",
	"fair_share_over_limits": "likewise",
	"usage_above_max_share":  "what it notes is legal: legal_max_share_exceeded shows it",

	"heartbeats_out_of_order": "who writes a trace refuses rows out of order; ingest has tests with such files",

	"configuration_unknown":   "not planted yet",
	"preemption_concentrated": "not planted yet",
	"preemption_ping_pong":    "not planted yet",
	"starvation_flaps":        "not planted yet",
}

// TestEveryAuditIsPlanted: an audit for whose rules nothing is planted, and nothing
// follows from what is, was never seen to find anything in a trace. Of the others
// TestMatrix asks that they did.
func TestEveryAuditIsPlanted(t *testing.T) {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	var planted []string
	for _, p := range synthetic.Plants() {
		planted = append(append(planted, p.Invariants...), p.Consequences...)
	}
	for _, a := range audits {
		if !anyOf(a.Invariants, planted) && unplanted[a.ID] == "" {
			t.Errorf("nothing is planted for the audit %s (%v)", a.ID, a.Invariants)
		}
	}
}
