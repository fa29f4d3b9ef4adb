package core

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// An operation lists its jobs in the order in which they were registered, also within one instant
// (core/spec/scheduling.md §8.1). If the log does not record the order of the starts of one
// instant, any order of these jobs may have cut the lists.

// triedStarts bounds the number of orders that are tried: the largest jobs of an instant that are
// moved to the front.
const triedStarts = 64

// ListsInOrders calls visit with the sizes of an operation's lists by given shares, in several
// orders of the jobs that started at one instant: the smallest first, and ever more of the largest
// before them. It stops when visit returns false.
func (t *Tree) ListsInOrders(operation int32, fair, demand resource.Share, total resource.Vector, visit func(aggressively, preemptible int) bool) {
	instants := t.startsByInstant(operation)
	most := 0 // jobs of one instant
	for _, jobs := range instants {
		slices.SortStableFunc(jobs, func(a, b sizedJob) int { return cmp.Compare(a.size, b.size) })
		most = max(most, len(jobs))
	}
	var list []scheduling.Job
	for first := range min(most, triedStarts) {
		list = list[:0]
		for _, jobs := range instants {
			rest := max(len(jobs)-first, 0)
			for _, j := range slices.Backward(jobs[rest:]) {
				list = append(list, j.job)
			}
			for _, j := range jobs[:rest] {
				list = append(list, j.job)
			}
		}
		if !visit(t.scheduling.ListsOf(t.operations[operation].Element, list, fair, demand, total)) {
			return
		}
	}
}

// A sizedJob is a job and the greatest component of its share of the tree.
type sizedJob struct {
	job  scheduling.Job
	size float64
}

// startsByInstant returns the jobs of an operation in the order of their list, grouped by instant.
func (t *Tree) startsByInstant(operation int32) (instants [][]sizedJob) {
	o := &t.operations[operation]
	if !o.enabled {
		return nil
	}
	last := Never
	t.scheduling.OperationJobs(o.Element, func(j scheduling.Job) {
		start, size := Never, 0.0
		if slot, live := t.JobBehind(j); live {
			start, size = t.jobs[slot].Start, t.jobs[slot].Usage.ShareOf(t.total).Dominant()
		}
		if start == Never || start != last {
			instants = append(instants, nil)
		}
		last = start
		instants[len(instants)-1] = append(instants[len(instants)-1], sizedJob{j, size})
	})
	return instants
}
