package judge

import "poolproof/core/resource"

// A DerivedShare is a recorded fair share beside the one that follows from the records of its snapshot and the
// configuration, of the resource in which they are furthest apart.
type DerivedShare struct {
	Context
	Recorded, Expected float64
	Resource           resource.Kind
	Apart              bool   // by more than shares may be
	Cause              string // the recorded input that is not the configured one, in a clause; "" if there is none
	Undated            bool   // the log does not show since when the configuration is in force
	Unexplained        bool   // the recorded share does not follow from the recorded inputs either
	Unordered          bool   // the order of children is not known, by which ties go
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
