package core

import (
	"cmp"
	"slices"

	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A SegmentMove records the move of a node to another segment.
type SegmentMove struct {
	Node     int32 // slot
	Time     Time
	From, To string

	// Wanting is the time since which the target segment (or module) may have had less than its
	// fair share, or Never.
	ShortSince Time
}

// trackShortages updates since when each segment has fewer devices than the fair shares of its
// operations. An operation whose segment is unknown may belong to any. Each module is a segment of
// its own; number 0 is the default segment.
func (t *Tree) trackShortages(now Time) {
	if !t.config.Segments.Enable {
		return
	}
	have, owed, anywhere := t.balance()
	t.shortSince = updateShortages(t.shortSince, now, have, owed, anywhere)
	t.surelyShortSince = updateShortages(t.surelyShortSince, now, have, owed, 0)
}

// updateShortages updates since when each segment has fewer devices than it is owed plus more.
func updateShortages(since []Time, now Time, have []int64, owed []float64, more float64) []Time {
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

// balance returns the devices that each segment has, the devices that the fair shares of its
// operations amount to, and those of operations that may belong to any segment.
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

// A Transfer is a move of a node by the segment manager.
type Transfer struct {
	Node    int32 // slot
	Segment scheduling.Segment
}

// Rebalance returns the nodes that the segment manager moves now, for a scheduler that started at
// began: every segment that has been short for longer than RebalanceTimeout gets the cheapest nodes
// of segments with a surplus until it has enough (core/spec/scheduling.md §12). In this reading
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
	for i := range t.surelyShortSince {
		if t.surelyShortSince[i] == Never || now-t.surelyShortSince[i] <= t.RebalanceTimeout() {
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

// donors returns the nodes that could move to a segment, the cheapest first.
func (t *Tree) donors(segment int32) []int32 {
	type donor struct {
		node          int32
		firmly, taken float64 // fractions of its devices under jobs that stay, and under all jobs
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

// segmentNumber returns the number of a node's segment, or of its module in the segment of modules.
func (t *Tree) segmentNumber(n *Node) int32 {
	if n.Segment == scheduling.LargeGPU.String() {
		return t.moduleOf(n)
	}
	return 0
}

// shortageSince returns since when the segment of a node is short, or Never.
func (t *Tree) shortageSince(n *Node) Time {
	if i := int(t.segmentNumber(n)); i < len(t.shortSince) {
		return t.shortSince[i]
	}
	return Never
}
