package judge

// A Tally counts rulings by invariant and verdict.
type Tally [Invariants][Violated + 1]int64

// AddRulings counts rulings.
func (t *Tally) AddRulings(rulings []Ruling) {
	for k := range rulings {
		t[rulings[k].Invariant][rulings[k].Verdict]++
	}
}

// facts is the number of conditions of a fair preemption (core/spec/scheduling.md §10.10). F1: a
// job starts in its place; F2: its preemptor was entitled; F3: the stage may take from the victim's
// list; F4: nothing protects the victim; F5: its operation is not graceful; F6: no earlier
// candidate stayed; F7: it was needed; F8: the node had waited.
const facts = 8

// IsFact reports whether a rule is one of the conditions F1 to F8.
func (i Invariant) IsFact() bool { return rules[i].fact > 0 }

// Facts sums up the rulings on one victim of a batch as the conditions F1 to F8, each by its worst
// verdict. A fact without a ruling is Undecidable.
func Facts(rulings []Ruling, victim int32) (verdicts [facts]Verdict) {
	var judged [facts]bool
	for k := range rulings {
		r := &rulings[k]
		if f := rules[r.Invariant].fact; f > 0 && r.Victim == victim {
			verdicts[f-1], judged[f-1] = max(verdicts[f-1], r.Verdict), true
		}
	}
	for f := range verdicts {
		if !judged[f] {
			verdicts[f] = Undecidable
		}
	}
	return verdicts
}
