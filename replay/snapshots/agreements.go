package snapshots

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/tables"
)

// leastDecade is the smallest exponent that agreements distinguish: the rounding error of a share
// near 1 is below it.
const leastDecade = -15

// agreements counts records by the difference of their fair shares from the recomputed ones.
type agreements struct {
	of map[agreementKey]*tables.ShareAgreement
}

type agreementKey struct {
	element tables.ElementKind
	inputs  string
	decade  int32
}

// countRecord counts one record.
func (g *agreements) countRecord(at core.Time, a about, inputs string, off float64) {
	key := agreementKey{a.element, inputs, decadeOf(off)}
	row := g.of[key]
	if row == nil {
		if g.of == nil {
			g.of = map[agreementKey]*tables.ShareAgreement{}
		}
		row = &tables.ShareAgreement{Element: a.element, Inputs: inputs, Decade: key.decade, Worst: -1}
		g.of[key] = row
	}
	row.Records++
	if off > row.Worst {
		row.Worst, row.WorstTime, row.Pool, row.Operation = off, at, a.pool, a.operation
	}
}

// decadeOf returns the exponent of the least power of ten that a difference does not exceed.
func decadeOf(off float64) int32 {
	for decade := leastDecade; decade < 0; decade++ {
		if off <= math.Pow10(decade) {
			return int32(decade)
		}
	}
	return 0
}

// closeAgreements writes the counts.
func (s *Snapshots) closeAgreements() {
	var rows []*tables.ShareAgreement
	for _, row := range s.agreements.of {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b *tables.ShareAgreement) int {
		return cmp.Or(cmp.Compare(a.Element, b.Element), cmp.Compare(a.Inputs, b.Inputs), cmp.Compare(a.Decade, b.Decade))
	})
	for _, row := range rows {
		s.shareAgreements.Add(row)
	}
	s.deficits.write(s.deficitAgreements.Add)
}

// deficitAgreements counts reports of what operations accumulated by the difference of their deficits from the
// recomputed ones.
type deficitAgreements struct {
	of map[agreementKey]*tables.DeficitAgreement
}

// countReport counts one report, by the difference of its deficit and by its fair volume, both in seconds of the whole
// tree.
func (g *deficitAgreements) countReport(at core.Time, operation core.OperationID, missing judge.Input, off, fair float64) {
	inputs := inputsComplete
	if missing != judge.NothingMissing {
		inputs = string(missing)
	}
	part := 0.0
	if off > 0 {
		part = off / max(fair, off)
	}
	key := agreementKey{inputs: inputs, decade: decadeOf(part)}
	row := g.of[key]
	if row == nil {
		if g.of == nil {
			g.of = map[agreementKey]*tables.DeficitAgreement{}
		}
		row = &tables.DeficitAgreement{Inputs: inputs, Decade: key.decade, Worst: -1}
		g.of[key] = row
	}
	row.Reports++
	if part > row.Worst {
		row.Worst, row.WorstTime, row.Operation = part, at, operation
	}
}

// write writes the counts.
func (g *deficitAgreements) write(add func(*tables.DeficitAgreement)) {
	for _, key := range slices.SortedFunc(maps.Keys(g.of), func(a, b agreementKey) int {
		return cmp.Or(cmp.Compare(a.inputs, b.inputs), cmp.Compare(a.decade, b.decade))
	}) {
		add(g.of[key])
	}
}
