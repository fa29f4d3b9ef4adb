package judge

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/core/spec"
)

// A Ruling is the outcome of judging one invariant for one decision.
//
// The two sides are the numbers that were compared, in the unit that the
// invariant is about: shares, satisfaction, microseconds or amounts. Left is
// what was, Right what the rule asks for; both are 0 where nothing is measured.
type Ruling struct {
	Invariant   Invariant
	Verdict     Verdict
	Evidence    Evidence
	Victim      int32  // of a batch: which of its preemptions; -1 if the ruling is on all
	Excuse      Excuse // of Excused
	Missing     Input  // of Undecidable; of Suspect what would settle it, "" for the state that the scheduler was in
	Left, Right float64
	Granted     float64       // how much of Right is slack, which the configuration does not state
	Resource    resource.Kind // whose amounts the sides are, where the unit is Amounts
	Cause       string        // of GUA-11: the likely cause, in a clause
	Counted     bool          // of HB-07: the sides are jobs, not amounts
	Summed      bool          // of GUA-09: Left is of all that stands directly below, not the element's own
	Above       int32         // of LIM-01, LIM-03 and GUA-07: how far above the operation the limit or guarantee stands, 0 for its own
}

// Unit says what the two sides of the ruling are.
func (r *Ruling) Unit() Unit {
	if r.Counted {
		return Counts
	}
	return r.Invariant.Unit()
}

// Counts reports whether the ruling counts against the scheduler.
func (r *Ruling) Counts() bool {
	return r.Verdict == Violated && r.Invariant.Severity() != spec.Info
}

// A Context holds the properties common to all rulings of a decision. Slacks must be set: see
// DefaultSlacks.
type Context struct {
	Evidence Evidence
	// Excuse is the global window in which the decision fell: a reconnect, an
	// update of the trees, an alert. It excuses breaches of the rules that honour
	// such windows.
	Excuse Excuse
	// Shaken is the set of inputs that may differ from the replay: rules that depend on them are at
	// most suspect.
	Shaken Inputs
	// Missing is an input without which nothing of the decision is judged, and
	// MissingInputs are inputs without which only the rules that need them are not.
	Missing       Input
	MissingInputs MissingInputs
	// Unmodelled holds what options of the tree change that is not modelled. Rules that go by it are not judged.
	Unmodelled scheduling.Unmodelled
	Slacks     *Slacks
}

// MissingInputs are inputs that a log as a whole may leave out.
type MissingInputs uint8

// What may be lacking.
const (
	NoConfiguration MissingInputs = 1 << iota // of the tree: a default alone is not a promise
	NoShares                                  // demand, usage, or volumes and weights of before: fair shares are not known
	NoSpare                                   // min_spare_job_resources_on_node
	NoOvercommit                              // allowed_node_resources_overcommit_duration
	NoPools                                   // configurations of pools: which limits there are
	NoHeartbeats                              // as they were: what a node told of itself and its jobs
)

// Missing names what a rule needs and the log lacks.
func (l MissingInputs) Missing(needed MissingInputs) Input {
	switch {
	case l&needed&(NoConfiguration|NoSpare|NoOvercommit|NoPools) != 0:
		return Configuration
	case l&needed&NoHeartbeats != 0:
		return Heartbeats
	case l&needed&NoShares != 0:
		return FairShares
	}
	return NothingMissing
}

// A finding is the result of judging one rule: whether it holds in the best estimate and, if not,
// in any other state that the scheduler may have been in.
type finding struct {
	holds, may bool
	doubt      Input // what no log tells, for which alone it may hold
	excuse     Excuse
	missing    Input
	untouched  bool // the rule has nothing to say of it
	counted    bool // the sides are counts, whatever else the rule compares
	cause      string
	summed     bool // the left one is of all that stands directly below
	sides
}

// sides are the two numbers that were compared.
type sides struct {
	left, right float64
	kind        resource.Kind // of amounts
	above       int32         // of a limit or a guarantee: how far above the operation it stands
	granted     float64       // how much of the right one is slack, which no configuration states
}

// over reports whether an amount exceeds its bound.
func (s sides) over() bool { return s.left > s.right }

// where makes the finding of a rule that holds or not.
func (s sides) where(holds bool) finding { return finding{holds: holds, sides: s} }

// mayIf is the finding where the rule may hold in another state.
func (f finding) mayIf(may bool) finding {
	f.may = f.may || may
	return f
}

// unless is the finding where the rule may hold for what no log tells.
func (f finding) unless(may bool, doubt Input) finding {
	if may {
		f.may, f.doubt = true, doubt
	}
	return f
}

// compared is the finding of a rule that compares two numbers.
func compared(holds bool, left, right float64) finding {
	return sides{left: left, right: right}.where(holds)
}

// crowded returns the usage and the limit of the resource that is fullest;
// nothing where no resource is limited.
func crowded(usage, limits resource.Vector) sides {
	s, _ := fullest(usage, limits)
	return s
}

// fullest returns with them how full that resource is, below zero where none is
// limited.
func fullest(usage, limits resource.Vector) (s sides, most float64) {
	most = -1
	for k := range usage {
		fill := 0.0
		switch {
		case limits[k] >= resource.Unlimited[k]:
			continue
		case limits[k] > 0:
			fill = float64(usage[k]) / float64(limits[k])
		case usage[k] > 0:
			fill = 1e9
		}
		if usage[k] > limits[k] {
			fill += 1e9 // what is exceeded goes first, however rounded
		}
		if fill > most {
			most, s = fill, sides{left: float64(usage[k]), right: float64(limits[k]), kind: resource.Kind(k)}
		}
	}
	return s, most
}

// held is the finding of a rule that a comparison decides.
func held(holds bool) finding { return finding{holds: holds} }

// rule turns a finding into a ruling.
func (c *Context) rule(i Invariant, f finding) (r Ruling) {
	c.fill(&r, i, &f)
	return r
}

// fill is rule for a place in a list.
func (c *Context) fill(r *Ruling, i Invariant, f *finding) {
	*r = Ruling{}
	r.Invariant, r.Evidence, r.Victim = i, c.Evidence, -1
	r.Left, r.Right, r.Resource, r.Above, r.Granted = f.left, f.right, f.kind, f.above, f.granted
	r.Counted, r.Summed, r.Cause = f.counted, f.summed, f.cause
	if c.Shaken&rules[i].inputs != 0 {
		r.Evidence = Possible
	}
	switch {
	case c.Missing != NothingMissing:
		r.Verdict, r.Missing = Undecidable, c.Missing
	case c.Unmodelled&unmodelledBy[i]&^scheduling.UnmodelledStage != 0:
		r.Verdict, r.Missing = Undecidable, UnmodelledOptions
	case f.missing != NothingMissing:
		r.Verdict, r.Missing = Undecidable, f.missing
	case f.holds:
	case f.excuse != NoExcuse:
		r.Verdict, r.Excuse = Excused, f.excuse
	case c.isExcused(i, f):
		r.Verdict, r.Excuse = Excused, c.Excuse
	case f.may || r.Evidence == Possible:
		r.Verdict, r.Missing = Suspect, f.doubt
	default:
		r.Verdict = Violated
	}
}
