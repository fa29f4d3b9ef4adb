package replay

import (
	"poolproof/core"
	"poolproof/core/judge"
)

// A grace knows the times in which nothing is alleged, because the scheduler was
// away or had raised an alert (the global excuse windows of spec/invariants.md
// §1).
type grace struct {
	away     bool      // disconnected from its master
	back     core.Time // when it connected last
	returned bool      // it did
	alert    bool      // update_pools is up: an older configuration is in force
}

// afterReconnect is how long the scheduler is excused once it is back.
const afterReconnect = 60 * core.Second

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
	case g.away, g.returned && now < g.back+afterReconnect:
		return judge.Reconnecting
	case g.alert:
		return judge.PoolsAlert
	}
	return judge.NoExcuse
}
