package core

// A process is what is known of the scheduler's process.
type process struct {
	away      bool // it lost its master
	restarted Time // when it lost it, found it or started anew last
}

// changeProcess follows the scheduler's process. One that lost its master updates
// nothing until it found it again, and one that comes back knows no clock, no
// earlier update and nothing of what it granted last: only accumulated volumes are
// stored (core/spec/fair-share.md §6.1, §6.2, §11; core/spec/scheduling.md §7.3).
func (t *Tree) changeProcess(e *Event) {
	switch e.Process {
	case "master_disconnected":
		t.away = true
	case "master_connected", "scheduler_started":
		t.away = false
	default:
		return
	}
	t.restarted, t.previous = e.Time, Never
	t.shares.Restart()
	t.forgetPast()
	t.scheduling.Restart()
	t.stale = true
	for slot := range t.pools {
		if p := &t.pools[slot]; p.exists {
			t.touchPool(int32(slot))
		}
	}
	for slot := range t.operations {
		if o := &t.operations[slot]; o.Alive && o.enabled {
			t.touchOperation(int32(slot))
			t.resetInputs(int32(slot))
			t.shares.SetOperation(o.Element, t.shareOperation(o))
		}
	}
}

// Restarted returns when the scheduler lost its master, found it or started anew
// last, Never if it never did.
func (p *process) Restarted() Time { return p.restarted }

// IsAway reports whether the scheduler has lost its master: it schedules nothing, and
// tells nothing of itself (ingest/trace/FORMAT.md §1.3).
func (p *process) IsAway() bool { return p.away }
