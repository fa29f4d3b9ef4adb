package judge

import (
	"math"
	"testing"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// cpuShare is a share of cpu alone.
func cpuShare(x float64) (s resource.Share) {
	s[resource.CPU] = x
	return s
}

func TestShareRecords(t *testing.T) {
	// A pool that is given its guarantee of a half, of what its two children
	// demand.
	legal := func() *ShareRecord {
		return &ShareRecord{
			Context: plainContext(), Fair: cpuShare(0.5), Demand: cpuShare(0.8), Strong: cpuShare(0.5), Limits: resource.Uniform(1),
			Expected: cpuShare(0.5), Children: cpuShare(0.5), Composite: true,
		}
	}
	for name, c := range map[string]struct {
		change    func(s *ShareRecord)
		invariant Invariant
		verdict   Verdict
	}{
		"is given its guarantee":               {func(*ShareRecord) {}, GUA01, OK},
		"is given less than its guarantee":     {func(s *ShareRecord) { s.Fair, s.Children = cpuShare(0.4), cpuShare(0.4) }, GUA01, Violated},
		"is given less, as the rules have it":  {func(s *ShareRecord) { s.Fair, s.Expected = cpuShare(0.4), cpuShare(0.4) }, GUA01, OK},
		"is given less, as it demands no more": {func(s *ShareRecord) { s.Fair, s.Demand = cpuShare(0.4), cpuShare(0.4) }, GUA01, OK},
		"is given less, as it is limited":      {func(s *ShareRecord) { s.Fair, s.Limits = cpuShare(0.4), resource.Uniform(0.4) }, GUA01, OK},
		"is given its guarantee of another kind": {func(s *ShareRecord) {
			s.Fair[resource.CPU], s.Fair[resource.GPU], s.Demand[resource.GPU] = 0.4, 0.5, 0.6
			s.Strong[resource.GPU] = 0.5
		}, GUA01, OK},
		"is given less than it is configured, and the record names as little": {func(s *ShareRecord) {
			s.Fair, s.Children, s.Strong, s.Guaranteed = cpuShare(0.4), cpuShare(0.4), cpuShare(0.1), cpuShare(0.5)
		}, GUA01, Violated},
		"likewise, right after a change": {func(s *ShareRecord) {
			s.Fair, s.Children, s.Strong, s.Guaranteed, s.Changed = cpuShare(0.4), cpuShare(0.4), cpuShare(0.1), cpuShare(0.5), true
		}, GUA01, Suspect},
		"is given less than its guarantee, as the rules had it a moment ago": {func(s *ShareRecord) {
			s.Fair, s.Children, s.LeastExpected = cpuShare(0.4), cpuShare(0.4), cpuShare(0.4)
		}, GUA01, Suspect},
		"is given less than the rules have ever had": {func(s *ShareRecord) {
			s.Fair, s.Children, s.LeastExpected = cpuShare(0.4), cpuShare(0.4), cpuShare(0.45)
		}, GUA01, Violated},
		"stays within its demand":                {func(*ShareRecord) {}, GUA09, OK},
		"is given more than it demands":          {func(s *ShareRecord) { s.Fair = cpuShare(0.9) }, GUA09, Violated},
		"is given as little more as rounding is": {func(s *ShareRecord) { s.Fair = cpuShare(0.80005) }, GUA09, OK},
		"is given less than its children":        {func(s *ShareRecord) { s.Children = cpuShare(0.6) }, GUA09, Violated},
		"is an operation, which has none":        {func(s *ShareRecord) { s.Children, s.Composite = cpuShare(0.6), false }, GUA09, OK},
		"is given less, in a torn record":        {func(s *ShareRecord) { s.Children, s.Torn = cpuShare(0.6), true }, GUA09, Suspect},
		"stays within its limits":                {func(s *ShareRecord) { s.Limits = resource.Uniform(0.5) }, LIM07, OK},
		"is given more than its limits":          {func(s *ShareRecord) { s.Limits = resource.Uniform(0.3) }, LIM07, Violated},
		"is given more, right after a change":    {func(s *ShareRecord) { s.Limits, s.Changed = resource.Uniform(0.3), true }, LIM07, Suspect},
		"is given more than limits just set":     {func(s *ShareRecord) { s.Limits, s.Relimited = resource.Uniform(0.3), true }, LIM07, Suspect},
		"is given its burst":                     {func(s *ShareRecord) { s.Fair, s.Burst = cpuShare(0.7), 0.2 }, GUA04, OK},
		"is not given its burst":                 {func(s *ShareRecord) { s.Burst, s.Expected = 0.2, cpuShare(0.7) }, GUA04, Violated},
		"is not given its burst, as others are":  {func(s *ShareRecord) { s.Burst = 0.2 }, GUA04, OK},
		"is relaxed and given more":              {func(s *ShareRecord) { s.Fair, s.Relaxed = cpuShare(0.6), 0.3 }, GUA05, OK},
		"is relaxed and given no more":           {func(s *ShareRecord) { s.Relaxed, s.Expected = 0.3, cpuShare(0.6) }, GUA05, Violated},
		"is relaxed and given all by weight, right after a change": {func(s *ShareRecord) {
			s.Fair, s.Relaxed, s.Parts, s.Most, s.IntegralExpected, s.Changed = cpuShare(0.6), 0.3, true, 0.3, cpuShare(0.1), true
		}, GUA05, Suspect},
		"is relaxed and given all by weight": {func(s *ShareRecord) {
			s.Fair, s.Relaxed, s.Parts, s.Most, s.IntegralExpected = cpuShare(0.6), 0.3, true, 0.3, cpuShare(0.1)
		}, GUA05, Violated},
		"is relaxed and given all by weight, as the rules have it": {func(s *ShareRecord) {
			s.Fair, s.Relaxed, s.Parts, s.Most = cpuShare(0.6), 0.3, true, 0.3
		}, GUA05, OK},
		"is relaxed and given by weight all it demands": {func(s *ShareRecord) {
			s.Fair, s.Demand, s.Relaxed, s.Parts, s.Most, s.IntegralExpected = cpuShare(0.6), cpuShare(0.6), 0.3, true, 0.3, cpuShare(0.1)
		}, GUA05, OK},
		"is relaxed and has all it demands anyway": {func(s *ShareRecord) { s.Relaxed, s.Demand, s.Expected = 0.3, cpuShare(0.5), cpuShare(0.6) }, GUA05, OK},
	} {
		t.Run(name, func(t *testing.T) {
			s := legal()
			c.change(s)
			if s.LeastExpected == (resource.Share{}) { // it has always been so
				s.LeastExpected = s.Expected
			}
			expect(t, s.Judge(nil), c.invariant, c.verdict)
		})
	}
}

// Shares may differ by exactly what rounding is, and of several that differ as much
// the first is named.
func TestSharesDifferByRounding(t *testing.T) {
	given := func(cpu, memory float64) []Ruling {
		s := ShareRecord{Context: plainContext(), Limits: resource.Uniform(1)}
		s.Fair[resource.CPU], s.Fair[resource.Memory] = cpu, memory
		return s.Judge(nil)
	}
	expect(t, given(Epsilon, 0), GUA09, OK)
	expect(t, given(math.Nextafter(Epsilon, 1), 0), GUA09, Violated)
	for _, r := range given(0.5, 0.5) {
		if r.Invariant == GUA09 && r.Resource != resource.CPU {
			t.Errorf("GUA-09 names %v before %v", r.Resource, resource.CPU)
		}
	}
}

// A later operation of a FIFO pool may have what rounding is, or that more than the
// rules give it.
func TestPlacesDifferByRounding(t *testing.T) {
	place := func(fair, expected float64) []Ruling {
		p := PlaceRecord{Context: plainContext(), HasOrder: true, EarlierUnmet: true, Fair: fair, Expected: expected}
		return p.Judge(nil)
	}
	robbed := PlaceRecord{Context: plainContext(), HasOrder: true, EarlierUnmet: true, EarlierRobbed: true, Fair: Epsilon}
	expect(t, robbed.Judge(nil), FIFO02, OK)
	robbed.Fair = math.Nextafter(Epsilon, 1)
	expect(t, robbed.Judge(nil), FIFO02, Violated)
	for _, fair := range []float64{2 * Epsilon, 0.5} { // by shares and by the hundredth part
		least := fair - math.Max(Epsilon, OnUsage*fair)
		expect(t, place(fair, least), FIFO02, OK)
		expect(t, place(fair, math.Nextafter(least, 0)), FIFO02, Violated)
	}
}

// No relaxed pool is given more at once than its flow allows.
func TestRelaxedPoolsAreGivenNoMoreThanTheirFlowAllows(t *testing.T) {
	legal := ShareRecord{Context: plainContext(), Parts: true, Integral: cpuShare(0.3), Most: 0.3}
	expect(t, legal.JudgeMost(nil), GUA05, OK)
	much := legal
	much.Integral = cpuShare(0.31)
	expect(t, much.JudgeMost(nil), GUA05, Violated)
	much.Changed = true
	expect(t, much.JudgeMost(nil), GUA05, Suspect)
	much.Parts = false
	if rulings := much.JudgeMost(nil); len(rulings) != 0 {
		t.Errorf("a record that names no parts is judged: %v", rulings)
	}
}

func TestVolumeRecords(t *testing.T) {
	for name, c := range map[string]struct {
		record  VolumeRecord
		verdict Verdict
	}{
		"grows by its flow":                   {VolumeRecord{Saturation: 1000, Before: 10, After: 12, Seconds: 20, Flow: 0.1, Capacity: 100}, OK},
		"grows by more":                       {VolumeRecord{Saturation: 1000, Before: 10, After: 15, Seconds: 20, Flow: 0.1, Capacity: 100}, Violated},
		"grows by more, as rounding lets it":  {VolumeRecord{Saturation: 1000, Before: 10, After: 15, Seconds: 20, Flow: 0.1, Capacity: 100, Rounded: 3}, OK},
		"grows by less, as rounding lets it":  {VolumeRecord{Saturation: 1000, Before: 10, After: 10, Seconds: 20, Flow: 0.1, Capacity: 100, Rounded: 2}, OK},
		"grows by less than rounding lets it": {VolumeRecord{Saturation: 1000, Before: 10, After: 10, Seconds: 40, Flow: 0.1, Capacity: 100, Rounded: 2}, Violated},
		"grows by less, at unknown periods":   {VolumeRecord{Saturation: 1000, Before: 10, After: 10, Seconds: 40, Flow: 0.1, Capacity: 100, Rounded: 2, MayRound: 4}, Suspect},
		"grows by what others left":           {VolumeRecord{Saturation: 1000, Before: 10, After: 15, Seconds: 20, Flow: 0.1, Capacity: 100, Shared: true}, OK},
		"grows beyond its capacity":           {VolumeRecord{Saturation: 1000, Before: 99, After: 103, Seconds: 40, Flow: 0.1, Capacity: 100}, Violated},
		"keeps what it had":                   {VolumeRecord{Saturation: 1000, Before: 150, After: 150, Seconds: 40, Flow: 0.1, Capacity: 100}, OK},
		"grows to the capacity it had":        {VolumeRecord{Saturation: 1000, Before: 99, After: 103, Seconds: 40, Flow: 0.1, Capacity: 100, Kept: 103}, OK},
		"grows beyond that too":               {VolumeRecord{Saturation: 1000, Before: 99, After: 106, Seconds: 70, Flow: 0.1, Capacity: 100, Kept: 103}, Violated},
		"has more of other resources":         {VolumeRecord{Saturation: 1000, Before: 99, After: 106, Seconds: 70, Flow: 0.1, Capacity: 100, Kept: 103, Widest: 106}, Suspect},
		"grows by more than it may":           {VolumeRecord{Saturation: 1000, Before: 99, After: 106, Seconds: 20, Flow: 0.1, Capacity: 100, Kept: 103, Widest: 106}, Violated},
		"need not grow beyond its own":        {VolumeRecord{Saturation: 1000, Before: 100, After: 100, Seconds: 40, Flow: 0.1, Capacity: 100, Kept: 110, Widest: 110}, OK},
		"shrinks by what it was given":        {VolumeRecord{Saturation: 1000, Before: 10, After: 6, Seconds: 20, Flow: 0.1, Capacity: 100, Spent: 0.3}, OK},
		"shrinks by more":                     {VolumeRecord{Saturation: 1000, Before: 10, After: 2, Seconds: 20, Flow: 0.1, Capacity: 100, Spent: 0.3}, Violated},
		"is used up":                          {VolumeRecord{Saturation: 1000, Before: 2, After: 0, Seconds: 20, Flow: 0.1, Capacity: 100, Spent: 0.9}, OK},
		"is less than nothing":                {VolumeRecord{Saturation: 1000, Before: 2, After: -3, Seconds: 20, Flow: 0.1, Capacity: 100, Spent: 0.9}, Violated},
		"stays less than nothing":             {VolumeRecord{Saturation: 1000, Before: -3, After: -3, Seconds: 20, Flow: 0.1, Capacity: 100, Spent: 0.9, Changed: true}, Violated},
		"shrinks by more, unseen":             {VolumeRecord{Saturation: 1000, Before: 10, After: 2, Seconds: 20, Flow: 0.1, Capacity: 100, Changed: true}, Suspect},
		"does not grow by its flow":           {VolumeRecord{Saturation: 1000, Before: 10, After: 10, Seconds: 20, Flow: 0.1, Capacity: 100}, Violated},
		"grows by what it leaves":             {VolumeRecord{Saturation: 1000, Before: 10, After: 11, Seconds: 20, Flow: 0.1, Capacity: 100, Spent: 0.05}, OK},
		"is charged for nothing at all":       {VolumeRecord{Saturation: 1000, Before: 0, After: 0, Seconds: 20}, OK},
		"of six updates, not five":            {VolumeRecord{Saturation: 1000, Before: 1, After: 1.6, Seconds: 5, Flow: 0.1, Capacity: 100}, OK},
		"of seven updates":                    {VolumeRecord{Saturation: 1000, Before: 1, After: 1.7, Seconds: 5, Flow: 0.1, Capacity: 100}, Violated},
		"of four updates":                     {VolumeRecord{Saturation: 1000, Before: 1, After: 1.4, Seconds: 5, Flow: 0.1, Capacity: 100}, OK},
		"of three updates":                    {VolumeRecord{Saturation: 1000, Before: 1, After: 1.3, Seconds: 5, Flow: 0.1, Capacity: 100}, Violated},
		"is charged once, unseen":             {VolumeRecord{Saturation: 1000, Before: 1, After: 1.2, Seconds: 5, Flow: 0.1, Capacity: 100, Dearest: 0.3}, OK},
		"is charged twice, unseen":            {VolumeRecord{Saturation: 1000, Before: 1, After: 0.9, Seconds: 5, Flow: 0.1, Capacity: 100, Dearest: 0.3}, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			c.record.Context = plainContext()
			expect(t, c.record.Judge(nil), GUA06, c.verdict)
		})
	}
}

