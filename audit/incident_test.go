package audit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"poolproof/replay/tables"
)

// a case of an audit x in tree a, in seconds; to 0 is no end, from -1 no start.
func caseOf(verdict Judgement, kind, subject, evidence string, from, to int, size float64) Finding {
	moment := func(s int) *time.Time { t := time.Unix(1_700_000_000+int64(s), 0).UTC(); return &t }
	f := Finding{Audit: "x", Tree: "a", Verdict: verdict, Severity: Major, SubjectKind: kind, Subject: subject, Magnitude: &size, Unit: "s", Evidence: []byte(evidence)}
	if from >= 0 {
		f.From = moment(from)
	}
	if to > 0 {
		f.To = moment(to)
	}
	f.identify()
	return f
}

// grouped are the incidents of findings, one line each.
func grouped(gap float64, findings ...Finding) (string, *Verdict) {
	v := &Verdict{Audits: []*Audit{{ID: "x", Title: "X"}}, Findings: findings}
	sortFindings(v.Findings)
	v.group(gap)
	var lines []string
	for _, in := range v.Incidents {
		span := "?"
		if in.From != nil {
			span = fmt.Sprint(in.From.Unix() - 1_700_000_000)
		}
		if in.To != nil {
			span += fmt.Sprintf("-%d", in.To.Unix()-1_700_000_000)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %v", in.Title, in.Verdict, span, in.Totals))
	}
	return strings.Join(lines, "\n"), v
}

func TestIncidents(t *testing.T) {
	t.Parallel()
	pool := func(from, to int) Finding { return caseOf(Violated, "pool", "p", "{}", from, to, 1) }
	for name, c := range map[string]struct {
		findings []Finding
		want     string
	}{
		"nothing":            {nil, ""},
		"alone":              {[]Finding{pool(0, 10)}, "X: pool p. violated 0-10 [{1 s}]"},
		"as far as the gap":  {[]Finding{pool(110, 120), pool(0, 10)}, "X: pool p, 2 findings. violated 0-120 [{2 s}]"},
		"further than that":  {[]Finding{pool(0, 10), pool(111, 120)}, "X: pool p. violated 0-10 [{1 s}]\nX: pool p. violated 111-120 [{1 s}]"},
		"a long one bridges": {[]Finding{pool(0, 500), pool(20, 30), pool(590, 600)}, "X: pool p, 3 findings. violated 0-600 [{3 s}]"},
		"no end goes on":     {[]Finding{pool(0, 0), pool(5000, 5001)}, "X: pool p, 2 findings. violated 0 [{2 s}]"},
		"no start is alone":  {[]Finding{pool(-1, 0), pool(-1, 50), pool(0, 10)}, "X: pool p. violated ? [{1 s}]\nX: pool p. violated ?-50 [{1 s}]\nX: pool p. violated 0-10 [{1 s}]"},
		"an instant":         {[]Finding{pool(100, 100), pool(200, 200)}, "X: pool p, 2 findings. violated 100-200 [{2 s}]"},
		"excused is none":    {[]Finding{caseOf(Excused, "pool", "p", "{}", 0, 10, 1), caseOf(Undecidable, "pool", "p", "{}", 0, 10, 1)}, ""},
		"the worst counts":   {[]Finding{caseOf(Suspect, "pool", "p", "{}", 0, 10, 5), pool(20, 30)}, "X: pool p, 2 findings. violated 0-30 [{6 s}]"},
		"two pools":          {[]Finding{pool(0, 10), caseOf(Violated, "pool", "q", "{}", 0, 10, 1)}, "X: pool p. violated 0-10 [{1 s}]\nX: pool q. violated 0-10 [{1 s}]"},
		"operations of one":  {[]Finding{caseOf(Violated, "operation", "o1", `{"pool":"p"}`, 0, 10, 1), caseOf(Violated, "operation", "o2", `{"pool":"p"}`, 20, 30, 1)}, "X: pool p, 2 findings. violated 0-30 [{2 s}]"},
		"operations of two":  {[]Finding{caseOf(Violated, "operation", "o1", `{"pool":"p"}`, 0, 10, 1), caseOf(Violated, "operation", "o2", `{"pool":"q"}`, 0, 10, 1)}, "X: pool p. violated 0-10 [{1 s}]\nX: pool q. violated 0-10 [{1 s}]"},
		"a cause that a case names": {[]Finding{caseOf(Violated, "job", "j1", `{"pool":"p","cause_kind":"operation","cause_subject":"o"}`, 0, 10, 1),
			caseOf(Violated, "job", "j2", `{"pool":"q","cause_kind":"operation","cause_subject":"o"}`, 0, 10, 1)}, "X: operation o, 2 findings. violated 0-10 [{2 s}]"},
	} {
		got, v := grouped(100, c.findings...)
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
		inIncidents := 0
		for _, in := range v.Incidents {
			inIncidents += len(in.FindingIDs)
			for _, f := range v.Findings {
				for _, id := range in.FindingIDs {
					if f.ID == id && f.Incident != in.ID {
						t.Errorf("%s: finding %s does not know its incident", name, f.ID)
					}
				}
			}
		}
		for _, f := range v.Findings {
			if (f.Incident == "") != (f.Verdict == Excused || f.Verdict == Undecidable) {
				t.Errorf("%s: a %s finding has the incident %q", name, f.Verdict, f.Incident)
			}
		}
	}
}

// TestTheGapIsThePolicys: also that incidents stand in the run's database.
func TestTheGapIsThePolicys(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	again := poolOver(0, tables.MaxOperationCount, tables.CauseOperation)
	again.FromTime, again.ToTime = at(4000), at(4100) // 300 s after the first
	put(r, "a", poolOver(0, tables.MaxOperationCount, tables.CauseOperation), again)
	for policy, want := range map[string]string{
		"":                    "\"Pool over max_operation_count: pool prod, 2 findings.\",violated,minor,2,operations,500,2",
		"incident_gap_s: 299": "Pool over max_operation_count: pool prod.,violated,minor,1,operations,250,1\nPool over max_operation_count: pool prod.,violated,minor,1,operations,250,1",
	} {
		r.judgeWith(Options{Queries: about(t, "pool_over_operation_count"), Policy: policyOf(t, policy)})
		got := r.query(`SELECT title, i.verdict, i.severity, i.findings, json_extract_string(totals, '$[0].unit'), json_extract(totals, '$[0].magnitude')::DOUBLE::DECIMAL(9,1), count(*)
			FROM incidents AS i JOIN findings USING (incident_id) GROUP BY incident_id, title, i.verdict, i.severity, i.findings, totals ORDER BY ALL`)
		if got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", policy, got, want)
		}
	}
}

