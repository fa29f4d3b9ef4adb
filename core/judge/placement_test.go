package judge

import "testing"

func TestPlacing(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(p *Placing)
		invariant Invariant
		verdict   Verdict
	}{
		"lands where the rules put it":              {func(*Placing) {}, POOL01, OK},
		"lands elsewhere":                           {func(p *Placing) { p.Elsewhere = true }, POOL01, Violated},
		"lands elsewhere, its user is not recorded": {func(p *Placing) { p.Elsewhere, p.UserUnknown = true, true }, POOL01, Undecidable},
		"lands elsewhere after a change":            {func(p *Placing) { p.Elsewhere, p.Reconfigured = true, true }, POOL01, Suspect},
		"lands where another would be put":          {func(p *Placing) { p.Unasked = true }, POOL01, Undecidable},
		"lands in a hub itself":                     {func(p *Placing) { p.Unasked, p.Elsewhere = true, true }, POOL01, Violated},
		"lands where nobody would put it":           {func(p *Placing) { p.Elsewhere, p.Reconfigured, p.Strange = true, true, true }, POOL01, Violated},
		"asks for a name that is none":              {func(p *Placing) { p.BadName = true }, POOL01, Violated},
		"starts in a pool that forbids it":          {func(p *Placing) { p.Forbidden = true }, POOL02, Violated},
		"is revived in a pool that forbids it":      {func(p *Placing) { p.Forbidden, p.Revived = true, true }, POOL02, Excused},
		"has one pool too many":                     {func(p *Placing) { p.Surplus = true }, POOL03, Violated},
		"is where no configuration of pools tells":  {func(p *Placing) { p.Forbidden, p.Unconfigured = true, true }, POOL02, Undecidable},
		"is a gang in a FIFO pool":                  {func(p *Placing) { p.FIFOOnly = true }, POOL08, OK},
		"is a gang elsewhere":                       {func(p *Placing) { p.FIFOOnly, p.OutsideFIFO = true, true }, POOL08, Violated},
		"is a gang where the mode changed":          {func(p *Placing) { p.FIFOOnly, p.OutsideFIFO, p.Reconfigured = true, true, true }, POOL08, Suspect},
		"is in a pool":                              {func(*Placing) {}, POOL07, OK},
		"is in the root":                            {func(p *Placing) { p.Root = true }, POOL07, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			p := Placing{Context: plainContext()}
			c.change(&p)
			expect(t, p.Judge(nil), c.invariant, c.verdict)
		})
	}
}

func TestPoolChange(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(p *PoolChange)
		invariant Invariant
		verdict   Verdict
	}{
		"moves into room":                     {func(*PoolChange) {}, PEND07, OK},
		"moves into a full pool":              {func(p *PoolChange) { p.Refused = true }, PEND07, Violated},
		"moves into a pool that forbids it":   {func(p *PoolChange) { p.Forbidden = true }, PEND07, Violated},
		"moves below a limit that nobody set": {func(p *PoolChange) { p.Unstated = true }, PEND07, Undecidable},
		"moves into a full one, and another":  {func(p *PoolChange) { p.Refused, p.Unstated = true, true }, PEND07, Violated},
		"runs there":                          {func(p *PoolChange) { p.Runs = true }, PEND06, OK},
		"waits there":                         {func(*PoolChange) {}, PEND06, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			p := PoolChange{Context: plainContext(), Known: true}
			c.change(&p)
			expect(t, p.Judge(nil), c.invariant, c.verdict)
		})
	}
}

// What a pool of lightweight operations changes, and what doubt there is where a
// configuration or an end came just before.
func TestCountsAmongLightweight(t *testing.T) {
	full := PoolCount{Count: 5, Limit: 5}
	step := func(change func(s *CountStep)) *CountStep {
		s := &CountStep{Context: plainContext(), At: 100 * second, Chain: []PoolCount{full}, Among: true}
		change(s)
		return s
	}
	light := func(s *CountStep) { s.Lightweight = true }
	plain := func(*CountStep) {}
	expect(t, step(light).JudgeRegistration(nil), LW03, Violated)
	expect(t, step(light).JudgeActivation(nil), CNT02, OK)
	expect(t, step(plain).JudgeActivation(nil), LW04, Violated)
	room := func(s *CountStep) { s.Chain[0].Count = 4 }
	expect(t, step(func(s *CountStep) { light(s); room(s) }).JudgeRegistration(nil), LW03, OK)
	expect(t, step(room).JudgeActivation(nil), LW04, OK)
	expect(t, step(light).JudgePending(nil), LW02, Violated)
	expect(t, step(plain).JudgePending(nil), LW02, OK)
	expect(t, step(func(s *CountStep) { s.Reconfigured = true }).JudgeActivation(nil), CNT02, Suspect)
	free := step(func(s *CountStep) { s.Chain[0].Count, s.Leaving = 4, true })
	expect(t, free.JudgeRefusal(nil), CNT06, Suspect)
}