func TestFlowRecords(t *testing.T) {
	for name, c := range map[string]struct {
		record  FlowRecord
		verdict Verdict
	}{
		"is given its flow": {FlowRecord{Granted: 10, Flowed: 10}, OK},
		"is given it later": {FlowRecord{Granted: 4, Flowed: 10, Growth: 6}, OK},
		"is given less":     {FlowRecord{Granted: 4, Flowed: 10}, Violated},
		"loses volume":      {FlowRecord{Granted: 10, Flowed: 10, Growth: -5}, Violated},
		"is given less by as little as rounding is": {FlowRecord{Granted: 9.92, Flowed: 10}, OK},
		"is given less, as rounding leaves":         {FlowRecord{Granted: 4, Flowed: 10, Rounded: 6}, OK},
		"is given less, and rounding leaves more":   {FlowRecord{Granted: 4, Flowed: 10, Rounded: 5}, Violated},
		"is given less, at unknown periods":         {FlowRecord{Granted: 4, Most: 4, Flowed: 10, Rounded: 5, MayRound: 6.1}, Suspect},
		"is given less, unseen":                     {FlowRecord{Granted: 4, Flowed: 10, Sparse: true}, Suspect},
		"is given less, as nothing is left":         {FlowRecord{Granted: 4, Most: 4, Flowed: 10, Spared: 6}, Excused},
		"is given less, and some was left":          {FlowRecord{Granted: 4, Most: 4, Flowed: 10, Spared: 5}, Violated},
		"is given enough, if between records":       {FlowRecord{Granted: 4, Most: 10, Flowed: 10}, Suspect},
		"is given less, and too little between":     {FlowRecord{Granted: 4, Most: 9, Flowed: 10}, Violated},
		"is given less, until something is left":    {FlowRecord{Granted: 4, Most: 5, Flowed: 10, Spared: 5}, Excused},
		"is given less, but for rounding":           {FlowRecord{Granted: 4, Most: 4, Flowed: 10, Spared: 5.92}, Excused},
	} {
		t.Run(name, func(t *testing.T) {
			c.record.Context = plainContext()
			expect(t, c.record.Judge(nil), GUA10, c.verdict)
		})
	}
}

