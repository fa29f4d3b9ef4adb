package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

// never is a record without starving_since.
const never = -1e6

func TestSince(t *testing.T) {
	type record struct {
		at     float64
		below  bool
		since  float64
		change func(r *StarvationRecord)
	}
	wavered := func(r *StarvationRecord) { r.Wavered = true }
	doubtful := func(r *StarvationRecord) { r.Doubtful = true }
	hungry := func(r *StarvationRecord) { r.Status = scheduling.Starving }
	for name, c := range map[string]struct {
		meaning Meaning
		records []record
		verdict Verdict
	}{
		"told from the first tick on":                {BelowSince, []record{{0, false, never, nil}, {5, true, 3, nil}, {10, true, 3, nil}}, OK},
		"not told yet, of a torn record":             {BelowSince, []record{{0, false, never, nil}, {5, true, never, nil}}, OK},
		"not told":                                   {BelowSince, []record{{0, false, never, nil}, {5, true, never, nil}, {10, true, never, nil}}, Violated},
		"not told, of a record that can be read so":  {BelowSince, []record{{0, false, never, nil}, {5, true, never, nil}, {10, true, never, doubtful}}, Suspect},
		"not told, it may have recovered in between": {BelowSince, []record{{0, false, never, nil}, {5, true, never, nil}, {10, true, never, wavered}}, Suspect},
		"not told where only the starving have it":   {Unsaid, []record{{0, false, never, nil}, {5, true, never, nil}, {10, true, never, nil}}, Undecidable},
		"begun anew": {BelowSince, []record{{0, false, never, nil}, {5, true, 3, nil}, {10, true, 8, nil}}, Violated},
		"begun anew, it may have recovered in between": {BelowSince, []record{{0, false, never, nil}, {5, true, 3, nil}, {10, true, 8, wavered}}, Suspect},
		"the turn of the status":                       {Unsaid, []record{{0, false, never, nil}, {5, true, never, nil}, {40, true, 38, hungry}}, OK},
		"begun while it was well":                      {BelowSince, []record{{0, false, never, nil}, {20, false, never, nil}, {25, true, 3, nil}}, Violated},
		"begun while it was well, whatever is meant":   {Unsaid, []record{{0, false, never, nil}, {20, false, never, nil}, {25, true, 3, hungry}}, Violated},
		"begun while it may have been well":            {BelowSince, []record{{0, false, never, nil}, {20, false, never, doubtful}, {25, true, 3, nil}}, OK},
		"yet to begin":                                 {Unsaid, []record{{5, true, 50, hungry}}, Violated},
		"still told, of a torn record":                 {BelowSince, []record{{0, true, -5, nil}, {5, false, -5, nil}}, OK},
		"still told":                                   {BelowSince, []record{{0, true, -5, nil}, {5, false, -5, nil}, {10, false, -5, nil}}, Violated},
		"still told, of a record that can be read so":  {BelowSince, []record{{0, true, 0, nil}, {5, false, 5, doubtful}, {10, false, 5, doubtful}}, Suspect},
		"still told, and starving":                     {BelowSince, []record{{0, true, 0, hungry}, {5, false, 5, hungry}, {6, false, 6, hungry}}, OK}, // STV-03 tells of it
	} {
		t.Run(name, func(t *testing.T) {
			s := NewSince(plainContext())
			s.Meaning = c.meaning
			var rulings []Ruling
			for _, x := range c.records {
				r := StarvationRecord{At: seconds(x.at), Below: x.below, HasSince: x.since != never, Since: seconds(x.since)}
				if x.change != nil {
					x.change(&r)
				}
				rulings = s.Record(r, rulings[:0])
			}
			expect(t, rulings, STV11, c.verdict)
		})
	}
}
