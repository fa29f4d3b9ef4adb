package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
)

// slacks are those in force now.
func (r *recorder) slacks() judge.Slacks { return slacksOf(r.core.Cluster(), r.opts) }

// intervalOf is the longest time that has been seen between two heartbeats of a node in
// a log that holds them all; 0 if none was.
func (r *referee) intervalOf(node int32) int64 {
	if node < 0 {
		return 0
	}
	return int64(r.core.Node(node).Interval)
}

// slacksOf are the slacks of a log: those given, else by the periods that its cluster
// states, else the usual ones (core/spec/scheduling.md §3.4, §13.5). Clocks differ by no less than
// the log says of itself (ingest/trace/FORMAT.md §4.2).
func slacksOf(c *core.ClusterConfig, o *Options) judge.Slacks {
	s := judge.DefaultSlacks()
	const watches = 2 // one may have just missed a change, and the next acts on it
	set := func(slack *int64, period core.Optional[pooltree.Milliseconds], times int64) {
		if period.Set {
			*slack = times * int64(period.Value) * int64(core.Second) / 1000
		}
	}
	set(&s.Tick, c.UpdatePeriod, 1)
	set(&s.Configuration, c.WatchersPeriod, watches)
	set(&s.Rescan, c.ScanPeriod, 1)
	set(&s.Tags, c.TagsPeriod, 1)
	s.Clock = max(s.Clock, int64(o.ClockUncertainty))
	s.Set(o.Slacks)
	s.Tick = max(s.Tick, int64(core.UpdatePeriod(c))) // the replay updates shares no more often
	return s
}
