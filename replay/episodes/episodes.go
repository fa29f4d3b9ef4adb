package episodes

import (
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A Recorder writes intervals of pools and operations, and episodes of unmet guarantees and of
// starvation.
type Recorder struct {
	*env.Env
	Records Records

	poolIntervals      env.Batch[tables.PoolInterval]
	operationIntervals env.Batch[tables.OperationInterval]
	guaranteeEpisodes  env.Batch[tables.GuaranteeEpisode]
	starvationEpisodes env.Batch[tables.StarvationEpisode]
	earlierGuarantees  env.Batch[tables.EarlierGuaranteeEpisode]
	earlierStarvations env.Batch[tables.EarlierStarvationEpisode]

	pools      []poolTrack      // by slot
	operations []operationTrack // by slot
	deadlines  deadlines

	guarantees              guarantees
	preemptionOpportunities preemptionOpportunities
	starving                starver // reused
	sample                  sample  // reused
}

// Records gives access to the scheduler's own records, as far as episodes depend on them.
type Records interface {
	// Tolerance returns the slacks of records.
	Tolerance() *judge.Slacks
	// TakesNoPart reports whether by the last record an operation did not take part in scheduling,
	// although it did in the replay.
	TakesNoPart(slot int32, id core.OperationID) bool
}

// New returns a recorder of a tree.
func New(e *env.Env) *Recorder {
	return &Recorder{
		Env: e, poolIntervals: env.OpenBatch(e.Out, comparePools), operationIntervals: env.OpenBatch(e.Out, compareOperations),
		guaranteeEpisodes: env.OpenBatch(e.Out, compareGuarantees), starvationEpisodes: env.OpenBatch(e.Out, compareStarving),
		earlierGuarantees: env.OpenBatch(e.Out, func(a, b *tables.EarlierGuaranteeEpisode) int {
			return compareGuarantees(&a.GuaranteeEpisode, &b.GuaranteeEpisode)
		}),
		earlierStarvations: env.OpenBatch(e.Out, func(a, b *tables.EarlierStarvationEpisode) int {
			return compareStarving(&a.StarvationEpisode, &b.StarvationEpisode)
		}),
	}
}

// Grow makes room for the slots that the core has.
func (r *Recorder) Grow() {
	r.pools = slices.Grow(r.pools, max(0, r.Core.Pools()-len(r.pools)))
	for len(r.pools) < r.Core.Pools() {
		r.pools = append(r.pools, poolTrack{under: r.Core.Pool(int32(len(r.pools))).Parent})
	}
	for len(r.operations) < r.Core.Operations() {
		r.operations = append(r.operations, operationTrack{})
	}
}

// PoolHistory returns the history of a pool.
func (r *Recorder) PoolHistory(slot int32) *env.PoolHistory { return &r.pools[slot].PoolHistory }

// OperationHistory returns the history of an operation.
func (r *Recorder) OperationHistory(slot int32) *env.History { return &r.operations[slot].History }

// StarvesUntil returns until when the open starvation episode of an operation lasted in a
// status, scheduling.Never if it did not.
func (r *Recorder) StarvesUntil(slot int32, operation core.OperationID, status scheduling.Status) int64 {
	return r.operations[slot].starvations.until(operation, status)
}

// SkipOperation updates the episodes of an operation at an instant before the window, without
// intervals.
func (r *Recorder) SkipOperation(slot int32, now core.Time) {
	o, track := r.Core.Operation(slot), &r.operations[slot]
	r.noteShares(slot, o, now)
	r.noteRange(&track.Range, o.Usage, o.Demand(), track.FairShares.Value)
	if !o.Alive {
		r.starveOperation(slot, now, nil, tables.StarvationFinished)
		return
	}
	r.sampleOperation(o, &r.sample)
	r.followStarvation(slot, o, now, &r.sample)
}

// SkipPool updates the episodes of a pool at an instant before the window, without intervals.
func (r *Recorder) SkipPool(slot int32, now core.Time) {
	r.followPool(slot, r.Core.Pool(slot), now, &r.sample)
}

// Cut splits the open episodes at an instant. The parts that end there are written if the log
// records all of them, that is, from its own beginning on.
func (r *Recorder) Cut(at core.Time, recorded bool) {
	r.guarantees.cut(r, at, recorded)
	for slot := range r.pools {
		r.pools[slot].starvations.cut(r, at, recorded)
	}
	for slot := range r.operations {
		r.operations[slot].starvations.cut(r, at, recorded)
	}
}

// FollowMoves updates the counts for pools that were moved in the instant.
func (r *Recorder) FollowMoves() { r.guarantees.followMoves(r) }

// EndInstant updates the guarantees after all elements of an instant.
func (r *Recorder) EndInstant(now core.Time) { r.guarantees.findOthers(r, now) }

// PassTo closes the rows that reach their maximum length before a later instant.
func (r *Recorder) PassTo(to core.Time) {
	r.guarantees.passTo(r, to)
	r.preemptionOpportunities.passTo(r, to)
	for {
		d, ok := r.deadlines.pop(to)
		if !ok {
			return
		}
		r.expire(d)
	}
}

// Finish closes all rows at the window's end as clipped.
func (r *Recorder) Finish(to core.Time) {
	for slot := range r.pools {
		r.closePool(int32(slot), to, true)
		r.pools[slot].starvations.starve(r, to, nil, tables.StarvationGoesOn)
	}
	for slot := range r.operations {
		if r.Core.Operation(int32(slot)).Alive {
			r.closeOperation(int32(slot), to, true)
			r.starveOperation(int32(slot), to, nil, tables.StarvationGoesOn)
		}
	}
	r.guarantees.finish(r, to)
}

// Flush writes the rows of the last instant.
func (r *Recorder) Flush() {
	r.poolIntervals.Flush()
	r.operationIntervals.Flush()
	r.guaranteeEpisodes.Flush()
	r.starvationEpisodes.Flush()
	r.earlierGuarantees.Flush()
	r.earlierStarvations.Flush()
}
