package limits

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A standing is a limit and what stands against it.
type standing struct {
	key          env.LimitKey
	value, limit int64
	lowered      bool      // the limit is below what it was at the last look
	changed      core.Time // when the limits of the element were changed last, 0 if never
}

// check opens, carries on or closes the episode of one limit. A start onto what
// is over its limit already, and for another reason, begins an episode of its
// own: what excuses the first does not excuse the start.
func (l *Limits) check(s standing, now core.Time) {
	episode := l.open[s.key]
	if episode != nil {
		episode.passTo(now)
	}
	if s.value <= s.limit {
		if episode != nil {
			l.closeLimit(s.key, now, false)
		}
		return
	}
	if episode == nil {
		cause, job := l.cause(s, s.limit)
		l.openLimit(s, cause, job, now)
		return
	}
	if cause, job := l.aggravation(s, episode.last); decides(cause) && !decides(episode.Cause) {
		l.closeLimit(s.key, now, false)
		l.openLimit(s, cause, job, now)
		return
	}
	if s.value-s.limit > episode.Value-episode.LimitValue {
		l.peak(s, episode, now)
	}
	l.allow(s.key, episode)
	episode.exceed(s.value-s.limit, now, core.Time(l.Slacks().Clock))
	episode.last, episode.Sure = s.value, l.sureUntil(s, now)
}

// A limitEpisode is an open episode and what stood against the limit last.
type limitEpisode struct {
	tables.LimitEpisode
	env.ExceededLimit
	last   int64
	began  core.Time
	unsure bool      // whether what began it was forbidden: another limit may have been in force
	passed core.Time // until when it is known how much of it is doubtful

	excesses []excessOf // over the limit, the oldest first, while all may be one of clocks
	lasting  bool       // what some of them came to is not

	answered core.Time // of a node, when its last heartbeat was that was not skipped
}

func (l *Limits) peak(s standing, e *limitEpisode, now core.Time) {
	e.Value, e.LimitValue, e.PeakTime = s.value, s.limit, now
	e.Jobs, e.JobCount = l.jobsOn(s.key)
}

// listedJobs bounds the number of job ids in an episode.
const listedJobs = 100

// jobsOn lists the live jobs of a node or operation, as a JSON list since an id
// may hold anything, and says how many there are.
func (l *Limits) jobsOn(k env.LimitKey) (list string, n core.Optional[int64]) {
	var names []string
	note := func(job int32) {
		if n.Value++; n.Value <= listedJobs {
			names = append(names, string(l.Core.Job(job).Name))
		}
	}
	switch {
	case k.IsCount():
		return "", n
	case k.Element == tables.ElementNode:
		l.Core.NodeJobs(k.Slot, note)
	case k.Element == tables.ElementOperation:
		l.Core.OperationJobs(k.Slot, note)
	default:
		return "", n
	}
	n.Set = true
	b, err := json.Marshal(names)
	if err != nil {
		panic(fmt.Sprintf("a list of texts does not become JSON: %v", err))
	}
	return string(b), n
}

func (l *Limits) openLimit(s standing, cause tables.Cause, job core.Optional[core.JobID], now core.Time) {
	e := &limitEpisode{last: s.value, began: now, excesses: []excessOf{{now, s.value - s.limit}}, passed: now,
		answered: now, ExceededLimit: env.ExceededLimit{LimitKey: s.key, Sure: l.sureUntil(s, now)},
		LimitEpisode: tables.LimitEpisode{
			Element: s.key.Element, Limit: s.key.Limit, FromTime: now, Cause: cause, CauseJob: job,
		}}
	switch s.key.Element {
	case tables.ElementNode:
		e.Node = core.Some(l.Core.Node(s.key.Slot).ID)
	case tables.ElementPool:
		e.Pool = core.Some(l.Core.Pool(s.key.Slot).ID)
	case tables.ElementOperation:
		o := l.Core.Operation(s.key.Slot)
		e.Operation = core.Some(o.ID)
		e.Pool = core.Some(l.Core.Pool(o.Pool).ID)
	}
	if !s.key.IsCount() {
		e.Resource = core.Some(s.key.Resource)
	}
	e.unsure = s.changed > 0 && now-s.changed <= core.Time(l.Slacks().Configuration) || l.Excuses.ExcuseAt(now) != judge.NoExcuse
	l.peak(s, e, now)
	l.allow(s.key, e)
	l.open[s.key] = e
	if s.key.IsRepairable() {
		l.Repairable = append(l.Repairable, &e.ExceededLimit)
	}
}

