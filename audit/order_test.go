package audit

import (
	"slices"
	"strings"
	"testing"
)

// TestTheWorstFirst: the order of order.go, of findings and of incidents alike. What
// was noted goes after the mildest suspect, and what is suppressed after everything.
func TestTheWorstFirst(t *testing.T) {
	t.Parallel()
	big, small := 5.0, 1.0
	found := func(id string, v Judgement, s Severity, audit, unit string, size *float64, suppressed bool) Finding {
		f := Finding{ID: id, Audit: audit, Tree: "a", SubjectKind: "pool", Subject: id, Verdict: v, Severity: s, Unit: unit, Magnitude: size, Evidence: []byte("{}")}
		if suppressed {
			f.Suppressed = &Suppression{"o", "r", "2026-05-01"}
		}
		return f
	}
	want := []Finding{
		found("violated critical", Violated, Critical, "z", "jobs", &small, false),
		found("violated major", Violated, Major, "y", "jobs", &small, false),
		found("violated minor, five", Violated, Minor, "b", "cores", &big, false),
		found("violated minor, one", Violated, Minor, "b", "cores", &small, false),
		found("violated minor, another unit", Violated, Minor, "b", "jobs", &big, false),
		found("violated minor, another audit", Violated, Minor, "c", "cores", &big, false),
		found("suspect critical", Suspect, Critical, "a", "jobs", &small, false),
		found("suspect minor", Suspect, Minor, "a", "jobs", nil, false),
		found("damaged critical", Damaged, Critical, "a", "jobs", &big, false),
		found("undecidable critical", Undecidable, Critical, "a", "jobs", &big, false),
		found("undecidable info", Undecidable, Info, "a", "jobs", &big, false),
		found("excused critical", Excused, Critical, "a", "jobs", &big, false),
		found("noted", Noted, Info, "a", "jobs", &big, false),
		found("suppressed, violated critical", Violated, Critical, "a", "jobs", &big, true),
		found("suppressed, suspect minor", Suspect, Minor, "a", "jobs", &big, true),
		found("suppressed, excused", Excused, Minor, "a", "jobs", &big, true),
		found("suppressed, noted", Noted, Info, "a", "jobs", &big, true),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	sortFindings(got)
	if a, b := ids(got), ids(want); a != b {
		t.Errorf("findings: got\n%s\nwant\n%s", a, b)
	}
	v := &Verdict{Findings: got}
	slices.Reverse(v.Findings) // the incidents do not lean on it
	v.group(600)
	var incidents, expected []string
	for _, in := range v.Incidents {
		incidents = append(incidents, in.Cause)
	}
	for _, f := range want {
		if f.Alleges() || f.Verdict == Noted {
			expected = append(expected, f.ID)
		}
	}
	if !slices.Equal(incidents, expected) {
		t.Errorf("incidents: got\n%s\nwant\n%s", strings.Join(incidents, "\n"), strings.Join(expected, "\n"))
	}
}

func ids(findings []Finding) string {
	var b strings.Builder
	for _, f := range findings {
		b.WriteString(f.ID + "\n")
	}
	return b.String()
}
