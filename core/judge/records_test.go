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

// What records do not show is no violation: ticks between them, readings of them
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

func expect(t *testing.T, rulings []Ruling, i Invariant, want Verdict) {
	t.Helper()
	if got, judged := Worst(rulings, i); !judged || got != want {
		t.Errorf("%v = %v (judged: %v), want %v; %+v", i, got, judged, want, rulings)
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

func TestQueues(t *testing.T) {
	base := Overtaking{
		Context: plainContext(), At: 100 * second, Queued: true, Since: 20 * second,
		Oldest: 10 * second, Ran: scheduling.Never, Room: scheduling.Never,
	}
	for name, c := range map[string]struct {
		change    func(o *Overtaking)
		invariant Invariant
		verdict   Verdict
	}{
		"overtakes":                           {func(*Overtaking) {}, PEND02, Violated},
		"overtakes nobody":                    {func(o *Overtaking) { o.Oldest = scheduling.Never }, PEND02, OK},
		"came first":                          {func(o *Overtaking) { o.Since = 5 * second }, PEND02, OK},
		"came at the same time":               {func(o *Overtaking) { o.Since = 10 * second }, PEND02, OK},
		"overtakes one that runs at a rescan": {func(o *Overtaking) { o.Ran = o.At + o.Slacks.Rescan }, PEND02, Suspect},
		"overtakes one that runs after it":    {func(o *Overtaking) { o.Ran = o.At + o.Slacks.Rescan + 1 }, PEND02, Violated},
		"overtakes one that runs soon":        {func(o *Overtaking) { o.Ran = 110 * second }, PEND02, Suspect},
		"overtakes one that another held up":  {func(o *Overtaking) { o.Moved = true }, PEND02, Suspect},
		"overtakes one that was moved":        {func(o *Overtaking) { o.Requeued = true }, PEND02, Excused},
		"is new and overtakes":                {func(o *Overtaking) { o.Queued = false }, PEND03, Violated},
		"is new and one runs soon":            {func(o *Overtaking) { o.Queued, o.Ran = false, o.At+o.Slacks.Release }, PEND03, Suspect},
		"is new and overtakes nobody":         {func(o *Overtaking) { o.Queued, o.Oldest = false, scheduling.Never }, PEND03, OK},
		"is new and finds unannounced room":   {func(o *Overtaking) { o.Queued, o.Room = false, 60*second }, PEND03, Excused},
		"is new and finds room of long ago":   {func(o *Overtaking) { o.Queued, o.Room = false, 30*second }, PEND03, Violated},
		"is new and room is made afterwards":  {func(o *Overtaking) { o.Queued, o.Room = false, 130*second }, PEND03, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			o := base
			c.change(&o)
			rulings := o.Judge(nil)
			expect(t, rulings, c.invariant, c.verdict)
			doubt := NothingMissing
			switch {
			case c.verdict == Suspect && o.Moved:
				doubt = QueueMoves
			case c.verdict == Suspect:
				doubt = QueueScans
			}
			if rulings[0].Missing != doubt {
				t.Errorf("the log lacks %q, want %q", rulings[0].Missing, doubt)
			}
		})
	}
}

func TestWaiting(t *testing.T) {
	full := Waiting{Context: plainContext(), At: 100 * second, Free: scheduling.Never}
	freed, free, light, busy := full, full, full, full
	freed.Free, free.Free = 50*second, 30*second
	light.Lightweight, busy.Jobs = true, 2
	expect(t, full.Judge(nil), PEND01, OK)
	expect(t, freed.Judge(nil), PEND01, OK)
	expect(t, free.Judge(nil), PEND01, Violated)
	expect(t, light.Judge(nil), LW02, Violated)
	expect(t, full.Judge(nil), PEND05, OK)
	expect(t, busy.Judge(nil), PEND05, Violated)
}

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

func TestNodeTrees(t *testing.T) {
	legal := NodeTrees{Context: plainContext(), At: 100 * second, Trees: 1, Online: true, Since: scheduling.Never, Started: true, Own: Yes}
	for name, c := range map[string]struct {
		change    func(n *NodeTrees)
		invariant Invariant
		verdict   Verdict
	}{
		"one tree":                             {func(*NodeTrees) {}, TREE01, OK},
		"two trees":                            {func(n *NodeTrees) { n.Trees = 2 }, TREE01, Violated},
		"two trees since a minute":             {func(n *NodeTrees) { n.Trees, n.Since = 2, 40*second }, TREE02, Violated},
		"two trees since a moment":             {func(n *NodeTrees) { n.Trees, n.Since = 2, 80*second }, TREE02, Suspect},
		"one tree, and a job":                  {func(*NodeTrees) {}, TREE02, OK},
		"a job of its tree":                    {func(*NodeTrees) {}, TREE03, OK},
		"a job of another tree":                {func(n *NodeTrees) { n.Own = No }, TREE03, Violated},
		"a job of its tree until a moment ago": {func(n *NodeTrees) { n.Own, n.Since = No, 90*second }, TREE03, Suspect},
	} {
		t.Run(name, func(t *testing.T) {
			n := legal
			c.change(&n)
			expect(t, n.Judge(nil), c.invariant, c.verdict)
		})
	}
	offline := NodeTrees{Context: plainContext(), Trees: 2}
	if got := offline.Judge(nil); len(got) != 0 {
		t.Errorf("an offline node is ruled %+v", got)
	}
}

func TestEndings(t *testing.T) {
	legal := Ending{
		Context: plainContext(), Preempted: 100 * second, Deadline: 110 * second, Reason: scheduling.ForPreemption, Interruptible: Yes,
		Ended: 110 * second, Aborted: Yes, Until: 1000 * second,
	}
	for name, c := range map[string]struct {
		change    func(e *Ending)
		invariant Invariant
		verdict   Verdict
	}{
		"is gone in time":               {func(*Ending) {}, PRE21, OK},
		"is there a minute later":       {func(e *Ending) { e.Ended = 160 * second }, PRE21, Violated},
		"is there until its node beats": {func(e *Ending) { e.Ended, e.Interval = 130*second, 30*second }, PRE21, OK},
		"is there though its node beat": {func(e *Ending) { e.Ended, e.Interval = 141*second, 30*second }, PRE21, Violated},
		"is there when a told deadline is over, until its node beats": {func(e *Ending) {
			e.Deadline, e.Told, e.Ended, e.Interval = 120*second, true, 150*second, 30*second
		}, PRE21, OK},
		"went nobody knows when":                {func(e *Ending) { e.Ended, e.Untimed = 160*second, true }, PRE21, Undecidable},
		"is there to the end of the log":        {func(e *Ending) { e.Ended = scheduling.Never }, PRE21, Violated},
		"is there as the log ends":              {func(e *Ending) { e.Ended, e.Until = scheduling.Never, 105*second }, PRE21, OK},
		"is lost with its node":                 {func(e *Ending) { e.Ended, e.NodeLost = 160*second, true }, PRE21, Excused},
		"is let run to its deadline":            {func(*Ending) {}, PRE22, OK},
		"is aborted at once":                    {func(e *Ending) { e.Ended = 101 * second }, PRE22, Violated},
		"is aborted, nobody knows how":          {func(e *Ending) { e.Ended, e.Interruptible = 101*second, Unknown }, PRE22, Undecidable},
		"is aborted, perhaps unstarted":         {func(e *Ending) { e.Ended, e.PerhapsIdle = 101*second, true }, PRE22, Suspect},
		"is aborted a moment early":             {func(e *Ending) { e.Ended = 109 * second }, PRE22, OK},
		"ends early, nobody knows how":          {func(e *Ending) { e.Ended, e.Aborted = 101*second, Unknown }, PRE22, Undecidable},
		"ends in time, nobody knows how":        {func(e *Ending) { e.Aborted = Unknown }, PRE22, OK},
		"puts its work away":                    {func(e *Ending) { e.Ended, e.Aborted = 101*second, No }, PRE22, OK},
		"is lost before its deadline":           {func(e *Ending) { e.Ended, e.NodeLost = 101*second, true }, PRE22, Excused},
		"goes with its operation":               {func(e *Ending) { e.Ended, e.OperationOver = 101*second, true }, PRE22, Excused},
		"is aborted on an overfull node":        {func(e *Ending) { e.Ended, e.NodeOverfull = 101*second, true }, PRE22, Excused},
		"may have been asked gracefully before": {func(e *Ending) { e.Ended, e.Soonest = 101*second, 101*second }, PRE22, Suspect},
		"cannot have been asked long before":    {func(e *Ending) { e.Ended, e.Soonest = 101*second, 103*second }, PRE22, Violated},
		"is asked gracefully": {func(e *Ending) {
			e.Reason, e.Deadline, e.Ended = scheduling.ForGracefulPreemption, 160*second, 160*second
		}, GRC02, OK},
		"is asked gracefully and aborted": {func(e *Ending) { e.Reason, e.Deadline = scheduling.ForGracefulPreemption, 160*second }, GRC02, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			e := legal
			c.change(&e)
			expect(t, e.Judge(nil), c.invariant, c.verdict)
		})
	}
}

