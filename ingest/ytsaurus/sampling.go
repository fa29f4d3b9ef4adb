package ytsaurus

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// sampleSpread is how far apart rows of one sample of a tree's nodes are at most: they are written one
// after the other.
const sampleSpread = core.Second

// A sampling follows which samples of a tree have which of its nodes. A sample holds all nodes of the tree,
// unless a row of it is lost.
type sampling struct {
	moments map[treeID][]core.Time // of samples, by tree
	lasts   map[*node]lastSample
}

// A lastSample is the last that describes a node, and what came after it.
type lastSample struct {
	tree    treeID
	moment  int         // among those of the tree
	misread *nodeSample // the first since then whose amounts cannot be read; nil if all can
	of      treeID      // the tree of that one
}

// A sampleGap is a time in which samples of a tree lack a node, or have unreadable amounts of it.
type sampleGap struct {
	tree       treeID
	from, to   core.Time // 0 and never: before the first and after the last sample of the node
	lackedFrom core.Time // the first sample that lacks it
	lackedTo   core.Time // and the last
	misread    *nodeSample
}

// momentOf returns the number of the sample that a time belongs to. Times come in order.
func (s *sampling) momentOf(tree treeID, at core.Time) int {
	moments := s.moments[tree]
	if len(moments) == 0 || at > moments[len(moments)-1]+sampleSpread {
		moments = append(moments, at)
		s.moments[tree] = moments
	}
	return len(moments) - 1
}

// describe notes a sample that describes a node, or does not because its amounts cannot be read; changed
// says that it is another state than the one before.
func (s *sampling) describe(n *node, tree treeID, sample *nodeSample, changed bool) {
	moment := s.momentOf(tree, sample.time)
	last, any := s.lasts[n]
	if sample.undescribed {
		if last.misread == nil {
			misread := *sample
			last.misread, last.of = &misread, tree
		}
		if !any {
			last.tree, last.moment = tree, -1
		}
		s.lasts[n] = last
		return
	}
	switch {
	case len(n.states) == 1 && changed: // the first that describes it
		n.addGap(s.gap(tree, -1, moment, sample.time, last.misread))
	case changed && last.tree == tree:
		n.addGap(s.gap(tree, last.moment, moment, sample.time, last.misread))
	}
	s.lasts[n] = lastSample{tree: tree, moment: moment}
}

// gap is what lies between two samples of a tree that describe a node; -1 is before all.
func (s *sampling) gap(tree treeID, before, moment int, to core.Time, misread *nodeSample) sampleGap {
	g := sampleGap{tree: tree, to: to, misread: misread}
	if moment > before+1 {
		moments := s.moments[tree]
		g.lackedFrom, g.lackedTo = moments[before+1], moments[moment-1]
		if before >= 0 {
			g.from = g.lackedFrom
		}
	}
	return g
}

// finish adds what comes after the last sample of each node that describes it.
func (s *sampling) finish(nodes nodeSet) {
	for _, n := range nodes {
		last, any := s.lasts[n]
		if !any {
			continue
		}
		if last.misread != nil {
			last.tree = last.of
		}
		n.addGap(s.gap(last.tree, last.moment, len(s.moments[last.tree]), never, last.misread))
	}
}

// addGap keeps a gap. A single sample that cannot be read matters no more than that samples stand apart.
func (n *node) addGap(g sampleGap) {
	if g.lackedFrom == 0 || g.misread != nil && g.lackedFrom == g.lackedTo && len(n.states) > 0 {
		return
	}
	n.gaps = append(n.gaps, g)
}

// serves reports whether a job shows that its node served in a gap, and did not leave or come then: it was
// there when a sample lacked the node.
func (g *sampleGap) serves(j *placedJob) bool {
	end := j.finish.Or(never)
	stayed := end > g.lackedFrom && j.end != endWords[jobAborted]
	if g.from == 0 {
		return j.start < g.lackedTo && j.start < g.to
	}
	return j.start > g.lackedFrom && j.start < max(g.lackedTo, g.lackedFrom+1) || j.start <= g.lackedFrom && stayed || g.to == never && j.start > g.lackedFrom
}

// An undescribedSpan is a time in which the log does not record what a node of a tree has, nor its tags.
type undescribedSpan struct {
	node     *node
	from, to core.Time
	online   bool // jobs or the node's own samples show that it serves the tree
}

// undescribedSpans finds those of the tree. A node that samples lack and of which nothing shows that it was there
// may be new, or gone, or the samples are not whole.
func (t *treeAssembly) undescribedSpans() (spans []undescribedSpan, err error) {
	if t.counts[nodesInfo] == 0 && !t.densely() {
		return nil, nil // of no node it is recorded
	}
	served := map[*node][]bool{} // by gap
	jobs := t.readJobs()
	for jobs.next(); jobs.ok; jobs.next() {
		n := t.nodes[jobs.job.address]
		if n == nil || jobs.job.address == "" {
			continue
		}
		if served[n] == nil {
			served[n] = make([]bool, len(n.gaps)+1)
		}
		for i := range n.gaps {
			served[n][i] = served[n][i] || n.gaps[i].serves(&jobs.job)
		}
	}
	for _, n := range t.nodeList {
		if len(n.gaps) == 0 && len(n.states) == 0 && served[n] != nil { // no row names it
			spans = append(spans, undescribedSpan{n, 0, never, true})
		}
		for i := range n.gaps {
			g := &n.gaps[i]
			shown := served[n] != nil && served[n][i]
			switch own := g.tree == t.id; {
			case shown, own && g.misread != nil:
				spans = append(spans, undescribedSpan{n, g.from, g.to, shown || g.misread.online})
			case own && (g.from == 0 || g.to == never):
				spans = append(spans, undescribedSpan{n, g.from, g.to, false})
			}
		}
	}
	return spans, jobs.scan.Err()
}

// undescribedStates are the rows of a span.
func (t *treeAssembly) undescribedStates(s *undescribedSpan) (rows []trace.NodeState) {
	n := s.node
	if last := len(n.states) - 1; !s.online && s.to == never && last >= 0 && !n.states[last].online {
		return nil // it was offline before
	}
	if s.online {
		t.noteUndescribed(n)
	}
	rows = append(rows, trace.NodeState{
		Stamp: trace.Stamp{Time: max(s.from, t.began)}, Node: n.number, Online: s.online, Undescribed: core.Some(true), Source: "nodes_info",
	})
	if s.to != never && n.treeAt(s.to) != t.id {
		rows = append(rows, trace.NodeState{Stamp: trace.Stamp{Time: s.to}, Node: n.number, Source: "nodes_info"})
	}
	return rows
}

// noteUndescribed reports, once, a node that serves while no sample describes it.
func (a *assembly) noteUndescribed(n *node) {
	if !n.noted {
		n.noted = true
		a.undescribed++
		a.problems.Note(wholeLog, -1, "nodes", undescribedNode, n.address)
	}
}

// presentFrom is from when on the first sample of a node says what it was: since the log began, unless samples of its
// tree before lack it.
func (n *node) presentFrom(began core.Time) core.Time {
	first := n.states[0].time
	switch {
	case len(n.gaps) == 0 || n.gaps[0].from != 0 || n.gaps[0].to != first:
		return began
	case n.gaps[0].misread == nil && n.seen > n.gaps[0].lackedTo:
		return min(first, n.seen) // it came since then
	}
	return first
}