// A preemption under several rules is one preemption: totals count a decision for the first of the
// findings that count it.
func TestTotalsCountADecisionOnce(t *testing.T) {
	t.Parallel()
	of := func(rule, operation string, n float64, evidence string) *Finding {
		return &Finding{Tree: "a", Invariant: rule, Verdict: Violated, SubjectKind: "operation", Subject: operation, Magnitude: &n, Unit: "preemptions", Evidence: []byte(evidence)}
	}
	const both, three = `{"rules": ["PRE-03", "PRE-04"], "decisions": 1}`, `{"rules": ["PRE-03", "PRE-04", "PRE-06"], "decisions": 2}`
	first, second := of("PRE-03", "x", 3, `{"shared": [`+both+`, `+three+`]}`), of("PRE-04", "x", 4, `{"shared": [`+both+`, `+three+`]}`)
	third := of("PRE-06", "x", 2, `{"shared": [`+three+`]}`)
	for name, c := range map[string]struct {
		findings []*Finding
		want     float64
	}{
		"one":                      {[]*Finding{second}, 4},
		"two":                      {[]*Finding{first, second}, 4},
		"all":                      {[]*Finding{third, second, first}, 4},
		"without the rule between": {[]*Finding{first, third}, 3},
		"of another operation":     {[]*Finding{first, of("PRE-04", "y", 4, `{"shared": [`+both+`]}`)}, 7},
		"that share nothing":       {[]*Finding{of("PRE-03", "x", 3, `{}`), of("PRE-04", "x", 4, ``)}, 7},
	} {
		if sums := Totals(c.findings); len(sums) != 1 || sums[0] != (Amount{c.want, "preemptions"}) {
			t.Errorf("%s: %v, want %v", name, sums, c.want)
		}
	}
}
