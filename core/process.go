package core

// A process tracks the state of the scheduler's process.
type process struct {
	away      bool // it lost its master
	restarted Time // when it last lost it, found it or restarted
}

// changeProcess applies a change of the scheduler's process. A scheduler that lost its master does
// not update. One that comes back has no starvation clocks, no previous update and no last grants:
// only accumulated volumes are persisted (core/spec/fair-share.md §6.1, §6.2, §11;
// core/spec/scheduling.md §7.3).
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
	t.resetHistory()
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

// Restarted returns the time when the scheduler last lost its master, found it or restarted, or
// Never.
func (p *process) Restarted() Time { return p.restarted }

// IsAway reports whether the scheduler has lost its master: it neither schedules nor records
// anything (ingest/trace/FORMAT.md §1.3).
func (p *process) IsAway() bool { return p.away }
