package judge

import (
	"slices"
	"testing"

	"poolproof/core/scheduling"
)

// A preemptionCase changes the fair batch. What is not said to be otherwise stays
// without violation.
type preemptionCase struct {
	name      string
	change    func(b *Batch)
	invariant Invariant
	verdict   Verdict
}

func TestPreemptionRules(t *testing.T) {
	seen := map[Invariant]map[Verdict]bool{}
	for i := range preemptionRules {
		seen[preemptionRules[i].invariant] = map[Verdict]bool{}
	}
	for _, c := range slices.Concat(beneficiaryCases, victimCases, takingCases) {
		t.Run(c.invariant.String()+"/"+c.name, func(t *testing.T) {
			b := fairBatch()
			c.change(b)
			rulings := b.Judge(nil)
			got, judged := Worst(rulings, c.invariant)
			if !judged || got != c.verdict {
				t.Errorf("%v = %v (judged: %v), want %v; %+v", c.invariant, got, judged, c.verdict, rulings)
			}
			seen[c.invariant][got] = true
		})
	}
	for i := range preemptionRules {
		if v := seen[preemptionRules[i].invariant]; !v[OK] || !v[Violated] {
			t.Errorf("%v lacks a planted fault or its legal look-alike", preemptionRules[i].invariant)
		}
	}
}

func TestFairBatch(t *testing.T) {
	for _, r := range fairBatch().Judge(nil) {
		if r.Verdict != OK {
			t.Errorf("%v is %+v", r.Invariant, r)
		}
	}
}

// TestDoubt plants one fault and looks at it with less certainty.
func TestDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(b *Batch)
		verdict Verdict
	}{
		"certain":                          {func(*Batch) {}, Violated},
		"possible evidence":                {func(b *Batch) { b.Evidence = Possible }, Suspect},
		"a window that excuses others":     {func(b *Batch) { b.Excuse = PoolsAlert }, Violated},
		"a window in which all is in flux": {func(b *Batch) { b.Excuse, b.Shaken = Reconnecting, OnState }, Suspect},
		"no shares":                        {func(b *Batch) { b.Missing = FairShares }, Undecidable},
		"the next tick sees it alike":      {func(b *Batch) { b.States = append(b.States, b.States[0]) }, Violated},
		"the next tick sees it otherwise": {func(b *Batch) {
			b.States = append(b.States, fairBatch().States[0])
		}, Suspect},
	} {
		t.Run(name, func(t *testing.T) {
			b := fairBatch()
			b.starve(donor, 0, scheduling.Starving)
			c.change(b)
			if got, _ := Worst(b.Judge(nil), PRE08); got != c.verdict {
				t.Errorf("verdict %v, want %v", got, c.verdict)
			}
		})
	}
}

// TestNoLogStatesListsAndShares: what rests on them is worked out, however well the log
// tells of the preemption itself.
func TestNoLogStatesListsAndShares(t *testing.T) {
	want := map[Invariant]Evidence{PRE01: Recorded, PRE02: Recorded, PRE12: Recorded, PRE04: Recomputed, PRE06: Recomputed, PRE09: Recomputed, PRE11: Recomputed}
	for _, evidence := range []Evidence{Recorded, Recomputed, Possible} {
		b := fairBatch()
		b.Evidence = evidence
		seen := 0
		for _, r := range b.Judge(nil) {
			least, known := want[r.Invariant]
			if !known {
				continue
			}
			if seen++; r.Evidence != max(least, evidence) {
				t.Errorf("%v of a preemption that is %v is %v", r.Invariant, evidence, r.Evidence)
			}
		}
		if seen != len(want) {
			t.Errorf("%d rules judged, want %d", seen, len(want))
		}
	}
}
