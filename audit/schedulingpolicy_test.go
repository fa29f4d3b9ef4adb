package audit

import (
	"testing"

	"poolproof/replay/tables"
)

// TestClassicRulesAreOfTheClassicPolicy: where the GPU policy decides, audits of classic rules are idle and find nothing;
// where the policy is unknown they are undecidable. Audits of other rules judge in each tree.
func TestClassicRulesAreOfTheClassicPolicy(t *testing.T) {
	t.Parallel()
	if !(&Audit{Invariants: []string{"HB-05", "GUA-08"}}).isClassic() || (&Audit{Invariants: []string{"PRE-22", "GRC-02"}}).isClassic() || (&Audit{}).isClassic() {
		t.Error("audits are told apart wrongly")
	}
	const ordering = "start_out_of_turn"
	r := newTestRun(t)
	for tree, state := range map[string]string{"gpu": "gpu", "unknown": "unknown", "classic": "classic"} {
		states := whole()
		states["scheduling_policy"] = state
		r.addTree(tree, states)
		put(r, tree, tables.DecisionCount{Invariant: "HB-05", Verdict: "ok", Decisions: 2, Minute: at(0)})
	}
	v := r.judge(ordering)
	for tree, want := range map[string]Judgement{"gpu": Idle, "unknown": Undecidable, "classic": OK} {
		if o := v.outcome(ordering, tree); o.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", tree, o.Verdict, o.Reason, want)
		}
	}

}
