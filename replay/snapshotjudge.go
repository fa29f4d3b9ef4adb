package replay

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/tables"
)

// judgeRecordedPool judges what the scheduler recorded of a pool.
func (r *recorder) judgeRecordedPool(slot int32, v *poolView) {
	s, p := &r.snapshots, r.core.Pool(slot)
	a := r.aboutPool(slot)
	frozen := !r.core.Scheduling().Options().PoolStarvation
	rulings := s.rulings[:0]
	if slot != 0 {
		rulings = r.judgeClock(&v.view, judgedElement{
			element: p.Element, usage: p.Usage, demand: p.Demand, swing: r.pools[slot].swing.since(), frozen: frozen,
		}, rulings)
	}
	if status, known := scheduling.ParseStatus(v.state.Status); known {
		before, _ := scheduling.ParseStatus(v.previous.Status)
		rulings = (&judge.QuietRecord{
			Context: s.context, Status: status, Before: before, Root: slot == 0, Frozen: frozen && v.frozen, Seen: v.had, Changed: !s.settled(),
		}).Judge(rulings)
	}
	v.frozen = frozen && s.settled()
	shares := r.core.Shares(p.Element)
	record := r.shareRecord(&v.view, shares, &r.pools[slot].given, false)
	record.Composite, record.Children = true, v.fairSum
	record.Torn = record.Torn || v.fairSum != v.fairBefore
	r.fillIntegral(record, slot, v)
	rulings = r.judgeShares(record, rulings)
	rulings = r.judgeFlow(slot, v, rulings)
	rulings = r.judgeVolume(slot, v, rulings)
	if v.whole {
		sum := judge.UsageSum{Context: s.asStated(), Usage: v.state.Usage, Least: v.usedSum, Most: v.usedSum}
		if !sum.Usage.FitsIn(sum.Most) {
			if _, went := r.core.CameAndWent(slot, s.at-core.Time(s.slacks.Clock)); went > 0 { // nobody knows what they used
				sum.Most = resource.Unlimited
			}
		}
		rulings = sum.Judge(rulings)
	}
	if slot != 0 {
		rulings = r.judgeLimits(&v.view, shares.Limits, false, rulings)
	}
	r.rule(a, "", rulings)
	s.rulings = rulings
	r.rule(a, "relaxed_share_multiplier_limit", record.JudgeMost(s.rulings[:0]))
	r.judgeCounts(a, slot, v)
}

// fillIntegral fills what a record is judged by if the pool has an integral
// guarantee.
func (r *recorder) fillIntegral(record *judge.ShareRecord, slot int32, v *poolView) {
	p := r.core.Pool(slot)
	shares := r.core.Shares(p.Element)
	i := shares.Integral
	if i == nil {
		return
	}
	affordable := v.record.RatioVolume.Value / smoothSeconds(r.core.Config())
	switch p.Config.Integral.Type {
	case core.Burst:
		record.Burst = min(i.Burst, affordable)
	case core.Relaxed:
		record.Relaxed = affordable
		record.Parts, record.Integral = v.state.FairIntegral.Set, v.state.FairIntegral.Value
		record.IntegralExpected = shares.FairShare.Integral
		record.Most = i.Flow * r.core.RelaxedMultiplier(p)
	}
}

// judgeFlow judges what a relaxed pool was given over a saturation period, if one
// is over in which its demand was unmet (GUA-10).
func (r *recorder) judgeFlow(slot int32, v *poolView, rulings []judge.Ruling) []judge.Ruling {
	s, p := &r.snapshots, r.core.Pool(slot)
	shares := r.core.Shares(p.Element)
	x := &v.state
	switch i := shares.Integral; {
	case p.Config.Integral.Type != core.Relaxed || i == nil || !v.record.RatioVolume.Set:
		return rulings
	case scheduling.Covered(x.FairShare, x.DemandShare), !v.had, s.resized(r.core), !s.settled(), r.stale, s.context.Excuse != judge.NoExcuse:
		v.flow.stop()
		return rulings
	}
	rate := flowRate{granted: x.FairShare.Sub(x.StrongShare).Dominant(), flow: shares.Integral.Flow}
	rate.spared = shares.FairShare.Total.Sub(shares.StrongShare).Dominant() <= rate.granted+max(s.slacks.Epsilon, s.slacks.OnUsage*rate.granted)
	record, over := v.flow.follow(s.at, v.record.RatioVolume.Value, rate, r.core.SaturationPeriod())
	if !over {
		return rulings
	}
	record.Context = s.context
	return record.Judge(rulings)
}

