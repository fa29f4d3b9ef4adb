package judge

import "poolproof/core/scheduling"

// A Fact is a yes or no that a log may leave open.
type Fact uint8

// The facts.
const (
	Unknown Fact = iota
	Yes
	No
)

// FactOf returns Yes for true and No for false.
func FactOf(b bool) Fact {
	if b {
		return Yes
	}
	return No
}

// finding is that of a rule which a fact must keep.
func (f Fact) finding(input Input) finding {
	if f == Unknown {
		return finding{missing: input}
	}
	return held(f == Yes)
}

// A NodeTrees is a node at some moment, and the trees whose nodes_filter matches
// its tags.
type NodeTrees struct {
	Context
	At      int64
	Trees   int   // how many match
	Online  bool  // the node is offered for scheduling, or jobs start on it
	Since   int64 // when tags or filters changed last; scheduling.Never if not known to
	Started bool  // a job has just started on it
	Own     Fact  // the tree of that job is among those that match
}

// Judge judges TREE-01, and of a started job TREE-02 and TREE-03. Until a change
// of tags or filters has reached everybody, either side of it may be in force.
func (n *NodeTrees) Judge(rulings []Ruling) []Ruling {
	may := n.Since != scheduling.Never && n.At-n.Since <= n.Slacks.Configuration+n.Slacks.Tags
	alone := compared(n.Trees < 2, float64(n.Trees), 1)
	alone.may = may
	if n.Online || n.Started {
		rulings = append(rulings, n.rule(TREE01, alone))
	}
	if !n.Started {
		return rulings
	}
	own := n.Own.finding(NodeTags)
	own.may = may
	return append(rulings, n.rule(TREE02, alone), n.rule(TREE03, own))
}
