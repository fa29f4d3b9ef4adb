package judge

// A SettingRecord compares a recorded setting of starvation or preemption of a pool or a tree with
// the configured one.
type SettingRecord struct {
	Context
	Differs            bool
	Undated            bool  // the log does not record since when the configuration is in force
	Recorded, Expected int64 // timeouts; 0 of other settings
}

// Judge judges STV-05.
func (r *SettingRecord) Judge(rulings []Ruling) []Ruling {
	f := compared(!r.Differs, float64(r.Recorded), float64(r.Expected)).unless(r.Undated, SettingChanges)
	return append(rulings, r.rule(STV05, f))
}
