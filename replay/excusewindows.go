package replay

import (
	"cmp"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
)

// excuseWindows knows the times in which the scheduler was away or had raised an alert (the
// global excuse windows of core/spec/invariants.md §1), and what is less certain for that.
type excuseWindows struct {
	reconnect core.Time // for how long the scheduler is excused once it is back

	away     bool      // disconnected from its master
	back     core.Time // when it connected last
	returned bool      // it did
	alert    bool      // update_pools is up: an older configuration is in force
	alerted  window    // when it was last; without end while it is
	windows  []window  // in which the set of trees excuses, apart and in order
	single   bool      // the log tells one version of pools, not what was stored since
}

// follow notes what befell the scheduler.
func (g *excuseWindows) follow(e *core.Event) {
	if e.Kind != core.ProcessChanged {
		return
	}
	switch e.Process {
	case "master_disconnected":
		g.away = true
	case "master_connected", "scheduler_started":
		g.away, g.back, g.returned = false, e.Time, true
	case "alert_raised", "alert_cleared":
		if e.Alert == "update_pools" {
			g.turnAlert(e.Process == "alert_raised", e.Time)
		}
	}
}

// turnAlert raises or clears update_pools. To raise it twice makes it no younger.
func (g *excuseWindows) turnAlert(raised bool, now core.Time) {
	switch {
	case raised && !g.alert:
		g.alerted = window{core.Span{From: now, To: never}, judge.PoolsAlert}
	case !raised && g.alert:
		g.alerted.To = now
	}
	g.alert = raised
}

// cover completes the context of what is judged at an instant, by the tree as it is then.
func (g *excuseWindows) cover(c *judge.Context, t *core.Tree, at core.Time) {
	g.coverSettings(c, t, at)
	c.Shaken |= g.shaken(at)
}

// coverSettings is cover for what goes by no state of jobs, clocks and nodes.
func (g *excuseWindows) coverSettings(c *judge.Context, t *core.Tree, at core.Time) {
	c.Excuse = g.at(at)
	if g.isSuperseded(t.Reconfigured(), at, core.Time(c.Slacks.Configuration)) {
		c.Shaken |= judge.OnConfiguration
	}
}

// lostOperations is what is not certain where, by the facts of the log, rows of operations
// are lost.
func lostOperations(facts []Fact) judge.Inputs {
	if slices.Contains(facts, Fact{"operations", "partial"}) {
		return judge.OnOperations
	}
	return 0
}

// shaken is what may be otherwise than it is replayed because the scheduler comes back,
// or moves nodes between trees: jobs end unlogged meanwhile, and clocks, lists and totals
// are made anew, so that checks of time and state wait (core/spec/scheduling.md §7.3, §13.5).
func (g *excuseWindows) shaken(at core.Time) judge.Inputs {
	switch g.at(at) {
	case judge.Reconnecting, judge.TreesUpdating:
		return judge.OnState
	}
	return 0
}

// isSuperseded reports whether the configuration in force may be older than the one that
// is replayed. While update_pools stands some tree keeps the version that was accepted
// last (core/spec/scheduling.md §2.3, §4.5); which tree, the log does not tell. Doubtful are
// versions from as long before the alert as one takes to be in force, for any of these
// may have raised it, until as long after it was cleared. What the replay itself refuses
// is none of them: there it keeps to the accepted version as well.
func (g *excuseWindows) isSuperseded(reconfigured, at, slack core.Time) bool {
	since := g.versionsSince(at, slack)
	return since < at-slack && (g.single || reconfigured != 0 && reconfigured > since)
}

// versionsSince is the moment after which versions replaced the one that was in force at an
// instant at the earliest.
func (g *excuseWindows) versionsSince(at, slack core.Time) core.Time {
	since := at - slack
	look := func(w *window) {
		if w.cause == judge.PoolsAlert && at >= w.From && at <= w.To+min(slack, never-w.To) {
			since = min(since, w.From-slack-1)
		}
	}
	look(&g.alerted)
	for i := g.window(at - slack); i < len(g.windows) && g.windows[i].From <= at; i++ {
		look(&g.windows[i])
	}
	return since
}

// at returns the excuse for what happens now, if any.
func (g *excuseWindows) at(now core.Time) judge.Excuse {
	switch {
	case g.away, g.returned && now < g.back+g.reconnect:
		return judge.Reconnecting
	case g.alert:
		return judge.PoolsAlert
	}
	if i := g.window(now); i < len(g.windows) && g.windows[i].From <= now {
		return g.windows[i].cause
	}
	return judge.NoExcuse
}

// window returns the first window that is not over, their number if there is none.
func (g *excuseWindows) window(now core.Time) int {
	if len(g.windows) == 0 {
		return 0 // most logs
	}
	i, _ := slices.BinarySearchFunc(g.windows, now+1, func(w window, t core.Time) int { return cmp.Compare(w.To, t) })
	return i
}

// next returns the first instant after another at which a window begins or ends by
// time alone.
func (g *excuseWindows) next(after core.Time) core.Time {
	at := never
	if end := g.back + g.reconnect; g.returned && !g.away && end > after {
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
const never = core.Time(math.MaxInt64)
