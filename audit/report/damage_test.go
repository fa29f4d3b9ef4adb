package report

import (
	"bytes"
	"strings"
	"testing"

	"poolproof/audit"
)

// TestDamageIsToldApart: what is wrong with the log stands in a section of its own in every report, breaks
// no rule of the scheduler and fails the run only where the policy asks for that.
func TestDamageIsToldApart(t *testing.T) {
	t.Parallel()
	v := brokenNight()
	lost := finding(ends, "lost", audit.Damaged, "Job 7 started, and the log does not record how it ended.", at(1))
	lost.Incident = "i1"
	v.Findings = []audit.Finding{lost}
	v.Incidents = []audit.Incident{{ID: "i1", Title: "Job without a known end: node node17.", Audit: ends.ID, Tree: "main", CauseKind: "node", Cause: "node17", From: at(0), To: at(1), Verdict: audit.Damaged, Severity: audit.Minor, Findings: 1, FindingIDs: []string{"lost"}}}
	v.Outcomes = nil
	for _, a := range v.Audits {
		o := audit.Outcome{Audit: a, Tree: "main", Verdict: audit.OK, Seen: 1, SeenUnit: "cases"}
		if a == ends {
			o.Verdict = audit.Damaged
		}
		v.Outcomes = append(v.Outcomes, o)
	}
	v.FailOn = []audit.Severity{audit.Critical, audit.Major, audit.Minor}
	markdown := func() string {
		var b bytes.Buffer
		if err := Markdown(&b, v, "run"); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"terminal", text(t, v), []string{
			"KEPT: all 3 judged rules; nothing is promised.\nFindings: 1 damaged. Rules: 1 damaged, 3 ok.\n",
			"\nDamage of the log:\n  " + damageMeans + "\n  Job 7 started, and the log does not record how it ended. (LOG-02, tree main, finding lost)\n",
			"\nExit code 0: no violated finding of severity critical, major or minor.\n",
		}},
		{"Markdown", markdown(), []string{
			"# KEPT: all 3 judged rules; nothing is promised.\n",
			"\n## Damage of the log\n\n" + damageMeans + "\n\n",
			"| main | node node17 | 2023-11-14 22:13:20 to 22:13:21 UTC | Job 7 started, and the log does not record how it ended. (LOG-02) `lost` |\n",
		}},
		{"HTML", pageOf(t, v, testDatabase(t)), []string{
			`<a href="#damage">Damage of the log</a>`, "<h2>Damage of the log</h2>\n<p>" + damageMeans + "</p>",
			`<span class="badge damaged">damaged</span> Job 7 started`,
		}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, c.text)
			}
		}
		for _, wrong := range []string{"Incidents, the worst first", `id="incidents"`, "1 finding is not spelled out"} {
			if strings.Contains(c.text, wrong) {
				t.Errorf("%s has %q:\n%s", c.name, wrong, c.text)
			}
		}
	}
	v.FailOnLogDamage = true
	got := text(t, v)
	for _, want := range []string{"UNKNOWN: no violation was found, but the log is damaged, which fails the run.\n", "\nExit code 1: 1 finding of damage of the log, on which the policy fails (fail_on_log_damage).\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the policy asks for it: %q is lacking:\n%s", want, got)
		}
	}
}
