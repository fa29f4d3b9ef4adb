package plants

import (
	"slices"
	"testing"

	"poolproof/ingest/synthetic"
)

// doubts are the kinds of which no log can tell more than a suspicion, and why.
var doubts = map[string]string{
	"node_moved_without_need":    "no log tells that people moved the node",
	"lost_work_forgotten":        "no log tells whether another job did the same work",
	"node_left_idle":             "no log tells whether the controller of the operation that could have started declined",
	"guarantee_passed_over":      "no log tells whether the controller of the one that was passed over declined",
	"less_satisfied_passed_over": "no log tells whether the controller of the one that was passed over declined",
}

// gaps are the kinds that are not found yet, and why. A kind that is found has
// to go: the list only becomes shorter.
var gaps = map[string]string{}

// unplanted are the rules that find nothing of all that is planted, and why. The
// list only becomes shorter, too.
var unplanted = map[rule]string{
	{"GUA-09", "fair_share_over_demand"}:     "it judges the shares that the replay computes itself, which no trace can bend",
	{"LIM-07", "fair_share_over_limits"}:     "likewise",
	{"LOG-03", "heartbeats_out_of_order"}:    "who writes a trace refuses rows out of order; ingest has tests with such files",
	{"CFG-18", "configuration_advice"}:       "it takes shorter update periods than those of the presets; the case small-flow-accused has it",
	{"ACC-01", "accumulated_volumes_differ"}: "the generated scheduler reports no volumes; replay/testdata/accumulated has every fault of them",
	{"ACC-02", "accumulated_volumes_differ"}: "likewise",
	{"ACC-03", "accumulated_volumes_differ"}: "likewise",
}

// TestEveryRuleIsPlanted: a rule of an audit that nothing is planted for, and that
// follows from nothing that is, was never seen to find anything in a trace. Of the
// others TestSweepMatrix asks that they did.
func TestEveryRuleIsPlanted(t *testing.T) {
	var planted []string
	for _, p := range synthetic.Plants() {
		planted = append(append(planted, p.Invariants...), p.Consequences...)
	}
	all := rulesOf(t)
	for _, of := range all {
		if !slices.Contains(planted, of.invariant) && unplanted[of] == "" {
			t.Errorf("nothing is planted for %v", of)
		}
	}
	for of := range unplanted {
		if !slices.Contains(all, of) {
			t.Errorf("%v is on the list of what is not planted, and no audit judges it", of)
		}
	}
}
