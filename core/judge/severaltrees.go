package judge

import "slices"

// A Submission is the start of an operation or its refusal, over all its trees
// (core/spec/scheduling.md §2.4, §5.2).
type Submission struct {
	Context
	Refused int32 // error code of a refusal, 0 of a start

	// Live is the number of operations in the cluster before, and Limits the allowed number by each
	// version of the settings that may have been in force, the latest first; empty without a
	// recorded limit.
	Live   int64
	Limits []int64

	// Unspecified says that the log does not contain the spec, and Unnamed that the spec does not
	// name trees. Choices are the trees that the rules select for such an operation, by the same
	// versions: nil if they refuse it; empty if the log does not state the cluster's trees.
	Unspecified, Unnamed bool
	Choices              [][]string
	Trees                []string // the trees in which it started, without offloading
	Offload              Fact     // whether it may have been offloaded to some of them
}

// Judge judges CNT-08 for a start, and for a start or a refusal TREE-07 if the spec does not name
// trees, else TREE-05.
func (s *Submission) Judge(rulings []Ruling) []Ruling {
	if s.Refused == 0 {
		rulings = append(rulings, s.rule(CNT08, s.roomy()))
	}
	switch {
	case s.Unspecified:
		return append(rulings, s.rule(TREE07, finding{missing: OperationSpec}))
	case len(s.Choices) == 0:
		return append(rulings, s.rule(TREE07, finding{missing: Configuration}))
	case s.Unnamed:
		f := s.chosen(s.isDefault)
		f.may = f.may || s.Offload != No && s.Refused == 0 && slices.ContainsFunc(s.Choices, s.hasAll)
		return append(rulings, s.rule(TREE07, f))
	case s.Refused == 0:
		f := s.chosen(s.isAsked)
		f.may = f.may || s.Offload != No
		return append(rulings, s.rule(TREE05, f))
	}
	return rulings
}

// roomy returns the finding on the limit of the whole cluster.
func (s *Submission) roomy() finding {
	if len(s.Limits) == 0 {
		return finding{missing: Configuration}
	}
	return compared(s.Live < s.Limits[0], float64(s.Live), float64(s.Limits[0])).mayIf(s.Live < slices.Max(s.Limits))
}

// chosen returns the finding of a rule that some choice of trees must satisfy.
func (s *Submission) chosen(satisfied func(choice []string) bool) finding {
	return held(satisfied(s.Choices[0])).mayIf(slices.ContainsFunc(s.Choices, satisfied))
}

// isDefault reports whether the operation started in the default tree only, or was refused because
// the cluster has no default tree.
func (s *Submission) isDefault(choice []string) bool {
	switch s.Refused {
	case 0:
		return choice != nil && s.isAsked(choice)
	case treesUnspecified:
		return choice == nil
	}
	return true // refused for another reason
}

// treesUnspecified is the error code of a start without a tree.
const treesUnspecified = 214

// hasAll reports whether the operation started in all trees of a choice; it may have
// been offloaded to others.
func (s *Submission) hasAll(choice []string) bool {
	return choice != nil && !slices.ContainsFunc(choice, func(tree string) bool { return !slices.Contains(s.Trees, tree) })
}

func (s *Submission) isAsked(choice []string) bool {
	return !slices.ContainsFunc(s.Trees, func(tree string) bool { return !slices.Contains(choice, tree) })
}

// A Homeless is an operation that must leave a removed tree, or must end because it has no tree
// left (core/spec/scheduling.md §2.3).
type Homeless struct {
	Context
	Since, Until int64 // time of the removal; time when it left or ended, or the end of the log
	Gone         bool  // it left or ended
	Otherwise    bool  // it should have been aborted and ended otherwise
	Slack        int64 // in addition to that of the configuration
}

// Judge judges TREE-06. An operation that ends before the removal may have taken effect may end in
// any way.
func (h *Homeless) Judge(rulings []Ruling) []Ruling {
	late := h.Until - h.Since
	f := compared(h.Gone && late <= h.Slacks.Configuration+h.Slack, float64(late), float64(h.Slacks.Configuration+h.Slack))
	if h.Otherwise && late > h.Slacks.Configuration {
		f.holds = false
	}
	return append(rulings, h.rule(TREE06, f))
}

// A Settling is the materialization of an operation that must be scheduled in a single tree
// (core/spec/scheduling.md §2.4).
type Settling struct {
	Context
	Kept     int  // trees that it keeps
	Soon     bool // it keeps a single tree, but only some time later
	Ran      Fact // it was marked running there before
	Disabled bool // the cluster has that disabled
}

// Judge judges TREE-10.
func (s *Settling) Judge(rulings []Ruling) []Ruling {
	f := compared(s.Kept == 1 && s.Ran != No, float64(s.Kept), 1)
	switch {
	case s.Disabled:
		f.excuse = CheckDisabled
	case s.Soon && s.Ran != No:
		f.holds, f.may = false, true
	}
	return append(rulings, s.rule(TREE10, f))
}
