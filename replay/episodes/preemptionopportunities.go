package episodes

import (
	"slices"

	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// An operation may starve because its jobs may not run on the nodes with room, because limits are
// reached, or because no preemption would make room for them. So, as for guarantees, the replay
// checks periodically whether preemption could have served it (core/spec/invariants.md STV-09), and
// the longest uninterrupted stretch counts. Many operations may starve at once, so the room of a
// node is determined once for all of them.
const operationsLookedAt = 256 // per check, in rotation

// An opportunity holds the results of checks of an operation while it starves.
type opportunity struct {
	starving bool
	place    int       // index among starving operations
	from     core.Time // since when it starves
	looked   bool
	summed   core.Time // until when the stretches are complete

	// For any job that may be pending, and for one with a recorded size.
	may, surely                 stretch
	longest, surelyLongest      int64 // µs
	longestFrom, surelyLongFrom core.Optional[core.Time]
	until, surelyUntil          core.Optional[core.Time] // the end of the first stretch
}

// preemptionOpportunities holds the opportunities of currently starving operations.
type preemptionOpportunities struct {
	starving []int32   // slots
	look     core.Time // the next one
	next     int       // index in starving where the next check begins
	node     int32     // where the last look ended

	lucky, before []int32 // nodes where this check and the last one found room

	asked    []int32             // slots of operations without room so far in this check
	elements []fairshare.Element // theirs
}

// updateStarving updates the list of starving operations.
func (c *preemptionOpportunities) updateStarving(r *Recorder, slot int32, now core.Time) {
	own := &r.operations[slot].starvations
	switch starving := own.of[0].open || own.of[1].open; {
	case own.opportunity.starving == starving:
	case starving:
		own.opportunity = opportunity{
			starving: true, place: len(c.starving), from: now, summed: now, may: stretch{first: true}, surely: stretch{first: true},
		}
		c.starving = append(c.starving, slot)
	default:
		last := len(c.starving) - 1
		moved := c.starving[last]
		r.operations[moved].starvations.opportunity.place = own.opportunity.place
		c.starving[own.opportunity.place] = moved
		c.starving, own.opportunity.starving = c.starving[:last], false
	}
}

// passTo checks, in the state that lasts until an instant, the operations that have starved long
// enough.
func (c *preemptionOpportunities) passTo(r *Recorder, to core.Time) {
	if len(c.starving) == 0 || to < c.look {
		return
	}
	for turns := 1 + len(c.starving)/operationsLookedAt; turns > 0 && c.look <= to; turns-- {
		c.takeTurn(r, to)
		c.look += lookEvery
	}
	c.look = max(c.look, to+lookEvery)
}

// takeTurn checks the operations whose turn it is.
func (c *preemptionOpportunities) takeTurn(r *Recorder, to core.Time) {
	c.asked, c.elements = c.asked[:0], c.elements[:0]
	for range c.starving {
		c.next = (c.next + 1) % len(c.starving)
		slot := c.starving[c.next]
		switch opportunity := &r.operations[slot].starvations.opportunity; {
		case to-opportunity.from < oldEnoughToLook:
		case r.Records.TakesNoPart(slot, r.Core.Operation(slot).ID):
			opportunity.see(r.Now, to, false, false)
		default:
			c.asked, c.elements = append(c.asked, slot), append(c.elements, r.Core.Operation(slot).Element)
		}
		if len(c.asked) == operationsLookedAt {
			break
		}
	}
	c.goRound(r, to)
	for _, slot := range c.asked {
		r.operations[slot].starvations.opportunity.see(r.Now, to, false, false)
	}
}

// goRound visits nodes until all operations have found room, starting with nodes that last had
// some. In a tree of many jobs it does not visit all nodes.
func (c *preemptionOpportunities) goRound(r *Recorder, at core.Time) {
	seen := 0
	c.lucky, c.before = c.before[:0], c.lucky
	for _, node := range c.before {
		c.lookAt(r, node, at, &seen)
	}
	nodes := int32(r.Core.Nodes())
	for k := int32(0); k < nodes && seen < jobsLookedAt; k++ {
		if len(c.asked) == 0 {
			return
		}
		c.node = (c.node + 1) % nodes
		c.lookAt(r, c.node, at, &seen)
	}
}

// lookAt checks a node for the remaining operations, and adds its jobs to seen.
func (c *preemptionOpportunities) lookAt(r *Recorder, node int32, at core.Time, seen *int) {
	n := r.Core.Node(node)
	if !n.Online {
		return
	}
	*seen += 1 + int(n.LiveJobs)
	before := len(c.asked)
	r.Core.Scheduling().CouldServe(scheduling.Heartbeat{Node: env.Handle(node), Now: int64(at)}, c.elements, r.Log.Measured, func(i int) {
		if slot := c.asked[i]; r.mayRunOn(slot, node) {
			_, sized := r.Core.Operation(slot).JobSize()
			r.operations[slot].starvations.opportunity.see(r.Now, at, true, sized && r.Core.StartsFromKnownState())
			c.asked[i] = -1
		}
	})
	c.asked = slices.DeleteFunc(c.asked, func(slot int32) bool { return slot < 0 })
	if len(c.asked) == before {
		return
	}
	c.lucky, c.elements = append(c.lucky, node), c.elements[:0]
	for _, slot := range c.asked {
		c.elements = append(c.elements, r.Core.Operation(slot).Element)
	}
}

// see applies the result of a check for a time: whether the operation could have been served, and
// whether that is certain by the recorded size of its jobs and known shares.
func (c *opportunity) see(since, to core.Time, served, sized bool) {
	c.sumTo(max(c.summed, since))
	c.may.see(served)
	c.surely.see(served && sized)
	c.sumTo(to)
	c.looked = true
}

// sumTo adds the time until an instant.
func (c *opportunity) sumTo(to core.Time) {
	length := int64(to - c.summed)
	c.may.lengthen(length, to, &c.longest, &c.longestFrom, &c.until)
	c.surely.lengthen(length, to, &c.surelyLongest, &c.surelyLongFrom, &c.surelyUntil)
	c.summed = to
}

// fill fills in the columns of an episode that ends.
func (c *opportunity) fill(row *tables.StarvationEpisode) {
	if !c.starving {
		return // opportunities of pools are not tracked
	}
	c.sumTo(row.ToTime)
	row.PreemptibleUntil, row.PreemptibleSince = c.until, c.may.since(row.ToTime)
	row.SurelyPreemptibleUntil, row.SurelyPreemptibleSince = c.surelyUntil, c.surely.since(row.ToTime)
	if !c.looked {
		return
	}
	row.Preemptible, row.PreemptibleFrom = core.Some(c.longest), c.longestFrom
	row.SurelyPreemptible, row.SurelyPreemptibleFrom = core.Some(c.surelyLongest), c.surelyLongFrom
}

// cut restarts the results with another row of the episode.
func (c *opportunity) cut(at core.Time) {
	c.sumTo(at)
	c.longest, c.longestFrom, c.until = 0, core.Optional[core.Time]{}, core.Optional[core.Time]{}
	c.surelyLongest, c.surelyLongFrom, c.surelyUntil = 0, core.Optional[core.Time]{}, core.Optional[core.Time]{}
	c.may.cut()
	c.surely.cut()
}
