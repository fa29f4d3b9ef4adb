package core

import (
	"slices"

	"poolproof/core/scheduling"
)

// Segments partition the nodes and operations of a tree (core/spec/scheduling.md §12). The log
// records the segment and module of a node. The segment of an operation is that of its spec, or
// else follows from its smallest job; its module is that of its jobs.

// segments tracks the modules of nodes and the segments with too few devices.
type segments struct {
	modules          []string // of nodes, by number less one
	shortSince       []Time   // by number of module, 0 for the default segment: since when it has been short, or Never
	surelyShortSince []Time   // likewise, without operations whose segment is unknown
	segmented        Time     // last change of their mode

	rooms []int64   // of the last update, and reused
	owed  []float64 // likewise
}

// runsIn holds the segment and module of an operation's jobs, as at the start of the first of them.
type runsIn struct {
	segment string // "": none, or not recorded
	module  string
	node    int32
	since   Time
}

// moduleOf numbers the modules of nodes from 1; 0 means no module.
func (t *Tree) moduleOf(n *Node) int32 {
	return t.moduleNumber(t.moduleName(n))
}

func (s *segments) moduleNumber(name string) int32 {
	if name == "" {
		return 0
	}
	if i := slices.Index(s.modules, name); i >= 0 {
		return int32(i + 1)
	}
	s.modules = append(s.modules, name)
	return int32(len(s.modules))
}

// ModuleOf returns the module of a node, "" if it has none.
func (t *Tree) ModuleOf(node int32) string { return t.moduleName(&t.nodes[node]) }

// RanIn returns the module in which the jobs of an operation in the segment of modules last ran, or
// "".
func (t *Tree) RanIn(o *Operation) string {
	if o.Segment != scheduling.LargeGPU {
		return ""
	}
	return o.segmentOfJobs.module
}

// segmentNode sets the segment and module of a node.
func (t *Tree) segmentNode(slot int32, e *Event) {
	n := &t.nodes[slot]
	from, was := n.Segment, t.moduleName(n)
	n.Segment, n.Module, n.Network = e.Segment, e.Module, e.Network
	if from == e.Segment && was == t.moduleName(n) {
		return
	}
	n.LastSegmented = e.Time
	t.doubtRuns(slot, e.Time)
	if t.config.Segments.Enable && from != e.Segment && from != "" && e.Segment != "" {
		t.changes.Moved = append(t.changes.Moved, SegmentMove{Node: slot, Time: e.Time, From: from, To: e.Segment, ShortSince: t.shortageSince(n)})
	}
}

// doubtRuns drops the segment and module of operations whose first job started on a node that may
// then have been in either of two segments, because the log records changes of nodes late.
func (t *Tree) doubtRuns(node int32, at Time) {
	if t.nodeLag == 0 {
		return
	}
	for slot := range t.operations {
		o := &t.operations[slot]
		if in := &o.segmentOfJobs; in.segment != "" && in.node == node && at-in.since <= t.nodeLag {
			*in, o.RunsDoubted = runsIn{}, at
		}
	}
}

// setSegment fixes the segment of an operation once it is known: that of its spec,
// else the one that its smallest job gives it.
func (t *Tree) setSegment(slot int32) {
	o, c := &t.operations[slot], &t.config.Segments
	if !c.Enable || o.SegmentKnown && !o.Params.Segment.Set {
		return
	}
	segment, known := scheduling.DefaultSegment, true
	switch least := o.MinNeeded; {
	case o.Params.Segment.Set:
		segment = scheduling.Segment(o.Params.Segment.Value)
	case !o.firstNeeded.IsZero():
		segment = scheduling.SegmentOf(o.firstNeeded, o.Params.Gang.Value, c.OnlyGangs)
	case !least.IsZero():
		o.firstNeeded = least
		segment = scheduling.SegmentOf(least, o.Params.Gang.Value, c.OnlyGangs)
	default:
		known = false
	}
	if known && (!o.SegmentKnown || segment != o.Segment) {
		o.Segment, o.SegmentKnown, o.SegmentSince, o.Module = segment, true, t.now, 0
		if segment == scheduling.LargeGPU && o.LiveJobs > 0 {
			o.Module = t.moduleNumber(o.segmentOfJobs.module)
		}
		t.pushOperation(slot)
	}
}