func TestUsageSums(t *testing.T) {
	cores := func(n int64) resource.Vector { return resource.Vector{resource.CPU: n * resource.CentsPerCore} }
	sum := func(recorded, least, most int64) []Ruling {
		return (&UsageSum{Context: plainContext(), Usage: cores(recorded), Least: cores(least), Most: cores(most)}).Judge(nil)
	}
	expect(t, sum(5, 3, 6), LOG01, OK)
	expect(t, sum(8, 3, 6), LOG01, Violated)
	expect(t, sum(2, 3, 6), LOG01, Violated)
	expect(t, sum(1005, 900, 1000), LOG01, OK)
	expect(t, sum(0, 0, 0), LOG01, OK)
	doubt := func(recorded int64) []Ruling {
		return (&UsageSum{Context: plainContext(), Usage: cores(recorded), Least: cores(5), Most: cores(6), Doubt: cores(2)}).Judge(nil)
	}
	expect(t, doubt(5), LOG01, OK)
	expect(t, doubt(3), LOG01, Undecidable)
	expect(t, doubt(2), LOG01, Violated)
	leaving := func(recorded int64) []Ruling {
		return (&UsageSum{Context: plainContext(), Usage: cores(recorded), Least: cores(5), Most: cores(6), Leaving: cores(2)}).Judge(nil)
	}
	held := func(recorded int64) []Ruling {
		return (&UsageSum{Context: plainContext(), Usage: cores(recorded), Least: cores(5), Most: cores(6), Held: cores(8)}).Judge(nil)
	}
	expect(t, held(6), LOG01, OK)
	expect(t, held(8), LOG01, Undecidable)
	expect(t, held(9), LOG01, Violated)
	expect(t, leaving(5), LOG01, OK)
	expect(t, leaving(3), LOG01, Suspect)
	expect(t, leaving(2), LOG01, Violated)
	expect(t, leaving(8), LOG01, Violated)
}

