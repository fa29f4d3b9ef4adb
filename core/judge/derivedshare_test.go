package judge

import "testing"

// TestWhatSharesLack: a share or volume that the log leaves in doubt names what the log does not record.
func TestWhatSharesLack(t *testing.T) {
	share := DerivedShare{Context: plainContext(), Recorded: 0.5, Expected: 0.75, Apart: true}
	volume := VolumeRecord{Context: plainContext(), Saturation: 1000, Before: 10, Seconds: 20, Flow: 0.1, Capacity: 100}
	flow := FlowRecord{Context: plainContext(), Flowed: 10}
	for name, c := range map[string]struct {
		judge   func() []Ruling
		verdict Verdict
		missing Input
	}{
		"a share":                 {func() []Ruling { d := share; return d.Judge(nil) }, Violated, NothingMissing},
		"of undated settings":     {func() []Ruling { d := share; d.Undated = true; return d.Judge(nil) }, Suspect, SettingChanges},
		"of unknown inputs":       {func() []Ruling { d := share; d.Unexplained = true; return d.Judge(nil) }, Suspect, ShareInputs},
		"of an unknown order":     {func() []Ruling { d := share; d.Unexplained, d.Unordered = true, true; return d.Judge(nil) }, Undecidable, ChildOrder},
		"a volume":                {func() []Ruling { v := volume; v.After = 2; return v.Judge(nil) }, Violated, NothingMissing},
		"between two records":     {func() []Ruling { v := volume; v.After, v.Changed = 2, true; return v.Judge(nil) }, Suspect, ShareRecords},
		"of updates unknown":      {func() []Ruling { v := volume; v.After, v.MayRound = 10.5, 2; return v.Judge(nil) }, Suspect, UpdatePeriod},
		"less than nothing":       {func() []Ruling { v := volume; v.After, v.Changed = -1, true; return v.Judge(nil) }, Violated, NothingMissing},
		"a flow":                  {func() []Ruling { f := flow; f.Granted, f.Most = 4, 4; return f.Judge(nil) }, Violated, NothingMissing},
		"of sparse records":       {func() []Ruling { f := flow; f.Granted, f.Sparse = 4, true; return f.Judge(nil) }, Suspect, ShareRecords},
		"of what came just after": {func() []Ruling { f := flow; f.Granted, f.Most = 4, 10; return f.Judge(nil) }, Suspect, ShareRecords},
		"of rounded flow":         {func() []Ruling { f := flow; f.Granted, f.Most, f.MayRound = 9, 9, 2; return f.Judge(nil) }, Suspect, UpdatePeriod},
		"of an uncertain version": {func() []Ruling { f := flow; f.Granted, f.Changed = 4, true; return f.Judge(nil) }, Suspect, NothingMissing},
	} {
		rulings := c.judge()
		if r := rulings[0]; len(rulings) != 1 || r.Verdict != c.verdict || r.Missing != c.missing {
			t.Errorf("%s: %v, and %q is missing, want %v and %q", name, r.Verdict, r.Missing, c.verdict, c.missing)
		}
	}
}
