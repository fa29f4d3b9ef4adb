package ingest

import (
	"math"
	"strconv"
	"time"

	"poolproof/core"
)

// Each check of the current row records what it finds wrong.

// id checks that a number is within a dimension of n, and records a problem otherwise. Unknown, which
// is any negative number, is not within it.
func (r *rows) id(column string, id int32, n int) bool {
	if id >= 0 && int(id) < n {
		return true
	}
	r.problem(column, idOutOfRange, strconv.Itoa(int(id)))
	return false
}

// idOf is id for the number in a column.
func (r *rows) idOf(c *column, n int) bool { return r.id(c.name, c.Int32s[r.i], n) }

// checkPool checks a pool's number: it must be of this tree.
func (r *rows) checkPool(column string, id core.PoolID) bool {
	pools := r.stream.trace.dimensions.Pools
	if !r.id(column, int32(id), len(pools)) {
		return false
	}
	if tree := pools[id].Tree; tree != r.stream.tree {
		r.problem(column, poolOfOtherTree, tree)
		return false
	}
	return true
}

// The most that a number of a log can mean. What is beyond is a problem of its row, so
// that sums of a tree hold: some hundred of the largest amounts fit in 64 bits, and
// real amounts are at most a thousandth of them.
const (
	largestAmount = 1 << 56 // in the units of the file: 64 PiB, 72 thousand billion cores
	largestShare  = 1e9     // an operation may want many times its tree
	largestReal   = 1e15
	largestVolume = largestAmount * 86_400 // of a day
)

// resources checks the amounts of a group in the current row.
func (r *rows) resources(g *group) bool { return r.amountsUpTo(g, largestAmount) }

// limits checks amounts of limits; an unlimited one is recorded as a huge number. They are not
// summed.
func (r *rows) limits(g *group) bool { return r.amountsUpTo(g, math.MaxInt64/2) }

func (r *rows) amountsUpTo(g *group, most int64) bool {
	if uint64(g.union(r.i)) <= uint64(most) { // what is negative is larger
		return true
	}
	columns := g.all()
	for k, v := range g.amounts(r.i) {
		switch {
		case v < 0:
			r.problem(columns[k].name, negativeResource, strconv.FormatInt(v, 10))
		case v > most:
			r.problem(columns[k].name, badNumber, strconv.FormatInt(v, 10))
		default:
			continue
		}
		return false
	}
	return true // the bits of several amounts
}

// textOf is the interned text of a column in the current row.
func (r *rows) textOf(c *column) string { return r.stream.intern.Text(c.Texts[r.i]) }

// enum checks a word of the current row, given the interned words that there are.
func (r *rows) enum(c *column, words map[int32]bool) bool {
	if words[c.Texts[r.i]] {
		return true
	}
	r.problem(c.name, unknownEnum, r.textOf(c))
	return false
}

// words returns the ids of interned words.
func (s *stream) words(all ...string) map[int32]bool {
	ids := map[int32]bool{}
	for _, word := range all {
		ids[s.intern.ID([]byte(word))] = true
	}
	return ids
}

// instant reads a time that may be missing. One so late that it stands for
// "none" is a problem and counts as missing; one too early is before the start.
func (r *rows) instant(c *column) (core.Time, bool) {
	if c.Null(r.i) {
		return 0, false
	}
	t := core.Time(c.Int64s[r.i])
	if t >= lastPlausible {
		r.problem(c.name, timeOutOfRange, formatTime(t))
		return 0, false
	}
	return t, true
}

// finite checks a number that must be one.
func (r *rows) finite(c *column) bool { return r.upTo(c.name, c.Doubles[r.i], largestReal) }

func (r *rows) upTo(column string, v, most float64) bool {
	if math.Abs(v) <= most { // NaN is not
		return true
	}
	r.problem(column, badNumber, strconv.FormatFloat(v, 'g', -1, 64))
	return false
}

// finiteShares checks the shares of a group in the current row.
func (r *rows) finiteShares(g *shareGroup) bool {
	for _, c := range g.all() {
		v := c.Doubles[r.i]
		if !r.upTo(c.name, v, largestShare) {
			return false
		}
		if v < 0 {
			r.problem(c.name, negativeResource, strconv.FormatFloat(v, 'g', -1, 64))
			return false
		}
	}
	return true
}

// volumes checks the volumes of a group in the current row. Those below zero are a fault that is
// judged, and not one of the row.
func (r *rows) volumes(g *shareGroup) bool {
	for _, c := range g.all() {
		if !r.upTo(c.name, c.Doubles[r.i], largestVolume) {
			return false
		}
	}
	return true
}

// real reads a number that may be missing. A value that is not finite is a problem and counts
// as missing.
func (r *rows) real(c *column) core.Optional[float64] {
	if c.Null(r.i) || !r.finite(c) {
		return core.Optional[float64]{}
	}
	return core.Some(c.Doubles[r.i])
}

// plausible distinguishes a time of the log from a value that stands for "none", such as the
// epoch or the year 9999. Logs of the past are real, too, so the window decides whether the years
// before 1971 are.
func (s *stream) plausible(t core.Time) bool {
	return t < lastPlausible && (t >= firstPlausible || s.early)
}

var (
	firstPlausible = core.Time(time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	lastPlausible  = core.Time(time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
)

func formatTime(t core.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}