func TestLimitRecords(t *testing.T) {
	limit := func(recorded, expected int64, changed bool) []Ruling {
		return (&LimitRecord{
			Context: plainContext(), Recorded: resource.Vector{recorded}, Expected: resource.Vector{expected}, Total: resource.Vector{100}, Changed: changed,
		}).Judge(nil)
	}
	expect(t, limit(50, 50, false), LIM09, OK)
	expect(t, limit(60, 50, false), LIM09, Violated)
	expect(t, limit(60, 50, true), LIM09, Suspect)
	expect(t, limit(100, 1<<40, false), LIM09, OK)
}

func TestQuietRecords(t *testing.T) {
	quiet := func(q QuietRecord) []Ruling {
		q.Context = plainContext()
		return q.Judge(nil)
	}
	expect(t, quiet(QuietRecord{Root: true}), STV06, OK)
	expect(t, quiet(QuietRecord{Root: true, Status: starving}), STV06, Violated)
	expect(t, quiet(QuietRecord{Unschedulable: true, WasBefore: true, Status: starving}), STV06, Violated)
	expect(t, quiet(QuietRecord{Unschedulable: true, Status: starving}), STV06, Suspect)
	expect(t, quiet(QuietRecord{Frozen: true, Seen: true, Status: starving, Before: starving}), STV08, OK)
	expect(t, quiet(QuietRecord{Frozen: true, Seen: true, Status: starving}), STV08, Violated)
	expect(t, quiet(QuietRecord{Frozen: true, Seen: true, Status: starving, Changed: true}), STV08, Suspect)
	if got := quiet(QuietRecord{Status: starving}); len(got) != 0 {
		t.Errorf("who may starve was judged: %+v", got)
	}
}