// smoothSeconds is the smooth_period of integral guarantees, a minute unless the
// tree says otherwise (spec/fair-share.md §2.1).
func smoothSeconds(c *core.TreeConfig) float64 {
	return float64(c.Integral.SmoothPeriod.Or(60_000)) / 1e3
}

// judgeCounts judges the counters of a pool (CNT-03, LW-01, LW-05).
func (r *recorder) judgeCounts(a about, slot int32, v *poolView) {
	s := &r.snapshots
	context := s.context
	context.Evidence = judge.Recomputed // which operations are the pool's own
	for i, n := range v.counters() {
		if n.Set && v.countable[i] {
			sum := judge.CountSum{
				Context: context, Count: n.Value, Own: v.own[i], Children: v.counts[i],
				Torn: !v.had || v.own[i] != v.ownBefore[i] || v.counts[i] != v.countsBefore[i],
			}
			if rulings := sum.Judge(s.rulings[:0]); rulings[0].Verdict != judge.Violated {
				r.rule(a, countNames[i], rulings)
			} else if r.begun {
				came, went := r.core.CameAndWent(slot, s.at-core.Time(s.slacks.Clock))
				s.counts = append(s.counts, allegedCount{sum: sum, about: a, slot: slot, of: i, least: v.all[i] - came, most: v.all[i] + went})
			}
		}
	}
	w := &v.record
	if w.Running.Set && w.Operations.Set && w.Lightweight.Set {
		all := (&judge.LightweightPool{
			Context: s.context, Operations: w.Operations.Value, Running: w.Running.Value, Lightweight: w.Lightweight.Value,
		}).Judge(s.rulings[:0])
		r.rule(a, "", keepRule(all, judge.LW05))
	}
	if w.Lightweight.Set && (r.opts.Profile == core.Documented || r.opts.Profile == core.Current) {
		if r.unconfigured() {
			context.Missing = judge.Configuration
		}
		all := (&judge.LightweightPool{
			Context: context, FIFO: true, Enabled: true, Toggled: !s.settled() || !v.had || v.all != v.allBefore,
			Lightweight: w.Lightweight.Value, Vanilla: r.lightweightBelow(slot, w.Lightweight.Value),
		}).Judge(s.rulings[:0])
		r.rule(a, "", keepRule(all, judge.LW01))
	}
}

// An allegedCount is a recorded counter that what the log told until its record does not
// come to.
type allegedCount struct {
	sum         judge.CountSum
	about       about
	slot        int32
	of          int   // countNames
	least, most int64 // of the pool's counter in the replay, from the slack of clocks before the record on
}

// isAlleged reports whether a snapshot shows what the operations that the log told of
// until then do not explain. Rows of operations may stand up to a tick after a record that
// has them already (spec/invariants.md §1), and for so long it waits to be judged.
func (s *snapshots) isAlleged() bool { return len(s.counts) > 0 || len(s.strays) > 0 }

// followAlleged notes what the operations of an instant make of it.
func (r *recorder) followAlleged(now core.Time) {
	s := &r.snapshots
	switch {
	case !s.isAlleged():
	case int64(now-s.at) > s.slacks.Tick:
		r.settleAlleged()
	default:
		for i := range s.counts {
			x := &s.counts[i]
			n := ownCounts(r.core.Pool(x.slot))[x.of]
			x.least, x.most = min(x.least, n), max(x.most, n)
		}
	}
}

