package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

func TestCounts(t *testing.T) {
	free := PoolCount{Count: 3, Limit: 5, Held: scheduling.Never}
	full := PoolCount{Count: 5, Limit: 5, Held: scheduling.Never}
	lowered := full
	lowered.Changes = []CountChange{{At: 97 * second, Why: LimitLowered, Old: 8}}
	longAgo := full
	longAgo.Changes = []CountChange{{At: 90 * second, Why: LimitLowered, Old: 8}}
	unknown, unlimited := PoolCount{Unknown: true}, PoolCount{Count: 9, Unlimited: true}
	step := func(chain ...PoolCount) *CountStep {
		return &CountStep{Context: plainContext(), At: 100 * second, Chain: chain}
	}
	revived, light := step(full), step(full)
	revived.Revived, light.Lightweight = true, true
	for name, c := range map[string]struct {
		rulings   []Ruling
		invariant Invariant
		verdict   Verdict
	}{
		"registers with room":                          {step(free, unlimited).JudgeRegistration(nil), CNT01, OK},
		"registers below a full pool":                  {step(free, full).JudgeRegistration(nil), CNT01, Violated},
		"registers where the limit fell just now":      {step(free, lowered).JudgeRegistration(nil), CNT01, Suspect},
		"registers where the limit fell before":        {step(free, longAgo).JudgeRegistration(nil), CNT01, Violated},
		"registers below one such pool and a full one": {step(lowered, full).JudgeRegistration(nil), CNT01, Violated},
		"registers below a full pool and one such":     {step(full, lowered).JudgeRegistration(nil), CNT01, Violated},
		"registers again after a restart":              {revived.JudgeRegistration(nil), CNT01, Excused},
		"registers below a limit that nobody knows":    {step(free, unknown).JudgeRegistration(nil), CNT01, Undecidable},
		"registers below a full pool and unknown":      {step(full, unknown).JudgeRegistration(nil), CNT01, Violated},
		"runs with room":                               {step(free, free).JudgeActivation(nil), CNT02, OK},
		"runs below a full pool":                       {step(free, full).JudgeActivation(nil), CNT02, Violated},
		"runs, being lightweight":                      {light.JudgeActivation(nil), CNT02, OK},
		"is refused below a full pool":                 {step(free, full).JudgeRefusal(nil), CNT06, OK},
		"is refused though there was room":             {step(free, free).JudgeRefusal(nil), CNT06, Violated},
	} {
		t.Run(name, func(t *testing.T) { expect(t, c.rulings, c.invariant, c.verdict) })
	}
}

func TestCountRecords(t *testing.T) {
	above := PoolCount{Count: 6, Limit: 5, Held: 50 * second}
	with := func(changes ...CountChange) PoolCount {
		p := above
		p.Changes = changes
		return p
	}
	for name, c := range map[string]struct {
		count   PoolCount
		verdict Verdict
	}{
		"within the limit":                       {PoolCount{Count: 5, Limit: 5}, OK},
		"above the limit":                        {above, Violated},
		"above a limit that fell":                {with(CountChange{60 * second, LimitLowered, 6}), Excused},
		"above a limit that fell, and before it": {with(CountChange{60 * second, LimitLowered, 5}), Violated},
		"above after a move":                     {with(CountChange{60 * second, PoolMoved, 0}), Excused},
		"above after a move that it survived":    {with(CountChange{40 * second, PoolMoved, 0}), Violated},
		"above before a move":                    {with(CountChange{160 * second, PoolMoved, 0}), Violated},
		"without a limit":                        {PoolCount{Unknown: true}, Undecidable},
	} {
		t.Run(name, func(t *testing.T) {
			r := CountRecord{Context: plainContext(), At: 100 * second, PoolCount: c.count}
			expect(t, r.Judge(nil), CNT05, c.verdict)
			r.Running = true
			expect(t, r.Judge(nil), CNT04, c.verdict)
		})
	}
}

func TestCountSums(t *testing.T) {
	s := CountSum{Context: plainContext(), Count: 7, Own: 2, Children: 5}
	expect(t, s.Judge(nil), CNT03, OK)
	s.Own = 3
	expect(t, s.Judge(nil), CNT03, Violated)
	s.Torn = true
	expect(t, s.Judge(nil), CNT03, Suspect)
}
