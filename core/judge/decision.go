package judge

import "poolproof/core/scheduling"

// A Decision is what batches and starts have in common: when and where it was made, and the
// states that the scheduler may have been in.
type Decision struct {
	Context
	At      int64
	Node    Node
	NoNode  bool    // the log does not record where
	States  []State // the first is the best estimate
	Inexact bool    // usage is reported, good to 1 %

	best  hypothesis
	other hypothesis  // that is tried
	r     *hypothesis // by which the rules judge now
}

// Other adds a copy of the best estimate as another state, for the caller to change. The
// pointer is good until the next one is added.
func (d *Decision) Other() *State {
	d.States = append(d.States, d.States[0].copy())
	return &d.States[len(d.States)-1]
}

// LookAgain adds what the tree says now as another state: after the next tick, or under
// another version of the configuration. Usage and jobs stay those of the decision, and so does
// all of an element that is gone, or that known denies to be what it was; nil knows all.
func (d *Decision) LookAgain(t *scheduling.Tree, known func(scheduling.Element) bool) {
	d.States = append(d.States, d.States[0].again(t, known))
}

// LookBefore adds what the tree said before its last tick: the scheduler may have made that
// one later. Usage and jobs stay those of the decision.
func (d *Decision) LookBefore(t *scheduling.Tree) { d.States = append(d.States, d.States[0].before(t)) }

// begin makes the states that of a tree now, without elements.
func (d *Decision) begin(t *scheduling.Tree) *State {
	if len(d.States) == 0 {
		d.States = append(d.States, State{})
	}
	d.States = d.States[:1]
	d.States[0].begin(t)
	return &d.States[0]
}

func (d *Decision) hypotheses() (states []State, best, other *hypothesis) {
	return d.States, &d.best, &d.other
}

// node is the node in a hypothesis.
func (d *Decision) node() *Node {
	if d.r.Node != nil {
		return d.r.Node
	}
	return &d.Node
}
