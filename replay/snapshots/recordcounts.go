package snapshots

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
)

// judgeCounts judges the counters of a pool (CNT-03, LW-01, LW-05).
func (s *Snapshots) judgeCounts(a about, slot int32, v *poolView) {
	context := s.context
	context.Evidence = judge.Recomputed // the pool's own operations
	for i, n := range v.counters() {
		if n.Set && v.countable[i] {
			sum := judge.CountSum{
				Context: context, Count: n.Value, Own: v.own[i], Children: v.counts[i],
				Shown: n.Value == v.summed[i],
				Torn:  !v.had || v.own[i] != v.ownBefore[i] || v.counts[i] != v.countsBefore[i],
			}
			if s.assumed && i != operationCount && v.own[operationCount] > 0 {
				sum.Evidence = judge.Possible // the log does not record which of its own operations run
			}
			if rulings := sum.Judge(s.rulings[:0]); rulings[0].Verdict != judge.Violated {
				s.rule(a, countNames[i], rulings)
			} else if s.Begun {
				came, went := s.Core.OperationTurnover(slot, s.at-core.Time(s.slacks.Clock))
				s.counts = append(s.counts, allegedCount{sum: sum, about: a, slot: slot, of: i, least: v.all[i] - came, most: v.all[i] + went})
			}
		}
	}
	w := &v.record
	if w.Running.Set && w.Operations.Set && w.Lightweight.Set {
		all := (&judge.LightweightPool{
			Context: s.context, Operations: w.Operations.Value, Running: w.Running.Value, Lightweight: w.Lightweight.Value,
		}).Judge(s.rulings[:0])
		s.rule(a, "", keepRule(all, judge.LW05))
	}
	if w.Lightweight.Set && (s.Log.Profile == core.Documented || s.Log.Profile == core.Current) {
		if s.Unconfigured() {
			context.Missing = judge.Configuration
		}
		all := (&judge.LightweightPool{
			Context: context, FIFO: true, Enabled: true, Toggled: !s.settled() || !v.had || v.all != v.allBefore,
			Lightweight: w.Lightweight.Value, Vanilla: s.lightweightBelow(slot, w.Lightweight.Value),
		}).Judge(s.rulings[:0])
		s.rule(a, "", keepRule(all, judge.LW01))
	}
}

// A shownCount counts an object that a snapshot shows in a pool, whether or not the rest of the log
// records it: an operation, or a pool that is not in the tree.
type shownCount struct {
	pool   core.PoolID
	counts [3]int64 // of countNames
}

func (s *Snapshots) showOperation(o *core.OperationRecord) {
	x := shownCount{pool: o.Pool, counts: [3]int64{0, 1, 0}}
	if o.Unschedulable != scheduling.NotRunning.String() {
		x.counts[0] = 1
	}
	s.shown = append(s.shown, x)
}

func (s *Snapshots) showPool(p *core.PoolRecord) {
	s.shown = append(s.shown, shownCount{pool: p.Parent, counts: [3]int64{p.Running.Value, p.Operations.Value, p.Lightweight.Value}})
}

// addShown adds up the counts of pools by the snapshot alone.
func (s *Snapshots) addShown() {
	for _, slot := range s.seenPools {
		s.pools[slot].summed = s.pools[slot].counts
	}
	for i := range s.shown {
		x := &s.shown[i]
		if x.pool == core.Unknown {
			continue
		}
		if slot, ok := s.Core.PoolOf(x.pool); ok && int(slot) < len(s.pools) {
			for k, n := range x.counts {
				s.pools[slot].summed[k] += n
			}
		}
	}
}

// An allegedCount is a recorded counter that differs from the log up to that time.
type allegedCount struct {
	sum         judge.CountSum
	about       about
	slot        int32
	of          int   // countNames
	least, most int64 // of the pool's counter in the replay, from the slack of clocks before the record on
}

// isAlleged reports whether a snapshot shows more operations than recorded up to then. Rows of
// operations may come up to a tick after a record that includes them (core/spec/invariants.md §1),
// so judging waits that long.
func (s *Snapshots) isAlleged() bool { return len(s.counts) > 0 || len(s.strays) > 0 }

// FollowAlleged updates the waiting counters by the operations of an instant.
func (s *Snapshots) FollowAlleged(now core.Time) {
	switch {
	case !s.isAlleged():
	case int64(now-s.at) > s.slacks.Tick:
		s.settleAlleged()
	default:
		for i := range s.counts {
			x := &s.counts[i]
			n := ownCounts(s.Core.Pool(x.slot))[x.of]
			x.least, x.most = min(x.least, n), max(x.most, n)
		}
	}
}

// settleAlleged judges the waiting counters and ends the spans that waited for them.
func (s *Snapshots) settleAlleged() {
	if !s.isAlleged() {
		return
	}
	for i := range s.counts {
		x := &s.counts[i]
		x.sum.Torn = x.least < x.most && x.least <= x.sum.Count && x.sum.Count <= x.most
		s.rule(x.about, countNames[x.of], x.sum.Judge(s.rulings[:0]))
	}
	s.judgeStrays()
	s.counts, s.strays = s.counts[:0], s.strays[:0]
	s.endSpans(s.at)
}

// lightweightBelow returns how many operations below a pool may count as lightweight. It visits all
// of them only if the running ones are not enough.
func (s *Snapshots) lightweightBelow(slot int32, counted int64) int64 {
	if running := s.Core.Pool(slot).Lightweight; counted <= running {
		return running
	}
	return s.Core.LightweightBelow(slot)
}

func keepRule(rulings []judge.Ruling, i judge.Invariant) []judge.Ruling {
	return slices.DeleteFunc(rulings, func(x judge.Ruling) bool { return x.Invariant != i })
}

// operationCount is the index of operation_count in countNames.
const operationCount = 1

var countNames = [3]string{"running_operation_count", "operation_count", "lightweight_running_operation_count"}