func TestPlaceRecords(t *testing.T) {
	place := func(p PlaceRecord) []Ruling {
		p.Context = plainContext()
		return p.Judge(nil)
	}
	expect(t, place(PlaceRecord{HasNext: true, InOrder: true}), FIFO01, OK)
	expect(t, place(PlaceRecord{HasNext: true}), FIFO01, Violated)
	expect(t, place(PlaceRecord{HasNext: true, Changed: true}), FIFO01, Suspect)
	expect(t, place(PlaceRecord{HasNext: true, Weighted: true}), FIFO01, Suspect)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true}), FIFO02, Violated)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5}), FIFO02, OK)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true, Expected: 0.5}), FIFO02, OK)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true, EarlierRobbed: true, Expected: 0.5}), FIFO02, Violated)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true, EarlierRobbed: true, Expected: 0.5, Vague: true}), FIFO02, Suspect)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true, Expected: 0.3, MostExpected: 0.5}), FIFO02, Suspect)
	expect(t, place(PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true, Expected: 0.3, MostExpected: 0.4}), FIFO02, Violated)
	moment := PlaceRecord{HasOrder: true, Fair: 0.5, EarlierUnmet: true, EarlierRobbed: true, Expected: 0.5, MostExpected: 0.5}
	expect(t, place(moment), FIFO02, Suspect)
	moment.EarlierSurelyRobbed = true
	expect(t, place(moment), FIFO02, Violated)
	expect(t, place(PlaceRecord{Limited: true, BeyondBudget: true, Schedulable: true}), FIFO04, Violated)
	expect(t, place(PlaceRecord{Limited: true, BeyondBudget: true, Schedulable: true, Fair: 0.1}), FIFO04, OK)
	expect(t, place(PlaceRecord{Limited: true, Schedulable: true}), FIFO04, OK)
}

