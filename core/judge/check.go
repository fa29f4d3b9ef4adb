package judge

// A check judges a rule for decisions of one kind. Decisions of a kind without a check do not touch
// the rule.
type check[D decision] struct {
	kinds   kinds // of preemptions that it applies to
	needs   needs // without these the rule cannot be judged
	helps   needs // without these a breach proves nothing
	doubts  doubts
	applies func(D) bool // nil: always
	holds   func(D) finding
	excuse  func(D) Excuse // nil: no excuse
}

type (
	preemptionCheck = check[*Batch]
	startCheck      = check[*Start]
)

// A decision is judged in one hypothesis at a time.
type decision interface {
	missing(n needs) Input                                 // the first need that the log lacks
	unproven(needed, helps needs, holds bool) Input        // likewise for what a finding needs to be certain
	open(d doubts) doubts                                  // the dimensions that the log leaves open, of the given doubts
	under(r *hypothesis)                                   // selects the hypothesis in which rules judge
	hypotheses() (states []State, best, other *hypothesis) // the best estimate, and the one under test
}

// A touch is a rule with its check for one kind of decision.
type touch[D decision] struct {
	invariant Invariant
	check[D]
}

// touched returns the rules that have a check, in their order.
func touched[D decision](checkOf func(r *rule) check[D]) (list []touch[D]) {
	for i := range declared {
		if c := checkOf(&declared[i]); c.holds != nil {
			list = append(list, touch[D]{declared[i].invariant, c})
		}
	}
	return list
}

// evaluate judges a decision by a rule: first in the best estimate, and in the other hypotheses
// only if it is broken there.
func evaluate[D decision](f *finding, c *check[D], d D) {
	if missing := d.missing(c.needs); missing != NothingMissing {
		*f = finding{missing: missing}
		return
	}
	*f = c.holds(d)
	if f.missing != NothingMissing {
		return
	}
	if !f.holds && f.excuse == NoExcuse && c.excuse != nil {
		f.excuse = c.excuse(d)
	}
	if f.holds || f.excuse == NoExcuse {
		f.missing = d.unproven(c.needs, c.helps, f.holds)
		f.may = f.may || !f.holds && f.missing == NothingMissing && mayHold(c, d)
	}
}

// mayHold reports whether a rule that the best estimate breaks holds, or does not apply, in another
// hypothesis.
func mayHold[D decision](c *check[D], d D) (may bool) {
	states, best, other := d.hypotheses()
	open := d.open(c.doubts)
	for s := 0; s < len(states) && !may; s++ {
		*other = hypothesis{State: &states[s]}
		for more := s > 0 || other.next(open); more && !may; more = other.next(open) {
			d.under(other)
			if may = c.applies != nil && !c.applies(d); !may {
				f := c.holds(d)
				may = f.holds || f.missing != NothingMissing
			}
		}
	}
	d.under(best)
	return may
}
