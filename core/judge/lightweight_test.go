package judge

import (
	"testing"
)

func TestLightweightPools(t *testing.T) {
	legal := LightweightPool{Context: plainContext(), FIFO: true, Enabled: true, Operations: 5, Lightweight: 5, Vanilla: 5}
	for name, c := range map[string]struct {
		change    func(p *LightweightPool)
		invariant Invariant
		verdict   Verdict
	}{
		"all vanilla":                          {func(*LightweightPool) {}, LW01, OK},
		"one is not vanilla":                   {func(p *LightweightPool) { p.Vanilla, p.Others = 4, 1 }, LW01, Violated},
		"the pool is not FIFO":                 {func(p *LightweightPool) { p.FIFO = false }, LW01, Violated},
		"the flag is off":                      {func(p *LightweightPool) { p.Enabled = false }, LW01, Violated},
		"the flag is off since just now":       {func(p *LightweightPool) { p.Enabled, p.Toggled = false, true }, LW01, Suspect},
		"none waits":                           {func(*LightweightPool) {}, LW02, OK},
		"one waits":                            {func(p *LightweightPool) { p.Lightweight = 4 }, LW02, Violated},
		"one is counted as running":            {func(p *LightweightPool) { p.Lightweight, p.Running = 4, 1 }, LW02, Violated},
		"another one is counted as running":    {func(p *LightweightPool) { p.Operations, p.Others, p.Running = 6, 1, 1 }, LW02, OK},
		"the counters add up":                  {func(*LightweightPool) {}, LW05, OK},
		"the counters do not add up":           {func(p *LightweightPool) { p.Operations = 4 }, LW05, Violated},
		"they do not, and a flag was toggled":  {func(p *LightweightPool) { p.Operations, p.Toggled = 4, true }, LW05, Violated},
		"no others":                            {func(*LightweightPool) {}, LW07, OK},
		"others in a pool of lightweight ones": {func(p *LightweightPool) { p.Operations, p.Others = 6, 1 }, LW07, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			p := legal
			c.change(&p)
			expect(t, p.Judge(nil), c.invariant, c.verdict)
		})
	}
}
