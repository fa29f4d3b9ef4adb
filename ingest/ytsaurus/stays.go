package ytsaurus

import (
	"cmp"
	"slices"

	"poolproof/core"
)

// A stay is what the rows of one job id record of one job on one node.
type stay struct {
	address      string
	start        core.Time
	starts, ends []jobRow
}

// staysOf divides the rows of one job id, each in the order of time, by the jobs that they belong
// to. A log may give one id to several jobs (LOG-04); each needs a row of its start. Other rows
// belong to the first.
func staysOf(starts, ends []jobRow) []stay {
	var all []stay
	for _, end := range ends {
		start := end.start.Value
		i := slices.IndexFunc(all, func(s stay) bool { return s.address == end.address && s.start == start })
		if i < 0 {
			i = len(all)
			all = append(all, stay{address: end.address, start: start})
		}
		all[i].ends = append(all[i].ends, end)
	}
	slices.SortFunc(all, func(a, b stay) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.address, b.address)) })
	for _, start := range starts {
		here := func(s stay) bool { return s.address == start.address || s.address == "" || start.address == "" }
		i := slices.IndexFunc(all, func(s stay) bool { return len(s.starts) == 0 && here(s) })
		if i < 0 {
			i = slices.IndexFunc(all, here)
		}
		if i < 0 {
			i = len(all)
			all = append(all, stay{address: start.address, start: start.start.Or(start.time)})
		}
		all[i].starts = append(all[i].starts, start)
	}
	return mergeUnstarted(all)
}

// mergeUnstarted adds the ends of jobs without a row of their start to the first job
// that has one.
func mergeUnstarted(all []stay) []stay {
	first := slices.IndexFunc(all, func(s stay) bool { return len(s.starts) > 0 })
	for i, s := range all {
		if len(s.starts) == 0 {
			all[first].ends = append(all[first].ends, all[i].ends...)
		}
	}
	return slices.DeleteFunc(all, func(s stay) bool { return len(s.starts) == 0 })
}
