package snapshots

import (
	"cmp"
	"math"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// An about identifies the element of a span of records. The number is a pool's slot or an
// operation's id, negative for a pool without a slot.
type about struct {
	element   tables.ElementKind
	number    int32
	pool      core.PoolID
	operation core.Optional[core.OperationID]
}

func (s *Snapshots) aboutPool(slot int32) about {
	return about{element: tables.ElementPool, number: slot, pool: s.Core.Pool(slot).ID}
}

// aboutStray identifies a pool without a slot.
func aboutStray(pool core.PoolID) about {
	return about{element: tables.ElementPool, number: -2 - int32(pool), pool: pool}
}

func aboutOperation(v *operationView) about {
	return about{element: tables.ElementOperation, number: int32(v.id), pool: v.record.Pool, operation: core.Some(v.id)}
}

// An errorKey is one recorded value of one element.
type errorKey struct {
	element tables.ElementKind
	number  int32
	field   string
}

// An openError is a value that currently differs from the recomputed one.
type openError struct {
	tables.SnapshotError
	last core.Time
}

// A breachKey is one rule for one element.
type breachKey struct {
	invariant judge.Invariant
	element   tables.ElementKind
	number    int32
	aspect    string
}

// An openBreach is a rule that currently does not hold.
type openBreach struct {
	tables.SnapshotCheck
	last  core.Time
	worst judge.Verdict
	off   float64
}

// A closedBreach is a breach that ended.
type closedBreach struct {
	worst judge.Verdict
	at    core.Time
}

// err records that a recorded value differs from the recomputed one.
func (s *Snapshots) err(a about, field string, e tables.SnapshotError) {
	if !s.Begun {
		return
	}
	key := errorKey{a.element, a.number, field}
	o := s.errors[key]
	if o == nil {
		o = &openError{SnapshotError: e}
		o.Element, o.Pool, o.Operation, o.Field = a.element, a.pool, a.operation, field
		o.FromTime, o.WorstTime, o.Records = s.at, s.at, 0
		s.errors[key] = o
	} else if e.Error > o.Error {
		e.Element, e.Pool, e.Operation, e.Field, e.FromTime, e.Records = o.Element, o.Pool, o.Operation, o.Field, o.FromTime, o.Records
		e.WorstTime = s.at
		o.SnapshotError = e
	}
	o.Records++
	o.last = s.at
}

// rule adds the rulings on an element.
func (s *Snapshots) rule(a about, aspect string, rulings []judge.Ruling) {
	if !s.Begun {
		return
	}
	if s.Core.Scheduling().Options().GPUPolicy {
		rulings = judge.DropClassic(rulings)
	}
	s.tallies.countRulings(s.at, a.element, a.pool, rulings)
	for i := range rulings {
		x := &rulings[i]
		if x.Verdict <= judge.Undecidable {
			continue
		}
		key := breachKey{x.Invariant, a.element, a.number, aspect}
		o := s.breaches[key]
		if o == nil {
			o = &openBreach{SnapshotCheck: tables.SnapshotCheck{
				Invariant: x.Invariant.String(), Element: a.element, Pool: a.pool, Operation: a.operation, Aspect: aspect, FromTime: s.at,
			}, off: -1}
			s.breaches[key] = o
		}
		o.addRuling(x, s.at, s.Log.Units())
	}
}

// addRuling adds one record to the span.
func (o *openBreach) addRuling(x *judge.Ruling, at core.Time, units *resource.Units) {
	o.Records++
	o.last = at
	if x.Verdict == judge.Violated {
		o.Violated++
	}
	off := math.Abs(x.Left - x.Right)
	if x.Verdict < o.worst || x.Verdict == o.worst && off <= o.off {
		return
	}
	o.worst, o.off, o.WorstTime = x.Verdict, off, at
	o.Verdict, o.Unit, o.Resource = x.Verdict.String(), x.Unit().String(), x.Resource
	o.Found, o.Allowed = x.Left, x.Right
	o.Judged, o.Excuse, o.Sentence = x.Evidence.String(), string(x.Excuse), x.Sentence(units)
}

// endSpans ends the spans that the records of an instant do not continue.
func (s *Snapshots) endSpans(at core.Time) {
	for key, o := range s.errors {
		if o.last != at {
			s.closeError(key, o, at)
		}
	}
	for key, o := range s.breaches {
		if o.last != at {
			s.closeBreach(key, o, at)
		}
	}
}

// closeSpans ends all spans at the end of the log.
func (s *Snapshots) closeSpans(at core.Time) {
	for key, o := range s.errors {
		s.closeError(key, o, at)
	}
	for key, o := range s.breaches {
		s.closeBreach(key, o, at)
	}
}

// Rows that end at one instant are sorted when they are written.
func (s *Snapshots) closeError(key errorKey, o *openError, at core.Time) {
	delete(s.errors, key)
	o.ToTime = at
	s.snapshotErrors.Add(at, &o.SnapshotError)
}

func (s *Snapshots) closeBreach(key breachKey, o *openBreach, at core.Time) {
	delete(s.breaches, key)
	if key.invariant == judge.STV02 && key.element == tables.ElementOperation {
		s.closed[key] = closedBreach{o.worst, at}
	}
	o.ToTime = at
	if !s.holdClaim(key, &o.SnapshotCheck) {
		s.snapshotChecks.Add(at, &o.SnapshotCheck)
	}
}

func compareErrors(a, b *tables.SnapshotError) int {
	return cmp.Or(cmp.Compare(a.Element, b.Element), cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.Operation.Value, b.Operation.Value),
		cmp.Compare(a.Field, b.Field), cmp.Compare(a.FromTime, b.FromTime))
}

