package core

import (
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A SegmentMove is a node that got another segment.
type SegmentMove struct {
	Node     int32 // slot
	Time     Time
	From, To string

	// Wanting is since when the segment that it went to, of modules that module of
	// it, may have had less than its fair share; -1 if it had enough.
	Wanting Time
}

// wantSegments keeps since when each segment has had less devices than the fair
// shares of its operations make. Operations of which it is not known where they
// belong may belong anywhere. Of modules each is a segment of its own; number 0
// is the default one.
func (t *Tree) wantSegments(now Time) {
	if !t.config.Segments.Enable {
		return
	}
	have := t.rooms[:0]
	owed := t.owed[:0]
	for range len(t.modules) + 1 {
		have, owed = append(have, 0), append(owed, 0)
	}
	t.rooms, t.owed = have, owed
	for i := range t.nodes {
		n := &t.nodes[i]
		have[t.segmentNumber(n)] += t.contribution(n)[resource.GPU]
	}
	anywhere, total := 0.0, float64(t.shareTotal[resource.GPU])
	for slot := range t.operations {
		o := &t.operations[slot]
		if !o.enabled {
			continue
		}
		fair := t.shares.Result(o.Element).FairShare.Total[resource.GPU] * total
		switch {
		case !o.SegmentKnown || o.Segment == scheduling.LargeGPU && o.Module == 0:
			anywhere += fair
		case o.Segment == scheduling.LargeGPU:
			owed[o.Module] += fair
		default:
			owed[0] += fair
		}
	}
	for len(t.wanting) < len(have) {
		t.wanting = append(t.wanting, -1)
	}
	for i := range have {
		switch wants := owed[i]+anywhere > float64(have[i])+1e-6; {
		case !wants:
			t.wanting[i] = -1
		case t.wanting[i] < 0:
			t.wanting[i] = now
		}
	}
}

// segmentNumber is that of a node's segment, the module where it is one of
// modules.
func (t *Tree) segmentNumber(n *Node) int32 {
	if n.Segment == scheduling.LargeGPU.String() {
		return t.moduleOf(n)
	}
	return 0
}

// wantingSince is since when the segment of a node has had too little, -1 if it
// has enough.
func (t *Tree) wantingSince(n *Node) Time {
	if i := int(t.segmentNumber(n)); i < len(t.wanting) {
		return t.wanting[i]
	}
	return -1
}

// RebalanceTimeout is how long a segment has too little before it is given nodes,
// and InitializationTimeout how long none is given after the scheduler's start
// (spec/scheduling.md §12).
func (t *Tree) RebalanceTimeout() Time {
	return Time(t.config.Segments.RebalanceTimeout.Or(defaultRebalance)) * Second / 1000
}

// InitializationTimeout: see RebalanceTimeout.
func (t *Tree) InitializationTimeout() Time {
	return Time(t.config.Segments.InitializationTimeout.Or(defaultInitial)) * Second / 1000
}
