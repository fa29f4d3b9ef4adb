package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

var lateStarts = []struct {
	name    string
	change  func(*LateStart)
	verdict Verdict
}{
	{"the operation ended long before", func(*LateStart) {}, Violated},
	{"it ended a tick before, by another clock", func(s *LateStart) { s.Ended = s.At - second - second/20 }, Undecidable},
	{"it ended longer before than that", func(s *LateStart) { s.Ended = s.At - second - second/20 - 1 }, Violated},
	{"it is not known yet", func(s *LateStart) { s.Ended = scheduling.Never }, Undecidable},
	{"its end was made of its jobs", func(s *LateStart) { s.AssumedStates = true }, Suspect},
	{"the scheduler comes back", func(s *LateStart) { s.Shaken = OnState }, Suspect},
}

func TestLateStarts(t *testing.T) {
	for _, c := range lateStarts {
		t.Run(c.name, func(t *testing.T) {
			s := LateStart{Context: plainContext(), At: 100 * second, Ended: 65 * second}
			c.change(&s)
			if rulings := s.Judge(nil); len(rulings) != 1 || rulings[0].Invariant != HB03 || rulings[0].Verdict != c.verdict {
				t.Errorf("%+v, want HB-03 %v", rulings, c.verdict)
			}
		})
	}
}
