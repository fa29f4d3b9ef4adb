package judge

import "testing"

func TestEphemeralRecord(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(e *EphemeralRecord)
		invariant Invariant
		verdict   Verdict
	}{
		"stands where the rules put it":               {func(*EphemeralRecord) {}, POOL04, OK},
		"stands elsewhere":                            {func(e *EphemeralRecord) { e.Elsewhere = true }, POOL04, Violated},
		"stands elsewhere after a change":             {func(e *EphemeralRecord) { e.Elsewhere, e.Toggled = true, true }, POOL04, Suspect},
		"stands elsewhere, its owner is not recorded": {func(e *EphemeralRecord) { e.Elsewhere, e.Guessed = true, true }, POOL04, Suspect},
		"stands at an unknown place":                  {func(e *EphemeralRecord) { e.Placeless = true }, POOL04, Undecidable},
		"stands at an unknown place and is no FIFO":   {func(e *EphemeralRecord) { e.Placeless, e.Otherwise = true, true }, POOL04, Violated},
		"is no FIFO pool":                             {func(e *EphemeralRecord) { e.Otherwise, e.Guessed = true, true }, POOL04, Violated},
		"has operations":                              {func(*EphemeralRecord) {}, POOL05, OK},
		"lost its last operation a tick ago":          {func(e *EphemeralRecord) { e.Empty = 2 * second }, POOL05, OK},
		"lost its last operation long ago":            {func(e *EphemeralRecord) { e.Empty = 3 * second }, POOL05, Violated},
		"is below its hub":                            {func(e *EphemeralRecord) { e.Subpool = true }, POOL06, OK},
		"has the name of a hub that is none":          {func(e *EphemeralRecord) { e.Subpool, e.Orphan = true, true }, POOL06, Violated},
		"has lost its hub just now":                   {func(e *EphemeralRecord) { e.Subpool, e.Orphan, e.Toggled = true, true, true }, POOL06, Suspect},
	} {
		t.Run(name, func(t *testing.T) {
			e := EphemeralRecord{Context: plainContext(), Here: true}
			c.change(&e)
			expect(t, e.Judge(nil), c.invariant, c.verdict)
		})
	}
}
