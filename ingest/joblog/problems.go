package joblog

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// Problems collects what an importer could not use or not take as it stands.
type Problems struct {
	rows        []trace.Problem
	quarantined map[string]int64
	noted       map[string]int64
}

// Quarantine records that a row was left out because of a value.
func (p *Problems) Quarantine(source string, row int64, column, code, value string) {
	p.add(&p.quarantined, source, row, column, code, value)
}

// Note records that a row was used although a value of it was not.
func (p *Problems) Note(source string, row int64, column, code, value string) {
	p.add(&p.noted, source, row, column, code, value)
}

// longestValue is how much of a value at fault is kept, in bytes.
const longestValue = 200

func (p *Problems) add(counts *map[string]int64, source string, row int64, column, code, value string) {
	if *counts == nil {
		*counts = map[string]int64{}
	}
	(*counts)[code]++
	value = Text(value[:min(len(value), longestValue)])
	p.rows = append(p.rows, trace.Problem{
		Source: source, Row: row, Code: code,
		Column: core.Optional[string]{Value: column, Set: column != ""},
		Value:  core.Optional[string]{Value: value, Set: value != ""},
	})
}

// Noted returns how often a code was noted.
func (p *Problems) Noted(code string) int64 { return p.noted[code] }

// Quarantined returns how many rows were left out.
func (p *Problems) Quarantined() int64 {
	var n int64
	for _, c := range p.quarantined {
		n += c
	}
	return n
}

// Write adds the problems to the trace, in the order of the sources and their
// rows.
func (p *Problems) Write(w *trace.Writer, sources []trace.Source) error {
	place := map[string]int{}
	for i, s := range sources {
		place[s.Path] = i
	}
	slices.SortStableFunc(p.rows, func(a, b trace.Problem) int {
		return cmp.Or(cmp.Compare(place[a.Source], place[b.Source]), cmp.Compare(a.Row, b.Row))
	})
	for i := range p.rows {
		if err := w.AddProblem(&p.rows[i]); err != nil {
			return err
		}
	}
	return nil
}

// Counts returns how often each code led to a row being left out, and how often
// to a value, in the order of the codes.
func (p *Problems) Counts() (quarantined, noted []Count) {
	return countsOf(p.quarantined), countsOf(p.noted)
}
