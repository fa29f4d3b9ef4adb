package judge

// A Tally counts rulings by invariant and verdict.
type Tally [Invariants][Violated + 1]int64

// Add counts rulings.
func (t *Tally) Add(rulings []Ruling) {
	for k := range rulings {
		t[rulings[k].Invariant][rulings[k].Verdict]++
	}
}

// A fact is one of the eight conditions of a fair preemption (core/spec/scheduling.md
// §10.10), and the invariants that state it.
type fact []Invariant

var facts = [...]fact{
	{PRE01, PRE02},               // F1: somebody profits, here and now
	{PRE03, PRE04},               // F2: and was entitled to
	{PRE06},                      // F3: the stage may take from the victim's list
	{PRE08, PRE09, PRE10, PRE26}, // F4: nothing protects the victim
	{PRE07},                      // F5: its operation is not graceful
	{PRE11},                      // F6: no earlier candidate stayed
	{PRE12},                      // F7: it was needed
	{PRE14},                      // F8: the node had waited
}

// Facts sums up the rulings on one victim of a batch as the facts F1 to F8, each
// by its worst verdict. A fact without a ruling is Undecidable.
func Facts(rulings []Ruling, victim int32) (verdicts [len(facts)]Verdict) {
	var judged [len(facts)]bool
	for k := range rulings {
		r := &rulings[k]
		if f := factOf[r.Invariant]; f > 0 && r.Victim == victim {
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

// factOf is which fact an invariant states, from 1; 0 of those that state none.
var factOf = func() (of [Invariants]uint8) {
	for f, invariants := range facts {
		for _, i := range invariants {
			of[i] = uint8(f) + 1
		}
	}
	return of
}()
