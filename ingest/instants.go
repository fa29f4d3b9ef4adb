package ingest

import (
	"cmp"
	"slices"

	"poolproof/ingest/parquetlog"
)

// inBatch is the order of the rows of a batch. Rows of one instant may stand in any order in a
// file, since a program that rewrites a table sorts it by time alone, if at all. They are read in
// the order of seq. For that a batch is read to the end of an instant, and the rows of the next
// one wait for the next batch; an instant of more rows than a batch has is in order by itself or
// refused.
type inBatch struct {
	place int     // of the current row in the order
	whole int     // rows of the batch before the instant that it may cut
	order []int32 // the rows by place; empty if the batch is in order
}

// row returns the row of the batch at a place.
func (b *inBatch) row(place int) int {
	if len(b.order) > 0 {
		return int(b.order[place])
	}
	return place
}

// arrange begins with a batch.
func (b *inBatch) arrange(batch *parquetlog.Batch, times, seqs []int64) {
	times, seqs = times[:batch.Rows], seqs[:batch.Rows]
	b.place, b.whole, b.order = 0, wholeInstants(times), b.order[:0]
	if batch.First+int64(batch.Rows) == batch.Of || b.whole == 0 {
		b.whole = batch.Rows
	}
	if inOrder(times[:b.whole], seqs) {
		return
	}
	for i := range b.whole {
		b.order = append(b.order, int32(i))
	}
	for from, to := 0, 0; from < b.whole; from = to {
		for to = from + 1; to < b.whole && times[to] == times[from]; {
			to++
		}
		slices.SortFunc(b.order[from:to], func(i, j int32) int {
			return cmp.Or(cmp.Compare(seqs[i], seqs[j]), cmp.Compare(i, j))
		})
	}
}

// wholeInstants returns how many rows there are before those of the last instant.
func wholeInstants(times []int64) int {
	n := len(times)
	for n > 0 && times[n-1] == times[len(times)-1] {
		n--
	}
	return n
}

// inOrder reports whether the rows of each instant are in the order of seq.
func inOrder(times, seqs []int64) bool {
	for i := 1; i < len(times); i++ {
		if times[i] == times[i-1] && seqs[i] < seqs[i-1] {
			return false
		}
	}
	return true
}