// counts reports whether a job's resources count for the element.
func (l *Limits) counts(k env.LimitKey, j *core.Job) bool {
	switch k.Element {
	case tables.ElementNode:
		return j.Node == k.Slot
	case tables.ElementOperation:
		return j.Operation == k.Slot
	}
	return l.Core.IsWithin(l.Core.Operation(j.Operation).Pool, k.Slot)
}

func (l *Limits) closeLimit(k env.LimitKey, now core.Time, clipped bool) {
	e := l.open[k]
	delete(l.open, k)
	if k.IsRepairable() {
		l.Repairable = slices.DeleteFunc(l.Repairable, func(x *env.ExceededLimit) bool { return x.LimitKey == k })
		l.Over(k, now)
	}
	e.passTo(now)
	if k.Limit == tables.NodeCapacity {
		e.answerTo(now, l.between(k.Slot))
	}
	l.allow(k, e)
	e.ToTime, e.ClippedTo = now, clipped
	if e.exceed(0, now, core.Time(l.Slacks().Clock)); e.isOfClocks() {
		e.Doubtful = int64(now - e.FromTime)
	}
	switch {
	case !l.Begun || e.FromTime >= e.ToTime:
	case k.Limit == tables.NodeCapacity && l.lag > 0 && now <= e.began+l.lag:
		l.unsized = append(l.unsized, unsizedEpisode{e.LimitEpisode, k, e.began + l.lag})
	default:
		l.episodes.Add(now, &e.LimitEpisode)
	}
}

// clip cuts the open episodes at the window's start. Their causes stay; their
// peaks are those of the window. The parts before it are written if the log records them.
func (l *Limits) clip(from core.Time) {
	for _, k := range l.openKeys() {
		e := l.open[k]
		if k.Limit == tables.NodeCapacity {
			e.answerTo(from, l.between(k.Slot))
		}
		e.passTo(from)
		if begins := l.Log.RecordedFrom(); begins < from && e.FromTime < from {
			earlier := e.LimitEpisode
			earlier.ClippedFrom = earlier.FromTime < begins
			earlier.FromTime, earlier.ToTime, earlier.ClippedTo = max(earlier.FromTime, begins), from, true
			began := judge.Violated
			if e.unsure || earlier.ClippedFrom {
				began = judge.Suspect
			}
			l.earlierEpisodes.Add(&tables.EarlierLimitEpisode{LimitEpisode: earlier, BeganAs: began.String()})
		}
		e.FromTime, e.ClippedFrom = from, true
		e.Doubtful, e.Unanswered, e.answered = 0, 0, from
		e.Value, e.LimitValue = 0, 0
	}
}

// openKeys are the limits that are exceeded, in order.
func (l *Limits) openKeys() []env.LimitKey {
	return slices.SortedFunc(maps.Keys(l.open), func(a, b env.LimitKey) int {
		return cmp.Or(cmp.Compare(a.Element, b.Element), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Resource, b.Resource))
	})
}

