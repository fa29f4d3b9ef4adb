package judge

import (
	"poolproof/core/fairshare"
	"poolproof/core/scheduling"
)

// A Competitor is an operation that could have started on the node instead, as
// compared with the one that did, where their paths from the root part.
type Competitor struct {
	Exists                        bool
	FIFO                          bool    // that pool goes by FIFO order
	Index, OwnIndex               int32   // in FIFO order
	Satisfaction, OwnSatisfaction float64 // otherwise
	Guaranteed, OwnGuaranteed     bool    // served by the stage of promised guarantees
	Declined                      bool    // its controller may have declined
	Unheard                       bool    // the log does not record whether it did
}

// Against compares the start with an operation that could have started a job on
// the node instead, and keeps the one that goes most clearly first. Of a FIFO
// pool compare the first that could. It is for regular starts that Look has
// filled, in trees without batch scheduling.
func (s *Start) Against(t *scheduling.Tree, other scheduling.Element) {
	s.Sought = Yes
	own := s.States[0].Element(s.Operation)
	if other == own.Handle {
		return
	}
	v := Competitor{
		Exists:     true,
		Guaranteed: t.HasGuaranteePriority(other), OwnGuaranteed: t.HasGuaranteePriority(own.Handle),
	}
	theirs, pool := s.branch(t, other, &v.Satisfaction, func(e scheduling.Element) bool { return s.holds(e) })
	ours, _ := s.branch(t, own.Handle, &v.OwnSatisfaction, func(e scheduling.Element) bool { return e == pool })
	if pool != scheduling.Root && t.Describe(pool).InOrder {
		v.FIFO, v.Index, v.OwnIndex = true, t.Describe(theirs).FIFOIndex, t.Describe(ours).FIFOIndex
	}
	if !s.Competitor.Exists || v.lead() > s.Competitor.lead() {
		s.Competitor = v
	}
}

// branch follows an operation up to a pool that ends says is the last, and says
// by which child of it the operation is reached, and by what satisfaction that
// child is chosen, the operation being the best below (§9.6).
func (s *Start) branch(t *scheduling.Tree, e scheduling.Element, satisfaction *float64, ends func(e scheduling.Element) bool) (child, pool scheduling.Element) {
	info := t.Describe(e)
	*satisfaction = fairshare.LocalSatisfaction(info.Fair, info.Demand, info.Usage)
	for info.Parent != scheduling.Root && !ends(info.Parent) {
		e, info = info.Parent, t.Describe(info.Parent)
		if info.UsesPoolSatisfaction {
			*satisfaction = min(*satisfaction, fairshare.LocalSatisfaction(info.Fair, info.Demand, info.Usage))
		}
	}
	return e, info.Parent
}

// holds reports whether a pool is above the operation that started.
func (s *Start) holds(e scheduling.Element) bool {
	for i := range s.States[0].Elements {
		if s.States[0].Elements[i].Handle == e {
			return true
		}
	}
	return false
}

// lead is by how much a competitor goes first, below zero where it does not.
func (v *Competitor) lead() float64 {
	switch {
	case v.Guaranteed && !v.OwnGuaranteed:
		return fairshare.InfiniteSatisfaction * 2
	case v.OwnGuaranteed && !v.Guaranteed:
		return -fairshare.InfiniteSatisfaction * 2
	case v.FIFO:
		return float64(v.OwnIndex - v.Index)
	}
	return v.OwnSatisfaction - v.Satisfaction
}
