package judge

// A Tally counts rulings by invariant and verdict.
type Tally [Invariants][Violated + 1]int64

// Add counts rulings.
func (t *Tally) Add(rulings []Ruling) {
	for k := range rulings {
		t[rulings[k].Invariant][rulings[k].Verdict]++
	}
}

// Facts are the eight conditions of a fair preemption (core/spec/scheduling.md §10.10), from
// F1: somebody profits here and now, and was entitled to; the stage may take from the
// victim's list; nothing protects the victim; its operation is not graceful; no earlier
// candidate stayed; it was needed; the node had waited.
const facts = 8

// IsFact reports whether a rule is one of the conditions F1 to F8.
func (i Invariant) IsFact() bool { return rules[i].fact > 0 }

// Facts sums up the rulings on one victim of a batch as the facts F1 to F8, each
// by its worst verdict. A fact without a ruling is Undecidable.
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
