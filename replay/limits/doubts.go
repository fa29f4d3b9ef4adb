package limits

import (
	"cmp"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// How much of the time over a limit is doubtful or allowed.

// allow keeps the longest that a node was allowed to be overfull and its jobs to stop, by
// the settings in force, and how seldom it reports (core/spec/scheduling.md §10.7, §10.8,
// §13.5).
func (l *Limits) allow(k env.LimitKey, e *limitEpisode) {
	if k.Limit == tables.NodeCapacity {
		o := l.Core.Scheduling().Options()
		e.Allowed = max(e.Allowed, o.OvercommitDuration+l.Core.LongestInterruption())
		e.Interval = int64(l.Core.Node(k.Slot).Interval)
	}
}

// isOfClocks reports whether clock differences between those who record the ends of jobs and of
// operations may explain all of an episode (ingest/trace/FORMAT.md §4.2).
func (e *limitEpisode) isOfClocks() bool {
	return decides(e.Cause) && !e.ClippedFrom && !e.ClippedTo && !e.lasting
}

// An excessOf is the additional excess over a limit from a time on.
type excessOf struct {
	at     core.Time
	amount int64
}

// exceed notes by how much the limit is exceeded from now on. While each excess is made up for
// within the difference of clocks, ends that are recorded late explain one after the other.
func (e *limitEpisode) exceed(excess int64, now, differ core.Time) {
	if e.lasting = e.lasting || len(e.excesses) > 0 && now-e.excesses[0].at > differ; e.lasting {
		e.excesses = nil
		return
	}
	for _, x := range e.excesses {
		excess -= x.amount
	}
	if excess > 0 {
		e.excesses = append(e.excesses, excessOf{now, excess})
	}
	for ; excess < 0; e.excesses = e.excesses[1:] {
		first := &e.excesses[0]
		if first.amount+excess > 0 {
			first.amount += excess
			return
		}
		excess += first.amount
	}
}

// Answer notes that scheduling answers a heartbeat, which would clear the node if it is
// overfull (core/spec/scheduling.md §9.1, §10.8).
func (l *Limits) Answer(e *core.Event) {
	if len(l.open) == 0 {
		return
	}
	slot, _ := l.Core.NodeOf(e.Node)
	if e.Skipped.Value || l.Core.OverfullSince(slot) == scheduling.Never {
		return
	}
	for k := range resource.Kinds {
		if episode := l.open[env.LimitKey{Element: tables.ElementNode, Slot: slot, Limit: tables.NodeCapacity, Resource: resource.Kind(k)}]; episode != nil {
			episode.answerTo(e.Time, l.between(slot))
		}
	}
}

// between returns the longest tolerated time between two heartbeats of a node, unbounded if the log
// does not hold all.
func (l *Limits) between(node int32) int64 {
	if seen := l.Core.Node(node).Interval; seen > 0 {
		s := l.Slacks()
		return s.Between(int64(seen))
	}
	return math.MaxInt64
}

// answerTo adds up the time in which a heartbeat was due and none was answered.
func (e *limitEpisode) answerTo(now core.Time, between int64) {
	e.Unanswered += max(0, int64(now-e.answered)-between)
	e.answered = now
}

// Return notes that the scheduler came back, or started anew: until then it answered no heartbeat, and
// it measures from then on how long a node is overfull (core/spec/scheduling.md §10.8).
func (l *Limits) Return(e *core.Event) {
	if e.Process != "master_connected" && e.Process != "scheduler_started" {
		return
	}
	for k, episode := range l.open {
		if k.Limit == tables.NodeCapacity {
			episode.answerTo(e.Time, 0)
		}
	}
}

// passTo adds up what is doubtful of the time to an instant, in which nothing changed.
func (e *limitEpisode) passTo(now core.Time) {
	e.Doubtful += max(0, int64(now-max(e.passed, e.Sure)))
	e.passed = now
}

// sureUntil is until when, if nothing changes, a limit is exceeded even without the jobs
// that may be gone.
func (l *Limits) sureUntil(s standing, now core.Time) core.Time {
	const always = 1<<63 - 1
	if s.key.IsCount() {
		return always
	}
	doubts := l.doubts[:0]
	l.Core.EachDoubt(now, func(j *core.Job, from core.Time) {
		if uses := j.Usage[s.key.Resource]; uses > 0 && l.counts(s.key, j) {
			doubts = append(doubts, jobDoubt{from, uses})
		}
	})
	l.doubts = doubts
	slices.SortFunc(doubts, func(a, b jobDoubt) int { return cmp.Compare(a.from, b.from) })
	for _, d := range doubts {
		if s.value -= d.uses; s.value <= s.limit {
			return d.from
		}
	}
	return always
}

// A jobDoubt is the usage of a job and the time from which it may be gone.
type jobDoubt struct {
	from core.Time
	uses int64
}

// An unsizedEpisode is over the capacity of a node. Until a moment the log may still record that
// the node already had another size.
type unsizedEpisode struct {
	tables.LimitEpisode
	key   env.LimitKey
	until core.Time
}

// doubt says that the node may have had room all the time.
func (e *unsizedEpisode) doubt() { e.Doubtful = int64(e.ToTime - e.FromTime) }

// doubtSizes doubts what exceeded the size that a node had before, and does not exceed
// the one that it has.
func (l *Limits) doubtSizes(slot int32, n *core.Node) {
	for i := range l.unsized {
		if e := &l.unsized[i]; e.key.Slot == slot && e.Value <= n.Limits[e.key.Resource] {
			e.doubt()
		}
	}
}

// settleSizes writes the episodes that no later row can change.
func (l *Limits) settleSizes(now core.Time) {
	l.unsized = slices.DeleteFunc(l.unsized, func(e unsizedEpisode) bool {
		if e.until >= now {
			return false
		}
		l.episodes.Add(e.until, &e.LimitEpisode)
		return true
	})
}
