package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// judgeRecordedPool judges the record of a pool.
func (s *Snapshots) judgeRecordedPool(slot int32, v *poolView) {
	p := s.Core.Pool(slot)
	a := s.aboutPool(slot)
	frozen := !s.Core.Scheduling().Options().PoolStarvation
	rulings := s.rulings[:0]
	if slot != 0 {
		rulings = s.judgeClock(&v.view, judgedElement{
			element: p.Element, usage: p.Usage, demand: p.Demand, fair: s.Core.Shares(p.Element).FairShare.Total,
			swing: s.elements.PoolHistory(slot).Range.Restart(), frozen: frozen,
		}, rulings)
	}
	if status, known := scheduling.ParseStatus(v.state.Status); known {
		before, _ := scheduling.ParseStatus(v.previous.Status)
		rulings = (&judge.QuietRecord{
			Context: s.context, Status: status, Before: before, Root: slot == 0, Frozen: frozen && v.frozen, Seen: v.had, Changed: !s.settled(),
		}).Judge(rulings)
	}
	v.frozen = frozen && s.settled()
	shares := s.Core.Shares(p.Element)
	record := s.shareRecord(&v.view, shares, &s.elements.PoolHistory(slot).FairShares, false)
	record.Composite, record.Children, record.Context = true, v.fairSum, s.unless(!s.partial)
	record.Torn = record.Torn || v.fairSum != v.fairBefore
	record.Undated = s.hasUndatedGuarantee(slot, v, record.Guaranteed)
	s.fillIntegral(record, slot, v)
	rulings = s.judgeShares(record, rulings)
	rulings = s.judgeFlow(slot, v, rulings)
	rulings = s.judgeVolume(slot, v, rulings)
	if v.whole {
		sum := judge.UsageSum{Context: s.asStated(), Usage: v.state.Usage, Least: v.usedSum, Most: v.usedSum}
		if s.Core.LacksRecords(v.record.Pool) && sum.Usage != v.usedSum && sum.Missing == judge.NothingMissing {
			sum.Missing = judge.OperationRows
		}
		if !sum.Usage.FitsIn(sum.Most) {
			if _, went := s.Core.OperationTurnover(slot, s.at-core.Time(s.slacks.Clock)); went > 0 { // their usage is unknown
				sum.Most = resource.Unlimited
			}
		}
		rulings = sum.Judge(rulings)
	}
	if slot != 0 {
		rulings = s.judgeLimits(&v.view, shares.Limits, p.Dated, false, rulings)
	}
	s.rule(a, "", rulings)
	s.rulings = rulings
	s.judgePoolSettings(slot, v)
	s.rule(a, "relaxed_share_multiplier_limit", record.JudgeMost(s.rulings[:0]))
	s.judgeCounts(a, slot, v)
}

// fillIntegral fills the expected values of a pool with an integral guarantee.
func (s *Snapshots) fillIntegral(record *judge.ShareRecord, slot int32, v *poolView) {
	p := s.Core.Pool(slot)
	shares := s.Core.Shares(p.Element)
	i := shares.Integral
	if i == nil || !s.Core.IsSized() {
		return
	}
	affordable := v.record.RatioVolume.Value / smoothSeconds(s.Core.Config())
	switch p.Config.Integral.Type {
	case core.Burst:
		record.Burst = min(i.Burst, affordable)
	case core.Relaxed:
		record.Relaxed = affordable
		record.Parts, record.Integral = v.state.FairIntegral.Set, v.state.FairIntegral.Value
		record.IntegralExpected = shares.FairShare.Integral
		record.Most = i.Flow * s.Core.RelaxedMultiplier(p)
	}
}

// judgeFlow judges the integral share of a relaxed pool over a saturation period of unmet demand,
// if one has ended (GUA-10).
func (s *Snapshots) judgeFlow(slot int32, v *poolView, rulings []judge.Ruling) []judge.Ruling {
	p := s.Core.Pool(slot)
	shares := s.Core.Shares(p.Element)
	x := &v.state
	switch i := shares.Integral; {
	case p.Config.Integral.Type != core.Relaxed || i == nil || !v.record.RatioVolume.Set:
		return rulings
	case scheduling.Covered(x.FairShare, x.DemandShare), !v.isWhole(), !v.had, s.resized(s.Core), !s.settled(), s.Stale, s.context.Excuse != judge.NoExcuse:
		v.flow.stop()
		return rulings
	}
	rate := flowRate{granted: x.FairShare.Sub(x.StrongShare).Dominant(), flow: shares.Integral.Flow, shaken: s.context.Shaken != 0}
	period, least := s.updatePeriods()
	cores := s.total.Real(resource.CPU)
	rate.rounded, rate.mayRound = judge.RoundedVolume(cores, rate.flow, rate.granted, 1, period), judge.RoundedVolume(cores, rate.flow, rate.granted, 1, least)
	rate.spared = shares.FairShare.Total.Sub(shares.StrongShare).Dominant() <= rate.granted+max(s.slacks.Epsilon, s.slacks.OnUsage*rate.granted)
	record, over := v.flow.addRecord(s.at, v.record.RatioVolume.Value, rate, s.Core.SaturationPeriod())
	if !over {
		return rulings
	}
	record.Context = s.context
	return record.Judge(rulings)
}

