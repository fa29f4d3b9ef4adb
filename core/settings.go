package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// schedulingOptions are the settings of the tree, and those above all trees, that
// heartbeats, starvation and preemption depend on.
func schedulingOptions(p Profile, c *TreeConfig, above *ClusterConfig) scheduling.Options {
	o := scheduling.DefaultOptions(scheduling.Profile(p))
	set(&o.StarvationTimeout, c.FairShareStarvationTimeout)
	set(&o.AggressiveStarvationTimeout, c.AggressiveStarvationTimeout)
	set(&o.MinShareTimeout, c.MinSharePreemptionTimeout)
	o.StarvationTolerance = c.FairShareStarvationTolerance.Or(o.StarvationTolerance)
	o.AggressiveStarvation = c.EnableAggressiveStarvation.Or(o.AggressiveStarvation)
	o.PoolStarvation = c.EnablePoolStarvation.Or(o.PoolStarvation)
	o.JobCountCoefficient = c.JobCountCoefficient.Or(o.JobCountCoefficient)
	o.SatisfactionThreshold = c.PreemptionSatisfaction.Or(o.SatisfactionThreshold)
	o.AggressiveSatisfactionThreshold = fairshare.Optional(c.AggressiveSatisfaction)
	o.NonPreemptible = c.NonPreemptibleThreshold
	o.MaxUnpreemptibleJobs = count(c.MaxUnpreemptibleJobs)
	o.CheckStarvation = c.CheckStarvation.Or(o.CheckStarvation)
	o.CheckSatisfaction = c.CheckSatisfaction.Or(o.CheckSatisfaction)
	o.ConditionalPreemption = c.ConditionalPreemption.Or(o.ConditionalPreemption)
	o.PreemptFromStarving = c.PreemptFromStarving.Value
	o.AggressiveForGangs = c.AggressivePreemptionForGangs.Or(o.AggressiveForGangs)
	if c.PriorityScope.Value == pooltree.OperationOnly {
		o.Scope = scheduling.OperationOnly
	}
	set(&o.PreemptiveBackoff, c.PreemptiveBackoff)
	set(&o.InterruptTimeout, c.JobInterruptTimeout)
	set(&o.GracefulTimeout, c.GracefulInterruptTimeout)
	o.MinChildHeapSize = int(c.MinChildHeapSize.Or(int64(o.MinChildHeapSize)))
	o.ScheduleFIFOInOrder = c.FIFOOrder.Or(p.FIFOOrder()) == OrderFIFO
	o.UsePoolSatisfaction = c.PoolSatisfaction.Value
	o.GuaranteePriority = c.GuaranteePriority.Value
	o.BatchSize = int(c.Batch.Size)
	if !c.Batch.MinSpare.IsEmpty() {
		o.BatchMinSpare = c.Batch.MinSpare.Or(resource.Vector{})
	}
	o.Segments = c.Segments.Enable
	o.Packing = packing(&c.Packing)
	if above.MinSpare.Set {
		o.MinSpare = above.MinSpare.Value.Or(resource.Vector{})
	}
	o.MaxStartedPerHeartbeat = int(above.MaxStartedPerHeartbeat.Value)
	set(&o.OvercommitDuration, above.OvercommitDuration)
	set(&o.FailBackoff, above.FailBackoff)
	return o
}

// packing are the options of packing with their defaults.
func packing(c *pooltree.Packing) scheduling.Packing {
	p := scheduling.DefaultPacking()
	p.Enable = c.Enable
	if c.Metric.Value == pooltree.PackingAngle {
		p.Metric = scheduling.Angle
	}
	p.MinWindow = int(c.MinWindow.Or(int64(p.MinWindow)))
	p.MaxBetterPast = int(c.MaxBetterPast.Or(int64(p.MaxBetterPast)))
	p.WindowSize = int(c.WindowSize.Or(int64(p.WindowSize)))
	set(&p.MaxAge, c.MaxAge)
	p.AbsoluteTolerance = c.AbsoluteTolerance.Or(p.AbsoluteTolerance)
	p.RelativeTolerance = c.RelativeTolerance.Or(p.RelativeTolerance)
	return p
}

func set(us *int64, d Optional[pooltree.Milliseconds]) {
	if d.Set {
		*us = micros(d)
	}
}

func count(n Optional[int64]) fairshare.Optional {
	return fairshare.Optional{Value: float64(n.Value), Set: n.Set}
}

func duration(d Optional[pooltree.Milliseconds]) scheduling.Duration {
	return scheduling.Duration{Value: micros(d), Set: d.Set}
}

// schedulingPool are the settings of a pool that starvation and preemption
// depend on.
func schedulingPool(c *pooltree.PoolConfig) scheduling.Pool {
	p := scheduling.Pool{
		StarvationSettings: scheduling.StarvationSettings{
			Timeout:         duration(c.FairShareStarvationTimeout),
			MinShareTimeout: duration(c.MinSharePreemptionTimeout),
			Tolerance:       fairshare.Optional(c.FairShareStarvationTolerance),
			Aggressive:      switchOf(c.EnableAggressiveStarvation),
		},
		FIFO:                   c.Mode.Value == FIFO,
		UsePoolSatisfaction:    switchOf(c.PoolSatisfaction),
		ResourceLimits:         c.ResourceLimits,
		AggressivePreemption:   switchOf(c.AllowAggressivePreemption),
		ForbidNormalPreemption: !c.AllowNormalPreemption.Or(true),
		ForbidRegularJobsOnSSD: !c.AllowRegularJobsOnSSD.Or(true),
		NonPreemptible:         c.NonPreemptibleThreshold.Value,
		HasNonPreemptible:      c.NonPreemptibleThreshold.Set,
	}
	if c.FIFOOrder.Set {
		p.ScheduleInFIFOOrder = fairshare.SwitchOf(c.FIFOOrder.Value == OrderFIFO)
	}
	return p
}

// schedulingOperation are the settings of an operation that starvation and
// preemption depend on.
func (t *Tree) schedulingOperation(o *Operation) scheduling.Operation {
	p := &o.Params
	return scheduling.Operation{
		StarvationSettings: scheduling.StarvationSettings{
			Timeout:         duration(p.FairShareStarvationTimeout),
			MinShareTimeout: duration(p.MinSharePreemptionTimeout),
			Tolerance:       fairshare.Optional(p.FairShareStarvationTolerance),
			Aggressive:      switchOf(p.EnableAggressiveStarvation),
		},
		ResourceLimits:       p.ResourceLimits.Value,
		MaxUnpreemptibleJobs: count(p.MaxUnpreemptibleJobs),
		NonPreemptible:       p.NonPreemptibleThreshold.Value,
		HasNonPreemptible:    p.NonPreemptibleThreshold.Set,
		Graceful:             p.Graceful.Value,
		Gang:                 p.Gang.Value,
		RequestsSSD:          t.requestsSSD(o),
		Segment:              o.Segment,
		Module:               o.Module,
	}
}

// unschedulable says why an operation takes no part in scheduling
// (core/spec/scheduling.md §6.2).
func (o *Operation) unschedulable() scheduling.Obstacle {
	switch {
	case !o.Running || o.Ended:
		return scheduling.NotRunning
	case o.Suspended:
		return scheduling.Suspended
	case o.Needed.IsZero(): // whatever its own limits leave of it
		return scheduling.NoPendingJobs
	}
	return scheduling.NoObstacle
}
