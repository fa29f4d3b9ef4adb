package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/core/spelling"
)

// A summary is a verdict in the order in which a person reads it.
type summary struct {
	*audit.Verdict
	promises  []*promise      // the worst first
	incidents []incident      // the worst first
	counting  map[string]bool // ids of the findings that count
}

func summarize(v *audit.Verdict) *summary {
	s := &summary{Verdict: v, incidents: incidentsOf(v), counting: map[string]bool{}}
	byID := map[string]*promise{}
	for _, a := range v.Audits {
		p := &promise{Audit: a, counts: map[audit.Judgement]int{}}
		byID[a.ID] = p
		s.promises = append(s.promises, p)
	}
	for _, o := range v.Outcomes {
		p := byID[o.Audit.ID]
		p.outcomes = append(p.outcomes, o)
		p.seen += o.Seen
		p.unit = cmp.Or(o.SeenUnit, p.unit)
	}
	for _, f := range v.Findings {
		if f.Suppressed != nil {
			byID[f.Audit].suppressed++
			continue
		}
		byID[f.Audit].counts[f.Verdict]++
		s.counting[f.ID] = f.Counts()
	}
	for _, p := range s.promises {
		p.setVerdict()
	}
	slices.SortStableFunc(s.promises, func(a, b *promise) int {
		return cmp.Compare(audit.Gravity(a.verdict, a.Severity, false), audit.Gravity(b.verdict, b.Severity, false))
	})
	return s
}

// compared says how the run stands against its baseline, in findings; empty without
// one. Those that are broken for certain are as many as the headline has.
func (s *summary) compared() string {
	if s.Baseline == nil {
		return ""
	}
	var fresh, lasting [2]int // of those that break a promise, and of the others but what is noted
	for i := range s.Findings {
		if s.Findings[i].Verdict == audit.Noted {
			continue
		}
		kind := 1
		if s.Findings[i].Counts() {
			kind = 0
		}
		if s.Findings[i].Status == audit.New {
			fresh[kind]++
		} else {
			lasting[kind]++
		}
	}
	var parts []string
	for kind, what := range [...][2]string{{"violated finding", "violated findings"}, {"other", "others"}} {
		if n := fresh[kind] + lasting[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("of %s %s new and %s", count(n, what[0], what[1]),
				count(fresh[kind], "is", "are"), count(lasting[kind], "persists", "persist")))
		}
	}
	parts = append(parts, count(len(s.Fixed), "finding is", "findings are")+" fixed")
	return fmt.Sprintf("Against %s: %s.", windowText(s.Baseline.From, s.Baseline.To), strings.Join(parts, "; "))
}

// differs say what makes the comparison with the baseline another one than that of two
// nights.
func (s *summary) differs() []string {
	if s.Baseline == nil {
		return nil
	}
	return s.Baseline.Differs
}

// window says what was judged, in one line.
func (s *summary) window() string {
	cluster := ""
	if s.Cluster != "" {
		cluster = "cluster " + spelling.OneName(s.Cluster) + ", "
	}
	return fmt.Sprintf("%s, %s%s, profile %s, %s of the applicable rules could be judged.",
		windowText(s.From, s.To), cluster, count(len(s.Trees), "tree", "trees"), s.Profile, percentOf(s.Coverage()))
}

// windowText is a judged window for a person.
func windowText(from, to string) string {
	begin, errBegin := time.Parse(time.RFC3339Nano, from)
	end, errEnd := time.Parse(time.RFC3339Nano, to)
	if errBegin != nil || errEnd != nil {
		return from + " to " + to
	}
	return span(&begin, &end)
}

// Grades says how many promises of the configuration have each grade.
func (s *summary) Grades() string {
	var parts []string
	for _, g := range audit.Grades {
		if n := countIf(s.Promises, func(p audit.Promise) bool { return p.Grade == g }); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", number(int64(n)), g))
		}
	}
	return strings.Join(parts, ", ")
}