// smoothSeconds returns the smooth_period of integral guarantees, by default a minute
// (core/spec/fair-share.md §2.1).
func smoothSeconds(c *core.TreeConfig) float64 {
	return float64(c.Integral.SmoothPeriod.Or(60_000)) / 1e3
}

// usageSum compares the recorded usage of an operation with that of its jobs, within the lag of
// reports.
func (s *Snapshots) usageSum(slot int32, v *operationView, doubt resource.Vector) judge.UsageSum {
	o := s.Core.Operation(slot)
	sum := judge.UsageSum{Context: s.asRecomputed(), Usage: v.state.Usage, Least: o.Usage, Most: o.Usage, Doubt: doubt}
	if v.state.Usage != o.Usage {
		since := s.at - core.Time(s.slacks.Usage)
		sum.Least, sum.Most = s.Core.UsageSince(o.Element, since)
		sum.Held = s.Core.HeldSince(slot, since)
		sum.Leaving = s.Core.LeavingIn(slot, s.at, core.Time(s.slacks.Clock))
		if s.Log.Records("job_rows", "partial") && sum.Missing == judge.NothingMissing {
			sum.Missing = judge.JobRows
		}
	}
	for k, measured := range s.Log.Measured {
		if !measured { // the log does not record jobs' usage of it
			sum.Least[k], sum.Most[k] = v.state.Usage[k], v.state.Usage[k]
		}
	}
	return sum
}

// isUnschedulable reports whether an operation without a recorded reason cannot get jobs, for the
// reason in the replay. An operation with more demand than usage had pending jobs when the record
// was made.
func isUnschedulable(why scheduling.Obstacle, x *core.RecordedState) bool {
	return why != scheduling.NoObstacle && (why != scheduling.NoPendingJobs || x.Demand.FitsIn(x.Usage))
}

// judgeRecordedOperation judges the record of an operation.
func (s *Snapshots) judgeRecordedOperation(slot int32, v *operationView) {
	o := s.Core.Operation(slot)
	shares := s.Published(o)
	if shares == nil {
		v.forgetClocks()
		return
	}
	a := aboutOperation(v)
	w := &v.record
	tree := s.Core.Scheduling()
	unschedulable := w.Unschedulable != "" || isUnschedulable(tree.Unschedulable(o.Element), &v.state)
	rulings := s.judgeClock(&v.view, judgedElement{
		element: o.Element, usage: o.Usage, demand: o.Demand(), fair: shares.FairShare.Total, swing: s.elements.OperationHistory(slot).Range.Restart(),
		since: w.StarvingSince, operation: true, unschedulable: unschedulable,
	}, s.rulings[:0])
	if status, known := scheduling.ParseStatus(v.state.Status); known {
		rulings = (&judge.QuietRecord{
			Context: s.context, Status: status, Unschedulable: w.Unschedulable != "", WasBefore: v.had && v.earlier.Unschedulable != "",
		}).Judge(rulings)
	}
	set := s.isRecent(max(o.LastLimited, o.LastFiltered), s.slacks.Configuration)
	record := s.shareRecord(&v.view, shares, &s.elements.OperationHistory(slot).FairShares, set)
	rulings = s.judgeShares(record, rulings)
	doubt := s.Core.DoubtIn(slot, s.at)
	sum := s.usageSum(slot, v, doubt)
	rulings = sum.Judge(rulings)
	moved := v.sharesMoved()
	if w.Preemptible.Set {
		covered := judge.CoveredRecord{
			Context: s.asStated(), Fair: v.state.FairShare, Demand: v.state.DemandShare, Preemptible: w.Preemptible.Value, Changed: moved,
		}
		if !v.isWhole() { // its demand may be met
			covered.Fair, covered.Context.Missing = covered.Demand, judge.FairShares
		}
		rulings = covered.Judge(rulings)
	}
	if w.Preemptible.Set && w.AggressivePreempt.Set {
		record := s.listRecord(o, v)
		ties := !s.ordered && record.Recorded != record.Replayed && s.Core.HasTies(slot)
		if ties && s.isOfSomeOrder(slot, v) {
			record.Replayed = record.Recorded
		}
		if record.Context = s.asRecomputed(); record.Recorded != record.Replayed && !v.isWhole() {
			record.Context.Missing = judge.FairShares
		}
		record.Changed = moved || v.previous.Usage != v.state.Usage || v.state.Usage != o.Usage || s.vague || !doubt.IsZero() ||
			!s.settled() || s.resized(s.Core) || s.isRecent(max(o.LastMoved, o.LastProtected), s.slacks.Configuration) ||
			record.Recorded != record.Replayed && (s.Core.StoppedAround(slot, s.at, core.Time(s.slacks.Clock)) || ties)
		rulings = record.Judge(rulings)
	}
	rulings = s.judgeLimits(&v.view, shares.Limits, false, set, rulings)
	s.rule(a, "", rulings)
	s.rulings = rulings
	s.judgeOperationSettings(slot, v)
}

