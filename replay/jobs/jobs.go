package jobs

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// Jobs follow the jobs of a tree: where and before whom they started, and how they ended.
type Jobs struct {
	*env.Env
	records       Records
	rows          env.Table[tables.Job]
	misplacedJobs env.Table[tables.MisplacedJob]

	placements  placements
	overtakings []overtaking // by job slot
	job         tables.Job   // reused
}

// Records are those of the scheduler itself, as far as jobs depend on them.
type Records interface {
	// TakesNoPart reports whether the last record says that an operation took no part in
	// scheduling where the replay had it do so.
	TakesNoPart(slot int32, id core.OperationID) bool
	// KnowsDemand reports whether the log records demand at an instant.
	KnowsDemand(now core.Time) bool
}

// NewJobs returns the jobs of a tree.
func New(e *env.Env, records Records) *Jobs {
	return &Jobs{
		Env: e, records: records, rows: env.Open[tables.Job](e.Out), misplacedJobs: env.Open[tables.MisplacedJob](e.Out),
		placements: placements{slacks: judge.DefaultSlacks(), lag: e.Log.NodesLag()},
	}
}

// EndInstant follows the jobs that start or end at an instant. Those that end are sorted.
func (r *Jobs) EndInstant(now core.Time) {
	c := r.Core.Changes()
	r.placements.slacks = r.Slacks()
	r.notePlacements(now)
	slices.SortStableFunc(c.Ended, func(a, b core.EndedJob) int {
		return cmp.Compare(r.Core.Job(a.Slot).ID, r.Core.Job(b.Slot).ID)
	})
	for _, job := range c.Started {
		r.judgePlacement(job)
		r.noteOvertaking(job)
	}
	for _, ended := range c.Ended {
		r.endJob(&ended)
	}
}

// Skip follows the tags and filters of an instant before the window.
func (r *Jobs) Skip(now core.Time) { r.notePlacements(now) }

// PassTo writes the rows of starts that nothing before an instant bears on any more.
func (r *Jobs) PassTo(to core.Time) { r.settlePlacements(to) }

// Finish writes what is left at the window's end.
func (r *Jobs) Finish() {
	r.settlePlacements(env.Never)
	r.finishJobs()
}

// Facts say how many starts could be judged, for the coverage table.
func (r *Jobs) Facts(seen map[string]int64) []env.Fact { return r.placements.facts(seen) }
