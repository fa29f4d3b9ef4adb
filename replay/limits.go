package replay

import (
	"cmp"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// limitEpisodes are the limits that are exceeded at present.
type limitEpisodes struct {
	open map[limitKey]*tables.LimitEpisode
}

// A limitKey is one limit of one element; slot is of the element's kind.
type limitKey struct {
	element  tables.ElementKind
	slot     int32
	limit    tables.LimitKind
	resource resource.Kind // 0 for counts
}

// A standing is a limit and what stands against it.
type standing struct {
	key          limitKey
	value, limit int64
	lowered      bool // the limit is below what it was at the last look
}

// check opens, carries on or closes the episode of one limit.
func (r *recorder) check(s standing, now core.Time) {
	episode, open := r.limits.open[s.key]
	over := s.value > s.limit
	switch {
	case over && !open:
		episode = r.openLimit(s, now)
		r.limits.open[s.key] = episode
		r.peak(s, episode, now)
	case over && s.value-s.limit > episode.Value-episode.LimitValue:
		r.peak(s, episode, now)
	case !over && open:
		r.closeLimit(s.key, now, false)
	}
}

func (r *recorder) peak(s standing, e *tables.LimitEpisode, now core.Time) {
	e.Value, e.LimitValue, e.PeakTime = s.value, s.limit, now
	e.Jobs = r.jobsOn(s.key)
}

// listedJobs is how many job ids an episode names at most.
const listedJobs = 1000

// jobsOn lists the live jobs of a node or operation.
func (r *recorder) jobsOn(k limitKey) string {
	var names []string
	list := func(job int32) {
		if len(names) < listedJobs {
			names = append(names, string(r.core.Job(job).Name))
		}
	}
	switch {
	case k.limit == tables.MaxOperationCount || k.limit == tables.MaxRunningOperationCount:
	case k.element == tables.ElementNode:
		r.core.NodeJobs(k.slot, list)
	case k.element == tables.ElementOperation:
		r.core.OperationJobs(k.slot, list)
	}
	return strings.Join(names, ",")
}

func (r *recorder) openLimit(s standing, now core.Time) *tables.LimitEpisode {
	e := &tables.LimitEpisode{Element: s.key.element, Limit: s.key.limit, FromTime: now}
	switch s.key.element {
	case tables.ElementNode:
		e.Node = core.Some(r.core.Node(s.key.slot).ID)
	case tables.ElementPool:
		e.Pool = core.Some(r.core.Pool(s.key.slot).ID)
	case tables.ElementOperation:
		o := r.core.Operation(s.key.slot)
		e.Operation = core.Some(o.ID)
		e.Pool = core.Some(r.core.Pool(o.Pool).ID)
	}
	count := s.key.limit == tables.MaxOperationCount || s.key.limit == tables.MaxRunningOperationCount
	if !count {
		e.Resource = core.Some(s.key.resource)
	}
	e.Cause = tables.CauseOperation
	if job, ok := r.crossing(s); ok && !count {
		e.Cause, e.CauseJob = tables.CauseJobStarted, core.Some(r.core.Job(job).ID)
	} else if s.lowered {
		e.Cause = tables.CauseLimit
	}
	if now == r.from && !r.begun {
		e.ClippedFrom = true
		e.Cause, e.CauseJob = tables.CauseWindow, core.Optional[core.JobID]{}
	}
	return e
}

// crossing finds the job of this instant whose start took the element over its
// limit: without it and those after it, the limit held.
func (r *recorder) crossing(s standing) (job int32, ok bool) {
	value := s.value
	started := r.core.Changes().Started
	for i := len(started) - 1; i >= 0; i-- {
		j := r.core.Job(started[i])
		if !r.counts(s.key, j) {
			continue
		}
		if value -= j.Resources[s.key.resource]; value <= s.limit {
			return started[i], true
		}
	}
	return 0, false
}

// counts reports whether a job's resources count for the element.
func (r *recorder) counts(k limitKey, j *core.Job) bool {
	switch k.element {
	case tables.ElementNode:
		return j.Node == k.slot
	case tables.ElementOperation:
		return j.Operation == k.slot
	}
	for p := r.core.Operation(j.Operation).Pool; p >= 0; p = r.core.Pool(p).Parent {
		if p == k.slot {
			return true
		}
	}
	return false
}

func (r *recorder) closeLimit(k limitKey, now core.Time, clipped bool) {
	e := r.limits.open[k]
	delete(r.limits.open, k)
	e.ToTime, e.ClippedTo = now, clipped
	if e.FromTime < e.ToTime {
		r.limitRows.add(now, e)
	}
}

func (l *limitEpisodes) finish(r *recorder, to core.Time) {
	keys := make([]limitKey, 0, len(l.open))
	for k := range l.open {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b limitKey) int {
		return cmp.Or(cmp.Compare(a.element, b.element), cmp.Compare(a.slot, b.slot), cmp.Compare(a.limit, b.limit), cmp.Compare(a.resource, b.resource))
	})
	for _, k := range keys {
		r.closeLimit(k, to, true)
	}
}

