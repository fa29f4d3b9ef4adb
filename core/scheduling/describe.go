package scheduling

import (
	"math"
	"slices"

	"poolproof/core/prefetch"
	"poolproof/core/resource"
)

// A Standing holds the state of a pool or an operation that decides whether it protects its jobs:
// shares and starvation of the last tick, and current usage.
type Standing struct {
	Parent               Element
	Operation            bool
	Graceful             bool
	AggressivePreemption bool // its jobs may be preempted aggressively (§10.2)
	NormalForbidden      bool // it or a pool above forbids normal preemption
	Fair, Demand         resource.Share
	Usage                resource.Share // of its jobs, preempted ones left out
	Amount               resource.Vector
	Held                 resource.Vector // released usage that preemption still counts (§10.4)
	Starvation           Starvation
}

// An ElementInfo describes a pool or an operation.
type ElementInfo struct {
	Standing

	Guarantee    resource.Share // its own strong guarantee share
	DemandAmount resource.Vector

	Timeouts    Timeouts // scaled by pending jobs for operations
	MinShare    int64    // min share timeout, likewise
	Schedulable bool     // of an operation; true for pools

	SSDForbidden   bool // it or a pool above forbids regular jobs on SSD-priority nodes
	Gang           bool
	RequestsSSD    bool
	BelowFairShare bool            // of a graceful operation: at the last tick (§7.1)
	StartsBelow    resource.Share  // likewise, the usage threshold for that
	Threshold      resource.Vector // non-preemptible threshold, zero if none (§8.2)

	Specified resource.Partial // resource_limits
	Tolerance resource.Vector  // resource_limits_overcommit_tolerance
	Limits    resource.Vector  // those enforced (§11.1)

	FIFOIndex            int32
	InOrder              bool // of a pool: its operations are in FIFO order (§9.6)
	UsesPoolSatisfaction bool // of a pool: its own satisfaction counts, too
}

// IsAlive reports whether an element is in the tree.
func (t *Tree) IsAlive(e Element) bool {
	return e >= 0 && int(e) < len(t.elements) && t.elements[e].alive
}

// Parent returns the parent of an element, Root for the first level.
func (t *Tree) Parent(e Element) Element { return t.elements[e].parent }

// Describe returns the description of an element, which must be in the tree.
func (t *Tree) Describe(e Element) (i ElementInfo) {
	t.DescribeStanding(e, &i.Standing)
	t.DescribeRest(e, &i)
	return i
}

// DescribeStanding fills in the standing of an element. It sets fields one by one, because a
// composite literal would copy each twice.
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

// DescribeRest fills in the rest of the description of an element.
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
	i.Specified, i.Tolerance = n.pool.ResourceLimits, n.pool.Overcommit.Amounts
	i.InOrder, i.UsesPoolSatisfaction = isFIFO(n.pool) && n.own.FIFOOrder, n.own.PoolSatisfaction
}

// Prefetch prefetches the jobs of a node and the standings of their operations and pools.
func (t *Tree) Prefetch(n Node) {
	for _, j := range t.nodes[n].jobs {
		prefetch.Record(&t.jobs[j])
	}
	for _, j := range t.nodes[n].jobs {
		own := &t.jobs[j]
		if own.list() == NonPreemptible { // usually nothing else is read
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

// prefetchStanding prefetches the standing of an element.
func (n *element) prefetchStanding() { prefetch.Fields(&n.parent, &n.seen.demand) }

// PrefetchOperation prefetches an operation.
func (t *Tree) PrefetchOperation(e Element) {
	own := &t.elements[e]
	prefetch.Record(own)
	if own.operation == nil {
		return
	}
	prefetch.Record(own.operation)
	for _, last := range own.operation.list.end { // jobs that a cut reads
		if last != NoJob {
			prefetch.Record(&t.jobs[last])
			if next := t.ofOperation.After(last); next != NoJob {
				prefetch.Record(&t.jobs[next])
			}
		}
	}
}

// PrefetchNode prefetches a node without its jobs.
func (t *Tree) PrefetchNode(n Node) { prefetch.Record(&t.nodes[n]) }

// Total returns the resources of the tree at the last tick.
func (t *Tree) Total() resource.Vector { return t.total }

// NodeInfo describes a node.
type NodeInfo struct {
	NodeSettings
	Usage          resource.Vector
	Overcommitted  int64 // since when usage exceeds the limits, Never if it fits
	LastPreemptive int64 // when preemptive stages last ran, or Never
}

// DescribeNode returns the description of a node.
func (t *Tree) DescribeNode(n Node) NodeInfo {
	own := &t.nodes[n]
	return NodeInfo{own.NodeSettings, own.held(), own.overcommitted, own.lastPreemptive}
}

// SegmentFits reports whether segment and module of an operation let it use a
// node (§12).
func (t *Tree) SegmentFits(e Element, n Node) bool {
	return t.fits(t.elements[e].operation, &t.nodes[n])
}

// Wants reports whether the current usage of an operation plus r stays within its demand of the
// last update. Later growth of demand counts from the next update on.
func (t *Tree) Wants(e Element, r resource.Vector) bool { return t.wants(e, r) }

// IsForced reports whether the segment of a job's operation does not fit its
// node, so that every preemptive stage may take the job (§10.2).
func (t *Tree) IsForced(j Job) bool {
	job := &t.jobs[j]
	return job.node != NoNode && !t.fits(t.elements[job.operation].operation, &t.nodes[job.node])
}

// HasForced reports whether a forced job is on a node.
func (t *Tree) HasForced(n Node) bool {
	return t.options.Segments && slices.ContainsFunc(t.nodes[n].jobs, t.IsForced)
}

// ListAfter returns the list of a job of an operation whose earlier jobs use ahead, given the
// tree's total (§8.1).
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

// IsPreemptionOff reports whether the fair share of an operation covers its demand, so that none of
// its jobs is preemptible (§8.1).
func IsPreemptionOff(fairShare, demand resource.Share) bool { return preemptionOff(fairShare, demand) }
