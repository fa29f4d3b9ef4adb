package joblog

import "poolproof/core"

// A survey holds the results of a first pass over the operations, before anything is
// written.
type survey struct {
	window     core.Span
	began      core.Time            // of the earliest row: the window's start, or before
	operations [][]core.OperationID // by tree
	jobs       []int32              // by operation
	pools      []core.Span          // when each was seen; the whole window unless ephemeral
	nodes      []core.Span          // when each was seen; the whole window if no job names it
	idle       []string             // pools that no operation is in
	met        []string             // pools under the root that operations are in
	demands    bool                 // whether any operation asks for something
	endless    bool                 // whether the log does not record when some jobs ended
}

func surveyOf(log *Log) *survey {
	n := log.Operations.Len()
	s := &survey{
		operations: make([][]core.OperationID, len(log.Trees)),
		jobs:       make([]int32, n),
		pools:      make([]core.Span, len(log.Pools)),
		nodes:      make([]core.Span, len(log.Nodes)),
	}
	poolSeen, nodeSeen := make([]bool, len(log.Pools)), make([]bool, len(log.Nodes))
	last := log.Last.Or(core.Never)
	var o Operation
	for i := range n {
		log.Operations.Describe(i, &o)
		if i == 0 {
			s.began = o.Submit
			last = max(last, o.Submit)
		}
		tree := log.Pools[o.Pool].Tree
		s.operations[tree] = append(s.operations[tree], core.OperationID(i))
		life := s.lifeOf(log, i, &o, nodeSeen)
		last = max(last, life.To)
		s.see(log, poolSeen, o.Pool, life)
		for _, t := range o.Turns {
			if t.Step == core.StepPoolChanged {
				s.see(log, poolSeen, t.Pool, core.Span{From: t.Time, To: life.To})
			}
		}
	}
	// The last tick of the log's clock belongs to the window.
	s.window = core.Span{From: max(s.began, log.First.Or(s.began)), To: last + log.Precision}
	for i, p := range log.Pools {
		if !poolSeen[i] {
			s.idle = append(s.idle, p.Name)
		} else if p.Parent == core.RootPool {
			s.met = append(s.met, p.Name)
		}
		if !poolSeen[i] || !p.Ephemeral {
			s.pools[i] = core.Span{From: s.began, To: s.window.To}
		}
	}
	for i := range log.Nodes {
		if !nodeSeen[i] {
			s.nodes[i] = core.Span{From: s.began, To: s.window.To}
		}
	}
	return s
}

// lifeOf returns the time from an operation's start to its last trace, and surveys its jobs.
func (s *survey) lifeOf(log *Log, i int, o *Operation, nodeSeen []bool) core.Span {
	life := core.Span{From: o.Submit, To: max(o.Submit, o.End.Or(o.Submit))}
	log.Operations.Bursts(i, func(b *Burst) {
		s.demands = true
		life.To = max(life.To, b.Wanted)
		if !b.Started {
			return
		}
		s.endless = s.endless || !b.Finish.Set && b.End == core.EndUnknown
		life.To = max(life.To, b.Start, b.Finish.Or(b.Start))
		s.jobs[i] += int32(len(b.Grants))
		for _, g := range b.Grants {
			if g.Node >= 0 {
				widen(s.nodes, nodeSeen, int(g.Node), core.Span{From: b.Start, To: b.Finish.Or(b.Start)})
			}
		}
	})
	for _, t := range o.Turns {
		life.To = max(life.To, t.Time)
	}
	return life
}

// see notes that a pool and those above it were used.
func (s *survey) see(log *Log, seen []bool, pool core.PoolID, when core.Span) {
	for p := pool; p >= 0; p = log.Pools[p].Parent {
		widen(s.pools, seen, int(p), when)
	}
}

// widen makes a span cover another.
func widen(spans []core.Span, seen []bool, i int, by core.Span) {
	if !seen[i] {
		spans[i], seen[i] = by, true
		return
	}
	spans[i] = core.Span{From: min(spans[i].From, by.From), To: max(spans[i].To, by.To)}
}