// settleAlleged judges it, and ends the spans that waited for that.
func (r *recorder) settleAlleged() {
	s := &r.snapshots
	if !s.isAlleged() {
		return
	}
	for i := range s.counts {
		x := &s.counts[i]
		x.sum.Torn = x.least < x.most && x.least <= x.sum.Count && x.sum.Count <= x.most
		r.rule(x.about, countNames[x.of], x.sum.Judge(s.rulings[:0]))
	}
	r.judgeStrays()
	s.counts, s.strays = s.counts[:0], s.strays[:0]
	r.endSpans(s.at)
}

// lightweightBelow is how many operations below a pool may be counted as
// lightweight. They are looked through only where those that run are not enough.
func (r *recorder) lightweightBelow(slot int32, counted int64) int64 {
	if running := r.core.Pool(slot).Lightweight; counted <= running {
		return running
	}
	return r.core.LightweightBelow(slot)
}

func keepRule(rulings []judge.Ruling, i judge.Invariant) []judge.Ruling {
	return slices.DeleteFunc(rulings, func(x judge.Ruling) bool { return x.Invariant != i })
}

var countNames = [3]string{"running_operation_count", "operation_count", "lightweight_running_operation_count"}

// usageSum compares the recorded usage of an operation with what its jobs use, or used
// within the lag of reports.
func (r *recorder) usageSum(slot int32, v *operationView, doubt resource.Vector) judge.UsageSum {
	s, o := &r.snapshots, r.core.Operation(slot)
	sum := judge.UsageSum{Context: s.asRecomputed(), Usage: v.state.Usage, Least: o.Usage, Most: o.Usage, Doubt: doubt}
	if v.state.Usage != o.Usage {
		sum.Least, sum.Most = r.core.UsedSince(o.Element, s.at-core.Time(s.slacks.Usage))
		sum.Leaving = r.core.LeavingIn(slot, s.at, core.Time(s.slacks.Clock))
	}
	for k, measured := range r.opts.Measured {
		if !measured { // the log does not tell what jobs use of it
			sum.Least[k], sum.Most[k] = v.state.Usage[k], v.state.Usage[k]
		}
	}
	return sum
}

// isUnschedulable reports whether an operation of whose record no reason is told can get no
// jobs, for the reason that the replay has. That it waits for none may be since the record
// was made: one that demands more than it uses waited for some.
func isUnschedulable(why scheduling.Unschedulable, x *core.RecordedState) bool {
	return why != scheduling.IsSchedulable && (why != scheduling.NoPendingJobs || x.Demand.FitsIn(x.Usage))
}

// judgeRecordedOperation judges what the scheduler recorded of an operation.
func (r *recorder) judgeRecordedOperation(slot int32, v *operationView) {
	s, o := &r.snapshots, r.core.Operation(slot)
	shares := r.published(o)
	if shares == nil {
		v.forgetClocks()
		return
	}
	a := aboutOperation(v)
	w := &v.record
	tree := r.core.Scheduling()
	unschedulable := w.Unschedulable != "" || isUnschedulable(tree.Unschedulable(o.Element), &v.state)
	rulings := r.judgeClock(&v.view, judgedElement{
		element: o.Element, usage: o.Usage, demand: o.Demand(), swing: r.operations[slot].swing.since(),
		since: w.StarvingSince, operation: true, unschedulable: unschedulable,
	}, s.rulings[:0])
	if status, known := scheduling.ParseStatus(v.state.Status); known {
		rulings = (&judge.QuietRecord{
			Context: s.context, Status: status, Unschedulable: w.Unschedulable != "", WasBefore: v.had && v.earlier.Unschedulable != "",
		}).Judge(rulings)
	}
	set := s.isRecent(max(o.LastLimited, o.LastFiltered), s.slacks.Configuration)
	record := r.shareRecord(&v.view, shares, &r.operations[slot].given, set)
	rulings = r.judgeShares(record, rulings)
	doubt := r.core.DoubtIn(slot, s.at)
	sum := r.usageSum(slot, v, doubt)
	rulings = sum.Judge(rulings)
	moved := v.sharesMoved()
	if w.Preemptible.Set {
		rulings = (&judge.CoveredRecord{
			Context: s.asStated(), Fair: v.state.FairShare, Demand: v.state.DemandShare, Preemptible: w.Preemptible.Value, Changed: moved,
		}).Judge(rulings)
	}
	if w.Preemptible.Set && w.AggressivePreempt.Set {
		record := r.listRecord(o, v)
		record.Context = s.asRecomputed()
		record.Changed = moved || v.previous.Usage != v.state.Usage || v.state.Usage != o.Usage || s.vague || !doubt.IsZero() ||
			!s.settled() || s.resized(r.core) || s.isRecent(max(o.LastMoved, o.LastProtected), s.slacks.Configuration) ||
			record.Recorded != record.Replayed && r.core.StoppedAround(slot, s.at, core.Time(s.slacks.Clock))
		rulings = record.Judge(rulings)
	}
	rulings = r.judgeLimits(&v.view, shares.Limits, set, rulings)
	r.rule(a, "", rulings)
	s.rulings = rulings
}

