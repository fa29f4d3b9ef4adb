package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

// A record of a test: at a second, whether below, and the status.
type record struct {
	at     float64
	below  bool
	status scheduling.Status
}

const (
	calm       = scheduling.NonStarving
	starving   = scheduling.Starving
	aggressive = scheduling.AggressivelyStarving
)

func TestStarvation(t *testing.T) {
	healthy := record{0, false, calm}
	for name, c := range map[string]struct {
		records   []record
		change    func(s *Starvation)
		invariant Invariant
		verdict   Verdict
	}{
		"starves after its timeout":                 {[]record{healthy, {1, true, calm}, {31.5, true, starving}}, nil, STV01, OK},
		"starves before its timeout":                {[]record{healthy, {1, true, calm}, {25, true, starving}}, nil, STV01, Violated},
		"starves before its timeout by the records": {[]record{healthy, {5, true, calm}, {33, true, starving}}, nil, STV01, Suspect},
		"starves at once though it is not below":    {[]record{healthy, {1, false, starving}}, nil, STV01, Violated},
		"starves as the log begins":                 {[]record{{0, true, starving}}, nil, STV01, Undecidable},
		"starved until just now":                    {[]record{healthy, {1, true, calm}, {25, true, calm}, {32, false, starving}}, nil, STV01, Suspect},
		"starves after its aggressive timeout":      {[]record{healthy, {1, true, calm}, {40, true, starving}, {122, true, aggressive}}, nil, STV04, OK},
		"starves aggressively before that timeout":  {[]record{healthy, {1, true, calm}, {40, true, starving}, {110, true, aggressive}}, nil, STV04, Violated},
		"starves aggressively though that is off":   {[]record{healthy, {1, true, calm}, {122, true, aggressive}}, func(s *Starvation) { s.Timeouts.AggressiveEnabled = false }, STV04, Violated},
		"starves aggressively though that is off by now": {[]record{healthy, {1, true, calm}, {122, true, aggressive}}, func(s *Starvation) {
			s.Timeouts.AggressiveEnabled, s.Evidence = false, Possible
		}, STV04, Suspect},
		"does not starve yet":                              {[]record{healthy, {1, true, calm}, {32, true, calm}}, nil, STV02, OK},
		"does not starve, perhaps not below for long":      {[]record{healthy, {1, true, calm}, {32.5, true, calm}}, func(s *Starvation) { s.Slacks.Tick = second / 5 }, STV02, Suspect},
		"does not starve":                                  {[]record{healthy, {1, true, calm}, {40, true, calm}}, nil, STV02, Violated},
		"does not starve, its timeout was longer":          {[]record{healthy, {1, true, calm}, {40, true, calm}}, func(s *Starvation) { s.Raised = 20 * second }, STV02, Excused},
		"does not starve, its timeout was longer long ago": {[]record{healthy, {1, true, calm}, {90, true, calm}}, func(s *Starvation) { s.Raised = 2 * second }, STV02, Violated},
		"recovered in between":                             {[]record{healthy, {1, true, calm}, {20, false, calm}, {40, true, calm}}, nil, STV02, OK},
		"recovers":                                         {[]record{healthy, {1, true, starving}, {50, false, calm}}, nil, STV03, OK},
		"recovers a moment later":                          {[]record{healthy, {1, true, starving}, {50, false, calm}, {51, false, starving}}, nil, STV03, OK},
		"goes on starving":                                 {[]record{healthy, {1, true, starving}, {50, false, calm}, {53, false, starving}}, nil, STV03, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStarvation(plainContext(), scheduling.Timeouts{Starving: 30 * second, Aggressive: 120 * second, AggressiveEnabled: true})
			if c.change != nil {
				c.change(s)
			}
			var rulings []Ruling
			for _, r := range c.records {
				rulings = s.Record(StarvationRecord{At: seconds(r.at), Below: r.below, Status: r.status}, rulings)
			}
			expect(t, rulings, c.invariant, c.verdict)
		})
	}
}

