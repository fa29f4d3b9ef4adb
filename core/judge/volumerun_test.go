package judge

import "testing"

// Records are a second apart, of a pool with a flow of 0.2, a burst of 0.5 and a capacity of 100. Each alone may
// be off by what an update moves.
func TestVolumeRuns(t *testing.T) {
	steady := VolumeRecord{Saturation: 500, Seconds: 1, Flow: 0.2, Capacity: 100, Kept: 100, Widest: 100, Dearest: 0.5}
	for name, c := range map[string]struct {
		start, step float64 // of the volume, and how it grows each second
		records     int
		change      func(v *VolumeRecord)
		verdict     Verdict // of the last record
	}{
		"grows by its flow":                     {0, 0.2, 100, nil, OK},
		"grows by half of it, for a short time": {0, 0.1, 4, nil, OK},
		"grows by half of it":                   {0, 0.1, 20, nil, Violated},
		"grows by twice as much":                {0, 0.4, 20, nil, Violated},
		"grows by what others left":             {0, 0.4, 20, func(v *VolumeRecord) { v.Shared = true }, OK},
		"shrinks by what it was given":          {50, -0.3, 20, func(v *VolumeRecord) { v.Spent = 0.5 }, OK},
		"shrinks by less, which records hide":   {50, -0.1, 20, func(v *VolumeRecord) { v.Spent = 0.5 }, OK},
		"shrinks by more":                       {50, -0.6, 20, func(v *VolumeRecord) { v.Spent = 0.5 }, Violated},
		"is full":                               {100, 0, 50, nil, OK},
		"is used up":                            {0, 0, 50, func(v *VolumeRecord) { v.Spent = 0.5 }, OK},
		"grows by less, as rounding lets it":    {0, 0.1, 20, func(v *VolumeRecord) { v.Rounded = 0.1 }, OK},
		"grows by less, at unknown periods":     {0, 0.1, 20, func(v *VolumeRecord) { v.MayRound = 0.1 }, Suspect},
	} {
		t.Run(name, func(t *testing.T) {
			var run VolumeRun
			var rulings []Ruling
			for i := range c.records {
				v := steady
				v.Context, v.Run = plainContext(), &run
				v.Before, v.After = max(0, c.start+c.step*float64(i)), max(0, c.start+c.step*float64(i+1))
				if c.change != nil {
					c.change(&v)
				}
				run.Extend(&v)
				rulings = v.Judge(nil)
			}
			expect(t, rulings, GUA06, c.verdict)
		})
	}
}