// listRecord is what a record says of an operation's lists, and how its jobs are cut.
// Only where that is not as the replay cuts them is it asked what the record's own shares
// say, of which the replay's may be ahead or behind for as long as settings take to be in
// force.
func (r *recorder) listRecord(o *core.Operation, v *operationView) judge.ListRecord {
	x, tree := &v.state, r.core.Scheduling()
	counts := func(aggressive, preemptible int) judge.JobCounts {
		return judge.JobCounts{o.LiveJobs - int64(aggressive+preemptible), int64(aggressive), int64(preemptible)}
	}
	record := judge.ListRecord{
		Recorded: counts(int(v.record.AggressivePreempt.Value), int(v.record.Preemptible.Value)),
		Replayed: counts(tree.Lists(o.Element)),
	}
	record.Stated = record.Replayed
	if record.Recorded != record.Replayed {
		record.Stated = counts(tree.ListsBy(o.Element, x.FairShare, x.DemandShare, r.snapshots.total))
	}
	return record
}

// asStated is the context of rules that records alone keep or break: whatever is not as
// it is replayed shakes none of them.
func (s *snapshots) asStated() judge.Context {
	c := s.context
	c.Shaken = 0
	return c
}

// asRecomputed is the context of rules that compare a record with what the replay makes of
// the log.
func (s *snapshots) asRecomputed() judge.Context {
	c := s.context
	c.Evidence = judge.Recomputed
	return c
}

// shareRecord is what a record says of an element's shares. Limits that were set just now
// may be in force before or after the shares that heed them.
func (r *recorder) shareRecord(v *view, shares *fairshare.Result, given *lately, set bool) *judge.ShareRecord {
	s := &r.snapshots
	x := &v.state
	record := &judge.ShareRecord{
		Context: s.context, Fair: x.FairShare, Demand: x.DemandShare, Strong: x.StrongShare,
		Limits: resource.Uniform(1), Guaranteed: shares.StrongShare, Expected: shares.FairShare.Total, Vague: s.vague,
		LeastExpected: given.between(s.at, s.slacks.Configuration).least,
		Torn:          v.sharesMoved(),
		Changed:       s.resized(r.core) || !s.settled(),
		Relimited:     set || s.retagged(r.core),
	}
	if x.Limits.Set {
		record.Limits = x.Limits.Value.ShareOf(s.total)
		for k := range record.Limits { // what the tree does not have limits nothing
			if s.total[k] == 0 {
				record.Limits[k] = 1
			}
		}
	}
	return record
}