// setSegments fixes the segments of all operations again after a change of mode.
func (t *Tree) setSegments() {
	t.segmented = t.now
	t.shortSince, t.surelyShortSince = t.shortSince[:0], t.surelyShortSince[:0]
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive {
			o.Segment, o.SegmentKnown, o.Module, o.segmentOfJobs = scheduling.DefaultSegment, false, 0, runsIn{}
			t.setSegment(int32(slot))
			t.pushOperation(int32(slot))
		}
	}
}

// runIn records the segment and module in which a job of an operation starts.
func (t *Tree) runIn(slot int32, n *Node) {
	o := &t.operations[slot]
	if !t.config.Segments.Enable || n.Segment == "" {
		return
	}
	if o.LiveJobs == 0 {
		o.segmentOfJobs = runsIn{n.Segment, t.moduleName(n), t.nodeSlot[n.ID], t.now}
	}
	module := t.moduleOf(n)
	if o.Segment == scheduling.LargeGPU && module != 0 && module != o.Module && (o.LiveJobs == 0 || o.Module == 0) {
		o.Module = module
		t.pushOperation(slot)
	}
}

// SegmentFits reports whether the segment of a node is that of an operation, and its module one of
// those that the operation's spec names. known is false if the log does not record them.
func (t *Tree) SegmentFits(operation, node int32) (fits, known bool) {
	o, n := &t.operations[operation], &t.nodes[node]
	module := t.moduleName(n)
	switch {
	case !o.SegmentKnown || n.Segment == "":
		return false, false
	case o.Segment.String() != n.Segment:
		return false, true
	case o.Segment != scheduling.LargeGPU || o.Params.Modules == nil || len(*o.Params.Modules) == 0:
		return true, true
	}
	return slices.Contains(*o.Params.Modules, module), module != ""
}

// RunsInWrongModule reports whether a job runs in another module than its operation is assigned to,
// or in no module: the next heartbeat of its node aborts it (core/spec/scheduling.md §12).
func (t *Tree) RunsInWrongModule(job int32) bool {
	j := &t.jobs[job]
	o := &t.operations[j.Operation]
	return t.config.Segments.Enable && o.Segment == scheduling.LargeGPU && o.Module != 0 && j.Node != none && t.moduleOf(&t.nodes[j.Node]) != o.Module
}

// RunsElsewhere reports whether an operation has jobs that started in another segment than that of
// a node or, in one of modules, in another module. known is false if it has no jobs or the log does
// not record that.
func (t *Tree) RunsElsewhere(operation, node int32) (elsewhere, known bool) {
	o, n := &t.operations[operation], &t.nodes[node]
	if o.LiveJobs == 0 || o.segmentOfJobs.segment == "" || n.Segment == "" {
		return false, false
	}
	if o.segmentOfJobs.segment != n.Segment {
		return true, true
	}
	module := t.moduleName(n)
	if n.Segment != scheduling.LargeGPU.String() || o.segmentOfJobs.module == "" || module == "" {
		return false, n.Segment != scheduling.LargeGPU.String()
	}
	return module != o.segmentOfJobs.module, true
}

// SegmentedSince returns the time of the last change of segments or modules that a start depends
// on, or Never: a change of the node, or of the tree's mode.
func (t *Tree) SegmentedSince(node int32) Time {
	return max(t.nodes[node].LastSegmented, t.segmented)
}

// The timeouts of segments, in milliseconds (core/spec/scheduling.md §12).
const (
	defaultReset     = 20 * 60 * 1000
	defaultRebalance = 5 * 60 * 1000
	defaultInitial   = 5 * 60 * 1000
)
