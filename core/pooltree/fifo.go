package pooltree

import "cmp"

// A FIFOElement is what the order of a FIFO pool looks at in an operation.
type FIFOElement struct {
	ID          int64             // identity, the last tie
	Start       int64             // start time, in any unit
	Weight      Optional[float64] // unset: 1, or inferred
	PendingJobs int64
}

// defaultFIFOSort is the default of fifo_sort_parameters.
var defaultFIFOSort = []FIFOKey{ByWeight, ByStartTime}

// CompareFIFO orders the operations of a FIFO pool by fifo_sort_parameters,
// nil for the default: heavier, earlier, or with fewer pending jobs first. Ties
// go to the earlier start, then to the smaller identity; nobody is judged by
// them (core/spec/scheduling.md §9.6, §17.4).
func CompareFIFO(keys []FIFOKey, a, b *FIFOElement) int {
	if len(keys) == 0 {
		keys = defaultFIFOSort
	}
	for _, key := range keys {
		order := 0
		switch key {
		case ByWeight:
			order = cmp.Compare(b.Weight.Or(1), a.Weight.Or(1))
		case ByStartTime:
			order = cmp.Compare(a.Start, b.Start)
		case ByPendingJobs:
			order = cmp.Compare(a.PendingJobs, b.PendingJobs)
		}
		if order != 0 {
			return order
		}
	}
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID))
}
