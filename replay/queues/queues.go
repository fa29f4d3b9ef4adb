package queues

import (
	"poolproof/core"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Queues judge the recorded steps of operations, and follow which operations wait for admission
// (core/spec/scheduling.md §5).
type Queues struct {
	*env.Env
	rows            env.Table[tables.Admission]
	pendingEpisodes env.Batch[tables.PendingEpisode]
	earlierPendings env.Table[tables.EarlierPendingEpisode]
	admissions      admissions
	pendings        pendings
}

// NewQueues returns the queues of a tree.
func New(e *env.Env) *Queues {
	return &Queues{
		Env: e, rows: env.Open[tables.Admission](e.Out), pendingEpisodes: env.OpenBatch(e.Out, comparePendings),
		earlierPendings: env.Open[tables.EarlierPendingEpisode](e.Out),
		admissions:      newAdmissions(e.Log.Facts),
	}
}

// EndInstant judges the steps of an instant and follows the queues.
func (q *Queues) EndInstant(now core.Time) {
	q.settleAdmissions(now)
	q.settlePending(now)
}

// Skip follows the queues at an instant before the window.
func (q *Queues) Skip(now core.Time) { q.settlePending(now) }

// BeginWindow cuts the open episodes at the window's start.
func (q *Queues) BeginWindow(from core.Time) { q.clipPending(from) }

// PassTo concludes what is known before an instant.
func (q *Queues) PassTo(to core.Time) { q.admissions.passTo(q, to-1) }

// Finish closes all at the window's end.
func (q *Queues) Finish(to core.Time) {
	q.admissions.finish(q)
	q.finishPending(to)
}

// Flush writes the rows of the last instant.
func (q *Queues) Flush() { q.pendingEpisodes.Flush() }