// judgeShares judges it, and what that alleges once more by what its tick may have seen: with
// another total, with demand that only the record itself tells (spec/trace-formats.md §4.3), or
// jobs whose ends the log tells within the slack of clocks from then, which
// leave others at most so much more (spec/trace-formats.md §4.2).
func (r *recorder) judgeShares(record *judge.ShareRecord, rulings []judge.Ruling) []judge.Ruling {
	from := len(rulings)
	if rulings = record.Judge(rulings); !slices.ContainsFunc(rulings[from:], isViolated) {
		return rulings
	}
	s := &r.snapshots
	left := r.core.LeftAround(s.at, core.Time(s.slacks.Clock)).ShareOf(s.total)
	record.LeastExpected = record.LeastExpected.Sub(left)
	record.Vague = record.Vague || s.isOfAnotherTotal(r.core) || s.tellsDemand(r.core)
	return record.Judge(rulings[:from])
}

// tellsDemand reports whether the record tells another demand of an operation than was known,
// where nothing but records tells it.
func (s *snapshots) tellsDemand(t *core.Tree) bool {
	return !s.exactDemand && slices.ContainsFunc(s.seenOps, func(slot int32) bool {
		return s.operations[slot].state.Demand != t.Operation(slot).Demand()
	})
}

func isViolated(x judge.Ruling) bool { return x.Verdict == judge.Violated }

// judgeLimits judges the resource_limits of a record, which schedulers of the
// profile current report otherwise (LIM-09). Those that were set just now may be the ones
// of before.
func (r *recorder) judgeLimits(v *view, expected resource.Vector, set bool, rulings []judge.Ruling) []judge.Ruling {
	s := &r.snapshots
	if !v.state.Limits.Set || r.opts.Profile == core.Current {
		return rulings
	}
	context := s.context
	context.Evidence = judge.Recomputed
	if r.core.Config().Assumed {
		context.Missing = judge.Configuration
	}
	return (&judge.LimitRecord{
		Context: context, Recorded: v.state.Limits.Value, Expected: expected, Total: s.total,
		Changed: set || s.resized(r.core) || s.retagged(r.core) || !s.settled(),
	}).Judge(rulings)
}

// judgeWhole judges what is given of the whole tree where no record of the root says
// how much that is: at most all of it (GUA-09).
func (r *recorder) judgeWhole() {
	s := &r.snapshots
	if root := &s.pools[0]; root.at != s.at && root.fairSum != (resource.Share{}) {
		whole := resource.Uniform(1)
		rulings := (&judge.ShareRecord{
			Context: s.context, Fair: whole, Demand: whole, Limits: whole, Composite: true, Children: root.fairSum, Torn: root.fairSum != root.fairBefore,
		}).Judge(s.rulings[:0])
		r.rule(r.aboutPool(0), "", keepRule(rulings, judge.GUA09))
	}
}

// judgeQueues judges the recorded order of FIFO pools.
func (r *recorder) judgeQueues() {
	s := &r.snapshots
	queue := s.queue[:0]
	for _, slot := range s.seenOps {
		if v := &s.operations[slot]; v.record.FIFOIndex.Set && r.published(r.core.Operation(slot)) != nil {
			queue = append(queue, slot)
		}
	}
	slices.SortStableFunc(queue, func(a, b int32) int {
		x, y := &s.operations[a].record, &s.operations[b].record
		return cmp.Or(cmp.Compare(x.Pool, y.Pool), cmp.Compare(x.FIFOIndex.Value, y.FIFOIndex.Value), cmp.Compare(x.Operation, y.Operation))
	})
	for from := 0; from < len(queue); {
		to := from + 1
		for to < len(queue) && s.operations[queue[to]].record.Pool == s.operations[queue[from]].record.Pool {
			to++
		}
		r.judgeQueue(queue[from:to])
		from = to
	}
	s.queue = queue
}

