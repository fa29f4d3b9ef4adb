package scheduling

import "testing"

// Words of the source are read back as what they stand for; others are nothing.
func TestWordsAreReadBack(t *testing.T) {
	for s := NonStarving; s <= AggressivelyStarving; s++ {
		if got, known := ParseStatus(s.String()); got != s || !known {
			t.Errorf("%v is read as %v, known %v", s, got, known)
		}
	}
	for r := ForPreemption; r <= ForViolatedLimits; r++ {
		if got := ParseReason(r.String()); got != r {
			t.Errorf("%v is read as %v", r, got)
		}
		ofStage := r != ForGracefulPreemption && r != ForOvercommit
		if r.IsOfStage() != ofStage {
			t.Errorf("%v is of a stage: %v", r, r.IsOfStage())
		}
	}
	for _, word := range []string{"", "starved", "Starving", "preempted"} {
		if got, known := ParseStatus(word); got != NonStarving || known {
			t.Errorf("%q is read as %v, known %v", word, got, known)
		}
		if got, want := ParseReason(word), map[bool]Reason{true: NoReason, false: ForOther}[word == ""]; got != want {
			t.Errorf("%q is read as %v", word, got)
		}
	}
	if NoReason.IsOfStage() || ForOther.IsOfStage() {
		t.Error("no reason is none of a stage")
	}
	for p := Normal; p <= SSDAggressive; p++ {
		if r := p.Reason(); !r.IsOfStage() || r == ForViolatedLimits {
			t.Errorf("a stage of %v takes jobs for %v", p, r)
		}
	}
}
