package scheduling

import (
	"math"
	"slices"

	"poolproof/core/prefetch"
	"poolproof/core/resource"
)

// A Standing is how a pool or an operation fares, which says whether it protects its
// jobs: what the last tick published, with usage as it is at this moment.
type Standing struct {
	Parent               Element
	Operation            bool
	Graceful             bool
	AggressivePreemption bool // its jobs may be preempted aggressively (§10.2)
	NormalForbidden      bool // it or a pool above forbids normal preemption
	Fair, Demand         resource.Share
	Usage                resource.Share // of its jobs, preempted ones left out
	Amount               resource.Vector
	Held                 resource.Vector // usage that is gone and that preemption counts yet (§10.4)
	Starvation           Starvation
}

// An ElementInfo is what a tree knows of a pool or an operation.
type ElementInfo struct {
	Standing

	Guarantee    resource.Share // its own strong guarantee share
	DemandAmount resource.Vector

	Timeouts    Timeouts // scaled by pending jobs where it is an operation
	MinShare    int64    // min share timeout, likewise
	Schedulable bool     // of an operation; true for pools

	SSDForbidden   bool // it or a pool above forbids regular jobs on SSD-priority nodes
	Gang           bool
	RequestsSSD    bool
	BelowFairShare bool            // of a graceful operation: at the last tick (§7.1)
	StartsBelow    resource.Share  // likewise, the usage below which it is that
	Threshold      resource.Vector // non-preemptible threshold, zero if none (§8.2)

	Specified resource.Partial // resource_limits
	Limits    resource.Vector  // those enforced (§11.1)

	FIFOIndex            int32
	InOrder              bool // of a pool: its operations are served in FIFO order (§9.6)
	UsesPoolSatisfaction bool // of a pool: it is chosen by its own satisfaction, too
}

// IsAlive reports whether an element is in the tree.
func (t *Tree) IsAlive(e Element) bool {
	return e >= 0 && int(e) < len(t.elements) && t.elements[e].alive
}

// Parent returns the pool above an element of the tree, Root if it is of the
// first level.
func (t *Tree) Parent(e Element) Element { return t.elements[e].parent }

// Describe returns what is known of an element, which must be in the tree.
func (t *Tree) Describe(e Element) (i ElementInfo) {
	t.DescribeStanding(e, &i.Standing)
	t.DescribeRest(e, &i)
	return i
}

// DescribeStanding fills in how an element fares. Fields are set one by one: of
// several at once each would be copied twice.
func (t *Tree) DescribeStanding(e Element, s *Standing) {
	n := &t.elements[e]
	s.Parent, s.Operation, s.Graceful = n.parent, n.operation != nil, n.graceful
	s.AggressivePreemption, s.NormalForbidden = n.own.AllowsAggressivePreemption, n.own.NormalForbidden
	s.Fair = n.seen.fair
	s.Demand = n.seen.demand
	s.Usage = t.shareOf(n.usage)
	s.Amount = n.usage
	s.Held = n.held
	s.Starvation = n.starvation
}

// DescribeRest fills in what is known of an element besides its standing.
func (t *Tree) DescribeRest(e Element, i *ElementInfo) {
	n := &t.elements[e]
	s := &n.seen
	*i = ElementInfo{Standing: i.Standing}
	i.Guarantee = s.guarantee
	i.DemandAmount = s.demandAmount
	i.Limits = t.enforced(n)
	i.FIFOIndex, i.SSDForbidden = s.fifoIndex, n.own.SSDForbidden
	if op := n.operation; op != nil {
		i.Timeouts, i.MinShare = t.OperationTimeouts(e)
		i.Schedulable, i.Gang, i.RequestsSSD = s.schedulable, op.Gang, op.RequestsSSD
		i.Threshold = op.limit
		i.Specified = op.ResourceLimits
		if op.Graceful {
			i.BelowFairShare, i.StartsBelow = t.BelowFairShare(e), n.tolerable(s).Min(s.demand)
		}
		return
	}
	i.Schedulable = true
	i.Timeouts = Timeouts{n.own.Timeout, t.options.AggressiveStarvationTimeout, n.own.AggressiveStarvation}
	i.MinShare = n.own.MinShareTimeout
	i.Specified = n.pool.ResourceLimits
	i.InOrder, i.UsesPoolSatisfaction = isFIFO(n.pool) && n.own.FIFOOrder, n.own.PoolSatisfaction
}

