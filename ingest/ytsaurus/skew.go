package ytsaurus

import "poolproof/core"

// A skew estimates how far the clocks of the log's writers are apart, from
// effects that are told before their cause (spec/trace-formats.md §4.2).
type skew struct {
	violations int64
	most       core.Time
}

// unbelievable is a difference that is damage and not a clock's.
const unbelievable = 5 * 60 * core.Second

// lag notes how long after its cause an effect was told: less than nothing is
// a difference of clocks.
func (s *skew) lag(after core.Time) {
	if after >= 0 || after < -unbelievable {
		return
	}
	s.violations++
	s.most = max(s.most, -after)
}

// Lags count how long after a job's start the row of its start was written.
type lags struct {
	byMilli []int64
	count   int64
}

// longestLag is the longest that is told apart.
const longestLag = 60_000 // milliseconds

func (g *lags) add(lag core.Time) {
	if g.byMilli == nil {
		g.byMilli = make([]int64, longestLag+1)
	}
	g.byMilli[min(max(lag/1000, 0), longestLag)]++
	g.count++
}

// longest returns the lag that one in a thousand exceeds, to a millisecond: longer ones
// are of agents that were away. Where nothing tells, it is one report of a node.
func (g *lags) longest() core.Time {
	if g.count == 0 {
		return usualLag
	}
	wanted := g.count - g.count/1000
	for milli, n := range g.byMilli {
		if wanted -= n; wanted <= 0 {
			return core.Time(milli+1) * 1000
		}
	}
	return longestLag * 1000
}

// usualLag is a period of a node's reports, with its splay and a flush
// (spec/trace-formats.md §4.3).
const usualLag = 7 * core.Second
