package snapshots

import (
	"math"
	"strings"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// An accumulation sums up what an operation accumulates by its records since its last report: the values of
// each hold until the next. For example with a fair share of 8 cores, of which it uses 6 for 40 s and then 10 for
// 20 s, its fair volume is 480 core·s, and its deficit 80: the surplus offsets nothing.
type accumulation struct {
	from, at core.Time // the span that is summed up
	recorded core.Time // the last record
	gap      core.Time // the longest time between two
	rates    accumulationRates
	before   resource.Vector // the fair share of the record before
	missing  judge.Input     // what the sums lack

	fair, usage         resource.Volume
	owed, owedByRecords resource.Volume // by the usage of its jobs, and by the recorded one
	moved, usageMoved   resource.Volume // how far fair and usage may be off, since values changed between two records
	owedMoved           resource.Volume // likewise owed
	mostFair, mostUsage resource.Vector

	reports [2]*volumeReport // the last ones: the second is judged when the next is known

	met    core.Span              // the last report without a deficit
	claims []tables.SnapshotCheck // that the operation starved unnoticed, of the time since the last report
}

// accumulationRates are the amounts of one record.
type accumulationRates struct {
	fair, usage resource.Vector
	jobs        resource.Vector // the usage of its jobs, at the record
}

// A volumeReport holds what the scheduler accumulated of an operation in a span, beside what its records give.
type volumeReport struct {
	core.Span
	operation  core.OperationID
	pool       core.PoolID
	fair, owed judge.VolumeComparison
}

// passTo sums up the time in which the last record holds.
func (a *accumulation) passTo(to core.Time) {
	seconds := resource.Seconds(int64(to - a.at))
	r := &a.rates
	for k := range r.fair {
		due := float64(r.fair[k])
		a.fair[k] += due * seconds
		a.usage[k] += float64(r.usage[k]) * seconds
		a.owed[k] += max(due-float64(r.jobs[k]), 0) * seconds
		a.owedByRecords[k] += max(due-float64(r.usage[k]), 0) * seconds
	}
	a.at = to
}

// setRates continues with another record. When usage changed between two records is unknown. Shares change once a tick:
// records as frequent as that miss no share, and are late alike.
func (a *accumulation) setRates(at, tick core.Time, next accumulationRates) {
	a.passTo(at)
	a.gap = max(a.gap, at-a.recorded)
	seconds, missed := resource.Seconds(int64(at-a.recorded)), resource.Seconds(int64(max(at-a.recorded-tick, 0)))
	r := &a.rates
	for k := range next.fair {
		fair, usage := math.Abs(float64(next.fair[k]-r.fair[k])), math.Abs(float64(next.usage[k]-r.usage[k]))
		jobs := math.Abs(float64(next.jobs[k] - r.jobs[k]))
		a.moved[k] += fair * missed
		a.usageMoved[k] += usage * seconds
		a.owedMoved[k] += min(fair+max(usage, jobs), float64(max(next.fair[k], r.fair[k]))) * seconds
	}
	a.before, a.rates, a.recorded = r.fair, next, at
	a.mostFair, a.mostUsage = a.mostFair.Max(next.fair), a.mostUsage.Max(next.usage)
}

// restart begins the span of the next report.
func (a *accumulation) restart(at core.Time) {
	*a = accumulation{
		from: at, at: at, recorded: a.recorded, rates: a.rates, before: a.before, reports: a.reports, met: a.met,
		mostFair: a.before.Max(a.rates.fair), mostUsage: a.rates.usage,
	}
}

// lose says what the sums lack, if nothing is missing yet.
func (a *accumulation) lose(missing judge.Input) {
	if a.missing == judge.NothingMissing {
		a.missing = missing
	}
}

// accumulate continues the accumulations with the records of a snapshot.
func (s *Snapshots) accumulate() {
	for slot := range s.operations {
		v := &s.operations[slot]
		switch a := v.accumulated; {
		case a == nil:
		case v.at != s.at:
			a.passTo(s.at)
			a.lose(judge.OperationRows)
		default:
			a.setRates(s.at, core.Time(s.slacks.Tick), s.ratesOf(int32(slot), v))
			a.lose(s.lacksRates(v))
		}
	}
}

func (s *Snapshots) ratesOf(slot int32, v *operationView) accumulationRates {
	r := accumulationRates{fair: s.total.TimesShare(v.state.FairShare), usage: v.state.Usage, jobs: v.state.Usage}
	for k, measured := range s.Log.Measured {
		if measured {
			r.jobs[k] = s.Core.Operation(slot).Usage[k]
		}
	}
	return r
}

// lacksRates returns what a record lacks of the amounts of its operation. One that waits accumulates nothing.
func (s *Snapshots) lacksRates(v *operationView) judge.Input {
	switch {
	case v.state.FairDetail != core.PerResource:
		return judge.FairShares
	case !s.totalTold:
		return judge.TreeTotal
	case v.record.Unschedulable == scheduling.NotRunning.String():
		return judge.OperationState
	}
	return judge.NothingMissing
}

// recordVolumes judges what the scheduler says that an operation accumulated (ACC-01 to ACC-03). Fair volumes
// and deficits are compared with records from the second report of an operation on.
func (s *Snapshots) recordVolumes(at core.Time, x *core.VolumeRecord) {
	if x.Since.Set && s.Begun && x.Since.Value >= s.Log.Window.From {
		r := volumeReport{Span: core.Span{From: x.Since.Value, To: at}, operation: x.Operation, pool: x.Pool}
		alone := judge.AccumulatedRecord{
			Context: judge.Context{Slacks: &s.slacks}, Fair: x.Fair, Usage: x.Usage, Deficit: x.Deficit,
			Total: s.Core.ShareTotal(), Seconds: resource.Seconds(int64(at - x.Since.Value)),
		}
		s.rulings = alone.Judge(s.rulings[:0])
		s.ruleVolumes(at, &r, s.rulings)
	}
	slot, ok := s.Core.OperationOf(x.Operation)
	if !ok || int(slot) >= len(s.operations) || s.operations[slot].id != x.Operation {
		return
	}
	v := &s.operations[slot]
	if v.accumulated == nil {
		v.accumulated = &accumulation{recorded: v.at, rates: s.ratesOf(slot, v)}
	} else {
		s.compareVolumes(at, x, v.accumulated)
	}
	s.settleClaims(at, v.accumulated)
	v.accumulated.restart(at)
	v.accumulated.lose(s.lacksRates(v))
}

// compareVolumes compares a report with the records since the one before.
func (s *Snapshots) compareVolumes(at core.Time, x *core.VolumeRecord, a *accumulation) {
	a.passTo(at)
	a.gap = max(a.gap, at-a.recorded)
	switch {
	case !s.Begun || a.from < s.Log.Window.From:
		return
	case x.Since != core.Some(a.from) || s.Core.Restarted() >= a.from:
		a.lose(judge.VolumeReports)
	case a.gap > tornAfter:
		a.lose(judge.ShareRecords)
	}
	r := &volumeReport{Span: core.Span{From: a.from, To: at}, operation: x.Operation, pool: x.Pool}
	off, most := s.fillComparisons(r, x, a)
	if a.missing == judge.NothingMissing && x.Deficit == (resource.Volume{}) {
		a.met = r.Span
	}
	switch {
	case off > 0 || most > 0:
		s.deficits.countReport(at, x.Operation, a.missing, off, most)
	case a.missing == judge.OperationState: // it waited, and nothing else is said
		return
	}
	if last := a.reports[1]; last != nil && last.To != a.from {
		s.settleVolumes(at, a, nil)
		a.reports = [2]*volumeReport{}
	}
	s.settleVolumes(at, a, r)
	a.reports = [2]*volumeReport{a.reports[1], r}
}

// fillComparisons fills the comparisons of a report, in seconds of the whole tree. It returns by how much the
// deficit and the one by the jobs differ at most, and the greatest fair volume, reported or by records.
//
// Volumes are published once in a period, by default a second, and the shares of a record hold since some moment after
// the record before: at both ends of the span together that much time may be counted by one side alone.
func (s *Snapshots) fillComparisons(r *volumeReport, x *core.VolumeRecord, a *accumulation) (off, most float64) {
	context := judge.Context{Slacks: &s.slacks}
	r.fair = judge.VolumeComparison{Context: context, Invariant: judge.ACC02}
	r.owed = judge.VolumeComparison{Context: context, Invariant: judge.ACC03}
	published := core.Time(s.Core.Config().AccumulatedPeriod.Or(1000)) * core.Second / 1000
	late := resource.Seconds(int64(max(published, core.Second) + max(a.gap, core.Second)))
	seconds := resource.Seconds(int64(r.To - r.From))
	for k, amount := range s.total {
		if amount == 0 {
			continue
		}
		total, rounded := float64(amount), judge.RoundedPerSecond(resource.Kind(k))*seconds
		slack := late*float64(a.mostFair[k]) + s.slacks.OnUsage*x.Fair[k] + rounded
		r.fair.Recorded[k], r.fair.Slack[k] = x.Fair[k]/total, (slack+a.moved[k])/total
		r.fair.Least[k], r.fair.Most[k] = a.fair[k]/total, a.fair[k]/total
		r.owed.Recorded[k], r.owed.Slack[k] = x.Deficit[k]/total, (slack+a.owedMoved[k]+rounded)/total
		r.owed.Least[k], r.owed.Most[k] = min(a.owed[k], a.owedByRecords[k])/total, max(a.owed[k], a.owedByRecords[k])/total
		if math.Abs(x.Usage[k]-a.usage[k]) > late*float64(a.mostUsage[k])+s.slacks.OnUsage*a.usage[k]+a.usageMoved[k]+rounded {
			a.lose(judge.VolumeReports) // the report is not of the time that is summed up
		}
		off, most = max(off, math.Abs(x.Deficit[k]-a.owed[k])/total), max(most, x.Fair[k]/total, a.fair[k]/total)
	}
	r.fair.Missing, r.owed.Missing = a.missing, a.missing
	return off, most
}

// settleVolumes judges the last report of an operation, given the next, nil if there is none.
func (s *Snapshots) settleVolumes(at core.Time, a *accumulation, next *volumeReport) {
	r := a.reports[1]
	if r == nil {
		return
	}
	of := func(r *volumeReport) (fair, owed *judge.VolumeComparison) {
		if r == nil {
			return nil, nil
		}
		return &r.fair, &r.owed
	}
	fairBefore, owedBefore := of(a.reports[0])
	fairAfter, owedAfter := of(next)
	s.rulings = append(s.rulings[:0], r.fair.Judge(fairBefore, fairAfter), r.owed.Judge(owedBefore, owedAfter))
	s.ruleVolumes(at, r, s.rulings)
}

// closeAccumulation judges the last report of an operation that has no further ones.
func (s *Snapshots) closeAccumulation(at core.Time, v *operationView) {
	if v.accumulated != nil {
		s.settleVolumes(at, v.accumulated, nil)
		s.settleClaims(at, v.accumulated)
		v.accumulated = nil
	}
}

// ruleVolumes adds the rulings on a report, as a span of its own.
func (s *Snapshots) ruleVolumes(at core.Time, r *volumeReport, rulings []judge.Ruling) {
	s.tallies.countRulings(at, tables.ElementOperation, r.pool, rulings)
	for i := range rulings {
		x := &rulings[i]
		if x.Verdict <= judge.Undecidable {
			continue
		}
		o := &openBreach{SnapshotCheck: tables.SnapshotCheck{
			Invariant: x.Invariant.String(), Element: tables.ElementOperation, Pool: r.pool, Operation: core.Some(r.operation),
			FromTime: r.From, ToTime: r.To,
		}, off: -1}
		o.addRuling(x, r.To, s.Log.Units())
		s.snapshotChecks.Add(at, &o.SnapshotCheck)
	}
}

// holdClaim keeps a span in which an operation starved unnoticed (STV-02, GUA-02) until the report of its last moment, and
// reports whether one is expected.
func (s *Snapshots) holdClaim(key breachKey, claim *tables.SnapshotCheck) bool {
	if key.element != tables.ElementOperation || key.invariant != judge.STV02 && key.invariant != judge.GUA02 {
		return false
	}
	slot, ok := s.Core.OperationOf(core.OperationID(key.number))
	if !ok || int(slot) >= len(s.operations) || s.operations[slot].accumulated == nil || s.operations[slot].id != claim.Operation.Value {
		return false
	}
	a := s.operations[slot].accumulated
	a.claims = append(a.claims, *claim)
	return true
}

// settleClaims writes the claims. A claim that an operation was below its share is suspect at most if it covers a part
// of a report without a deficit that is longer than the slack of reports.
func (s *Snapshots) settleClaims(at core.Time, a *accumulation) {
	for i := range a.claims {
		c := &a.claims[i]
		since := c.WorstTime - core.Time(c.Found)
		if min(a.met.To, c.ToTime)-max(a.met.From, since) > tornAfter+core.Second && c.Verdict == judge.Violated.String() {
			c.Verdict, c.Judged, c.Violated = judge.Suspect.String(), judge.Possible.String(), 0
			c.Sentence = strings.Replace(c.Sentence, " violated: ", " suspect: ", 1) + "; the scheduler reports no deficit of that time"
		}
		s.snapshotChecks.Add(at, c)
	}
	a.claims = nil
}
