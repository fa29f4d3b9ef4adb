package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// recordTallies counts the rulings on records by pool, so that a promise to one pool does not count
// as tested because that to another was. A count ends with the version of the settings of its pool,
// or of an ancestor.
type recordTallies struct {
	of [2][]*recordTally // for pools and for operations in pools, by pool from the root on; nil without a count
}

// A recordTally is the count of one pool.
type recordTally struct {
	from    core.Time // time of the first counted ruling
	counts  judge.Tally
	missing [judge.Invariants]judge.Input // the first of each rule
}

var talliedElements = [...]tables.ElementKind{tables.ElementPool, tables.ElementOperation}

// countRulings counts rulings of an instant about a pool or an operation in it.
func (t *recordTallies) countRulings(at core.Time, element tables.ElementKind, pool core.PoolID, rulings []judge.Ruling) {
	if len(rulings) == 0 {
		return
	}
	of := &t.of[element-talliedElements[0]]
	place := int(pool - core.RootPool)
	for place >= len(*of) {
		*of = append(*of, nil)
	}
	one := (*of)[place]
	if one == nil {
		one = &recordTally{from: at}
		(*of)[place] = one
	}
	one.counts.AddRulings(rulings)
	for i := range rulings {
		if x := &rulings[i]; x.Verdict == judge.Undecidable && one.missing[x.Invariant] == judge.NothingMissing {
			one.missing[x.Invariant] = x.Missing
		}
	}
}

// closeTallies writes the counts of the pools for which ended returns true.
func (s *Snapshots) closeTallies(now core.Time, ended func(core.PoolID) bool) {
	t := &s.tallies
	for place := range max(len(t.of[0]), len(t.of[1])) {
		pool := core.RootPool + core.PoolID(place)
		for e, of := range t.of {
			if place < len(of) && of[place] != nil && ended(pool) {
				s.addTally(of[place], talliedElements[e], pool, now)
				of[place] = nil
			}
		}
	}
}

func (s *Snapshots) addTally(t *recordTally, element tables.ElementKind, pool core.PoolID, now core.Time) {
	for i := range judge.Invariants {
		n := &t.counts[i]
		if *n == ([len(n)]int64{}) {
			continue
		}
		s.snapshotTallies.Add(&tables.SnapshotTally{
			Invariant: judge.Invariant(i).String(), Element: element, Pool: pool, FromTime: t.from, ToTime: now,
			OK: n[judge.OK], Undecidable: n[judge.Undecidable], Excused: n[judge.Excused], Suspect: n[judge.Suspect], Violated: n[judge.Violated],
			Missing: string(t.missing[i]),
		})
	}
}

// CloseTalliesUnder restarts the counts below marked pools, by slot.
func (s *Snapshots) CloseTalliesUnder(marked []bool, now core.Time) {
	s.closeTallies(now, func(pool core.PoolID) bool { return s.isUnder(pool, marked) })
}

// isUnder reports whether a pool, or one above it, is marked, by slot. A removed pool counts as
// marked.
func (s *Snapshots) isUnder(pool core.PoolID, marked []bool) bool {
	if pool == core.Unknown {
		return true
	}
	slot, ok := s.Core.PoolOf(pool)
	for ok && slot >= 0 {
		if int(slot) < len(marked) && marked[slot] {
			return true
		}
		slot = s.Core.Pool(slot).Parent
	}
	return !ok
}