// isOfSomeOrder reports whether some order of the jobs that started at one instant explains the
// recorded lists of an operation, by the shares of the replay or of the record.
func (s *Snapshots) isOfSomeOrder(slot int32, v *operationView) (found bool) {
	visit := func(aggressively, preemptible int) bool {
		found = int64(aggressively) == v.record.AggressivePreempt.Value && int64(preemptible) == v.record.Preemptible.Value
		return !found
	}
	fair, demand := s.Core.Scheduling().SeenShares(s.Core.Operation(slot).Element)
	s.Core.ListsInOrders(slot, fair, demand, s.Core.ShareTotal(), visit)
	if !found && v.isWhole() {
		s.Core.ListsInOrders(slot, v.state.FairShare, v.state.DemandShare, s.total, visit)
	}
	return found
}

// listRecord compares the recorded lists of an operation with the recomputed ones. If the replay
// differs, the record's own shares are tried: those of the replay may be ahead or behind by the
// delay of settings.
func (s *Snapshots) listRecord(o *core.Operation, v *operationView) judge.ListRecord {
	x, tree := &v.state, s.Core.Scheduling()
	jobs := int(o.LiveJobs)
	counts := func(aggressive, preemptible int) judge.JobCounts {
		return judge.JobCounts{int64(jobs - aggressive - preemptible), int64(aggressive), int64(preemptible)}
	}
	record := judge.ListRecord{
		Recorded: counts(int(v.record.AggressivePreempt.Value), int(v.record.Preemptible.Value)),
		Replayed: counts(tree.Lists(o.Element)),
	}
	record.Stated = record.Replayed
	if record.Recorded != record.Replayed {
		all := 0 // preempted jobs keep their places until they stop (§8.1)
		tree.OperationJobs(o.Element, func(scheduling.Job) { all++ })
		record.Recorded[scheduling.NonPreemptible] += int64(all - jobs)
		record.Replayed[scheduling.NonPreemptible] += int64(all - jobs)
		jobs = all
		record.Stated = counts(tree.ListsBy(o.Element, x.FairShare, x.DemandShare, s.total))
	}
	return record
}

// asStated returns the context of rules that concern records alone, so that doubts about the replay
// do not matter.
func (s *Snapshots) asStated() judge.Context {
	c := s.context
	c.Shaken = 0
	return c
}

// asRecomputed returns the context of rules that compare a record with the replay.
func (s *Snapshots) asRecomputed() judge.Context {
	c := s.context
	c.Evidence = judge.Recomputed
	return c
}

// judgeLimits judges the resource_limits of a record (LIM-09). In the profile current only a dated
// configuration tells whether max_share_ratio is one of the limits (core/spec/scheduling.md §15 (6)).
// Recently changed limits may still be the old ones.
func (s *Snapshots) judgeLimits(v *view, expected resource.Vector, dated, set bool, rulings []judge.Ruling) []judge.Ruling {
	if !v.state.Limits.Set || s.Log.Profile == core.Current && !dated {
		return rulings
	}
	context := s.context
	context.Evidence = judge.Recomputed
	if s.Core.Config().Assumed {
		context.Missing = judge.Configuration
	}
	if !s.Core.IsSized() {
		context.Missing = judge.TreeTotal
	}
	return (&judge.LimitRecord{
		Context: context, Recorded: v.state.Limits.Value, Expected: expected, Total: s.total,
		Changed: set || s.resized(s.Core) || s.retagged(s.Core) || !s.settled(),
	}).Judge(rulings)
}

// judgeWhole judges the sum of the shares below a root without a record: at most the whole tree
// (GUA-09).
func (s *Snapshots) judgeWhole() {
	if root := &s.pools[0]; root.at != s.at && root.fairSum != (resource.Share{}) {
		whole := resource.Uniform(1)
		rulings := (&judge.ShareRecord{
			Context: s.unless(!s.partial), Fair: whole, Demand: whole, Limits: whole, Composite: true,
			Children: root.fairSum, Torn: root.fairSum != root.fairBefore,
		}).Judge(s.rulings[:0])
		s.rule(s.aboutPool(0), "", keepRule(rulings, judge.GUA09))
	}
}
