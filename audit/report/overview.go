package report

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/audit"
)

// An overview counts promises by their grade and findings by their tree.
type overview struct {
	Grades   []gradeCount
	Columns  []findingColumn // those with a finding, and all
	Violated int             // how many of the columns are severities of what is violated
	Rows     []overviewRow   // the worst first; the numbers add up to All
	All      []int
	Trends   string // of the scorecard; empty without a baseline that has one
}

// A gradeCount is the number of promises with a grade.
type gradeCount struct {
	meaning
	Number int
}

// A findingColumn is a kind of findings.
type findingColumn struct {
	Word string
	of   func(*audit.Finding) bool
}

// An overviewRow is the findings of trees that have as many of each kind; of several it has
// their sums.
type overviewRow struct {
	Who     string
	Numbers []int
	trees   []string
	each    []int
}

// shownTreeRows are the rows of trees that an overview has, the one of all others not counted.
const shownTreeRows = 12

func (s *summary) overview() *overview {
	o := &overview{Trends: s.trends()}
	for _, m := range gradeWords {
		if n := countIf(s.Promises, func(p audit.Promise) bool { return string(p.Grade) == m.Word }); n > 0 {
			o.Grades = append(o.Grades, gradeCount{m, n})
		}
	}
	o.Columns, o.Violated = s.findingColumns()
	o.All = make([]int, len(o.Columns))
	trees := slices.Clone(s.Trees)
	byTree := map[string][]int{}
	for i := range s.Findings {
		f := &s.Findings[i]
		if !slices.Contains(trees, f.Tree) {
			trees = append(trees, f.Tree)
		}
		if byTree[f.Tree] == nil {
			byTree[f.Tree] = make([]int, len(o.Columns))
		}
		for k, c := range o.Columns {
			if c.of(f) {
				byTree[f.Tree][k]++
				o.All[k]++
			}
		}
	}
	for _, tree := range trees {
		if byTree[tree] == nil {
			byTree[tree] = make([]int, len(o.Columns))
		}
		o.add(tree, byTree[tree])
	}
	slices.SortStableFunc(o.Rows, func(a, b overviewRow) int { return slices.Compare(b.each, a.each) })
	for len(o.Rows) > shownTreeRows+1 {
		last := len(o.Rows) - 1
		o.Rows[last-1].setNumbers(o.Rows[last].trees, o.Rows[last].Numbers)
		o.Rows = o.Rows[:last]
	}
	for i := range o.Rows {
		r := &o.Rows[i]
		r.Who = whoOf(r.trees, trees, i > 0 && i == len(o.Rows)-1)
	}
	return o
}

// add counts a tree to the row of those that have as many findings of each kind.
func (o *overview) add(tree string, each []int) {
	for i := range o.Rows {
		if slices.Equal(o.Rows[i].each, each) {
			o.Rows[i].setNumbers([]string{tree}, each)
			return
		}
	}
	o.Rows = append(o.Rows, overviewRow{trees: []string{tree}, each: each, Numbers: slices.Clone(each)})
}

func (r *overviewRow) setNumbers(trees []string, numbers []int) {
	r.trees = append(r.trees, trees...)
	for k, n := range numbers {
		r.Numbers[k] += n
	}
}

// findingColumns are the kinds of findings that there are: of those that count against the
// run by severity, and so many of them; the others by verdict; those that are new; all.
func (s *summary) findingColumns() (columns []findingColumn, violated int) {
	add := func(word string, of func(*audit.Finding) bool) {
		if slices.ContainsFunc(s.Findings, func(f audit.Finding) bool { return of(&f) }) {
			columns = append(columns, findingColumn{word, of})
		}
	}
	for _, severity := range audit.Severities {
		add(string(severity), func(f *audit.Finding) bool { return f.Counts() && f.Severity == severity })
	}
	violated = len(columns)
	for _, m := range verdictWords {
		add(m.Word, func(f *audit.Finding) bool { return !f.Counts() && verdictOf(*f) == m.Word })
	}
	add("new", isNew)
	add("all", func(*audit.Finding) bool { return true })
	return columns, violated
}

// isNew reports whether a finding is new against the baseline, and not legal.
func isNew(f *audit.Finding) bool { return f.Status == audit.New && f.Verdict != audit.Noted }

// Others returns the number of columns with findings that do not count against the run.
func (o *overview) Others() int { return len(o.Columns) - o.Violated }

// trends counts the rows of the scorecard that fare better or worse than in the baseline.
func (s *summary) trends() string {
	counts := map[audit.Trend]int{}
	scores := s.Scorecard()
	for _, score := range scores {
		counts[score.Trend]++
	}
	var parts []string
	for _, t := range []audit.Trend{audit.Worse, audit.Better, audit.Same, audit.Added} {
		if n := counts[t]; n > 0 {
			parts = append(parts, number(int64(n))+" "+string(t))
		}
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("Rows of the scorecard against the baseline: %s.", strings.Join(parts, ", "))
}
