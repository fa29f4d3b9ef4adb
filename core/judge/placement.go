package judge

// A Placing compares the pool of a started operation with the pool that the policy selects
// (core/spec/scheduling.md §5.1 to §5.3).
type Placing struct {
	Context
	Root         bool // it is attached to the root itself
	Elsewhere    bool // the policy selects another pool
	Strange      bool // no set of pools would give this one
	Unasked      bool // the requested pool is not recorded: the actual one is used instead
	BadName      bool // operations may not request a pool of that name
	Forbidden    bool // the pool has forbid_immediate_operations
	FIFOOnly     bool // a gang, and the tree lets gangs start in FIFO pools only
	OutsideFIFO  bool // its pool is not a FIFO pool
	Surplus      bool // its new ephemeral pool exceeds the limit of its user
	Revived      bool // registered again after a restart of the scheduler
	Reconfigured bool // a configuration took effect shortly before or after
	Unconfigured bool // the log holds no configuration of pools
	UserUnknown  bool // the log does not name the user
}

// Broken reports whether one of the rules does not hold, excused or not.
func (p *Placing) Broken() bool {
	return p.Elsewhere || p.BadName || p.Forbidden || p.Surplus || p.OutsideFIFO
}

// Judge judges POOL-01, POOL-02, POOL-03, POOL-07 and, for a gang, POOL-08.
func (p *Placing) Judge(rulings []Ruling) []Ruling {
	rulings = append(rulings, p.rule(POOL07, held(!p.Root)))
	if p.Root {
		return rulings // the other rules are about pools
	}
	place := p.configured(!p.Elsewhere && !p.BadName)
	if p.Strange { // whatever the configuration
		place.may, place.missing = false, NothingMissing
	}
	switch {
	case p.UserUnknown && (p.Elsewhere || p.BadName && p.Unasked): // it may be the user's own pool
		place.missing = User
	case place.holds && place.missing == NothingMissing && p.Unasked:
		place.missing = Spec
	}
	surplus := p.configured(!p.Surplus)
	if p.Surplus && p.UserUnknown {
		surplus.missing = User
	}
	rulings = append(rulings, p.rule(POOL01, place), p.rule(POOL02, p.configured(!p.Forbidden)), p.rule(POOL03, surplus))
	if p.FIFOOnly {
		rulings = append(rulings, p.rule(POOL08, p.configured(!p.OutsideFIFO)))
	}
	return rulings
}

// configured returns the finding of a rule that depends on the configuration of pools.
func (p *Placing) configured(holds bool) finding {
	f := finding{holds: holds, may: p.Reconfigured}
	if p.Unconfigured {
		f.missing = Configuration
	}
	if p.Revived {
		f.excuse = Revival
	}
	return f
}

// A PoolChange is an accepted change of a live operation's pool
// (core/spec/scheduling.md §5.6).
type PoolChange struct {
	Context
	Elsewhere, Forbidden      bool // as in Placing
	Refused                   bool // a limit of the new chain is reached
	Count, Limit              int64
	Unstated                  bool // a limit of the new chain is not recorded
	Reconfigured              bool
	Unconfigured, UserUnknown bool

	Known bool // whether it ran afterwards is known
	Runs  bool // it was running right afterwards
}

// Judge judges PEND-07, and PEND-06 if the later state of the operation is known.
func (c *PoolChange) Judge(rulings []Ruling) []Ruling {
	f := compared(!c.Refused && !c.Forbidden && !c.Elsewhere, float64(c.Count), float64(c.Limit))
	f.may = c.Reconfigured
	switch {
	case c.Unconfigured, c.Unstated && f.holds:
		f.missing = Configuration
	case c.Elsewhere && c.UserUnknown:
		f.missing = User
	}
	rulings = append(rulings, c.rule(PEND07, f))
	if c.Known {
		rulings = append(rulings, c.rule(PEND06, held(c.Runs)))
	}
	return rulings
}
