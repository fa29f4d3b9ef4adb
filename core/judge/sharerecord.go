package judge

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A ShareRecord is what a record says of the shares of one element, and what its
// rules would have given it.
type ShareRecord struct {
	Context
	Fair, Demand, Strong resource.Share
	Limits               resource.Share // resource.Uniform(1) if none is known
	Guaranteed           resource.Share // strong guarantee share, recomputed from the configuration
	Expected             resource.Share // fair share, recomputed
	LeastExpected        resource.Share // the least that it may have been by the tick of the record (§13.5)
	Children             resource.Share // recorded fair shares of what is directly below, summed
	Composite            bool           // a pool or the root
	Torn                 bool           // the record may be of more than one tick: a share in it has moved since the one before
	Vague                bool           // so much may have been given back already, or the total be so much another, that other shares may be expected
	Changed              bool           // settings or totals changed just now
	Relimited            bool           // what else limits the element did
	Unstated             bool           // the record names no limits: Limits are those of the configuration

	// Of a pool with an integral guarantee: what its volume and its settings let
	// it have beyond its strong guarantee, 0 if nothing.
	Burst, Relaxed float64

	// Of a relaxed pool whose record names the parts of its fair share.
	Parts                      bool
	Integral, IntegralExpected resource.Share // recorded and recomputed
	Most                       float64        // resource_flow × relaxed_share_multiplier_limit
}

// Judge judges LIM-07 and GUA-09, and GUA-01, GUA-04 and GUA-05 where the element
// has such a guarantee.
func (s *ShareRecord) Judge(rulings []Ruling) []Ruling {
	c := s.Context
	if s.Unstated {
		c = s.recomputed()
	}
	rulings = append(rulings, c.rule(LIM07, s.withinLimits()), s.rule(GUA09, s.addsUp()))
	if s.Strong != (resource.Share{}) || s.Guaranteed != (resource.Share{}) {
		rulings = append(rulings, s.isGuaranteed())
	}
	c = s.recomputed()
	if s.Burst > 0 {
		rulings = append(rulings, c.rule(GUA04, s.granted(s.Strong.Plus(s.Burst).Min(s.Limits))))
	}
	if s.Relaxed > 0 {
		rulings = append(rulings, c.rule(GUA05, s.relaxed()))
	}
	return rulings
}

// recomputed is the context of rules that hold a record against the configuration.
func (s *ShareRecord) recomputed() Context {
	c := s.Context
	c.Evidence = max(c.Evidence, Recomputed)
	return c
}

// withinLimits is LIM-07.
func (s *ShareRecord) withinLimits() finding {
	return s.within(s.Fair, s.Limits).mayIf(s.Changed || s.Relimited)
}

// isGuaranteed is GUA-01, by the guarantee that the record names and then by that which
// the configuration gives: a record may name too little.
func (s *ShareRecord) isGuaranteed() Ruling {
	f, c := s.granted(s.Strong), s.Context
	if f.holds {
		if f = s.granted(s.Guaranteed); !f.holds {
			f.may = f.may || s.Changed
			c = s.recomputed()
		}
	}
	return c.rule(GUA01, f)
}

// JudgeMost judges the other side of GUA-05: that a relaxed pool whose record
// names the parts of its fair share is given no more than its flow allows.
func (s *ShareRecord) JudgeMost(rulings []Ruling) []Ruling {
	if !s.Parts {
		return rulings
	}
	f := s.within(s.Integral, resource.Uniform(s.Most))
	f.may = s.Changed
	c := s.recomputed()
	return append(rulings, c.rule(GUA05, f))
}

// relaxed is GUA-05: something of the integral guarantee while there is volume and
// demand. Where the record names no parts, what is beyond the strong share is
// taken for it.
func (s *ShareRecord) relaxed() finding {
	f := s.granted(s.Strong.Plus(Epsilon * 2).Min(s.Limits))
	if f.holds && s.Parts && !scheduling.Covered(s.Fair, s.Demand) {
		given, owed := s.Integral.Dominant(), s.IntegralExpected.Dominant()
		f = compared(given > Epsilon || owed <= 2*s.Slacks.Epsilon, given, owed)
		f.may = s.Vague || s.Changed
	}
	return f
}

