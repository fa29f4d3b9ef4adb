package judge

// An EphemeralRecord compares the record of an ephemeral pool with the rules
// (core/spec/scheduling.md §5.1).
type EphemeralRecord struct {
	Context
	Here      bool  // operations are in it, so it has a parent
	Elsewhere bool  // its parent is not the one that the rules give it
	Placeless bool  // the log does not record its parent
	Lost      bool  // although it records parents of other pools
	Otherwise bool  // one of its options differs from its parent's ephemeral_subpool_config
	Guessed   bool  // its user is uncertain, and its parent depends on the user
	Subpool   bool  // it has the name of a user's subpool of a hub
	Orphan    bool  // and no such hub exists
	Empty     int64 // time without operations, µs; 0 while it has some
	Toggled   bool  // a configuration changed recently
	Undated   bool  // the log does not record since when the configuration that gives it its parent is in force
}

// Judge judges POOL-05, POOL-04 if the pool has operations, and POOL-06 for a subpool.
func (e *EphemeralRecord) Judge(rulings []Ruling) []Ruling {
	slack := e.Slacks.Tick + e.Slacks.Record
	rulings = append(rulings, e.rule(POOL05, compared(e.Empty <= slack, float64(e.Empty), float64(slack))))
	rulings = e.JudgePlace(rulings)
	if e.Subpool {
		rulings = append(rulings, e.rule(POOL06, finding{holds: !e.Orphan, may: e.Toggled}))
	}
	return rulings
}

// JudgePlace judges POOL-04 for a pool with operations.
func (e *EphemeralRecord) JudgePlace(rulings []Ruling) []Ruling {
	if !e.Here || e.Orphan {
		return rulings
	}
	f := finding{holds: !e.Elsewhere && !e.Otherwise, may: e.Toggled || e.Guessed && !e.Otherwise}.unless(e.Undated, SettingChanges)
	if e.Placeless && (f.holds || e.Lost) {
		f.missing = PoolParent
	}
	return append(rulings, e.rule(POOL04, f))
}
