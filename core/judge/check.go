package judge

// A check is how a rule is judged of decisions of one kind. A decision that has none does not
// touch the rule.
type check[D decision] struct {
	kinds   kinds // of the preemptions that it is for
	needs   needs // without these there is nothing to judge
	helps   needs // without these, that the rule is broken proves nothing
	doubts  doubts
	applies func(D) bool // nil: always
	holds   func(D) finding
	excuse  func(D) Excuse // nil: none
}

type (
	preemptionCheck = check[*Batch]
	startCheck      = check[*Start]
)

// A decision is judged in one hypothesis at a time.
type decision interface {
	missing(n needs) Input                                 // which of its needs the log does not hold
	unproven(needed, helps needs, holds bool) Input        // likewise of what helps a finding
	open(d doubts) doubts                                  // in which dimensions the log leaves it open, for a rule with some doubts
	under(r *hypothesis)                                   // has the rules judge in a hypothesis
	hypotheses() (states []State, best, other *hypothesis) // the best, and where others are tried
}

// A touch is a rule that decisions touch.
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

// evaluate judges a decision by a rule: in the best estimate first, and only if it is broken
// there in the other hypotheses.
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

// mayHold reports whether a rule that the best estimate breaks holds in another hypothesis,
// or has nothing to say there.
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