func TestCoveredRecords(t *testing.T) {
	covered := func(fair, demand float64, jobs int64, changed bool) []Ruling {
		return (&CoveredRecord{Context: plainContext(), Fair: cpuShare(fair), Demand: cpuShare(demand), Preemptible: jobs, Changed: changed}).Judge(nil)
	}
	expect(t, covered(0.5, 0.5, 0, false), LST03, OK)
	expect(t, covered(0.5, 0.5, 2, false), LST03, Violated)
	expect(t, covered(0.5, 0.5, 2, true), LST03, Suspect)
	if u := covered(0.5, 0.5, 2, false)[0].Unit(); u != Counts {
		t.Errorf("jobs are counted as %v", u)
	}
	if len(covered(0.4, 0.5, 2, false)) != 0 || len(covered(0, 0, 2, false)) != 0 {
		t.Error("an operation that does not have all it demands, or demands nothing, was judged")
	}
}

func TestParseStatus(t *testing.T) {
	for _, s := range []scheduling.Status{calm, starving, aggressive} {
		if back, known := scheduling.ParseStatus(s.String()); !known || back != s {
			t.Errorf("%v is read as %v", s, back)
		}
	}
	if _, known := scheduling.ParseStatus("hungry"); known {
		t.Error("hungry is a status")
	}
}
