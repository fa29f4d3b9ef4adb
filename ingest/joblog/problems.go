package joblog

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// Problems collects the rows and values that an importer could not use.
type Problems struct {
	// Limit is the maximum number of problems of a code that are kept as rows; the others are only
	// counted. 0 keeps all.
	Limit int64

	rows        []trace.Problem
	quarantined map[string]int64
	noted       map[string]int64
	columns     map[string][]string // at fault, by code
}

// Quarantine records that a row was left out because of a value.
func (p *Problems) Quarantine(source string, row int64, column, code, value string) {
	p.add(&p.quarantined, source, row, column, code, value)
}

// Note records that a row was used although a value of it was not.
func (p *Problems) Note(source string, row int64, column, code, value string) {
	p.add(&p.noted, source, row, column, code, value)
}

// longestValue limits the part of a value at fault that is kept, in bytes.
const longestValue = 200

func (p *Problems) add(counts *map[string]int64, source string, row int64, column, code, value string) {
	if *counts == nil {
		*counts = map[string]int64{}
	}
	(*counts)[code]++
	if column != "" && !slices.Contains(p.columns[code], column) {
		if p.columns == nil {
			p.columns = map[string][]string{}
		}
		p.columns[code] = append(p.columns[code], column)
	}
	if p.Limit > 0 && p.quarantined[code]+p.noted[code] > p.Limit {
		return
	}
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

// Reason says why most of the rows were left out, and what the first of these has, as a clause of an
// error: `: 4 for bad_number (queue); line 2 has "x"`. It is empty if no row was left out. Word names
// a row, and first is the number of the first one.
func (p *Problems) Reason(word string, first int64) string {
	all, _ := p.Counts()
	if len(all) == 0 {
		return ""
	}
	commonest := slices.MaxFunc(all, func(a, b Count) int { return cmp.Compare(a.Rows, b.Rows) })
	text := fmt.Sprintf(": %d for %s", commonest.Rows, commonest)
	for i := range p.rows {
		if r := &p.rows[i]; r.Code == commonest.Code && r.Value.Set {
			return fmt.Sprintf("%s; %s %d has %q", text, word, r.Row+first, r.Value.Value)
		}
	}
	return text
}

// Write adds the problems to the trace, in the order of the sources and their
// rows; those of no row, whose Row is negative, in the order of what is at fault.
func (p *Problems) Write(w *trace.Writer, sources []trace.Source) error {
	place := map[string]int{}
	for i, s := range sources {
		place[s.Path] = i
	}
	slices.SortStableFunc(p.rows, func(a, b trace.Problem) int {
		order := cmp.Or(cmp.Compare(place[a.Source], place[b.Source]), cmp.Compare(a.Row, b.Row))
		if order != 0 || a.Row >= 0 {
			return order
		}
		return cmp.Or(cmp.Compare(a.Code, b.Code), cmp.Compare(a.Column.Value, b.Column.Value), cmp.Compare(a.Value.Value, b.Value.Value))
	})
	for i := range p.rows {
		if err := w.Add(&p.rows[i]); err != nil {
			return err
		}
	}
	for code, n := range p.beyondLimit() {
		w.CountProblems(code, n)
	}
	return nil
}

// beyondLimit counts the problems that are not kept as rows.
func (p *Problems) beyondLimit() map[string]int64 {
	beyond := map[string]int64{}
	if p.Limit == 0 {
		return beyond
	}
	for _, counts := range []map[string]int64{p.quarantined, p.noted} {
		for code := range counts {
			if n := p.quarantined[code] + p.noted[code]; n > p.Limit {
				beyond[code] = n - p.Limit
			}
		}
	}
	return beyond
}

// Counts returns how often each code led to a row being left out, and how often
// to a value, in the order of the codes.
func (p *Problems) Counts() (quarantined, noted []Count) {
	return p.countsOf(p.quarantined), p.countsOf(p.noted)
}
