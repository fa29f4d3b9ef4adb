package joblog

import (
	"cmp"
	"maps"
	"slices"

	"poolproof/core"
)

// A Summary is what an import reports to the person who asked for it.
type Summary struct {
	Rows        int64   // records read, the quarantined ones included
	Quarantined []Count // records left out, by code
	Noted       []Count // records used although a value of them was not, by code

	Operations, Jobs, Nodes, Pools int64
	Trees                          []string
	Window                         core.Span
	Notes                          []string // what a reader of the results should know, sentences
}

// A Count is how often a problem's code occurs.
type Count struct {
	Code string
	Rows int64
}

// QuarantinedRows returns how many records were left out.
func (s *Summary) QuarantinedRows() int64 {
	var n int64
	for _, c := range s.Quarantined {
		n += c.Rows
	}
	return n
}

func countsOf(m map[string]int64) []Count {
	var counts []Count
	for _, code := range slices.SortedFunc(maps.Keys(m), cmp.Compare[string]) {
		counts = append(counts, Count{code, m[code]})
	}
	return counts
}
