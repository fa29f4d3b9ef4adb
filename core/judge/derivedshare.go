package judge

import "poolproof/core/resource"

// A DerivedShare compares a recorded fair share with the one that follows from the records of its
// snapshot and the configuration, in the resource in which they differ most.
type DerivedShare struct {
	Context
	Recorded, Expected float64
	Resource           resource.Kind
	Apart              bool   // they differ by more than the tolerance
	Cause              string // the recorded input that differs from the configured one, as a clause; "" if all agree
	Undated            bool   // the log does not record since when the configuration is in force
	Unexplained        bool   // the recorded share does not follow from the recorded inputs either
	Unordered          bool   // the order of children, which breaks ties, is unknown
}

// Judge judges GUA-11.
func (d *DerivedShare) Judge(rulings []Ruling) []Ruling {
	f := compared(!d.Apart, d.Recorded, d.Expected)
	f.kind, f.cause = d.Resource, d.Cause
	switch {
	case d.Apart && d.Unexplained && d.Unordered && d.Cause == "":
		f.missing = ChildOrder
	case d.Unexplained:
		f = f.unless(true, ShareInputs)
	default:
		f = f.unless(d.Undated, SettingChanges)
	}
	return append(rulings, d.rule(GUA11, f))
}
