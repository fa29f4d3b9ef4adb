package judge

import "poolproof/core/scheduling"

// A Competitor is an operation that could have started on the node instead, as
// compared with the one that did, where their paths from the root part.
type Competitor struct {
	Exists                        bool
	FIFO                          bool    // that pool goes by FIFO order
	Index, OwnIndex               int32   // in FIFO order
	Satisfaction, OwnSatisfaction float64 // otherwise
	Guaranteed, OwnGuaranteed     bool    // served by the stage of promised guarantees
	Declined                      bool    // its controller declined
	DeclineUnknown                bool    // the log does not record whether it did
}

// Decline notes that the controller declined.
func (c *Competitor) Decline() { c.Declined, c.DeclineUnknown = true, false }

// Against compares the start with the operation that goes first on the node, as the
// tree that Look saw finds it. The log does not record what controllers declined.
func (s *Start) Against(first *scheduling.Competitor) {
	s.Sought = Yes
	s.Competitor = Competitor{
		Exists: first.Operation != scheduling.None, FIFO: first.FIFO, Index: first.Index, OwnIndex: first.OwnIndex,
		Satisfaction: first.Satisfaction, OwnSatisfaction: first.OwnSatisfaction,
		Guaranteed: first.Guaranteed, OwnGuaranteed: first.OwnGuaranteed, DeclineUnknown: true,
	}
}
