package snapshots

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
)

// judgeQueues judges the recorded order of FIFO pools.
func (s *Snapshots) judgeQueues() {
	queue := s.queue[:0]
	for _, slot := range s.seenOps {
		if v := &s.operations[slot]; v.record.FIFOIndex.Set && s.Published(s.Core.Operation(slot)) != nil {
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
		s.judgeQueue(queue[from:to])
		from = to
	}
	s.queue = queue
}

// judgeQueue judges one FIFO pool, whose operations are in the recorded order.
func (s *Snapshots) judgeQueue(queue []int32) {
	pool := s.Core.Pool(s.Core.Operation(queue[0]).Pool)
	if pool.Config.Mode.Value != core.FIFO || s.Core.LacksRecords(s.operations[queue[0]].record.Pool) {
		return // the order is unknown without the records of all
	}
	budget := s.Core.Config().MaxSchedulableInFIFOPool
	schedulable, unmet, robbed, surelyRobbed := int64(0), false, false, false
	vague := s.vague || s.Core.HasNoOrder(s.Core.Operation(queue[0]).Pool)
	for i, slot := range queue {
		v := &s.operations[slot]
		x := &v.state
		given := s.elements.OperationHistory(slot).FairShares.Between(s.at, s.slacks.Configuration)
		p := judge.PlaceRecord{
			Context: s.context, Index: int64(v.record.FIFOIndex.Value), Changed: !s.settled(), Vague: vague,
			Fair:         x.FairShare.Dominant(),
			Expected:     s.Core.Shares(s.Core.Operation(slot).Element).FairShare.Total.Dominant(),
			MostExpected: given.Most.Dominant(),
			EarlierUnmet: unmet, EarlierRobbed: robbed, EarlierSurelyRobbed: surelyRobbed, HasOrder: true, Schedulable: v.record.Unschedulable == "",
			Unrecorded: !v.isWhole(), Limited: budget.Set, BeyondBudget: budget.Set && schedulable >= budget.Value,
		}
		if i > 0 && s.operations[queue[i-1]].record.FIFOIndex != v.record.FIFOIndex {
			p.HasNext, p.Next = true, p.Index
			p.Index = int64(s.operations[queue[i-1]].record.FIFOIndex.Value)
			p.InOrder = s.Core.StandsBefore(queue[i-1], slot)
			weighted := max(s.Core.Operation(queue[i-1]).LastWeighted, s.Core.Operation(slot).LastWeighted)
			p.Weighted = s.isRecent(weighted, s.slacks.Configuration)
		}
		if p.Schedulable {
			schedulable++
		}
		if !scheduling.Covered(x.FairShare, x.DemandShare) && !s.isLimited(v) {
			less := s.isLess(p.Fair, p.Expected)
			robbed, surelyRobbed = robbed || less, surelyRobbed || s.isLess(p.Fair, given.Least.Dominant())
			unmet = unmet || less || p.Schedulable
		}
		context := &p.Context
		context.Evidence = judge.Recomputed
		s.rule(aboutOperation(v), "", p.Judge(s.rulings[:0]))
	}
}

// isLess reports whether an operation got less than its expected share.
func (s *Snapshots) isLess(fair, expected float64) bool {
	return fair < expected-max(s.slacks.Epsilon, s.slacks.OnUsage*expected)
}

// isLimited reports whether an operation got all that its limits allow of a resource of which it
// wants more.
func (s *Snapshots) isLimited(v *operationView) bool {
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