func TestTheUninterruptibleAreAbortedAtOnce(t *testing.T) {
	e := Ending{Context: plainContext(), Preempted: 100 * second, Deadline: 110 * second, Interruptible: No, Ended: 101 * second, Aborted: Yes, Until: 1000 * second}
	if _, judged := Worst(e.Judge(nil), PRE22); judged {
		t.Error("PRE-22 is about jobs that can be interrupted")
	}
}

func TestArrivals(t *testing.T) {
	legal := Arrival{Context: plainContext(), Granted: 100 * second, Last: 116 * second, Until: 1000 * second, Running: 111 * second}
	for name, c := range map[string]struct {
		change  func(a *Arrival)
		verdict Verdict
	}{
		"comes to run":              {func(*Arrival) {}, OK},
		"comes to run at the last":  {func(a *Arrival) { a.Running = a.Last }, OK},
		"comes to run right after":  {func(a *Arrival) { a.Running = a.Last + 1 }, Violated},
		"has until the log ends":    {func(a *Arrival) { a.Running, a.Until = scheduling.Never, a.Last }, OK},
		"has no longer than that":   {func(a *Arrival) { a.Running, a.Until = scheduling.Never, a.Last+1 }, Violated},
		"never comes to run":        {func(a *Arrival) { a.Running = scheduling.Never }, Violated},
		"comes to run too late":     {func(a *Arrival) { a.Running = 117 * second }, Violated},
		"waits as the log ends":     {func(a *Arrival) { a.Running, a.Until = scheduling.Never, 110*second }, OK},
		"is gone before":            {func(a *Arrival) { a.Running, a.Gone = scheduling.Never, true }, Excused},
		"is lost with its node":     {func(a *Arrival) { a.Running, a.NodeLost = scheduling.Never, true }, Excused},
		"was not waited for enough": {func(a *Arrival) { a.Running, a.WaitingTimeout = scheduling.Never, true }, Excused},
	} {
		t.Run(name, func(t *testing.T) {
			a := legal
			c.change(&a)
			expect(t, a.Judge(nil), PRE23, c.verdict)
		})
	}
}

