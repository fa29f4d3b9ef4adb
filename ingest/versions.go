package ingest

import (
	"slices"

	"poolproof/core"
)

// A row of a configuration holds until the next one of its pool or tree. Its
// valid_to says when it ended, which matters only where no next row came until
// then: the settings are unknown from there on, and a pool was gone.

// A lapse is the end of a version that nothing has replaced as yet.
type lapse struct {
	time         core.Time
	seq          int64 // of the version's row
	pool, parent core.PoolID
}

// versions is a table of configurations and the lapses of its versions. Rows of
// the instant of a lapse come first: one of them may be the successor.
type versions struct {
	tableSource
	pending []lapse // in the order of time, then of the rows
}

// lapsing reports whether the next event is a lapse and not a row.
func (v *versions) lapsing() bool { return len(v.pending) > 0 && v.pending[0].time < v.at }

func (v *versions) head() core.Time {
	if v.lapsing() {
		return v.pending[0].time
	}
	return v.at
}

func (v *versions) seq() int64 {
	if v.lapsing() {
		return v.pending[0].seq
	}
	return v.stamp.Seq
}

func (v *versions) advance() error {
	if v.lapsing() {
		v.pending = v.pending[1:]
		return nil
	}
	return v.tableSource.advance()
}

// beginVersion replaces the version of the pool by that of the current row. It is
// called once per row, in the order of the stream.
func (v *versions) beginVersion(pool, parent core.PoolID, validTo core.Optional[core.Time]) {
	v.pending = slices.DeleteFunc(v.pending, func(l lapse) bool { return l.pool == pool })
	switch at := validTo.Value; {
	case !validTo.Set:
	case at >= lastPlausible:
		v.problem("valid_to", timeOutOfRange, formatTime(at))
	case at < v.stamp.Time:
		v.problem("valid_to", endBeforeBegin, formatTime(at))
	default:
		i := len(v.pending)
		for i > 0 && v.pending[i-1].time > at {
			i--
		}
		v.pending = slices.Insert(v.pending, i, lapse{at, v.stamp.Seq, pool, parent})
	}
}
