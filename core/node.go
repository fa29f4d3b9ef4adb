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
	// The fields that every heartbeat reads come first, see prefetchHeartbeat.
	ID              NodeID
	Online          bool
	Undescribed     bool // its resources and tags are unknown
	recorded        bool // a row has described it
	TellsPreemptive bool // its heartbeats record whether preemptive stages ran
	touched         bool
	Skipped         Optional[bool]  // scheduling was skipped on the last heartbeat
	LiveJobs        int32           // jobs that have not ended
	Waiting         int32           // live jobs that wait on it for resources, as far as reported
	LastHeartbeat   Time            // Never before the first
	HeartbeatSeq    int64           // Seq of the last heartbeat: orders those of one instant
	Interval        Time            // the longest time between two of its heartbeats, see noteInterval
	BackSince       Time            // first heartbeat after LastOffline, or Never
	registered      Time            // when it last came online
	Reported        resource.Vector // usage of the last heartbeat, before scheduling
	Limits          resource.Vector // its resources; zero if not recorded

	Usage   resource.Vector // granted to its live jobs
	Tags    pooltree.Tags
	Segment string // scheduling_segment
	Module  string // data center
	Network string // InfiniBand cluster

	LastTagged    Time // last change of its tags
	LastSSD       Time // last change of tags that made it an SSD-priority node or no longer one, or Never
	LastSegmented Time // last change of its segment or module, or Never
	LastInPlace   Time // last start of a job by a preemptive stage, or Never
	LastOffline   Time // when it last went offline, or Never

	overfull   int64    // since when its jobs exceed its resources, scheduling.Never if they fit
	crowded    int64    // likewise if they use more by the usage tolerance
	preemptive [2]int64 // the last two instants at which preemptive stages ran
	untimed    [2]bool  // the instant is the latest possible one
}

// prefetchHeartbeat prefetches the fields that a heartbeat reads.
func (n *Node) prefetchHeartbeat() { prefetch.Fields(&n.ID, &n.Limits) }

// HeartbeatSpan bounds the time between the rows of one heartbeat of a node: the log records the
// moment of each decision, and processing a heartbeat takes time (ingest/trace/FORMAT.md §4.3).
const HeartbeatSpan = Second / 20

// Answers reports whether a decision at the given time belongs to the last recorded heartbeat of
// the node.
func (n *Node) Answers(at Time) bool { return at-n.LastHeartbeat < HeartbeatSpan }

// sameHeartbeat reports whether decisions on a node at two times, the earlier one first, belong to
// one heartbeat: the times are close, and no heartbeat is recorded between them.
func (n *Node) sameHeartbeat(before, at Time) bool {
	return before == at || at-before < HeartbeatSpan && before >= n.LastHeartbeat
}

// nodeAt returns the slot of a node, which it adds if the log had not introduced it. Such a node is
// undescribed.
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
	if e.Online && !n.Online { // a node that registers has no backoff
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

// describe sets whether a node is online, and its resources.
func (t *Tree) describe(n *Node, e *Event) {
	t.countUndescribed(n, -1)
	n.Online, n.Undescribed, n.Limits, n.recorded = e.Online, e.Undescribed, e.Limits, true
	if n.Undescribed {
		n.Limits = resource.Vector{}
	}
	t.countUndescribed(n, 1)
}

// countSlots records that the log contains user slots, so that a node without any takes no jobs.
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

// replaceContribution updates the tree's total by the change of a node's contribution.
func (t *Tree) replaceContribution(before, after resource.Vector) {
	if before != after {
		t.total, t.lastResized = t.total.Sub(before).Add(after), t.now
		t.stale = true
		t.touchPool(0)
	}
}

// setNode passes a node's settings to Scheduling.
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

// receiveHeartbeat applies a node's report. The jobs in the heartbeat come as separate events.
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

// noteInterval keeps the longest time between two heartbeats of a node, the observed maximum of
// core/spec/scheduling.md §13.5. It skips time in which the node was offline or the scheduler
// disconnected, and intervals above node_heartbeat_timeout: after that the scheduler considers the
// node lost, even if the log still calls it online, and a dead node's silence must not become an
// excuse later. With sampled heartbeats the interval is unknown.
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

// notePreemptive records that preemptive stages run on a node now, or ran at an unknown time
// before.
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

// noteOverfull updates since when a node's jobs exceed its resources, certainly and possibly. While
// the node is offline no heartbeat observes that (core/spec/scheduling.md §9.1).
func (t *Tree) noteOverfull(slot int32) {
	n := &t.nodes[slot]
	room, used := t.contribution(n), n.Online && !n.Undescribed && !t.isDisabled(n)
	noteClock(&n.overfull, used && !n.Usage.FitsIn(room), t.now)
	if t.usageTolerance > 0 {
		noteClock(&n.crowded, used && !n.Usage.Times(1+t.usageTolerance).FitsIn(room), t.now)
	}
}

// noteClock sets since to now when so becomes true and to scheduling.Never when it is false.
func noteClock(since *int64, so bool, now Time) {
	switch {
	case !so:
		*since = scheduling.Never
	case *since == scheduling.Never:
		*since = int64(now)
	}
}

// PreemptiveBefore returns the time when preemptive stages last ran on a node before the current
// heartbeat, since the node registered and the scheduler started, as far as recorded;
// scheduling.Never if they did not. If that time is untimed, it is the latest possible one.
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