// What records do not show is no violation: ticks between them, other readings of them
// that differ, and pools whose states are frozen.
func TestStarvationBetweenRecords(t *testing.T) {
	below := func(at float64, s scheduling.Status) StarvationRecord {
		return StarvationRecord{At: seconds(at), Below: true, Status: s}
	}
	well := func(at float64, s scheduling.Status) StarvationRecord {
		return StarvationRecord{At: seconds(at), Status: s}
	}
	wavered := func(r StarvationRecord) StarvationRecord { r.Wavered = true; return r }
	doubtful := func(r StarvationRecord) StarvationRecord { r.Doubtful = true; return r }
	frozen := func(r StarvationRecord) StarvationRecord { r.Frozen = true; return r }
	lacking := func(r StarvationRecord) StarvationRecord { r.BelowMinShare = true; return r }
	for name, c := range map[string]struct {
		records   []StarvationRecord
		invariant Invariant
		verdict   Verdict
	}{
		"below for long":                               {[]StarvationRecord{well(0, calm), below(1, calm), below(20, calm), below(40, calm)}, STV02, Violated},
		"below for long, perhaps not at once":          {[]StarvationRecord{well(0, calm), below(1, calm), wavered(below(20, calm)), below(40, calm)}, STV02, Suspect},
		"below for long, perhaps not at one record":    {[]StarvationRecord{well(0, calm), below(1, calm), doubtful(below(20, calm)), below(40, calm)}, STV02, Suspect},
		"below for long after it may have been well":   {[]StarvationRecord{well(0, calm), below(1, calm), wavered(below(20, calm)), below(60, calm)}, STV02, Violated},
		"below for long, frozen for some of it":        {[]StarvationRecord{well(0, calm), frozen(below(1, calm)), frozen(below(20, calm)), below(40, calm)}, STV02, Suspect},
		"below for long after it was frozen":           {[]StarvationRecord{well(0, calm), frozen(below(1, calm)), below(20, calm), below(60, calm)}, STV02, Violated},
		"well for long":                                {[]StarvationRecord{below(0, starving), well(1, starving), well(2, starving), well(9, starving)}, STV03, Violated},
		"well for long, perhaps not at once":           {[]StarvationRecord{below(0, starving), well(1, starving), well(2, starving), wavered(well(9, starving))}, STV03, Suspect},
		"starves early":                                {[]StarvationRecord{well(0, calm), below(1, calm), well(10, calm), below(11, calm), below(35, starving)}, STV01, Violated},
		"starves early, perhaps never well in between": {[]StarvationRecord{well(0, calm), below(1, calm), doubtful(well(10, calm)), below(11, calm), below(35, starving)}, STV01, Suspect},
		"starves early, frozen while it was well":      {[]StarvationRecord{well(0, calm), below(1, calm), frozen(well(10, calm)), below(11, calm), below(35, starving)}, STV01, Suspect},
		"starves a record early":                       {[]StarvationRecord{well(0, calm), below(1, calm), below(31, starving)}, STV01, OK},
		"starves two records early":                    {[]StarvationRecord{well(0, calm), below(2, calm), below(30.5, starving)}, STV01, Suspect},
		"aggressive by its min share":                  {[]StarvationRecord{below(0, aggressive), lacking(well(1, aggressive)), lacking(well(9, aggressive))}, STV04, Violated},
		"aggressive by its min share, perhaps not":     {[]StarvationRecord{below(0, aggressive), lacking(well(1, aggressive)), wavered(lacking(well(9, aggressive)))}, STV04, Suspect},
		"aggressive by its min share, frozen":          {[]StarvationRecord{below(0, aggressive), lacking(well(1, aggressive)), frozen(lacking(well(9, aggressive)))}, STV04, Excused},
		"aggressive by its min share until just now":   {[]StarvationRecord{below(0, aggressive), lacking(well(1, aggressive)), lacking(well(2, aggressive))}, STV04, OK},
		"aggressive by both its shares":                {[]StarvationRecord{below(0, aggressive), lacking(below(1, aggressive)), lacking(below(9, aggressive))}, STV04, OK},
		"aggressive though below none":                 {[]StarvationRecord{below(0, aggressive), well(1, aggressive), well(9, aggressive)}, STV04, OK},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStarvation(plainContext(), scheduling.Timeouts{Starving: 30 * second, Aggressive: 120 * second, AggressiveEnabled: true})
			var rulings []Ruling
			for _, r := range c.records {
				rulings = s.Record(r, rulings[:0])
			}
			expect(t, rulings, c.invariant, c.verdict)
		})
	}
}