// judgeQueue judges one FIFO pool, whose operations stand in the recorded order.
func (r *recorder) judgeQueue(queue []int32) {
	s := &r.snapshots
	pool := r.core.Pool(r.core.Operation(queue[0]).Pool)
	if pool.Config.Mode.Value != core.FIFO {
		return
	}
	budget := r.core.Config().MaxSchedulableInFIFOPool
	schedulable, unmet, robbed, surelyRobbed := int64(0), false, false, false
	for i, slot := range queue {
		v := &s.operations[slot]
		x := &v.state
		given := r.operations[slot].given.between(s.at, s.slacks.Configuration)
		p := judge.PlaceRecord{
			Context: s.context, Index: int64(v.record.FIFOIndex.Value), Changed: !s.settled(), Vague: s.vague,
			Fair: x.FairShare.Dominant(), Expected: r.core.Shares(r.core.Operation(slot).Element).FairShare.Total.Dominant(), MostExpected: given.most.Dominant(),
			EarlierUnmet: unmet, EarlierRobbed: robbed, EarlierSurelyRobbed: surelyRobbed, HasOrder: true, Schedulable: v.record.Unschedulable == "",
			Limited: budget.Set, BeyondBudget: budget.Set && schedulable >= budget.Value,
		}
		if i > 0 && s.operations[queue[i-1]].record.FIFOIndex != v.record.FIFOIndex {
			p.HasNext, p.Next = true, p.Index
			p.Index = int64(s.operations[queue[i-1]].record.FIFOIndex.Value)
			p.InOrder = r.core.StandsBefore(queue[i-1], slot)
			weighted := max(r.core.Operation(queue[i-1]).LastWeighted, r.core.Operation(slot).LastWeighted)
			p.Weighted = s.isRecent(weighted, s.slacks.Configuration)
		}
		if p.Schedulable {
			schedulable++
		}
		if !scheduling.Covered(x.FairShare, x.DemandShare) && !s.isLimited(v) {
			less := s.isLess(p.Fair, p.Expected)
			robbed, surelyRobbed = robbed || less, surelyRobbed || s.isLess(p.Fair, given.least.Dominant())
			unmet = unmet || less || p.Schedulable
		}
		context := &p.Context
		context.Evidence = judge.Recomputed
		r.rule(aboutOperation(v), "", p.Judge(s.rulings[:0]))
	}
}

// isLess reports whether an operation was given less than the rules give it.
func (s *snapshots) isLess(fair, expected float64) bool {
	return fair < expected-max(s.slacks.Epsilon, s.slacks.OnUsage*expected)
}

// isLimited reports whether an operation was given all that its limits allow of
// a resource that it wants more of.
func (s *snapshots) isLimited(v *operationView) bool {
	x := &v.state
	if !x.Limits.Set {
		return false
	}
	limits := x.Limits.Value.ShareOf(s.total)
	for k := range limits {
		if x.FairShare[k] < x.DemandShare[k] && x.FairShare[k] >= limits[k]-s.slacks.Epsilon {
			return true
		}
	}
	return false
}

// snapshotRows are the batches of the tables that snapshots fill.
type snapshotRows struct {
	snapshotPoolRows      batch[tables.SnapshotPool]
	snapshotOperationRows batch[tables.SnapshotOperation]
	errorRows             batch[tables.SnapshotError]
	breachRows            batch[tables.SnapshotRuling]
}

func (r *recorder) openSnapshots() {
	out := r.out
	r.snapshotPoolRows = batch[tables.SnapshotPool]{compare: compareSnapshotPools, append: func(row *tables.SnapshotPool) { add(out, out.snapshotPools, row) }}
	r.snapshotOperationRows = batch[tables.SnapshotOperation]{compare: compareSnapshotOperations, append: func(row *tables.SnapshotOperation) { add(out, out.snapshotOperations, row) }}
	r.errorRows = batch[tables.SnapshotError]{compare: compareErrors, append: func(row *tables.SnapshotError) { add(out, out.snapshotErrors, row) }}
	r.breachRows = batch[tables.SnapshotRuling]{compare: compareBreaches, append: func(row *tables.SnapshotRuling) { add(out, out.snapshotRulings, row) }}
	r.snapshots.slacks = r.slacks()
	r.snapshots.errors, r.snapshots.breaches = map[errorKey]*openError{}, map[breachKey]*openBreach{}
}

func (r *recorder) flushSnapshots() {
	r.snapshotPoolRows.flush()
	r.snapshotOperationRows.flush()
	r.errorRows.flush()
	r.breachRows.flush()
}
