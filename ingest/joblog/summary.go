package joblog

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"poolproof/core"
)

// A Summary is the report of an import to its user.
type Summary struct {
	Rows        int64   // records read, the quarantined ones included
	Quarantined []Count // records left out, by code
	Noted       []Count // records used although a value of them was not, by code

	Operations, Jobs, Nodes, Pools int64
	Trees                          []string
	Window                         core.Span
	Notes                          []string // what a reader of the results should know, sentences
}

// A Count is the number of problems of a code.
type Count struct {
	Code    string
	Columns string // at fault, sorted, with commas between them; empty if whole rows are at fault
	Rows    int64
}

// String is the code with the columns at fault.
func (c Count) String() string {
	if c.Columns == "" {
		return c.Code
	}
	return c.Code + " (" + few(strings.Split(c.Columns, ", ")) + ")"
}

// QuarantinedRows returns how many records were left out.
func (s *Summary) QuarantinedRows() int64 {
	var n int64
	for _, c := range s.Quarantined {
		n += c.Rows
	}
	return n
}

func (p *Problems) countsOf(m map[string]int64) []Count {
	var counts []Count
	for _, code := range slices.SortedFunc(maps.Keys(m), cmp.Compare[string]) {
		counts = append(counts, Count{code, strings.Join(slices.Sorted(slices.Values(p.columns[code])), ", "), m[code]})
	}
	return counts
}
