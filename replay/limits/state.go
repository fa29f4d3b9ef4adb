package limits

import (
	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Limits follow which limits are exceeded, since when and why (core/spec/invariants.md
// LIM-02, CNT-04, CNT-05, HB-01), and which operations wait for jobs that no limit above them
// can hold (LIM-10) or that no node starts.
type Limits struct {
	*env.Env
	episodes              env.Batch[tables.LimitEpisode]
	unschedulableEpisodes env.Batch[tables.UnschedulableEpisode]
	obstacleSpans         env.Batch[tables.ObstacleSpan]
	earlierEpisodes       env.Table[tables.EarlierLimitEpisode]
	earlierUnschedulable  env.Table[tables.EarlierUnschedulableEpisode]
	// Over is called when a limit that preemption repairs is kept again.
	Over func(k env.LimitKey, now core.Time)
	// Repairable are the exceeded limits that preemption repairs: specified limits of pools
	// and operations.
	Repairable []*env.ExceededLimit

	open    map[env.LimitKey]*limitEpisode
	lag     core.Time        // see env.Log.NodesLag
	unsized []unsizedEpisode // in the order of their end
	doubts  []jobDoubt       // reused

	// At the last look, by slot.
	pools         []poolLimits
	nodes         []resource.Vector // sizes
	unschedulable []*tables.UnschedulableEpisode
	obstacles     []*tables.ObstacleSpan
	checks        []tables.UnschedulableCheck // by operation, in the window
}

// poolLimits holds the last limits of a pool.
type poolLimits struct {
	judged       bool      // they have been looked at before
	changed      core.Time // when they were changed last, 0 if never
	limitsBefore resource.Partial
	countsBefore operationCounts
}

// operationCounts holds the operation counts of a pool and their limits.
type operationCounts struct {
	running, operations       int64
	maxRunning, maxOperations core.Optional[int64]
}

// NewLimits returns what follows the limits of a tree.
func New(e *env.Env) *Limits {
	return &Limits{
		Env: e, episodes: env.OpenBatch(e.Out, compareLimits), unschedulableEpisodes: env.OpenBatch(e.Out, compareUnschedulable),
		obstacleSpans:   env.OpenBatch(e.Out, compareObstacles),
		earlierEpisodes: env.Open[tables.EarlierLimitEpisode](e.Out), earlierUnschedulable: env.Open[tables.EarlierUnschedulableEpisode](e.Out),
		open: map[env.LimitKey]*limitEpisode{}, lag: e.Log.NodesLag(),
	}
}

// BeginWindow cuts the open episodes at the window's start.
func (l *Limits) BeginWindow(from core.Time) {
	clear(l.checks) // of the time before
	l.clip(from)
	l.clipUnschedulable(from)
}

// PassTo writes the episodes that no later row can change.
func (l *Limits) PassTo(to core.Time) { l.settleSizes(to) }

// Finish closes all at the window's end.
func (l *Limits) Finish(to core.Time) {
	for slot := range l.unschedulable {
		if l.unschedulable[slot] != nil {
			l.closeUnschedulable(int32(slot), to, true)
		}
	}
	for slot := range l.obstacles {
		if l.obstacles[slot] != nil {
			l.closeObstacle(int32(slot), to, true)
		}
	}
	l.finishEpisodes(to)
}

// Flush writes the rows of the last instant.
func (l *Limits) Flush() {
	l.episodes.Flush()
	l.unschedulableEpisodes.Flush()
	l.obstacleSpans.Flush()
}

// UnschedulableCheck is whether, in the window, a limit was looked for that can hold no job of
// an operation.
func (l *Limits) UnschedulableCheck(operation core.OperationID) tables.UnschedulableCheck {
	if l.checks == nil {
		return tables.SchedulabilityNeverWaited
	}
	return l.checks[operation]
}

func (l *Limits) pool(slot int32) *poolLimits {
	for len(l.pools) <= int(slot) {
		l.pools = append(l.pools, poolLimits{})
	}
	return &l.pools[slot]
}

func (l *Limits) node(slot int32) *resource.Vector {
	for len(l.nodes) <= int(slot) {
		l.nodes = append(l.nodes, resource.Vector{})
	}
	return &l.nodes[slot]
}
