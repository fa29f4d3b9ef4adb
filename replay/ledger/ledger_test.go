package ledger

import (
	"maps"
	"slices"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Parts that do not add up in floating point are written so that they do.
func TestLinesAddUpToTheWhole(t *testing.T) {
	var sum tables.ShareSeconds
	var whole resource.Share
	written := splitter{}
	thirds := resource.Share{0.1 / 3, 1e6 / 3.0, 0, 2e-4 / 3, 7}
	for range 3 {
		whole = whole.Add(thirds)
	}
	for i := range 3 {
		for k, x := range written.next(thirds, whole, i == 2) {
			if x < 0 {
				t.Errorf("part %d of resource %d is %d", i, k, x)
			}
			sum[k] += x
		}
	}
	for k := range whole {
		if want := env.ShareSeconds(whole[k]); sum[k] != want {
			t.Errorf("resource %d: %d of %d", k, sum[k], want)
		}
	}
}

// What is missing by more than rounding is not made up for: the audit must see it.
func TestLinesThatMissTheWholeStayApart(t *testing.T) {
	var written splitter
	if got := written.next(resource.Share{1: 1}, resource.Share{1: 3}, true); got[1] != 1000 {
		t.Errorf("1 of 3 share·µs is written as %d", got[1])
	}
}

// A deficit that began after the last look and is over before the next one was settled in time;
// one that remains has the causes of the present.
func TestWhatNoLookExplainsWaitsForTheNext(t *testing.T) {
	owed := resource.Share{1: 0.5}
	unexplained := []part{{key: causedBy(tables.Unexplained), share: owed}}
	others := key{cause: tables.OthersOverFairShare, limiting: -1, pool: 3}
	for _, test := range []struct {
		now  resource.Share
		by   []part
		want map[tables.DebtCause]float64
	}{
		{resource.Share{}, nil, map[tables.DebtCause]float64{tables.SchedulingDelay: 2}},
		{owed, []part{{key: causedBy(tables.Fragmentation), share: owed.Scale(0.25)}, {key: others, share: owed.Scale(0.75)}},
			map[tables.DebtCause]float64{tables.Fragmentation: 0.5, tables.OthersOverFairShare: 1.5}},
		{owed, unexplained, map[tables.DebtCause]float64{tables.Unexplained: 2}},
	} {
		var d deficit
		d.setOwed(0, owed, unexplained)
		d.setOwed(core.Time(4), test.now, test.by)
		d.explain()
		got := map[tables.DebtCause]float64{}
		for _, p := range d.sums {
			got[p.cause] = p.share[1]
		}
		if len(got) != len(test.want) {
			t.Errorf("%v: %v", test.want, got)
		}
		for cause, want := range test.want {
			if got[cause] != want {
				t.Errorf("%v: %v", test.want, got)
			}
		}
	}
}

// Lines whose sum comes to a rounded unit more than the whole, by the order of their addition,
// leave nothing for the last, and not less than that.
func TestALineIsNeverBelowZero(t *testing.T) {
	whole := resource.Share{resource.Memory: 2.4999e-3}
	var s splitter
	first := s.next(resource.Share{resource.Memory: 2.5001e-3}, whole, false)
	last := s.next(resource.Share{}, whole, true)
	if first[resource.Memory] != 2 || last[resource.Memory] != 0 {
		t.Errorf("%v, then %v; want 2, then 0", first, last)
	}
}

// Of a deficit of a million trees over a day, sums in floating point are off by more.
func TestLinesOfALargeDeficitAddUp(t *testing.T) {
	var written splitter
	whole := resource.Share{1: 8.64e16} // share·µs
	off := resource.Share{1: whole[1] - 2e4}
	if got := written.next(off, whole, true); got[1] != env.ShareSeconds(whole[1]) {
		t.Errorf("%d of %d", got[1], env.ShareSeconds(whole[1]))
	}
}

// What pools lack that stand within one another counts once, in all and by holder: the more of what
// a pool lacks and what those below it lack.
func TestNestedPoolsLackTheSameOnce(t *testing.T) {
	const level = tables.ToFairShare
	type lacks struct {
		parent int
		from   map[core.PoolID]int64 // by holder
	}
	for name, test := range map[string]struct {
		pools []lacks // the lowest first; the last ones stand below the root
		all   int64
		held  map[core.PoolID]int64
	}{
		"a chain": {[]lacks{{1, map[core.PoolID]int64{7: 5}}, {2, map[core.PoolID]int64{7: 5}}, {-1, map[core.PoolID]int64{7: 5}}},
			5, map[core.PoolID]int64{7: 5}},
		"a pool that lacks more than those below it": {[]lacks{{2, map[core.PoolID]int64{7: 2}}, {2, map[core.PoolID]int64{7: 1}}, {-1, map[core.PoolID]int64{7: 5}}},
			5, map[core.PoolID]int64{7: 5}},
		"pools below that lack more, of a sibling": {[]lacks{{1, map[core.PoolID]int64{7: 1, 8: 3}}, {-1, map[core.PoolID]int64{7: 1}}},
			4, map[core.PoolID]int64{7: 1, 8: 3}},
		"a pool between that lacks nothing": {[]lacks{{1, map[core.PoolID]int64{7: 4}}, {2, nil}, {-1, map[core.PoolID]int64{7: 4}}},
			4, map[core.PoolID]int64{7: 4}},
		"others for the pool than for those below": {[]lacks{{1, map[core.PoolID]int64{7: 4}}, {-1, map[core.PoolID]int64{8: 4}}},
			4, map[core.PoolID]int64{7: 4, 8: 4}},
		"side by side": {[]lacks{{-1, map[core.PoolID]int64{7: 4}}, {-1, map[core.PoolID]int64{7: 3}}}, 7, map[core.PoolID]int64{7: 7}},
	} {
		all, held := int64(0), map[core.PoolID]int64{}
		nested := make([]nesting, len(test.pools))
		for i, p := range test.pools {
			var deficits [tables.DebtLevels]int64
			for _, holder := range slices.Sorted(maps.Keys(p.from)) {
				owed := p.from[holder]
				for _, part := range []int64{1, owed - 1} { // of two obstacles
					row := tables.ShareDebt{Level: level, Cause: tables.OthersOverFairShare, Owed: part, Holder: core.Some(holder)}
					nested[i].nest(&row, deficits[level])
					deficits[level] += part
					all += part - row.Nested
					held[holder] += part - row.NestedHeld
				}
			}
			if p.parent >= 0 {
				nested[i].pass(deficits, &nested[p.parent])
			}
		}
		if all != test.all || !maps.Equal(held, test.held) {
			t.Errorf("%s: %d in all and %v by holder, want %d and %v", name, all, held, test.all, test.held)
		}
	}
}