// Where starving_since tells when the clock started nothing is left between records.
func TestStarvationSince(t *testing.T) {
	since := func(r StarvationRecord, at float64) StarvationRecord {
		r.HasSince, r.Since = true, seconds(at)
		return r
	}
	at := func(at float64, below bool, s scheduling.Status) StarvationRecord {
		return StarvationRecord{At: seconds(at), Below: below, Status: s}
	}
	for name, c := range map[string]struct {
		records []StarvationRecord
		meaning Meaning
		verdict Verdict
	}{
		"late by its since":                         {[]StarvationRecord{at(0, false, calm), at(5, true, calm), since(at(32, true, starving), 0.5)}, BelowSince, OK},
		"early by its since":                        {[]StarvationRecord{at(0, false, calm), at(5, true, calm), since(at(33, true, starving), 4)}, BelowSince, Violated},
		"early by its since, which is not the turn": {[]StarvationRecord{at(0, false, calm), at(5, true, calm), at(28, true, calm), since(at(33, true, starving), 4)}, Unsaid, Violated},
		"of a since that may be the turn":           {[]StarvationRecord{at(0, false, calm), at(5, true, calm), at(28, true, calm), since(at(33, true, starving), 31)}, Unsaid, Suspect},
		"in time, of a since that may be the turn":  {[]StarvationRecord{at(0, false, calm), at(5, true, calm), at(28, true, calm), since(at(36, true, starving), 35)}, Unsaid, OK},
		"as the log begins":                         {[]StarvationRecord{since(at(0, true, starving), -31)}, BelowSince, OK},
		"as the log begins, early by its since":     {[]StarvationRecord{since(at(0, true, starving), -20)}, BelowSince, Violated},
		"as the log begins, of a since of the turn": {[]StarvationRecord{since(at(0, true, starving), -20)}, Unsaid, Undecidable},
		"of a since before a record that is well":   {[]StarvationRecord{at(10, false, calm), at(11, true, calm), since(at(33, true, starving), 2)}, BelowSince, Violated},
		"of a since after the first that is below":  {[]StarvationRecord{at(0, false, calm), at(1, true, calm), since(at(33, true, starving), 20)}, BelowSince, OK}, // STV-11 tells of it
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStarvation(plainContext(), scheduling.Timeouts{Starving: 30 * second})
			s.Meaning = c.meaning
			var rulings []Ruling
			for _, r := range c.records {
				rulings = s.Record(r, rulings[:0])
			}
			expect(t, rulings, STV01, c.verdict)
		})
	}
}

func TestStarvationExcuses(t *testing.T) {
	for excuse, r := range map[Excuse]StarvationRecord{
		StarvationFrozen: {Frozen: true}, Unschedulable: {Unschedulable: true},
	} {
		s := NewStarvation(plainContext(), scheduling.Timeouts{Starving: 30 * second})
		s.Record(StarvationRecord{Below: true}, nil)
		r.At, r.Below = 60*second, true
		rulings := s.Record(r, nil)
		expect(t, rulings, STV02, Excused)
		if rulings[0].Excuse != excuse {
			t.Errorf("excuse %q, want %q", rulings[0].Excuse, excuse)
		}
	}
}

// Between records that are far apart nobody is called in time for the slack that these need.
func TestLateBetweenRecords(t *testing.T) {
	for late, want := range map[int64]Verdict{30: OK, 31: OK, 40: Undecidable, 60: Undecidable, 180: Violated} {
		c := plainContext()
		slacks := *c.Slacks
		slacks.Record = 60 * second
		c.Slacks = &slacks
		s := NewStarvation(c, scheduling.Timeouts{Starving: 30 * second})
		s.Record(StarvationRecord{At: 0}, nil)
		s.Record(StarvationRecord{At: 10 * second, Below: true}, nil)
		expect(t, s.Record(StarvationRecord{At: (10 + late) * second, Below: true}, nil), STV02, want)
	}
}
