package ledger

import (
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// classes are the nodes by what tag filters and segments tell apart, so that an operation is
// compared with a class and not with each node.
type classes struct {
	of    []int32 // class by node slot, -1 before the first look
	asOf  []core.Time
	known map[string]int32
	all   []class
	key   strings.Builder
}

// A class is the nodes that every operation may use or none.
type class struct {
	node int32   // one of them, online
	free []int32 // nodes with free room
	room resource.Share
	most resource.Vector // the most that is free on one node, of each resource

	sorted [resource.Kinds][]int64 // what is free of a resource on each node, ascending; empty until asked for
}

// lacking returns the number of nodes of a class with less than an amount of a resource free.
func (l *Ledger) lacking(c *class, k int, amount int64) int32 {
	if len(c.sorted[k]) == 0 {
		for _, slot := range c.free {
			free, _ := l.freeRoom(l.Core.Node(slot))
			c.sorted[k] = append(c.sorted[k], free[k])
		}
		slices.Sort(c.sorted[k])
	}
	at, _ := slices.BinarySearch(c.sorted[k], amount)
	return int32(at)
}

// freeRoom returns the free resources of a node, and whether there are any. A resource whose usage
// is not recorded is unlimited.
func (l *Ledger) freeRoom(n *core.Node) (room resource.Vector, some bool) {
	for k, measured := range l.Log.Measured {
		if !measured {
			room[k] = resource.Unlimited[k]
			continue
		}
		if room[k] = max(0, n.Limits[k]-n.Usage[k]); room[k] > 0 {
			some = true
		}
	}
	return room, some
}

// classOf returns the class of a node.
func (c *classes) classOf(slot int32, n *core.Node) int32 {
	for len(c.of) <= int(slot) {
		c.of, c.asOf = append(c.of, -1), append(c.asOf, -1)
	}
	if changed := max(n.LastTagged, n.LastSegmented); c.of[slot] < 0 || c.asOf[slot] != changed {
		c.asOf[slot] = changed
		c.key.Reset()
		for _, tag := range n.Tags {
			c.key.WriteString(tag)
			c.key.WriteByte(0)
		}
		for _, word := range [...]string{n.Segment, n.Module, n.Network} {
			c.key.WriteByte(1)
			c.key.WriteString(word)
		}
		if c.known == nil {
			c.known = map[string]int32{}
		}
		at, ok := c.known[c.key.String()]
		if !ok {
			at = int32(len(c.all))
			c.known[c.key.String()] = at
			c.all = append(c.all, class{})
		}
		c.of[slot] = at
	}
	return c.of[slot]
}

// sampleRoom finds the free room for operations with a deficit.
func (l *Ledger) sampleRoom(total resource.Vector) {
	s := &l.sample
	s.free, s.freeCoverage = resource.Share{}, resource.Share{}
	if len(s.wanting) == 0 {
		return
	}
	c := &s.classes
	for i := range c.all {
		next := class{node: -1, free: c.all[i].free[:0]}
		for k := range next.sorted {
			next.sorted[k] = c.all[i].sorted[k][:0]
		}
		c.all[i] = next
	}
	var lacking resource.Share
	for slot := range int32(l.Core.Nodes()) {
		n := l.Core.Node(slot)
		if !n.Online || l.Core.IsDisabled(slot) {
			continue
		}
		room, some := l.freeRoom(n)
		if !some {
			continue
		}
		own := &c.all[c.classOf(slot, n)]
		own.node = slot
		own.free = append(own.free, slot)
		own.most = own.most.Max(room)
		own.room = own.room.Add(l.measured(room, total))
	}
	for i := range c.all {
		s.free = s.free.Add(c.all[i].room)
	}
	for _, slot := range s.wanting {
		o := l.Core.Operation(slot)
		fair, usage := l.Published(o).FairShare.Total, o.Usage.ShareOf(total)
		var short resource.Share
		for k := range fair {
			short[k] = max(0, fair[k]-usage[k])
		}
		lacking = lacking.Add(short)
		l.sampleRoomOf(slot, short, total)
	}
	for k := range s.freeCoverage {
		if lacking[k] > 0 {
			s.freeCoverage[k] = min(1, s.free[k]/lacking[k])
		}
	}
}

// dominant returns the resource with the greatest share.
func dominant(s resource.Share) (k int) {
	for i := range s {
		if s[i] > s[k] {
			k = i
		}
	}
	return k
}

// measured returns room as shares of the tree, 0 for unmeasured resources.
func (l *Ledger) measured(room, total resource.Vector) resource.Share {
	share := room.ShareOf(total)
	for k, measured := range l.Log.Measured {
		if !measured {
			share[k] = 0
		}
	}
	return share
}

// smallestJob returns the operation's smallest pending job, zero if its size is not recorded:
// demand that is reconstructed from later jobs states only their sum.
func (l *Ledger) smallestJob(slot int32) resource.Vector {
	if o := l.Core.Operation(slot); l.reconstructed && o.MinNeeded.IsZero() && o.PendingJobs != 1 {
		return resource.Vector{}
	}
	return l.Core.SmallestJob(slot)
}

// sampleRoomOf finds the free room for one operation below its fair share, and updates the maximum
// of its pools.
func (l *Ledger) sampleRoomOf(slot int32, short resource.Share, total resource.Vector) {
	room := &l.sample.operations[slot].roomSample
	job := l.smallestJob(slot)
	var most resource.Vector
	for i := range l.sample.classes.all {
		c := &l.sample.classes.all[i]
		if len(c.free) == 0 {
			continue
		}
		switch l.Core.ObstacleAt(slot, c.node) {
		case scheduling.NoObstacle:
			l.sampleRoomIn(c, room, job, short, total)
			most = most.Max(c.most)
		case scheduling.RegularJobOnSSDForbidden:
			room.forSSD = room.forSSD.Add(c.room)
		default:
			room.excluded = room.excluded.Add(c.room)
		}
	}
	room.scarce = shortest(&room.short, job, most)
	for p := l.Core.Operation(slot).Pool; p >= 0; p = l.Core.Pool(p).Parent {
		above := &l.sample.pools[p].roomSample
		above.fitting, above.pieces = above.fitting.Max(room.fitting), above.pieces.Max(room.pieces)
		above.excluded, above.forSSD = above.excluded.Max(room.excluded), above.forSSD.Max(room.forSSD)
		if above.unoffered = above.unoffered.Max(room.unoffered); room.spare >= 0 && above.spare < 0 {
			above.spare = room.spare
		}
		if room.scarce >= 0 {
			above.short[room.scarce] += room.short[room.scarce]
			above.scarce = shortest(&above.short, resource.Vector{}, resource.Vector{})
		}
	}
}

// shortest returns the resource that a job lacks on most nodes, as explain counts them; of several
// the one of which the best node has the least part of a job. It returns -1 if a job lacks nothing
// anywhere.
func shortest(nodes *[resource.Kinds]int32, job, most resource.Vector) int8 {
	at := -1
	for k, n := range nodes {
		switch {
		case n == 0 || at >= 0 && n < nodes[at]:
		case at < 0 || n > nodes[at] || float64(most[k])*float64(job[at]) < float64(most[at])*float64(job[k]):
			at = k
		}
	}
	return int8(at)
}

// sampleRoomIn adds the free room of a class that an operation may use.
func (l *Ledger) sampleRoomIn(c *class, room *roomSample, job resource.Vector, short resource.Share, total resource.Vector) {
	if !job.FitsIn(c.most) {
		room.pieces = room.pieces.Add(c.room)
		for k, x := range job {
			if x > 0 {
				room.short[k] += l.lacking(c, k, x)
			}
		}
		return
	}
	one, left, spare := l.measured(job, total), c.room, l.Core.Scheduling().LeastOffered()
	for _, slot := range c.free {
		if short.FitsIn(room.fitting) {
			break // more than it lacks is useless
		}
		free, _ := l.freeRoom(l.Core.Node(slot))
		jobs := jobsIn(job, free)
		offered, at := offeredIn(job, spare, free, jobs)
		if offered < jobs {
			room.unoffered, room.spare = room.unoffered.Add(one.Scale(float64(jobs-offered))), at
		}
		room.fitting = room.fitting.Add(one.Scale(float64(offered)))
		left = left.Sub(one.Scale(float64(jobs)))
		if jobs == 0 {
			for k, x := range job {
				if x > free[k] {
					room.short[k]++
				}
			}
		}
	}
	for k := range left {
		left[k] = max(0, left[k])
	}
	room.pieces = room.pieces.Add(left)
}

// jobsIn returns the number of jobs that fit in room.
func jobsIn(job, room resource.Vector) int64 {
	jobs := int64(-1)
	for k, x := range job {
		if x > 0 && (jobs < 0 || room[k]/x < jobs) {
			jobs = room[k] / x
		}
	}
	return max(jobs, 0)
}

// offeredIn returns how many of the jobs that fit in room would be offered it, one after the other,
// while at least spare is left and, if not all are, the resource that falls below spare.
func offeredIn(job, spare, room resource.Vector, jobs int64) (offered int64, at int8) {
	offered, at = jobs, -1
	for k, x := range job {
		most := jobs
		switch rest := room[k] - spare[k]; {
		case rest < 0:
			most = 0
		case x > 0:
			most = rest/x + 1
		}
		if most < offered {
			offered, at = most, int8(k)
		}
	}
	return offered, at
}
