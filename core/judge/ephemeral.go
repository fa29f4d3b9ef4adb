package judge

// An EphemeralRecord is what a record says of an ephemeral pool, beside what the
// rules make of it (core/spec/scheduling.md §5.1).
type EphemeralRecord struct {
	Context
	Here      bool  // operations are in it, so that it has a place
	Elsewhere bool  // it stands below another pool than the rules put it
	Placeless bool  // the log does not record below which
	Lost      bool  // and it does of other pools
	Otherwise bool  // an option of it is not that of its parent's ephemeral_subpool_config
	Guessed   bool  // the log does not say for sure whose it is, and its place depends on it
	Subpool   bool  // its name is that of a user's subpool of a hub
	Orphan    bool  // and no such hub exists
	Empty     int64 // how long it has had no operation, µs; 0 while it has
	Toggled   bool  // a configuration changed within the time that one takes
	Undated   bool  // the log does not show since when the configuration that places it is in force
}

// Judge judges POOL-05, POOL-04 where the pool has operations, and POOL-06 of a
// subpool.
func (e *EphemeralRecord) Judge(rulings []Ruling) []Ruling {
	slack := e.Slacks.Tick + e.Slacks.Record
	rulings = append(rulings, e.rule(POOL05, compared(e.Empty <= slack, float64(e.Empty), float64(slack))))
	rulings = e.JudgePlace(rulings)
	if e.Subpool {
		rulings = append(rulings, e.rule(POOL06, finding{holds: !e.Orphan, may: e.Toggled}))
	}
	return rulings
}

// JudgePlace judges POOL-04 of a pool that has operations.
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
