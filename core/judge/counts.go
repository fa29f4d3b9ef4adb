package judge

// A PoolCount is a counter of a pool and its limit before an event.
type PoolCount struct {
	Count     int64 // before the event
	Limit     int64
	Unlimited bool
	Unknown   bool // the limit is not recorded
}

// full reports whether the pool was at its limit.
func (p *PoolCount) full() bool { return !p.Unlimited && p.Count >= p.Limit }

// A CountStep is an operation's registration or activation, with the counters of its pool and of
// all its ancestors.
type CountStep struct {
	Context
	At          int64
	Chain       []PoolCount // of operation_count or running_operation_count; the own pool first, the root last
	Lightweight bool        // does not count in running_operation_count
	Among       bool        // its pool has lightweight operations
	Revived     bool        // registered again after a restart of the scheduler

	// Reconfigured says that a configuration took effect recently, so another may have been in
	// force; Leaving, that operations left just before.
	Reconfigured, Leaving bool
	Left                  int64 // operations of the full pool whose end the log records just after
}

// JudgeRegistration judges CNT-01, and LW-03 for a lightweight operation: whether every pool above
// a new operation was below its limit.
func (s *CountStep) JudgeRegistration(rulings []Ruling) []Ruling {
	f := s.hasRoom()
	if s.Revived {
		f.excuse = Revival
	}
	rulings = append(rulings, s.rule(CNT01, f))
	if s.Lightweight {
		rulings = append(rulings, s.rule(LW03, f))
	}
	return rulings
}

// JudgeActivation judges CNT-02, and LW-04 for an operation among lightweight ones: whether every
// pool above an operation that starts running was below its limit.
func (s *CountStep) JudgeActivation(rulings []Ruling) []Ruling {
	f := s.hasRoom()
	if s.Lightweight {
		f = held(true)
	}
	if s.Revived {
		f.excuse = Revival
	}
	rulings = append(rulings, s.rule(CNT02, f))
	if s.Among && !s.Lightweight {
		rulings = append(rulings, s.rule(LW04, f))
	}
	return rulings
}

// JudgeRefusal judges CNT-06: whether a start that was refused because of a count met a full pool.
func (s *CountStep) JudgeRefusal(rulings []Ruling) []Ruling {
	f := finding{may: s.Reconfigured || s.Leaving}
	for i := range s.Chain {
		p := &s.Chain[i]
		if p.Unknown {
			f.missing = Configuration
		}
		if f.left, f.right = float64(p.Count), float64(p.Limit); p.full() {
			return append(rulings, s.rule(CNT06, held(true)))
		}
	}
	return append(rulings, s.rule(CNT06, f))
}

// JudgePending judges LW-02 for an operation in a pool with lightweight ones: whether it may wait.
func (s *CountStep) JudgePending(rulings []Ruling) []Ruling {
	if !s.Among {
		return rulings
	}
	return append(rulings, s.rule(LW02, finding{holds: !s.Lightweight, may: s.Reconfigured}))
}

// hasRoom finds the lowest full pool, if any.
func (s *CountStep) hasRoom() finding {
	f := held(true)
	for i := range s.Chain {
		p := &s.Chain[i]
		switch {
		case p.Unknown:
			f.missing = Configuration
		case p.full():
			mine := compared(false, float64(p.Count), float64(p.Limit))
			mine.may = s.Reconfigured || p.Count-s.Left < p.Limit
			if f.holds || f.may && !mine.may {
				f = mine
			}
		}
	}
	if !f.holds && !f.may {
		f.missing = NothingMissing // this pool was full, whatever is unknown about others
	}
	return f
}

// A CountSum compares a recorded counter of a pool with its parts.
type CountSum struct {
	Context
	Count, Own, Children int64
	Shown                bool // the record itself lists as many, whatever the rest of the log says
	Torn                 bool // the record was taken across two ticks
}

// Judge judges CNT-03.
func (s *CountSum) Judge(rulings []Ruling) []Ruling {
	return append(rulings, s.rule(CNT03, compared(s.Shown || s.Count == s.Own+s.Children, float64(s.Count), float64(s.Own+s.Children)).mayIf(s.Torn)))
}
