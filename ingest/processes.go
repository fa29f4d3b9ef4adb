package ingest

import (
	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// processChanges is the source of ProcessChanged. What befalls the scheduler's
// processes befalls every tree.
type processChanges struct {
	tableSource
	event []int32
	alert *parquetlog.Vector
	words map[int32]bool // the interned words of the column event
}

func newProcessChanges(s *stream, _ string) (source, error) {
	table := &trace.ProcessEvents.Table
	p := &processChanges{words: map[int32]bool{}}
	for _, word := range []string{"scheduler_started", "master_connected", "master_disconnected", "alert_raised", "alert_cleared"} {
		p.words[s.intern.ID([]byte(word))] = true
	}
	var err error
	p.tableSource, err = newTableSource(s, globalFolder, table, []string{"event", "alert"}, func(b *parquetlog.Batch) {
		p.event, p.alert = b.Columns[table.Column("event")].Texts, &b.Columns[table.Column("alert")]
	})
	p.accept = func() bool {
		if !p.words[p.event[p.i]] {
			p.problem("event", UnknownEnum, s.intern.Text(p.event[p.i]))
			return false
		}
		return true
	}
	return p, err
}

func (p *processChanges) emit(e *core.Event) {
	e.Process = p.stream.intern.Text(p.event[p.i])
	e.Alert = p.stream.intern.Text(p.alert.Texts[p.i])
}
