package ingest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The codes of problems that reading a trace finds. They are stable.
const (
	nullValue          = "null_value"           // a required column is null
	outOfOrder         = "out_of_order"         // the row stands before a row of its table that it follows in time
	duplicateSeq       = "duplicate_seq"        // two rows of a table have the same time and seq
	timeOutOfRange     = "time_out_of_range"    // a time that stands for "none": far from the rest of the log
	idOutOfRange       = "id_out_of_range"      // a number that the dimension does not have
	duplicateID        = "duplicate_id"         // a number of a dimension that is taken
	duplicateJob       = "duplicate_job"        // a job starts whose number a live job has
	poolOfOtherTree    = "pool_of_other_tree"   // the pool belongs to another tree
	negativeResource   = "negative_resource"    // an amount below zero
	badNumber          = "bad_number"           // a number that its column cannot mean: NaN, a negative weight
	unknownEnum        = "unknown_enum"         // a word that is not one of the column's
	finishBeforeStart  = "finish_before_start"  // a job ends before it starts
	missingFinish      = "missing_finish"       // a job has an end but no time of it
	contradictoryEnd   = "contradictory_end"    // a job is running and has a finish time
	preemptBeforeStart = "preempt_before_start" // a job is preempted before it starts
	preemptAfterFinish = "preempt_after_finish" // a job is preempted after it ended: it ends at its end
	endBeforeBegin     = "end_before_begin"     // a version of a configuration ends before it takes effect
	badConfig          = "bad_config"           // config_json is not JSON, or an option in it is wrong
	badFilter          = "bad_filter"           // a column that is not a formula of tags
	badSpec            = "bad_spec"             // spec_json is not JSON, or an option in it is wrong
	missingRows        = "missing_rows"         // the files of a table have fewer rows than the manifest counts
	badText            = "bad_text"             // bytes that are not UTF-8, read as U+FFFD
)

// A Problem is a row of input that could not be used.
type Problem struct {
	Source string // the file, relative to the trace; of an import, as it named it
	Row    int64  // zero-based row in Source; -1 if the file as a whole is meant
	Column string // "" if the row as a whole is at fault
	Code   string
	Value  string // the value at fault, as text
}

// A ProblemCount says how many rows of a source had a problem.
type ProblemCount struct {
	Source, Code string
	Rows         int64
}

// keptProblems is the maximum number of problems of one source and code that are kept; the rest
// are counted. A log that is wrong throughout must not fill the memory.
const keptProblems = 1000

// longestValue limits the part of a value at fault that is kept, in bytes.
const longestValue = 1 << 10

// problems collects the problems of one stream.
type problems struct {
	kept   []Problem
	counts map[[2]string]int64
}

func newProblems() *problems { return &problems{counts: map[[2]string]int64{}} }

func (p *problems) add(q Problem) {
	key := [2]string{q.Source, q.Code}
	p.counts[key]++
	if p.counts[key] <= keptProblems {
		if len(q.Value) > longestValue {
			q.Value = strings.ToValidUTF8(q.Value[:longestValue], "") + "…"
		}
		p.kept = append(p.kept, q)
	}
}

// collected returns the problems of the trace and its trees, each table once:
// what is under global/ is read with every tree, and counts with the first.
// Callers hold t.mu.
func (t *Trace) collected() []*problems {
	var all []*problems
	for _, p := range t.problems {
		all = append(all, p)
	}
	if len(t.global) > 0 {
		all = append(all, t.global[slices.Min(slices.Collect(maps.Keys(t.global)))])
	}
	return all
}

// Problems returns what is known to be wrong with the trace: what its import
// found, and what the streams found so far. At most 1000 rows of one source and
// code are named; a last one with the row -1 says how many more there are. The
// order is that of sources and rows.
func (t *Trace) Problems() []Problem {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Problem
	for _, p := range t.collected() {
		all = append(all, p.kept...)
		for key, n := range p.counts {
			if n > keptProblems {
				all = append(all, Problem{Source: key[0], Row: -1, Code: key[1], Value: fmt.Sprintf("%d more rows", n-keptProblems)})
			}
		}
	}
	slices.SortFunc(all, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Row, b.Row),
			cmp.Compare(a.Column, b.Column), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Value, b.Value))
	})
	return all
}

// ProblemCounts returns how many rows had each problem, in the order of sources
// and codes.
func (t *Trace) ProblemCounts() []ProblemCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	sum := map[[2]string]int64{}
	for _, p := range t.collected() {
		for key, n := range p.counts {
			sum[key] += n
		}
	}
	var counts []ProblemCount
	for _, key := range slices.SortedFunc(maps.Keys(sum), func(a, b [2]string) int {
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	}) {
		counts = append(counts, ProblemCount{key[0], key[1], sum[key]})
	}
	return counts
}
