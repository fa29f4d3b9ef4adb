package rerun

import (
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
)

// An estimate of the run time of jobs is the median of the completed ones.
type estimate struct {
	all    []core.Time
	bySize map[resource.Vector][]core.Time
	beyond *estimate // used if there are none
}

func (e *estimate) add(p *piece) {
	if p.known {
		e.all = append(e.all, p.runs)
		if e.bySize != nil {
			e.bySize[p.size] = append(e.bySize[p.size], p.runs)
		}
	}
}

// runTimeOf estimates the run time of a job of the size; false if there is no estimate.
func (e *estimate) runTimeOf(size resource.Vector) (runs core.Time, known bool) {
	switch {
	case e == nil:
		return 0, false
	case len(e.bySize[size]) > 0:
		return median(e.bySize[size]), true
	case len(e.all) > 0:
		return median(e.all), true
	}
	return e.beyond.runTimeOf(size)
}

func (e *estimate) sort() {
	slices.Sort(e.all)
	for _, list := range e.bySize {
		slices.Sort(list)
	}
}

// median is the middle of a sorted list, the greater of two.
func median(list []core.Time) core.Time { return list[len(list)/2] }

// ofOperation are the estimates of an operation.
func ofOperation(pieces []piece, beyond *estimate) *estimate {
	e := &estimate{bySize: map[resource.Vector][]core.Time{}, beyond: beyond}
	for i := range pieces {
		e.add(&pieces[i])
	}
	e.sort()
	return e
}