func TestListRecords(t *testing.T) {
	cut := JobCounts{5, 3, 4}
	for name, c := range map[string]struct {
		recorded JobCounts
		changed  bool
		LST01    Verdict
		LST04    Verdict
	}{
		"as they are cut":                           {cut, false, OK, OK},
		"one too many preemptible":                  {JobCounts{5, 2, 5}, false, Suspect, OK},
		"too few preemptible":                       {JobCounts{5, 5, 2}, false, Violated, OK},
		"too few preemptible, of a changing list":   {JobCounts{5, 5, 2}, true, Suspect, OK},
		"too few protected":                         {JobCounts{2, 6, 4}, false, Violated, OK},
		"one too many protected":                    {JobCounts{6, 2, 4}, false, OK, Suspect},
		"too many protected":                        {JobCounts{7, 1, 4}, false, OK, Violated},
		"too many protected, of a changing list":    {JobCounts{7, 1, 4}, true, OK, Suspect},
		"all protected":                             {JobCounts{12, 0, 0}, false, OK, Violated},
		"too many protected and too many in a list": {JobCounts{7, 0, 6}, false, Violated, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			l := ListRecord{Context: plainContext(), Recorded: c.recorded, Stated: cut, Replayed: cut, Changed: c.changed}
			rulings := l.Judge(nil)
			expect(t, rulings, LST01, c.LST01)
			expect(t, rulings, LST04, c.LST04)
		})
	}
}

// Lists are wrong only if they are by either cut (spec/invariants.md §1).
func TestListRecordsOfTwoCuts(t *testing.T) {
	for name, c := range map[string]struct {
		stated, replayed JobCounts
		LST01, LST04     Verdict
	}{
		"as stated":                    {JobCounts{4, 4, 4}, JobCounts{8, 2, 2}, OK, OK},
		"as replayed":                  {JobCounts{8, 2, 2}, JobCounts{4, 4, 4}, OK, OK},
		"nearly as stated":             {JobCounts{4, 3, 5}, JobCounts{8, 2, 2}, Suspect, OK},
		"nearly as replayed":           {JobCounts{0, 0, 12}, JobCounts{3, 5, 4}, OK, Suspect},
		"too many protected by either": {JobCounts{1, 7, 4}, JobCounts{2, 2, 8}, OK, Violated},
		"too few protected by either":  {JobCounts{6, 6, 0}, JobCounts{7, 5, 0}, Violated, OK},
		"one fault by each":            {JobCounts{1, 7, 4}, JobCounts{12, 0, 0}, OK, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			l := ListRecord{Context: plainContext(), Recorded: JobCounts{4, 4, 4}, Stated: c.stated, Replayed: c.replayed}
			rulings := l.Judge(nil)
			expect(t, rulings, LST01, c.LST01)
			expect(t, rulings, LST04, c.LST04)
		})
	}
}

func TestInvariants(t *testing.T) {
	seen := map[string]bool{}
	for i := Invariant(0); i < Invariants; i++ {
		back, known := ParseInvariant(i.String())
		if !known || back != i || seen[i.String()] || i.Statement() == "" {
			t.Errorf("invariant %d is %q", i, i)
		}
		seen[i.String()] = true
	}
	if _, known := ParseInvariant("PRE-99"); known {
		t.Error("PRE-99 is known")
	}
}
