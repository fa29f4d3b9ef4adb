package core

import (
	"slices"

	"poolproof/core/pooltree"
	"poolproof/core/prefetch"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A Node is one machine of the tree. Its slot is its number in the
// scheduling.Tree.
type Node struct {
	// What every heartbeat asks for comes first, see prefetchHeartbeat.
	ID              NodeID
	Online          bool
	Undescribed     bool // what it has and its tags are unknown
	recorded        bool // a row of it has been
	TellsPreemptive bool // its heartbeats tell whether preemptive stages ran
	touched         bool
	Skipped         Optional[bool]  // scheduling was skipped on the last heartbeat
	LiveJobs        int32           // jobs that are not over
	Waiting         int32           // live jobs that wait on it for their room, as far as heartbeats tell
	LastHeartbeat   Time            // Never before the first
	HeartbeatSeq    int64           // Seq of the last heartbeat: orders those of one instant
	Interval        Time            // the longest time between two of its heartbeats, see noteInterval
	BackSince       Time            // when it sent a heartbeat first after LastOffline, Never if it has not
	registered      Time            // when it came online last
	Reported        resource.Vector // usage of the last heartbeat, before scheduling
	Limits          resource.Vector // what it has; zero where the log does not record it

	Usage   resource.Vector // granted to its live jobs
	Tags    pooltree.Tags
	Segment string // scheduling_segment
	Module  string // data center
	Network string // InfiniBand cluster

	LastTagged    Time // when its tags changed last
	LastSSD       Time // when other tags made it an SSD-priority node or took that away last, Never if never
	LastSegmented Time // when its segment or module changed last, Never if never
	LastInPlace   Time // when a preemptive stage started a job on it last, Never if none has
	LastOffline   Time // since when the log has called it offline last, Never if it never did

	overfull   int64    // since when its jobs have not fitted it, scheduling.Never if they fit
	crowded    int64    // likewise if they use more by what reports of usage may be off
	preemptive [2]int64 // when preemptive stages ran last, and at the instant before that
	untimed    [2]bool  // that is the latest moment at which they can have run
}

// prefetchHeartbeat prefetches what a heartbeat asks for.
func (n *Node) prefetchHeartbeat() { prefetch.Fields(&n.ID, &n.Limits) }

// HeartbeatSpan is how far apart the rows of one heartbeat of a node are at most: a log
// tells the moment of each decision, and the heartbeat takes some time
// (ingest/trace/FORMAT.md §4.3).
const HeartbeatSpan = Second / 20

// Answers reports whether what the log tells of a moment was decided by the last heartbeat
// that it holds of the node.
func (n *Node) Answers(at Time) bool { return at-n.LastHeartbeat < HeartbeatSpan }

// sameHeartbeat reports whether what happened on a node at two moments, the earlier one
// first, is of one heartbeat: they are close, and the log holds no heartbeat between them.
func (n *Node) sameHeartbeat(before, at Time) bool {
	return before == at || at-before < HeartbeatSpan && before >= n.LastHeartbeat
}

// nodeAt returns the slot of a node, which it adds if the log had not
// introduced it. No row describes such a node.
func (t *Tree) nodeAt(id NodeID) int32 {
	if slot := t.nodeSlot[id]; slot != none {
		return slot
	}
	slot := int32(len(t.nodes))
	t.nodes = append(t.nodes, Node{
		ID: id, Undescribed: true, overfull: scheduling.Never, crowded: scheduling.Never, preemptive: [2]int64{scheduling.Never, scheduling.Never},
		LastHeartbeat: Never, BackSince: Never, registered: Never, LastTagged: Never, LastSSD: Never, LastSegmented: Never,
		LastInPlace: Never, LastOffline: Never,
	})
	t.nodeSlot[id] = slot
	t.scheduling.AddNode(scheduling.NodeSettings{})
	return slot
}

// changeNode applies a node's new size, tags or presence. The tree's total is
// the sum over online nodes (core/spec/fair-share.md §3.2).
func (t *Tree) changeNode(e *Event) {
	slot := t.nodeAt(e.Node)
	n := &t.nodes[slot]
	before, introduced := t.contribution(n), n.Online || !n.Limits.IsZero()
	if n.Online && !e.Online {
		t.loseJobs(func(visit func(int32)) { t.NodeJobs(slot, visit) })
	}
	if e.Online && !n.Online { // whoever registers has no backoff
		n.registered = e.Time
		t.scheduling.SetLastPreemptive(scheduling.Node(slot), scheduling.Never)
	}
	if !e.Online && (n.Online || n.LastOffline == Never) {
		n.LastOffline, n.BackSince = e.Time, Never
	}
	t.describe(n, e)
	if e.Limits[resource.UserSlots] > 0 {
		t.countSlots()
	}
	if !slices.Equal(n.Tags, e.Tags) {
		if introduced && e.Online {
			t.lastTagged = e.Time
		}
		ssd := t.isSSD(n)
		n.Tags, n.LastTagged = e.Tags, e.Time
		if introduced && t.isSSD(n) != ssd {
			n.LastSSD = e.Time
		}
		t.stale = true
	}
	t.segmentNode(slot, e)
	t.setNode(slot)
	after := t.contribution(n)
	t.noteOverfull(slot)
	t.touchNode(slot)
	t.replaceContribution(before, after)
}

// describe takes over whether a node is online and what it has.
func (t *Tree) describe(n *Node, e *Event) {
	t.countUndescribed(n, -1)
	n.Online, n.Undescribed, n.Limits, n.recorded = e.Online, e.Undescribed, e.Limits, true
	if n.Undescribed {
		n.Limits = resource.Vector{}
	}
	t.countUndescribed(n, 1)
}

// countSlots notes that the log tells of user slots, so that a node without any is
// one that takes no jobs.
func (t *Tree) countSlots() {
	if t.slots {
		return
	}
	t.slots = true
	for slot := range t.nodes {
		if n := &t.nodes[slot]; t.isDisabled(n) {
			t.setNode(int32(slot))
			t.noteOverfull(int32(slot))
			t.replaceContribution(n.Limits, t.contribution(n))
		}
	}
}

// replaceContribution follows what a node adds to the tree's total.
func (t *Tree) replaceContribution(before, after resource.Vector) {
	if before != after {
		t.total, t.lastResized = t.total.Sub(before).Add(after), t.now
		t.stale = true
		t.touchPool(0)
	}
}

// setNode hands a node's settings on.
func (t *Tree) setNode(slot int32) {
	n := &t.nodes[slot]
	t.tags.SetNode(int(slot), n.Tags, t.contribution(n), n.Online)
	t.staleTags = true
	t.scheduling.SetNode(scheduling.Node(slot), t.nodeSettings(n))
}

func (t *Tree) nodeSettings(n *Node) scheduling.NodeSettings {
	s := scheduling.NodeSettings{
		Limits:   t.contribution(n),
		Disabled: t.isDisabled(n),
		SSD:      t.isSSD(n),
		Module:   t.moduleOf(n),
	}
	if n.Segment == scheduling.LargeGPU.String() {
		s.Segment = scheduling.LargeGPU
	}
	return s
}

// Aborts reports whether the next heartbeat of a node aborts all jobs on it: it is
// disabled, and the cluster has enable_job_abort_on_zero_user_slots.
func (t *Tree) Aborts(node int32) bool {
	return t.IsDisabled(node) && t.cluster.AbortWithoutSlots.Or(true)
}

// receiveHeartbeat notes what a node reports. What the heartbeat carried comes
// as events of its own.
func (t *Tree) receiveHeartbeat(e *Event) {
	slot := t.nodeAt(e.Node)
	n := &t.nodes[slot]
	t.noteInterval(n, e.Time)
	n.LastHeartbeat, n.HeartbeatSeq, n.Reported, n.Skipped = e.Time, e.Seq, e.Usage, e.Skipped
	n.TellsPreemptive = n.TellsPreemptive || e.Preemptive.Set
	if !n.Online && n.BackSince == Never {
		n.BackSince = e.Time
	}
	if t.Aborts(slot) {
		t.loseJobs(func(visit func(int32)) { t.NodeJobs(slot, visit) })
	}
	t.scheduling.Report(scheduling.Node(slot), int64(e.Time))
	if e.Preemptive.Value {
		t.notePreemptive(slot, false)
	}
}

// noteInterval keeps the longest time between two heartbeats of a node, the observed
// maximum of core/spec/scheduling.md §13.5. What passed while the node was offline or the
// scheduler away tells nothing of its interval; nor does more than
// node_heartbeat_timeout, after which the scheduler holds a node lost that the log may
// still call online: one silence of a dead node excuses nobody later. Of a log that leaves
// heartbeats out nothing is known.
func (t *Tree) noteInterval(n *Node, now Time) {
	if !t.allHeartbeats || !n.Online || n.LastHeartbeat == Never || n.LastHeartbeat < max(n.registered, t.restarted) {
		return
	}
	if passed := now - n.LastHeartbeat; passed <= Time(t.cluster.HeartbeatTimeout.Or(heartbeatTimeout))*1000 {
		n.Interval = max(n.Interval, passed)
	}
}

// heartbeatTimeout is the default of node_heartbeat_timeout (core/spec/scheduling.md §3.4).
const heartbeatTimeout pooltree.Milliseconds = 60_000

// notePreemptive notes that preemptive stages run on a node now, or did at an unknown
// time before.
func (t *Tree) notePreemptive(slot int32, untimed bool) {
	n, now := &t.nodes[slot], int64(t.now)
	if !n.sameHeartbeat(Time(n.preemptive[0]), t.now) {
		n.preemptive = [2]int64{now, n.preemptive[0]}
		n.untimed = [2]bool{untimed, n.untimed[0]}
		t.scheduling.SetLastPreemptive(scheduling.Node(slot), now)
	} else if !untimed {
		n.untimed[0] = false
	}
}

// noteOverfull keeps since when a node's jobs have not fitted it, and may have not: no
// heartbeat tells that while it is offline (core/spec/scheduling.md §9.1).
func (t *Tree) noteOverfull(slot int32) {
	n := &t.nodes[slot]
	room, used := t.contribution(n), n.Online && !n.Undescribed && !t.isDisabled(n)
	noteClock(&n.overfull, used && !n.Usage.FitsIn(room), t.now)
	if t.usagePart > 0 {
		noteClock(&n.crowded, used && !n.Usage.Times(1+t.usagePart).FitsIn(room), t.now)
	}
}

// noteClock keeps since when something is so, scheduling.Never if it is not.
func noteClock(since *int64, so bool, now Time) {
	switch {
	case !so:
		*since = scheduling.Never
	case *since == scheduling.Never:
		*since = int64(now)
	}
}

// PreemptiveBefore returns when preemptive stages ran last on a node before the heartbeat
// of this moment and since it registered with a scheduler that started then or before, as
// far as the log tells; scheduling.Never if not yet. Of what is untimed it tells the latest
// moment.
func (t *Tree) PreemptiveBefore(node int32, now Time) (at int64, untimed bool) {
	n := &t.nodes[node]
	at, untimed = n.preemptive[0], n.untimed[0]
	if n.sameHeartbeat(Time(at), now) {
		at, untimed = n.preemptive[1], n.untimed[1]
	}
	if at < int64(max(n.registered, t.restarted)) {
		return scheduling.Never, false
	}
	return at, untimed
}
