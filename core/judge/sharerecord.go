package judge

import (
	"math"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A ShareRecord compares the recorded shares of one element with the expected ones.
type ShareRecord struct {
	Context
	Fair, Demand, Strong resource.Share
	Limits               resource.Share // resource.Uniform(1) if unknown
	Guaranteed           resource.Share // strong guarantee share, recomputed from the configuration
	Expected             resource.Share // fair share, recomputed
	LeastExpected        resource.Share // the least possible at the tick of the record (§13.5)
	Children             resource.Share // sum of the recorded fair shares of its children
	Composite            bool           // a pool or the root
	Torn                 bool           // the record may mix two ticks: a share changed since the previous record
	Vague                bool           // resources may have been released, or the total changed, so much that the expected shares are uncertain
	Changed              bool           // settings or totals changed recently
	Relimited            bool           // another limit of the element changed recently
	Unstated             bool           // the record has no limits: Limits are the configured ones
	Undated              bool           // the record states less than Guaranteed, and the log does not record since when the configuration is in force

	// For a pool with an integral guarantee: the share beyond its strong guarantee that its volume
	// and settings allow, or 0.
	Burst, Relaxed float64

	// For a relaxed pool whose record lists the parts of its fair share.
	Parts                      bool
	Integral, IntegralExpected resource.Share // recorded and recomputed
	Most                       float64        // resource_flow × relaxed_share_multiplier_limit
}

// Judge judges LIM-07 and GUA-09, and GUA-01, GUA-04 and GUA-05 if the element has such a
// guarantee.
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

// recomputed returns the context of rules that compare a record with the configuration.
func (s *ShareRecord) recomputed() Context {
	c := s.Context
	c.Evidence = max(c.Evidence, Recomputed)
	return c
}

// withinLimits judges LIM-07.
func (s *ShareRecord) withinLimits() finding {
	return s.within(s.Fair, s.Limits).mayIf(s.Changed || s.Relimited)
}

// isGuaranteed judges GUA-01, by the recorded guarantee and then by the configured one: the record
// may state too little.
func (s *ShareRecord) isGuaranteed() Ruling {
	f, c := s.granted(s.Strong), s.Context
	if f.holds {
		if f = s.granted(s.Guaranteed); !f.holds {
			f.may = f.may || s.Changed
			f, c = f.unless(s.Undated, SettingChanges), s.recomputed()
		}
	}
	return c.rule(GUA01, f)
}

// JudgeMost judges the upper bound of GUA-05: a relaxed pool whose record lists the parts of its
// fair share gets no more than its flow allows.
func (s *ShareRecord) JudgeMost(rulings []Ruling) []Ruling {
	if !s.Parts {
		return rulings
	}
	f := s.within(s.Integral, resource.Uniform(s.Most))
	f.may = s.Changed
	c := s.recomputed()
	return append(rulings, c.rule(GUA05, f))
}

// relaxed judges GUA-05: the pool gets some integral share while it has volume and demand. If the
// record does not list the parts, the share beyond the strong share is used.
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

// addsUp judges GUA-09.
func (s *ShareRecord) addsUp() finding {
	f := s.within(s.Fair, s.Demand)
	if f.holds && s.Composite {
		f = s.within(s.Children, s.Fair)
		f.summed = !f.holds
	}
	f.may = s.Torn
	return f
}

// granted reports whether the element got its guarantee, or its demand if that is less, in some
// resource of which it could use more, or as much as the rules give it (§1.4, §13.6).
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

// reaches reports whether the element got at least the expected share.
func (s *ShareRecord) reaches(expected resource.Share) bool {
	for k := range s.Fair {
		if expected[k] > s.Fair[k]+max(s.Slacks.Epsilon, s.Slacks.OnUsage*expected[k]) {
			return false
		}
	}
	return true
}

// A VolumeRecord compares accumulated_resource_ratio_volume of a pool in two records, in seconds of
// the whole tree.
type VolumeRecord struct {
	Context
	Before, After float64
	Seconds       float64 // between them
	Flow          float64 // resource_flow, as a ratio of the resource with the greatest flow
	Capacity      float64 // of the resource with the least capacity
	Kept          float64 // by the highest known capacities; volume above a new capacity stays until it is used
	Widest        float64 // of the resource with the greatest capacity
	Saturation    float64 // seconds in which the flow fills the capacity
	Spent         float64 // the most charged per second, at the records and between them
	Dearest       float64 // the most that any update may charge per second
	Rounded       float64 // greatest effect of rounding at each update
	MayRound      float64 // the same with the shortest update period; equal to Rounded if the log states the period
	Shared        bool    // volume of other pools may have been added
	Changed       bool    // there may have been unrecorded changes between the records
	Run           *VolumeRun
}

// Judge judges GUA-06. A record shows the volume of the update before it, and shares change between
// two records, so the movement of one update more or less is tolerated. The record shows only the
// resource with the least volume, and capacities are rounded per resource (core/spec/fair-share.md
// §6.2); the volumes of other resources are known only as far as the log goes back, so the capacity
// of any resource may apply. Volume of cpu is rounded to hundredths at each update (§1.6): a small
// flow may add nothing at all, or more than itself.
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

// doubted weakens a finding if additional updates, or unrecorded changes between the records, may
// have moved the volume.
func (v *VolumeRecord) doubted(f finding, rounds bool) finding {
	return f.unless(rounds, UpdatePeriod).unless(v.Changed, ShareRecords)
}

func (v *VolumeRecord) slack() float64 {
	return v.Slacks.OnUsage*max(v.After, v.Before, 0) + v.Slacks.Epsilon
}

// moved compares the volume with its bounds, widened by rounding.
func (v *VolumeRecord) moved(rounded float64) finding {
	slack := v.slack()
	tick := float64(v.Slacks.Tick) / second
	room := math.Max(v.Before, v.Capacity) // volume above the capacity stays until it is used
	grown := v.Before + v.Flow*(v.Seconds+tick) + rounded
	most := math.Min(grown, math.Max(room, v.Kept))
	least := v.Before + (v.Capacity/v.Saturation-v.Spent)*v.Seconds - max(v.Flow, v.Dearest, v.Spent)*tick - rounded
	f := held(true)
	switch least = max(math.Min(least, room), 0); { // however much was spent
	case v.After < least-slack:
		f = compared(false, v.After, least)
	case v.After > most+slack && !v.Shared:
		f = compared(false, v.After, most)
		f.may = v.After >= -slack && v.After <= math.Min(grown, math.Max(room, v.Widest))+slack
	}
	return f
}

// RoundedVolume bounds the effect of rounding on a volume, in seconds of the whole tree, with one
// update per period: each update rounds the volume of the whole tree, its product with the flow,
// and the charge, each by up to half a hundredth of a core·second (core/spec/fair-share.md §1.6,
// §6.2). cores are those of the tree. The ratio is that of the scarcest resource, so this is an
// upper bound.
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

// A UsageSum compares the recorded usage of an element with the sum of its jobs, as bounds over the
// lag of reports, or of the records below a pool.
type UsageSum struct {
	Context
	Usage       resource.Vector
	Least, Most resource.Vector
	Doubt       resource.Vector // the part of Least used by jobs that may have left
	Leaving     resource.Vector // the part of Least used by jobs whose end is recorded within the slack of clocks from now
	Held        resource.Vector // Most, if jobs that count as preempted were still there
}

// Judge judges LOG-01. If the sums agree only by assuming that jobs with an unrecorded end have
// left, or have not, the result is undecidable.
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

// A LimitRecord compares recorded resource_limits with those that follow from the settings.
type LimitRecord struct {
	Context
	Recorded, Expected resource.Vector
	Total              resource.Vector
	Changed            bool // totals or settings changed recently
}

// Judge judges LIM-09. Limits above the total are equivalent to the total.
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

// A QuietRecord is the status of an element that must not starve: the root, an operation that does
// not take part, a pool while enable_pool_starvation is off.
type QuietRecord struct {
	Context
	Status, Before scheduling.Status
	Root           bool
	Unschedulable  bool // in this record
	WasBefore      bool // and in the one before
	Frozen, Seen   bool // pool starvation has been off since the previous record; there was one
	Changed        bool // settings changed recently
}

// Judge judges STV-06 for the root and for unschedulable operations, and STV-08 for other pools
// whose status is frozen.
func (q *QuietRecord) Judge(rulings []Ruling) []Ruling {
	if q.Root || q.Unschedulable {
		rulings = append(rulings, q.rule(STV06, compared(q.Status == scheduling.NonStarving, float64(q.Status), float64(scheduling.NonStarving)).mayIf(!q.Root && !q.WasBefore)))
	}
	if q.Frozen && q.Seen && !q.Root {
		rulings = append(rulings, q.rule(STV08, compared(q.Status == q.Before, float64(q.Status), float64(q.Before)).mayIf(q.Changed)))
	}
	return rulings
}

// A PlaceRecord compares two successive operations in the recorded order of their FIFO pool.
type PlaceRecord struct {
	Context
	Index, Next         int64 // recorded fifo_index of both
	InOrder             bool  // the sort parameters give that order, or none
	Changed             bool  // settings or counts of pending jobs changed recently
	Weighted            bool  // the weight of either changed recently
	Fair, Expected      float64
	MostExpected        float64 // the most within the delay of settings (§13.5)
	EarlierUnmet        bool    // an earlier operation got less than its demand, without a limit
	EarlierRobbed       bool    // and less than its expected share
	EarlierSurelyRobbed bool    // and less than its least expected share within that delay
	BeyondBudget        bool    // more operations before it were schedulable than the pool allows
	Schedulable         bool
	Limited             bool // of max_schedulable_element_count_in_fifo_pool
	HasNext, HasOrder   bool
	Vague               bool // as in ShareRecord
	Unrecorded          bool // the record lacks its shares of some resources
}

// Judge judges FIFO-01, FIFO-02 and, if a budget limits the pool, FIFO-04.
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

// missing returns the missing input of the rules about shares.
func (p *PlaceRecord) missing() Input {
	if p.Unrecorded {
		return FairShares
	}
	return NothingMissing
}

// A CoveredRecord is an operation whose fair share covers its demand, with its recorded number of
// preemptible jobs.
type CoveredRecord struct {
	Context
	Fair, Demand resource.Share
	Preemptible  int64
	Changed      bool // either share changed since the previous record
}

// Judge judges LST-03, if it applies.
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