// within compares shares by component and reports the worst.
func (s *ShareRecord) within(left, right resource.Share) finding {
	f := held(true)
	worst := s.Slacks.Epsilon
	for k := range left {
		if over := left[k] - right[k]; over > worst {
			worst = over
			f = compared(false, left[k], right[k])
			f.kind = resource.Kind(k)
		}
	}
	return f
}

// addsUp is GUA-09.
func (s *ShareRecord) addsUp() finding {
	f := s.within(s.Fair, s.Demand)
	if f.holds && s.Composite {
		f = s.within(s.Children, s.Fair)
		f.summed = !f.holds
	}
	f.may = s.Torn
	return f
}

// granted reports whether the element was given what a guarantee promises, or
// what it demands where that is less: in some resource that it could use more
// of, or as the rules have it (§1.4, §13.6).
func (s *ShareRecord) granted(guarantee resource.Share) finding {
	owed := guarantee.Min(s.Demand).Min(s.Limits)
	f := held(!scheduling.Dominates(s.Fair, s.Demand, owed.Plus(-s.Slacks.Epsilon), s.Fair) || s.reaches(s.Expected))
	f.may = s.Vague || s.reaches(s.LeastExpected)
	if !f.holds {
		worst := math.Inf(-1)
		for k := range owed {
			if gap := owed[k] - s.Fair[k]; gap > worst {
				worst = gap
				f.left, f.right, f.kind = s.Fair[k], owed[k], resource.Kind(k)
			}
		}
	}
	return f
}

// reaches reports whether the element is given what the rules give it, or more.
func (s *ShareRecord) reaches(expected resource.Share) bool {
	for k := range s.Fair {
		if expected[k] > s.Fair[k]+max(s.Slacks.Epsilon, s.Slacks.OnUsage*expected[k]) {
			return false
		}
	}
	return true
}

// A VolumeRecord is the accumulated_resource_ratio_volume of a pool in two
// records, in seconds of the whole tree.
type VolumeRecord struct {
	Context
	Before, After float64
	Seconds       float64 // between them
	Flow          float64 // resource_flow, as a ratio of the resource that flows most
	Capacity      float64 // of the resource with the least capacity
	Kept          float64 // the same of the highest capacities known; what was above a new one is kept until it is used
	Widest        float64 // of the resource with the greatest capacity
	Saturation    float64 // seconds in which the flow fills the capacity
	Spent         float64 // the most that was charged per second, by the records and between them
	Dearest       float64 // the most that any update may charge per second
	Rounded       float64 // by how much rounding at each update may have moved the volume
	MayRound      float64 // the same if the scheduler updates as often as it may; as Rounded where the log states the period
	Shared        bool    // the volume of others may have come in
	Changed       bool    // more may have happened between the records than they show
	Run           *VolumeRun
}

// Judge judges GUA-06. A record shows the volume of the update before it, and shares
// change between two records: what moves within one update more or less breaks no
// rule. It shows only the resource with the least volume, and capacities are rounded
// for each (core/spec/fair-share.md §6.2): what grows is some resource below its own
// capacity, and how much there is of the others is only known as far as the log goes
// back. So what the capacity of another allows may be right. Volume of cpu is rounded to
// hundredths at each update (§1.6): a small flow may add nothing at all, or more than itself.
func (v *VolumeRecord) Judge(rulings []Ruling) []Ruling {
	f := v.moved(v.Rounded)
	if !f.holds && v.After >= -v.slack() {
		f = v.doubted(f, v.moved(max(v.MayRound, v.Rounded)).holds)
	}
	if run := v.Run; f.holds && run != nil && run.Records > 1 {
		if f = run.moved(v, run.Rounded); !f.holds {
			f = v.doubted(f, run.moved(v, max(run.MayRound, run.Rounded)).holds)
		}
	}
	return append(rulings, v.rule(GUA06, f))
}

// doubted is a finding where more updates than the usual ones, or what came between the records, may have moved the
// volume.
func (v *VolumeRecord) doubted(f finding, rounds bool) finding {
	return f.unless(rounds, UpdatePeriod).unless(v.Changed, ShareRecords)
}

func (v *VolumeRecord) slack() float64 {
	return v.Slacks.OnUsage*max(v.After, v.Before, 0) + v.Slacks.Epsilon
}