func compareBreaches(a, b *tables.SnapshotCheck) int {
	return cmp.Or(cmp.Compare(a.Invariant, b.Invariant), cmp.Compare(a.Element, b.Element), cmp.Compare(a.Pool, b.Pool),
		cmp.Compare(a.Operation.Value, b.Operation.Value), cmp.Compare(a.Aspect, b.Aspect), cmp.Compare(a.FromTime, b.FromTime))
}

// compareShares records a share that differs from the recomputed one: by more than eps, and by more
// than 1 % if it is computed from usage.
func (s *Snapshots) compareShares(a about, field string, recorded, expected resource.Share) {
	worst, at := 0.0, -1
	for k := range recorded {
		off := math.Abs(recorded[k] - expected[k])
		if off > max(s.slacks.Epsilon, s.slacks.OnUsage*math.Abs(expected[k])) && off > worst {
			worst, at = off, k
		}
	}
	if at >= 0 {
		s.err(a, field, tables.SnapshotError{Error: worst, Recorded: recorded[at], Recomputed: expected[at], Resource: core.Some(resource.Kind(at))})
	}
}

// compareRecorded notes a recorded share that is not as recomputed: all of it, or its greatest
// component where no more is recorded.
func (s *Snapshots) compareRecorded(a about, field string, recorded core.Optional[resource.Share], ratio core.Optional[float64], expected resource.Share) {
	switch x, greatest := ratio.Value, expected.Dominant(); {
	case recorded.Set:
		s.compareShares(a, field, recorded.Value, expected)
	case ratio.Set && math.Abs(x-greatest) > max(s.slacks.Epsilon, s.slacks.OnUsage*greatest):
		s.err(a, field, tables.SnapshotError{Error: math.Abs(x - greatest), Recorded: x, Recomputed: greatest})
	}
}

// compareWeight notes a weight in force that is not the recomputed one.
func (s *Snapshots) compareWeight(a about, recorded core.Optional[float64], expected float64) {
	if off := math.Abs(recorded.Value - expected); recorded.Set && off > inputsPrecision*expected {
		s.err(a, "weight", tables.SnapshotError{Error: off, Recorded: recorded.Value, Recomputed: expected})
	}
}

// compareTotal notes a total of the tree that is not that of its nodes, as a share of the
// recorded one.
func (s *Snapshots) compareTotal() {
	total := s.Core.ShareTotal()
	if !s.totalTold || s.total == total {
		return
	}
	recorded, expected := s.total.ShareOf(s.total), total.ShareOf(s.total)
	k := farthest(recorded, expected)
	if off := math.Abs(recorded[k] - expected[k]); off > inputsPrecision {
		s.err(s.aboutPool(0), "resource_total", tables.SnapshotError{Error: off, Recorded: recorded[k], Recomputed: expected[k], Resource: core.Some(k)})
	}
}

// compareCounts notes a count that is not as recomputed.
func (s *Snapshots) compareCounts(a about, field string, recorded core.Optional[int64], expected int64) {
	if recorded.Set && recorded.Value != expected {
		s.err(a, field, tables.SnapshotError{Error: math.Abs(float64(recorded.Value - expected)),
			Recorded: float64(recorded.Value), Recomputed: float64(expected)})
	}
}

// compareWords notes a word that is not as recomputed.
func (s *Snapshots) compareWords(a about, field, recorded, expected string) {
	if recorded != expected {
		s.err(a, field, tables.SnapshotError{Error: 1, RecordedText: recorded, RecomputedText: expected})
	}
}
