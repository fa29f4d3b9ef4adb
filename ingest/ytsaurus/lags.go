package ytsaurus

import "poolproof/core"

// Lags count how long after a job's start the row of its start was written.
type lags struct {
	byMilli []int64
	count   int64
}

// longestLag is the longest that is distinguished.
const longestLag = 60_000 // milliseconds

func (g *lags) add(lag core.Time) {
	if g.byMilli == nil {
		g.byMilli = make([]int64, longestLag+1)
	}
	g.byMilli[min(max(lag/1000, 0), longestLag)]++
	g.count++
}

// longest returns the lag that one in a thousand exceeds, to a millisecond: longer ones are of
// agents that were away. Without lags it is one report of a node.
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
// (ingest/trace/FORMAT.md §4.3).
const usualLag = 7 * core.Second
