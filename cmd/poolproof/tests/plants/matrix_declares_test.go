package plants

import (
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/ingest/synthetic"
)

// TestTheMatrixIsStrict: a plant is found by its rule, subject and span, and what
// else is found in its trees has to be declared with its verdict.
func TestTheMatrixIsStrict(t *testing.T) {
	p := synthetic.Planted{
		Severity: "major", Tree: "t", Subject: "p", From: "2025-03-03T08:01:00Z", To: "2025-03-03T08:02:00Z", Invariants: []string{"A"},
		Consequences: []string{"B"}, Excused: []string{"C"}, Suspected: []string{"D"}, Noted: []string{"E"},
	}
	at := func(minute int) *time.Time {
		moment := time.Date(2025, 3, 3, 8, minute, 0, 0, time.UTC)
		return &moment
	}
	finding := func(rule string, verdict audit.Judgement, severity audit.Severity, subject string, from, to int) audit.Finding {
		return audit.Finding{Invariant: rule, Tree: "t", Verdict: verdict, Severity: severity, Subject: subject, From: at(from), To: at(to)}
	}
	for name, c := range map[string]struct {
		finding audit.Finding
		guilty  string // what the matrix counts: found, alleged or nothing
		twin    string
	}{
		"the planted one":       {finding("A", audit.Violated, audit.Major, "p", 1, 2), "found", "alleged"},
		"of another subject":    {finding("A", audit.Violated, audit.Major, "q", 1, 2), "alleged", "alleged"},
		"at another time":       {finding("A", audit.Violated, audit.Major, "p", 3, 4), "alleged", "alleged"},
		"only suspected":        {finding("A", audit.Suspect, audit.Major, "p", 1, 2), "alleged", "alleged"},
		"a consequence":         {finding("B", audit.Violated, audit.Major, "q", 3, 4), "", "alleged"},
		"a consequence noted":   {finding("B", audit.Noted, audit.Info, "q", 3, 4), "", "alleged"},
		"a suspicion of it":     {finding("B", audit.Suspect, audit.Major, "q", 3, 4), "alleged", "alleged"},
		"an excuse":             {finding("C", audit.Excused, audit.Major, "q", 3, 4), "", ""},
		"an excuse not given":   {finding("C", audit.Violated, audit.Minor, "q", 3, 4), "alleged", "alleged"},
		"an excuse of another":  {finding("B", audit.Excused, audit.Minor, "q", 3, 4), "alleged", "alleged"},
		"a suspicion":           {finding("D", audit.Suspect, audit.Critical, "q", 3, 4), "", ""},
		"more than a suspicion": {finding("D", audit.Violated, audit.Critical, "q", 3, 4), "alleged", "alleged"},
		"a note":                {finding("E", audit.Noted, audit.Info, "q", 3, 4), "", ""},
		"more than a note":      {finding("E", audit.Violated, audit.Minor, "q", 3, 4), "alleged", "alleged"},
		"what cannot be told":   {finding("E", audit.Undecidable, audit.Info, "q", 3, 4), "alleged", "alleged"},
	} {
		for innocent, want := range map[bool]string{false: c.guilty, true: c.twin} {
			m := newMatrix(1)
			m.add(&p, []audit.Finding{c.finding}, innocent)
			got := ""
			if len(m.found) > 0 {
				got = "found"
			}
			if len(m.false) > 0 {
				got += "alleged"
			}
			if got != want {
				t.Errorf("%s, innocent %v: counted as %q, want %q", name, innocent, got, want)
			}
		}
	}
}
