package env

import (
	"cmp"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
)

// ExcuseWindows holds the times in which the scheduler was disconnected or had raised an alert (the
// global excuse windows of core/spec/invariants.md §1), and the inputs that are uncertain because
// of that.
type ExcuseWindows struct {
	Reconnect core.Time // how long the scheduler is excused after a reconnect

	away     bool      // disconnected from its master
	Back     core.Time // when it last connected
	Returned bool      // it has connected
	alert    bool      // update_pools is up: an older configuration is in force
	alerted  Window    // the last time of the alert; without end while it is up
	windows  []Window  // excuse windows of the set of trees, disjoint and in order
	Single   bool      // the log holds one version of pools, not later ones
}

// ApplyEvent updates the windows by an event of the scheduler's process.
func (g *ExcuseWindows) ApplyEvent(e *core.Event) {
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

// turnAlert raises or clears update_pools. Raising it again does not change its start.
func (g *ExcuseWindows) turnAlert(raised bool, now core.Time) {
	switch {
	case raised && !g.alert:
		g.alerted = Window{core.Span{From: now, To: Never}, judge.PoolsAlert}
	case !raised && g.alert:
		g.alerted.To = now
	}
	g.alert = raised
}

// Cover completes the context of rulings at an instant, by the current state of the tree.
func (g *ExcuseWindows) Cover(c *judge.Context, t *core.Tree, at core.Time) {
	g.CoverSettings(c, t, at)
	c.Shaken |= g.Shaken(at)
}

// CoverSettings is Cover for rules that do not depend on the state of jobs, clocks and nodes.
func (g *ExcuseWindows) CoverSettings(c *judge.Context, t *core.Tree, at core.Time) {
	c.Excuse = g.ExcuseAt(at)
	if g.IsSuperseded(t.Reconfigured(), at, core.Time(c.Slacks.Configuration)) {
		c.Shaken |= judge.OnConfiguration
	}
}

// LostOperations returns the inputs that are uncertain if, by the facts of the log, rows of
// operations are lost.
func LostOperations(facts []Fact) judge.Inputs {
	if slices.Contains(facts, Fact{"operations", "partial"}) {
		return judge.OnOperations
	}
	return 0
}

// Shaken returns the inputs that may differ from the replay because the scheduler reconnects or
// moves nodes between trees: jobs end unrecorded meanwhile, and clocks, lists and totals are
// rebuilt, so checks of time and state are suspended (core/spec/scheduling.md §7.3, §13.5).
func (g *ExcuseWindows) Shaken(at core.Time) judge.Inputs {
	switch g.ExcuseAt(at) {
	case judge.Reconnecting, judge.TreesUpdating:
		return judge.OnState
	}
	return 0
}

// IsSuperseded reports whether the configuration in force may be older than the replayed one. While
// the alert update_pools is up, one of the trees keeps its last accepted version
// (core/spec/scheduling.md §2.3, §4.5); the log does not record which tree. Versions are doubtful
// if they could have raised the alert: from the delay of settings before the alert until the same
// delay after it was cleared. Versions that the replay itself refuses are not doubtful, because the
// replay keeps the accepted version, too.
func (g *ExcuseWindows) IsSuperseded(reconfigured, at, slack core.Time) bool {
	since := g.VersionsSince(at, slack)
	return since < at-slack && (g.Single || reconfigured > since)
}

// VersionsSince returns the time after which a version may have replaced the one in force at an
// instant.
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

// ExcuseAt returns the excuse at an instant, if any.
func (g *ExcuseWindows) ExcuseAt(now core.Time) judge.Excuse {
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

// window returns the index of the first window that has not ended, or their number.
func (g *ExcuseWindows) window(now core.Time) int {
	if len(g.windows) == 0 {
		return 0 // the usual case
	}
	i, _ := slices.BinarySearchFunc(g.windows, now+1, func(w Window, t core.Time) int { return cmp.Compare(w.To, t) })
	return i
}

// Next returns the first instant after another at which a window begins or ends without an event.
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

// A Window is an excuse window of the set of trees.
type Window struct {
	core.Span
	Cause judge.Excuse
}
