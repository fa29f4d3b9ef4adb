package replay

import (
	"cmp"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
)

// A grace knows the times in which nothing is alleged, because the scheduler was
// away or had raised an alert (the global excuse windows of spec/invariants.md
// §1).
type grace struct {
	reconnect core.Time // for how long the scheduler is excused once it is back

	away     bool      // disconnected from its master
	back     core.Time // when it connected last
	returned bool      // it did
	alert    bool      // update_pools is up: an older configuration is in force
	windows  []window  // in which the set of trees excuses, apart and in order
}

// follow notes what befell the scheduler.
func (g *grace) follow(e *core.Event) {
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
			g.alert = e.Process == "alert_raised"
		}
	}
}

// at returns the excuse for what happens now, if any.
func (g *grace) at(now core.Time) judge.Excuse {
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
func (g *grace) window(now core.Time) int {
	if len(g.windows) == 0 {
		return 0 // most logs
	}
	i, _ := slices.BinarySearchFunc(g.windows, now+1, func(w window, t core.Time) int { return cmp.Compare(w.To, t) })
	return i
}

// next returns the first instant after another at which a window begins or ends by
// time alone.
func (g *grace) next(after core.Time) core.Time {
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