// moved compares the volume with what may be of it, given how much rounding may have moved it.
func (v *VolumeRecord) moved(rounded float64) finding {
	slack := v.slack()
	tick := float64(v.Slacks.Tick) / second
	room := math.Max(v.Before, v.Capacity) // what is above the capacity is kept until it is used
	grown := v.Before + v.Flow*(v.Seconds+tick) + rounded
	most := math.Min(grown, math.Max(room, v.Kept))
	least := v.Before + (v.Capacity/v.Saturation-v.Spent)*v.Seconds - max(v.Flow, v.Dearest, v.Spent)*tick - rounded
	f := held(true)
	switch least = max(math.Min(least, room), 0); { // whatever was spent
	case v.After < least-slack:
		f = compared(false, v.After, least)
	case v.After > most+slack && !v.Shared:
		f = compared(false, v.After, most)
		f.may = v.After >= -slack && v.After <= math.Min(grown, math.Max(room, v.Widest))+slack
	}
	return f
}

// RoundedVolume is by how much rounding may move a volume, in seconds of the whole tree, where
// there is one update in each period: at each of them the volume of the whole tree, times the
// flow, and what that gives are rounded to half a hundredth of a core·second, and what was
// charged likewise (core/spec/fair-share.md §1.6, §6.2). Cores are those of the tree. The moved
// ratio is that of the scarcest resource, which others may keep lower, so that this is a bound.
func RoundedVolume(cores, flow, spent, seconds, period float64) float64 {
	if cores <= 0 || period <= 0 {
		return 0
	}
	each := 0.005 * (1 + flow)
	if spent > 0 {
		each += 0.005 * (1 + spent)
	}
	return (seconds/period + 1) * each / cores
}

// A UsageSum is recorded usage of an element, and what it should add up to: the
// jobs of an operation, in the extremes of the time that reports may lag, or the
// records below a pool.
type UsageSum struct {
	Context
	Usage       resource.Vector
	Least, Most resource.Vector
	Doubt       resource.Vector // of Least, what jobs use that may have left
	Leaving     resource.Vector // of Least, what jobs use whose end is recorded within the slack of clocks from now
	Held        resource.Vector // Most, if jobs that count as preempted were still there
}

// Judge judges LOG-01. What agrees only if jobs with an unrecorded end have left, or
// have not left yet, is not known to agree.
func (u *UsageSum) Judge(rulings []Ruling) []Ruling {
	f := held(true)
	worst, mayLeave := 0.0, true
	for k := range u.Usage {
		var bound int64
		if least := u.Least[k] - u.Doubt[k]; u.Usage[k] < least {
			bound = least
		} else if most := max(u.Most[k], u.Held[k]); u.Usage[k] <= most {
			if f.holds && (u.Usage[k] < u.Least[k] || u.Usage[k] > u.Most[k]) {
				f.missing = JobEnds
			}
			continue
		} else {
			bound = most
		}
		part := math.Abs(float64(u.Usage[k]-bound)) / math.Max(float64(bound), 1)
		if part <= u.Slacks.OnUsage {
			continue
		}
		mayLeave = mayLeave && u.Usage[k] < bound && u.Usage[k] >= bound-u.Leaving[k]
		if part > worst {
			worst = part
			f = compared(false, float64(u.Usage[k]), float64(bound))
			f.kind = resource.Kind(k)
		}
	}
	f.may = !f.holds && mayLeave
	return append(rulings, u.rule(LOG01, f))
}

// A LimitRecord is the resource_limits of a record and those that the settings
// give.
type LimitRecord struct {
	Context
	Recorded, Expected resource.Vector
	Total              resource.Vector
	Changed            bool // totals or settings changed just now
}

// Judge judges LIM-09. What is beyond the total limits nothing.
func (l *LimitRecord) Judge(rulings []Ruling) []Ruling {
	f := held(true)
	for k := range l.Recorded {
		recorded, expected := min(l.Recorded[k], l.Total[k]), min(l.Expected[k], l.Total[k])
		if off := math.Abs(float64(recorded - expected)); off > l.Slacks.OnUsage*math.Max(float64(expected), 1) {
			f = compared(false, float64(recorded), float64(expected))
			f.kind = resource.Kind(k)
			break
		}
	}
	f.may = l.Changed
	return append(rulings, l.rule(LIM09, f))
}

