package ingest

import (
	"poolproof/core"
	"poolproof/ingest/trace"
)

// processChanges is the source of ProcessChanged. What befalls the scheduler's
// processes befalls every tree.
type processChanges struct {
	tableSource
	event column         `col:"event"`
	alert column         `col:"alert"`
	words map[int32]bool // the interned words of the column event
}

func newProcessChanges(s *stream, _ string) (source, error) {
	p := &processChanges{words: s.words("scheduler_started", "master_connected", "master_disconnected", "alert_raised", "alert_cleared")}
	return p, p.open(s, globalFolder, &trace.ProcessEvents.Table, bindColumns(p, &trace.ProcessEvents.Table), func() bool {
		return p.enum(&p.event, p.words)
	})
}

func (p *processChanges) emit(e *core.Event) {
	e.Process = p.textOf(&p.event)
	e.Alert = p.textOf(&p.alert)
}