func compareLimits(a, b *tables.LimitEpisode) int {
	return cmp.Or(
		cmp.Compare(a.Element, b.Element),
		cmp.Compare(a.Node.Value, b.Node.Value),
		cmp.Compare(a.Pool.Value, b.Pool.Value),
		cmp.Compare(a.Operation.Value, b.Operation.Value),
		cmp.Compare(a.Limit, b.Limit),
		cmp.Compare(a.Resource.Value, b.Resource.Value),
	)
}

// checkPool judges a pool's specified resource limits and operation counts
// (spec/invariants.md LIM-02, CNT-04, CNT-05).
func (r *recorder) checkPool(slot int32, p *core.Pool, now core.Time) {
	track := &r.pools[slot]
	limits := p.Config.ResourceLimits
	for k := range limits.Set {
		key := limitKey{tables.ElementPool, slot, tables.ResourceLimits, resource.Kind(k)}
		before := track.limitsBefore
		r.checkSet(limits.Set[k], standing{
			key: key, value: p.Usage[k], limit: limits.Amounts[k],
			lowered: !before.Set[k] || limits.Amounts[k] < before.Amounts[k],
		}, now)
	}
	track.limitsBefore = limits
	counts, before := countsOf(p), track.countsBefore
	r.checkSet(counts.maxRunning.Set, standing{
		key: limitKey{tables.ElementPool, slot, tables.MaxRunningOperationCount, 0}, value: counts.running, limit: counts.maxRunning.Value,
		lowered: !before.maxRunning.Set || counts.maxRunning.Value < before.maxRunning.Value,
	}, now)
	r.checkSet(counts.maxOperations.Set, standing{
		key: limitKey{tables.ElementPool, slot, tables.MaxOperationCount, 0}, value: counts.operations, limit: counts.maxOperations.Value,
		lowered: !before.maxOperations.Set || counts.maxOperations.Value < before.maxOperations.Value,
	}, now)
	track.countsBefore = counts
}

// checkSet checks a limit that is set; one that is not cannot be exceeded.
func (r *recorder) checkSet(set bool, s standing, now core.Time) {
	if set {
		r.check(s, now)
	} else if len(r.limits.open) > 0 && r.limits.open[s.key] != nil {
		r.closeLimit(s.key, now, false)
	}
}

// checkOperation judges an operation's own resource limits (LIM-02).
func (r *recorder) checkOperation(slot int32, o *core.Operation, now core.Time) {
	limits := o.Params.ResourceLimits.Value
	if limits.IsEmpty() && len(r.limits.open) == 0 {
		return
	}
	for k := range limits.Set {
		r.checkSet(limits.Set[k] && o.Alive, standing{
			key:   limitKey{tables.ElementOperation, slot, tables.ResourceLimits, resource.Kind(k)},
			value: o.Usage[k], limit: limits.Amounts[k], lowered: true,
		}, now)
	}
}

// checkNode judges a node's capacity, in the resources that the trace measures
// (HB-01).
func (r *recorder) checkNode(slot int32, n *core.Node, lowered bool, now core.Time) {
	for k, measured := range r.opts.Measured {
		if measured {
			r.checkSet(!n.Limits.IsZero(), standing{
				key:   limitKey{tables.ElementNode, slot, tables.NodeCapacity, resource.Kind(k)},
				value: n.Usage[k], limit: n.Limits[k], lowered: lowered,
			}, now)
		}
	}
}
