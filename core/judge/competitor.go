package judge

import "poolproof/core/scheduling"

// A Competitor is an operation that could have started on the node instead of the one that did. The
// pairs of values compare the two where their paths from the root separate.
type Competitor struct {
	Exists                        bool
	FIFO                          bool    // the pool where they separate uses FIFO order
	Index, OwnIndex               int32   // in FIFO order
	Satisfaction, OwnSatisfaction float64 // otherwise
	Guaranteed, OwnGuaranteed     bool    // served by the stage of promised guarantees
	Declined                      bool    // its controller declined
	DeclineUnknown                bool    // the log does not record whether it did
}

// Decline records that the controller declined.
func (c *Competitor) Decline() { c.Declined, c.DeclineUnknown = true, false }

// CompareWith compares the start with the operation that goes first on the node in the tree of
// LookAt. The log does not record declines of controllers.
func (s *Start) CompareWith(first *scheduling.Competitor) {
	s.Sought = Yes
	s.Competitor = Competitor{
		Exists: first.Operation != scheduling.None, FIFO: first.FIFO, Index: first.Index, OwnIndex: first.OwnIndex,
		Satisfaction: first.Satisfaction, OwnSatisfaction: first.OwnSatisfaction,
		Guaranteed: first.Guaranteed, OwnGuaranteed: first.OwnGuaranteed, DeclineUnknown: true,
	}
}