func (l *Limits) finishEpisodes(to core.Time) {
	for _, k := range l.openKeys() {
		l.closeLimit(k, to, true)
	}
	for i := range l.unsized {
		l.unsized[i].doubt() // a row after the log's end may have said what the node was
	}
	l.settleSizes(env.Never)
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
// (core/spec/invariants.md LIM-02, CNT-04, CNT-05).
func (l *Limits) checkPool(slot int32, p *core.Pool, now core.Time) {
	track := l.pool(slot)
	first := !track.judged // what is limited from its first moment on was not lowered
	track.judged = true
	limits := p.Config.ResourceLimits
	counts := operationCounts{p.Running, p.Operations, p.MaxRunning, p.MaxOperations}
	if was := track.countsBefore; !first && (track.limitsBefore != limits || was.maxRunning != counts.maxRunning || was.maxOperations != counts.maxOperations) {
		track.changed = now
	}
	for k := range limits.Set {
		key := env.LimitKey{Element: tables.ElementPool, Slot: slot, Limit: tables.ResourceLimits, Resource: resource.Kind(k)}
		before := track.limitsBefore
		l.checkSet(limits.Set[k] && !l.Core.Config().InfiniteOvercommit, standing{
			key: key, value: p.Usage[k], limit: limits.Amounts[k] + p.Config.Overcommit.Amounts[k], changed: track.changed,
			lowered: !first && (!before.Set[k] || limits.Amounts[k] < before.Amounts[k]),
		}, now)
	}
	if !first && track.limitsBefore != limits {
		l.FollowUnschedulable(now)
	}
	track.limitsBefore = limits
	before := track.countsBefore
	l.checkSet(counts.maxRunning.Set, standing{
		key:   env.LimitKey{Element: tables.ElementPool, Slot: slot, Limit: tables.MaxRunningOperationCount},
		value: counts.running, limit: counts.maxRunning.Value, changed: track.changed,
		lowered: !first && (!before.maxRunning.Set || counts.maxRunning.Value < before.maxRunning.Value),
	}, now)
	l.checkSet(counts.maxOperations.Set, standing{
		key:   env.LimitKey{Element: tables.ElementPool, Slot: slot, Limit: tables.MaxOperationCount},
		value: counts.operations, limit: counts.maxOperations.Value, changed: track.changed,
		lowered: !first && (!before.maxOperations.Set || counts.maxOperations.Value < before.maxOperations.Value),
	}, now)
	track.countsBefore = counts
}

// SettlePool checks a pool, or ends its episodes where it is gone.
func (l *Limits) SettlePool(slot int32, now core.Time) {
	if p := l.Core.Pool(slot); !p.Removed.Set {
		l.checkPool(slot, p, now)
	} else {
		l.forgetPool(slot, now)
	}
}

// forgetPool ends the episodes of a pool that is gone, and its limits with it.
func (l *Limits) forgetPool(slot int32, now core.Time) {
	for k := range resource.Kinds {
		l.checkSet(false, standing{key: env.LimitKey{Element: tables.ElementPool, Slot: slot, Limit: tables.ResourceLimits, Resource: resource.Kind(k)}}, now)
	}
	l.checkSet(false, standing{key: env.LimitKey{Element: tables.ElementPool, Slot: slot, Limit: tables.MaxRunningOperationCount}}, now)
	l.checkSet(false, standing{key: env.LimitKey{Element: tables.ElementPool, Slot: slot, Limit: tables.MaxOperationCount}}, now)
}

// checkSet checks a limit that is set; one that is not cannot be exceeded.
func (l *Limits) checkSet(set bool, s standing, now core.Time) {
	if set {
		l.check(s, now)
	} else if len(l.open) > 0 && l.open[s.key] != nil {
		l.closeLimit(s.key, now, false)
	}
}

// CheckOperation judges an operation's own resource limits (LIM-02).
func (l *Limits) CheckOperation(slot int32, o *core.Operation, now core.Time) {
	l.followUnschedulable(slot, o, now)
	l.followObstacle(slot, o, now)
	limits := o.Params.ResourceLimits.Value
	if limits.IsEmpty() && len(l.open) == 0 {
		return
	}
	for k := range limits.Set {
		l.checkSet(limits.Set[k] && o.Alive && !l.Core.Config().InfiniteOvercommit, standing{
			key:   env.LimitKey{Element: tables.ElementOperation, Slot: slot, Limit: tables.ResourceLimits, Resource: resource.Kind(k)},
			value: o.Usage[k], limit: limits.Amounts[k], lowered: true,
		}, now)
	}
}

// CheckNode judges a node's capacity, in the resources that the trace measures
// (HB-01). What runs on a disabled one takes nothing of it (core/spec/scheduling.md §9.1), and
// nothing can be taken of one that is offline.
func (l *Limits) CheckNode(slot int32, n *core.Node, now core.Time) {
	size := l.node(slot)
	before := *size
	*size = n.Limits
	away := !n.Online || l.Core.IsDisabled(slot)
	if away { // when it is back, it has less than what held its jobs
		*size = resource.Unlimited
	}
	for k, measured := range l.Log.Measured {
		if measured {
			l.checkSet(!away && !n.Limits.IsZero(), standing{
				key:   env.LimitKey{Element: tables.ElementNode, Slot: slot, Limit: tables.NodeCapacity, Resource: resource.Kind(k)},
				value: n.Usage[k], limit: n.Limits[k], lowered: n.Limits[k] < before[k],
			}, now)
		}
	}
	if !away {
		l.doubtSizes(slot, n)
	}
}
