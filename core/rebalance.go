package core

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A SegmentMove is a node that got another segment.
type SegmentMove struct {
	Node     int32 // slot
	Time     Time
	From, To string

	// Wanting is since when the segment that it went to, of modules that module of
	// it, may have had less than its fair share; Never if it had enough.
	Wanting Time
}

// wantSegments keeps since when each segment has had less devices than the fair
// shares of its operations make. Operations whose segment is not known
// may belong anywhere. Each module is a segment of its own; number 0
// is the default one.
func (t *Tree) wantSegments(now Time) {
	if !t.config.Segments.Enable {
		return
	}
	have, owed, anywhere := t.balance()
	t.wanting = followWants(t.wanting, now, have, owed, anywhere)
	t.lacking = followWants(t.lacking, now, have, owed, 0)
}

// followWants keeps since when each segment has had less devices than it is owed, and
// more.
func followWants(since []Time, now Time, have []int64, owed []float64, more float64) []Time {
	for len(since) < len(have) {
		since = append(since, Never)
	}
	for i := range have {
		switch wants := owed[i]+more > float64(have[i])+1e-6; {
		case !wants:
			since[i] = Never
		case since[i] == Never:
			since[i] = now
		}
	}
	return since
}

// balance returns the devices that each segment has, those that the fair shares of its
// operations make, and those of operations that may belong anywhere.
func (t *Tree) balance() (have []int64, owed []float64, anywhere float64) {
	have, owed = t.rooms[:0], t.owed[:0]
	for range len(t.modules) + 1 {
		have, owed = append(have, 0), append(owed, 0)
	}
	t.rooms, t.owed = have, owed
	for i := range t.nodes {
		n := &t.nodes[i]
		have[t.segmentNumber(n)] += t.contribution(n)[resource.GPU]
	}
	total := float64(t.shareTotal[resource.GPU])
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
	return have, owed, anywhere
}

// A Transfer is a node that the manager of segments gives another segment.
type Transfer struct {
	Node    int32 // slot
	Segment scheduling.Segment
}

// Rebalance says which nodes the manager of segments moves now, of a scheduler that works
// since some moment: to every segment that has had too little for longer than
// RebalanceTimeout the cheapest nodes of those that have more than enough, until it has
// enough (core/spec/scheduling.md §12). As it is read here
//
//   - what a segment has and is owed are devices, at the last update, as for SEG-03; a node
//     goes only where the segment that it leaves keeps enough, and to a module only within it;
//   - the penalty of a node is the part of its devices on which jobs run that no stage takes
//     from, and of equal ones that on which any job runs; then the node seen first goes;
//   - segments have their turn in the order of their numbers, the default one first;
//   - a tree that sets a reserve or a margin is left alone, for they are not followed.
func (t *Tree) Rebalance(now, began Time) (list []Transfer) {
	if c := &t.config.Segments; !c.Enable || c.Reserve || now <= began+t.InitializationTimeout() {
		return nil
	}
	have, owed := t.rooms, t.owed // of the last update
	for i := range t.lacking {
		if t.lacking[i] == Never || now-t.lacking[i] <= t.RebalanceTimeout() {
			continue
		}
		for _, slot := range t.donors(int32(i)) {
			n := &t.nodes[slot]
			from, devices := t.segmentNumber(n), t.contribution(n)[resource.GPU]
			if owed[i] <= float64(have[i]) {
				break
			}
			if int(from) >= len(have) || float64(have[from]-devices) < owed[from] {
				continue
			}
			have[from], have[i] = have[from]-devices, have[i]+devices
			to := scheduling.DefaultSegment
			if i > 0 {
				to = scheduling.LargeGPU
			}
			list = append(list, Transfer{slot, to})
		}
	}
	return list
}

// donors are the nodes that could go to a segment, the cheapest first.
func (t *Tree) donors(segment int32) []int32 {
	type donor struct {
		node          int32
		firmly, taken float64 // parts of its devices that jobs which stay, and all jobs, run on
	}
	var all []donor
	for slot := range t.nodes {
		n := &t.nodes[slot]
		devices := t.contribution(n)[resource.GPU]
		if devices == 0 || t.segmentNumber(n) == segment || segment != 0 && t.moduleOf(n) != segment {
			continue
		}
		var firm, taken int64
		t.NodeJobs(int32(slot), func(job int32) {
			j := &t.jobs[job]
			taken += j.Usage[resource.GPU]
			if t.scheduling.List(j.handle) != scheduling.Preemptible {
				firm += j.Usage[resource.GPU]
			}
		})
		all = append(all, donor{int32(slot), float64(firm) / float64(devices), float64(taken) / float64(devices)})
	}
	slices.SortStableFunc(all, func(a, b donor) int { return cmp.Or(cmp.Compare(a.firmly, b.firmly), cmp.Compare(a.taken, b.taken)) })
	slots := make([]int32, len(all))
	for i := range all {
		slots[i] = all[i].node
	}
	return slots
}

// segmentNumber is that of a node's segment, the module where it is one of
// modules.
func (t *Tree) segmentNumber(n *Node) int32 {
	if n.Segment == scheduling.LargeGPU.String() {
		return t.moduleOf(n)
	}
	return 0
}

// wantingSince is since when the segment of a node has had too little, Never if it
// has enough.
func (t *Tree) wantingSince(n *Node) Time {
	if i := int(t.segmentNumber(n)); i < len(t.wanting) {
		return t.wanting[i]
	}
	return Never
}