// A QuietRecord is the status of an element that has to have none: the root, an
// operation that takes no part, a pool while enable_pool_starvation is off.
type QuietRecord struct {
	Context
	Status, Before scheduling.Status
	Root           bool
	Unschedulable  bool // in this record
	WasBefore      bool // and in the one before
	Frozen, Seen   bool // pool starvation has been off since the record before; there was one
	Changed        bool // settings changed just now
}

// Judge judges STV-06 of the root and of unschedulable operations, and STV-08 of
// other pools whose status is frozen.
func (q *QuietRecord) Judge(rulings []Ruling) []Ruling {
	if q.Root || q.Unschedulable {
		rulings = append(rulings, q.rule(STV06, compared(q.Status == scheduling.NonStarving, float64(q.Status), float64(scheduling.NonStarving)).mayIf(!q.Root && !q.WasBefore)))
	}
	if q.Frozen && q.Seen && !q.Root {
		rulings = append(rulings, q.rule(STV08, compared(q.Status == q.Before, float64(q.Status), float64(q.Before)).mayIf(q.Changed)))
	}
	return rulings
}

// A PlaceRecord is an operation in the recorded order of its FIFO pool, seen from
// the operation before it.
type PlaceRecord struct {
	Context
	Index, Next         int64 // recorded fifo_index of both
	InOrder             bool  // the sort parameters put them so, or do not say
	Changed             bool  // settings or counts of pending jobs changed just now
	Weighted            bool  // the weight of either did
	Fair, Expected      float64
	MostExpected        float64 // for as long as settings take to be in force (§13.5)
	EarlierUnmet        bool    // an earlier operation was given less than it demands, and nothing limits it
	EarlierRobbed       bool    // and less than the rules give it
	EarlierSurelyRobbed bool    // than the least that they have given it for as long
	BeyondBudget        bool    // more operations before it were schedulable than the pool may have
	Schedulable         bool
	Limited             bool // of max_schedulable_element_count_in_fifo_pool
	HasNext, HasOrder   bool
	Vague               bool // as of a ShareRecord
	Untold              bool // the record does not tell its shares of every resource
}

// Judge judges FIFO-01, FIFO-02 and, where a budget limits the pool, FIFO-04.
func (p *PlaceRecord) Judge(rulings []Ruling) []Ruling {
	if p.HasNext {
		rulings = append(rulings, p.rule(FIFO01, compared(p.InOrder, float64(p.Index), float64(p.Next)).mayIf(p.Changed || p.Weighted)))
	}
	if p.HasOrder {
		least := p.Fair - math.Max(p.Slacks.Epsilon, p.Slacks.OnUsage*p.Fair)
		expected := !p.EarlierRobbed && p.Expected >= least
		f := compared(p.Fair <= p.Slacks.Epsilon || !p.EarlierUnmet || expected, p.Fair, 0)
		f.may = p.Vague || !p.EarlierSurelyRobbed && p.MostExpected >= least
		f.missing = p.missing()
		rulings = append(rulings, p.rule(FIFO02, f))
	}
	if p.Limited {
		f := compared(!p.BeyondBudget || !p.Schedulable || p.Fair > 0, p.Fair, 0)
		f.may = p.Changed
		f.missing = p.missing()
		rulings = append(rulings, p.rule(FIFO04, f))
	}
	return rulings
}

// missing is what the rules about shares lack.
func (p *PlaceRecord) missing() Input {
	if p.Untold {
		return FairShares
	}
	return NothingMissing
}

// A CoveredRecord is an operation that its fair share gives all it demands, and
// how many preemptible jobs the record says it has.
type CoveredRecord struct {
	Context
	Fair, Demand resource.Share
	Preemptible  int64
	Changed      bool // either share changed since the record before
}

// Judge judges LST-03, where it applies.
func (c *CoveredRecord) Judge(rulings []Ruling) []Ruling {
	wanted := false
	for k := range c.Fair {
		if math.Abs(c.Fair[k]-c.Demand[k]) > Epsilon {
			return rulings
		}
		wanted = wanted || c.Demand[k] > Epsilon
	}
	if !wanted {
		return rulings
	}
	f := compared(c.Preemptible == 0, float64(c.Preemptible), 0)
	f.may, f.counted = c.Changed, true
	return append(rulings, c.rule(LST03, f))
}