// Prefetch has what is known of the jobs of a node, and how their operations and
// the pools of these fare, in the caches.
func (t *Tree) Prefetch(n Node) {
	for _, j := range t.nodes[n].jobs {
		prefetch.Record(&t.jobs[j])
	}
	for _, j := range t.nodes[n].jobs {
		own := &t.jobs[j]
		if own.list() == NonPreemptible { // as a rule nobody asks for more
			prefetch.Record(&t.elements[own.operation].parent)
		} else {
			t.elements[own.operation].prefetchStanding()
		}
	}
	for _, j := range t.nodes[n].jobs {
		own := &t.jobs[j]
		if above := t.elements[own.operation].parent; own.list() != NonPreemptible {
			t.elements[above].prefetchStanding()
		}
	}
}

// prefetchStanding has how an element fares in the caches.
func (n *element) prefetchStanding() { prefetch.Fields(&n.parent, &n.seen.demand) }

// PrefetchOperation has all that is known of an operation in the caches.
func (t *Tree) PrefetchOperation(e Element) {
	own := &t.elements[e]
	prefetch.Record(own)
	if own.operation == nil {
		return
	}
	prefetch.Record(own.operation)
	for _, last := range own.operation.list.end { // where a cut looks
		if last != NoJob {
			prefetch.Record(&t.jobs[last])
			if next := t.ofOperation.After(last); next != NoJob {
				prefetch.Record(&t.jobs[next])
			}
		}
	}
}

// PrefetchNode has all that is known of a node in the caches, but for its jobs.
func (t *Tree) PrefetchNode(n Node) { prefetch.Record(&t.nodes[n]) }

// Total returns the resources of the tree at the last tick.
func (t *Tree) Total() resource.Vector { return t.total }

// NodeInfo is what a tree knows of a node.
type NodeInfo struct {
	NodeSettings
	Usage          resource.Vector
	Overcommitted  int64 // since when usage has not fitted the limits, Never if it fits
	LastPreemptive int64 // when preemptive stages ran last, Never if not yet
}

// DescribeNode returns what is known of a node.
func (t *Tree) DescribeNode(n Node) NodeInfo {
	own := &t.nodes[n]
	return NodeInfo{own.NodeSettings, own.held(), own.overcommitted, own.lastPreemptive}
}

// SegmentFits reports whether segment and module of an operation let it use a
// node (§12).
func (t *Tree) SegmentFits(e Element, n Node) bool {
	return t.fits(t.elements[e].operation, &t.nodes[n])
}

// Wants reports whether the demand of an operation at the last update holds resources
// more than it uses by now: what it came to want since then counts from the next
// update on.
func (t *Tree) Wants(e Element, r resource.Vector) bool { return t.wants(e, r) }

// IsForced reports whether the segment of a job's operation does not fit its
// node, so that every preemptive stage may take the job (§10.2).
func (t *Tree) IsForced(j Job) bool {
	job := &t.jobs[j]
	return job.node != NoNode && !t.fits(t.elements[job.operation].operation, &t.nodes[job.node])
}

// HasForced reports whether such a job is on a node.
func (t *Tree) HasForced(n Node) bool {
	return t.options.Segments && slices.ContainsFunc(t.nodes[n].jobs, t.IsForced)
}

// ListAfter returns the list of a job of an operation whose earlier jobs use
// ahead of a tree's total (§8.1).
func ListAfter(ahead, total resource.Vector, op *ElementInfo, o *Options) List {
	protected := func(bound resource.Share) bool {
		return strictlyAbove(op.Threshold, ahead) || Dominates(op.Fair, op.Demand, bound, ahead.ShareOf(total))
	}
	bound := op.Fair.Scale(o.AggressiveThreshold())
	if protected(bound) {
		return NonPreemptible
	}
	if IsPreemptionOff(op.Fair, op.Demand) {
		bound = resource.Uniform(math.Inf(1))
	} else {
		bound = bound.Max(op.Fair.Scale(o.SatisfactionThreshold))
	}
	if protected(bound) {
		return AggressivelyPreemptible
	}
	return Preemptible
}

// IsPreemptionOff reports whether an operation is entitled to all it wants, so
// that none of its jobs is preemptible (§8.1).
func IsPreemptionOff(fairShare, demand resource.Share) bool { return preemptionOff(fairShare, demand) }
