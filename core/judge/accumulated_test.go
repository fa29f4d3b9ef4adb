package judge

import (
	"testing"

	"poolproof/core/resource"
)

// The tree has 1,000 cores. Volumes are in hundredths of a core·second, of a minute: the slack is 0.5 cores for 60 s, 30 core·s.
func TestVolumesOfOneReport(t *testing.T) {
	for name, c := range map[string]struct {
		fair, usage, deficit float64 // in core·s
		verdict              Verdict
		left, right          float64 // in s of the tree
	}{
		"always below":                           {6000, 4000, 2000, OK, 0, 0},
		"all usage at a time of its own":         {6000, 4000, 6000, OK, 0, 0},
		"more than the fair volume":              {6000, 4000, 6031, Violated, 6.031, 6},
		"more than that by rounding":             {6000, 4000, 6030, OK, 0, 0},
		"less than fair volume less usage":       {6000, 4000, 1969, Violated, 1.969, 2},
		"less than that by rounding":             {6000, 4000, 1970, OK, 0, 0},
		"nothing, with usage above the share":    {4000, 6000, 0, OK, 0, 0},
		"below zero, with usage above":           {4000, 6000, -31, Violated, -0.031, 0},
		"a usage below zero":                     {4000, -40, 4000, Violated, -0.04, 0},
		"a fair volume below zero":               {-40, 0, -40, Violated, -0.04, 0},
		"nothing at all, of a waiting operation": {0, 0, 0, OK, 0, 0},
	} {
		at := func(cores float64) (v resource.Volume) {
			v[resource.CPU] = cores * 100
			return v
		}
		record := AccumulatedRecord{Context: plainContext(), Fair: at(c.fair), Usage: at(c.usage), Deficit: at(c.deficit), Seconds: 60}
		record.Total[resource.CPU] = 100_000
		rulings := record.Judge(nil)
		if r := rulings[0]; r.Invariant != ACC01 || r.Verdict != c.verdict || r.Left != c.left || r.Right != c.right || r.Verdict == Violated && r.Resource != resource.CPU {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// Of what nothing rounds, a millionth of the tree is granted: 8 devices for 60 s are 480 device·s, and 0.00048 may be missing.
func TestDevicesAreNotRounded(t *testing.T) {
	for deficit, want := range map[float64]Verdict{60: OK, 60.0004: OK, 60.001: Violated} {
		record := AccumulatedRecord{Context: plainContext(), Seconds: 60}
		record.Total[resource.GPU], record.Fair[resource.GPU], record.Deficit[resource.GPU] = 8, 60, deficit
		expect(t, record.Judge(nil), ACC01, want)
	}
}

// A volume of cpu from 2 to 3 s of the tree follows, and 0.5 s are granted; one of memory of 1 s, and 0.25.
func TestVolumesBesideRecords(t *testing.T) {
	report := func(cpu, memory float64) *VolumeComparison {
		c := &VolumeComparison{Context: plainContext(), Invariant: ACC03}
		c.Recorded[resource.CPU], c.Least[resource.CPU], c.Most[resource.CPU], c.Slack[resource.CPU] = cpu, 2, 3, 0.5
		c.Recorded[resource.Memory], c.Least[resource.Memory], c.Most[resource.Memory], c.Slack[resource.Memory] = memory, 1, 1, 0.25
		return c
	}
	lacking := report(9, 1)
	lacking.Missing = ShareRecords
	for name, c := range map[string]struct {
		before, now, after *VolumeComparison
		verdict            Verdict
		resource           resource.Kind
		left, right        float64
	}{
		"within":                             {nil, report(2.5, 1), nil, OK, 0, 0, 0},
		"within the slack":                   {nil, report(3.5, 0.75), nil, OK, 0, 0, 0},
		"too much, alone":                    {nil, report(4, 1), nil, Suspect, resource.CPU, 4, 3},
		"too little, alone":                  {report(2, 1), report(1, 1), report(2, 1), Suspect, resource.CPU, 1, 2},
		"too much in three":                  {report(4, 1), report(5, 1), report(4, 1), Violated, resource.CPU, 5, 3},
		"too much, and too little before":    {report(1, 1), report(5, 1), report(4, 1), Suspect, resource.CPU, 5, 3},
		"too much, and none after":           {report(4, 1), report(5, 1), nil, Suspect, resource.CPU, 5, 3},
		"too much, and after nobody knows":   {report(4, 1), report(5, 1), lacking, Suspect, resource.CPU, 5, 3},
		"another resource is off before":     {report(2, 2), report(5, 1), report(4, 1), Suspect, resource.CPU, 5, 3},
		"surely off goes before farther off": {report(2, 2), report(9, 2), report(2, 2), Violated, resource.Memory, 2, 1},
		"nobody knows":                       {report(4, 1), lacking, report(4, 1), Undecidable, resource.CPU, 9, 3},
	} {
		r := c.now.Judge(c.before, c.after)
		if r.Invariant != ACC03 || r.Verdict != c.verdict || r.Resource != c.resource || r.Left != c.left || r.Right != c.right {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
