package judge

import "poolproof/core/scheduling"

// A Decision is the common part of Batch and Start: time, node, and the states that the scheduler
// may have been in.
type Decision struct {
	Context
	At      int64
	Node    Node
	NoNode  bool    // the log does not record where
	States  []State // the first is the best estimate
	Inexact bool    // usage is reported, with 1 % tolerance

	best  hypothesis
	other hypothesis  // the one under test
	r     *hypothesis // the one in which rules judge now
}

// AddState adds a copy of the best estimate as another state, for the caller to change. The pointer
// is valid until the next state is added.
func (d *Decision) AddState() *State {
	d.States = append(d.States, d.States[0].copy())
	return &d.States[len(d.States)-1]
}

// LookAgain adds the current state of the tree as another state: after the next tick, or under
// another version of the configuration. It keeps usage and jobs of the decision, and everything
// about elements that were removed or whose handle now belongs to another element, for which known
// returns false. A nil known accepts all.
func (d *Decision) LookAgain(t *scheduling.Tree, known func(scheduling.Element) bool) {
	d.States = append(d.States, d.States[0].again(t, known))
}

// LookBefore adds the state of the tree before its last tick as another state, because the
// scheduler's tick may have come later. It keeps usage and jobs of the decision.
func (d *Decision) LookBefore(t *scheduling.Tree) { d.States = append(d.States, d.States[0].before(t)) }

// resetStates replaces the states by one of the tree now, without elements.
func (d *Decision) resetStates(t *scheduling.Tree) *State {
	if len(d.States) == 0 {
		d.States = append(d.States, State{})
	}
	d.States = d.States[:1]
	d.States[0].reset(t)
	return &d.States[0]
}

func (d *Decision) hypotheses() (states []State, best, other *hypothesis) {
	return d.States, &d.best, &d.other
}

// node returns the node in the current hypothesis.
func (d *Decision) node() *Node {
	if d.r.Node != nil {
		return d.r.Node
	}
	return &d.Node
}
