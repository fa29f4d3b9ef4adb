package ledger

import (
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
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
}

// freeRoom is what a node has left, and whether that is anything. A resource whose rest the log
// does not record is unlimited.
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

// seeRoom looks for the free room of those that lack something.
func (l *Ledger) seeRoom(total resource.Vector) {
	s := &l.sight
	s.free, s.goesRound = resource.Share{}, resource.Share{}
	if len(s.wanting) == 0 {
		return
	}
	c := &s.classes
	for i := range c.all {
		c.all[i] = class{node: -1, free: c.all[i].free[:0]}
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
		l.seeRoomOf(slot, short, total)
	}
	for k := range s.goesRound {
		if lacking[k] > 0 {
			s.goesRound[k] = min(1, s.free[k]/lacking[k])
		}
	}
}

// dominant is the resource with the greatest share.
func dominant(s resource.Share) (k int) {
	for i := range s {
		if s[i] > s[k] {
			k = i
		}
	}
	return k
}

// measured is room as shares of the tree, none of what is not measured.
func (l *Ledger) measured(room, total resource.Vector) resource.Share {
	share := room.ShareOf(total)
	for k, measured := range l.Log.Measured {
		if !measured {
			share[k] = 0
		}
	}
	return share
}

// smallestJob is the smallest job that an operation waits for, zero if the log does not record its
// size: demand that is made up of the jobs to come tells what they take together.
func (l *Ledger) smallestJob(slot int32) resource.Vector {
	if o := l.Core.Operation(slot); l.reconstructed && o.MinNeeded.IsZero() && o.PendingJobs != 1 {
		return resource.Vector{}
	}
	return l.Core.SmallestJob(slot)
}

// seeRoomOf looks for the free room of one operation that falls short of its fair share, and has
// the pools above it see the most that one of theirs has.
func (l *Ledger) seeRoomOf(slot int32, short resource.Share, total resource.Vector) {
	room := &l.sight.operations[slot].roomSight
	job := l.smallestJob(slot)
	for i := range l.sight.classes.all {
		c := &l.sight.classes.all[i]
		if len(c.free) == 0 {
			continue
		}
		if !l.mayUse(slot, c.node) {
			room.excluded = room.excluded.Add(c.room)
			continue
		}
		l.seeRoomIn(c, room, job, short, total)
	}
	for p := l.Core.Operation(slot).Pool; p >= 0; p = l.Core.Pool(p).Parent {
		above := &l.sight.pools[p].roomSight
		above.fitting, above.pieces = above.fitting.Max(room.fitting), above.pieces.Max(room.pieces)
		above.excluded = above.excluded.Max(room.excluded)
		if room.scarce >= 0 {
			above.scarce = room.scarce
		}
	}
}

// mayUse reports whether tags, segments and modules let an operation use a node.
func (l *Ledger) mayUse(operation, node int32) bool {
	fits, known := l.Core.SegmentFits(operation, node)
	elsewhere, _ := l.Core.RunsElsewhere(operation, node)
	return l.Core.Admits(operation, node) && (fits || !known) && !elsewhere
}

// seeRoomIn adds the free room of a class that an operation may use.
func (l *Ledger) seeRoomIn(c *class, room *roomSight, job resource.Vector, short resource.Share, total resource.Vector) {
	if !job.FitsIn(c.most) {
		room.pieces = room.pieces.Add(c.room)
		for k := range job {
			if job[k] > c.most[k] {
				room.scarce = int8(k)
			}
		}
		return
	}
	one, left := l.measured(job, total), c.room
	for _, slot := range c.free {
		if short.FitsIn(room.fitting) {
			break // more than it lacks is of no use
		}
		free, _ := l.freeRoom(l.Core.Node(slot))
		if jobs := jobsIn(job, free); jobs > 0 {
			room.fitting = room.fitting.Add(one.Scale(float64(jobs)))
			left = left.Sub(one.Scale(float64(jobs)))
		} else {
			room.scarce = scarcest(job, free)
		}
	}
	for k := range left {
		left[k] = max(0, left[k])
	}
	room.pieces = room.pieces.Add(left)
}

// jobsIn is how many jobs fit in some room.
func jobsIn(job, room resource.Vector) int64 {
	jobs := int64(-1)
	for k, x := range job {
		if x > 0 && (jobs < 0 || room[k]/x < jobs) {
			jobs = room[k] / x
		}
	}
	return max(jobs, 0)
}

// scarcest is the resource that a job needs most of beyond some room.
func scarcest(job, room resource.Vector) int8 {
	at, most := int8(-1), 1.0
	for k, x := range job {
		if x > room[k] {
			if part := float64(room[k]) / float64(x); at < 0 || part < most {
				at, most = int8(k), part
			}
		}
	}
	return at
}
