package judge

import (
	"testing"
)

func TestCounts(t *testing.T) {
	free := PoolCount{Count: 3, Limit: 5}
	full := PoolCount{Count: 5, Limit: 5}
	unknown, unlimited := PoolCount{Unknown: true}, PoolCount{Count: 9, Unlimited: true}
	step := func(chain ...PoolCount) *CountStep {
		return &CountStep{Context: plainContext(), At: 100 * second, Chain: chain}
	}
	revived, light, changed, refused := step(full), step(full), step(free, full), step(free, free)
	revived.Revived, light.Lightweight, changed.Reconfigured, refused.Reconfigured = true, true, true, true
	for name, c := range map[string]struct {
		rulings   []Ruling
		invariant Invariant
		verdict   Verdict
	}{
		"registers with room":                     {step(free, unlimited).JudgeRegistration(nil), CNT01, OK},
		"registers below a full pool":             {step(free, full).JudgeRegistration(nil), CNT01, Violated},
		"registers where a limit fell just now":   {changed.JudgeRegistration(nil), CNT01, Suspect},
		"registers again after a restart":         {revived.JudgeRegistration(nil), CNT01, Excused},
		"registers below an unknown limit":        {step(free, unknown).JudgeRegistration(nil), CNT01, Undecidable},
		"registers below a full pool and unknown": {step(full, unknown).JudgeRegistration(nil), CNT01, Violated},
		"runs with room":                          {step(free, free).JudgeActivation(nil), CNT02, OK},
		"runs below a full pool":                  {step(free, full).JudgeActivation(nil), CNT02, Violated},
		"runs, being lightweight":                 {light.JudgeActivation(nil), CNT02, OK},
		"is refused below a full pool":            {step(free, full).JudgeRefusal(nil), CNT06, OK},
		"is refused where a limit rose just now":  {refused.JudgeRefusal(nil), CNT06, Suspect},
		"is refused though there was room":        {step(free, free).JudgeRefusal(nil), CNT06, Violated},
	} {
		t.Run(name, func(t *testing.T) { expect(t, c.rulings, c.invariant, c.verdict) })
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
