package env

import (
	"cmp"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
)

// ExcuseWindows are the times in which the scheduler was away or had raised an alert (the global
// excuse windows of core/spec/invariants.md §1), and what is less certain for that.
type ExcuseWindows struct {
	Reconnect core.Time // for how long the scheduler is excused once it is back

	away     bool      // disconnected from its master
	Back     core.Time // when it connected last
	Returned bool      // it did
	alert    bool      // update_pools is up: an older configuration is in force
	alerted  Window    // when it was last; without end while it is
	windows  []Window  // in which the set of trees excuses, apart and in order
	Single   bool      // the log holds one version of pools, not what was stored since
}

// Follow notes what befell the scheduler.
func (g *ExcuseWindows) Follow(e *core.Event) {
	if e.Kind != core.ProcessChanged {
		return
	}
	switch e.Process {
	case "master_disconnected":
		g.away = true
	case "master_connected", "scheduler_started":
		g.away, g.Back, g.Returned = false, e.Time, true
	case "alert_raised", "alert_cleared":
		if e.Alert == "update_pools" {
			g.turnAlert(e.Process == "alert_raised", e.Time)
		}
	}
}

// turnAlert raises or clears update_pools. To raise it twice makes it no younger.
func (g *ExcuseWindows) turnAlert(raised bool, now core.Time) {
	switch {
	case raised && !g.alert:
		g.alerted = Window{core.Span{From: now, To: Never}, judge.PoolsAlert}
	case !raised && g.alert:
		g.alerted.To = now
	}
	g.alert = raised
}

// Cover completes the context of what is judged at an instant, by the tree as it is then.
func (g *ExcuseWindows) Cover(c *judge.Context, t *core.Tree, at core.Time) {
	g.CoverSettings(c, t, at)
	c.Shaken |= g.Shaken(at)
}

// CoverSettings is cover for what goes by no state of jobs, clocks and nodes.
func (g *ExcuseWindows) CoverSettings(c *judge.Context, t *core.Tree, at core.Time) {
	c.Excuse = g.At(at)
	if g.IsSuperseded(t.Reconfigured(), at, core.Time(c.Slacks.Configuration)) {
		c.Shaken |= judge.OnConfiguration
	}
}

// LostOperations is what is not certain where, by the facts of the log, rows of operations
// are lost.
func LostOperations(facts []Fact) judge.Inputs {
	if slices.Contains(facts, Fact{"operations", "partial"}) {
		return judge.OnOperations
	}
	return 0
}

// Shaken is what may be otherwise than it is replayed because the scheduler comes back,
// or moves nodes between trees: jobs end unlogged meanwhile, and clocks, lists and totals
// are made anew, so that checks of time and state wait (core/spec/scheduling.md §7.3, §13.5).
func (g *ExcuseWindows) Shaken(at core.Time) judge.Inputs {
	switch g.At(at) {
	case judge.Reconnecting, judge.TreesUpdating:
		return judge.OnState
	}
	return 0
}

// IsSuperseded reports whether the configuration in force may be older than the replayed one.
// While the alert update_pools stands, one of the trees keeps the version that was accepted last
// (core/spec/scheduling.md §2.3, §4.5); the log does not record which. Versions are doubtful if
// they could have raised the alert: from as long before it as a version takes to be in force,
// until as long after it was cleared. Versions that the replay itself refuses are not: there the
// replay keeps the accepted version, too.
func (g *ExcuseWindows) IsSuperseded(reconfigured, at, slack core.Time) bool {
	since := g.VersionsSince(at, slack)
	return since < at-slack && (g.Single || reconfigured > since)
}

// VersionsSince is the moment after which versions replaced the one that was in force at an
// instant at the earliest.
func (g *ExcuseWindows) VersionsSince(at, slack core.Time) core.Time {
	since := at - slack
	look := func(w *Window) {
		if w.Cause == judge.PoolsAlert && at >= w.From && at <= w.To+min(slack, Never-w.To) {
			since = min(since, w.From-slack-1)
		}
	}
	look(&g.alerted)
	for i := g.window(at - slack); i < len(g.windows) && g.windows[i].From <= at; i++ {
		look(&g.windows[i])
	}
	return since
}

// At returns the excuse for what happens now, if any.
func (g *ExcuseWindows) At(now core.Time) judge.Excuse {
	switch {
	case g.away, g.Returned && now < g.Back+g.Reconnect:
		return judge.Reconnecting
	case g.alert:
		return judge.PoolsAlert
	}
	if i := g.window(now); i < len(g.windows) && g.windows[i].From <= now {
		return g.windows[i].Cause
	}
	return judge.NoExcuse
}

// window returns the first window that is not over, their number if there is none.
func (g *ExcuseWindows) window(now core.Time) int {
	if len(g.windows) == 0 {
		return 0 // most logs
	}
	i, _ := slices.BinarySearchFunc(g.windows, now+1, func(w Window, t core.Time) int { return cmp.Compare(w.To, t) })
	return i
}

// Next returns the first instant after another at which a window begins or ends by
// time alone.
func (g *ExcuseWindows) Next(after core.Time) core.Time {
	at := Never
	if end := g.Back + g.Reconnect; g.Returned && !g.away && end > after {
		at = end
	}
	if i := g.window(after); i < len(g.windows) {
		w := g.windows[i]
		if w.From > after {
			return min(at, w.From)
		}
		return min(at, w.To)
	}
	return at
}

// never is later than any time.
const Never = core.Time(math.MaxInt64)

// A Window is a span in which the set of trees excuses.
type Window struct {
	core.Span
	Cause judge.Excuse
}
