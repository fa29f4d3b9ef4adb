package report

import (
	"bytes"
	"fmt"
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

// TestSuppressedAndFurtherDamage: suppressed damage is counted and listed with all that is suppressed; of damage that is
// not spelled out the findings are counted, with a command that shows them.
func TestSuppressedAndFurtherDamage(t *testing.T) {
	t.Parallel()
	v := brokenNight()
	v.Findings, v.Incidents, v.Outcomes = nil, nil, []audit.Outcome{{Audit: ends, Tree: "main", Verdict: audit.Damaged, Seen: 1, SeenUnit: "cases"}}
	v.Audits = []*audit.Audit{ends}
	add := func(incident, id string, suppressed *audit.Suppression) {
		f := finding(ends, id, audit.Damaged, "The end of job "+id+" is lost.", at(1))
		f.Incident, f.Suppressed, f.Status = incident, suppressed, audit.New
		v.Findings = append(v.Findings, f)
		if n := len(v.Incidents); n > 0 && v.Incidents[n-1].ID == incident {
			v.Incidents[n-1].FindingIDs = append(v.Incidents[n-1].FindingIDs, id)
			return
		}
		v.Incidents = append(v.Incidents, audit.Incident{ID: incident, Title: "Ends of jobs " + id + " are lost.", Audit: ends.ID, Tree: "main", CauseKind: "node", Cause: incident, From: at(0), To: at(1),
			Verdict: audit.Damaged, Severity: audit.Minor, Suppressed: suppressed != nil, Status: audit.New, Totals: []audit.Amount{{Magnitude: 2, Unit: "jobs"}}, Findings: 1, FindingIDs: []string{id}})
	}
	for i := range shownIncidents + 2 {
		add(fmt.Sprintf("i%02d", i), fmt.Sprintf("a%02d", i), nil)
		add(fmt.Sprintf("i%02d", i), fmt.Sprintf("b%02d", i), nil)
	}
	add("covered", "known", &audit.Suppression{Owner: "ops", Reason: "the disk was full", Until: "2024-01-01"})
	var markdown bytes.Buffer
	if err := Markdown(&markdown, v, "run"); err != nil {
		t.Fatal(err)
	}
	const command = "poolproof query out/run \"SELECT verdict, subject, reason FROM findings"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"terminal", text(t, v), []string{
			"  The end of job a00 is lost. And 1 more finding of the same cause; 2 jobs altogether. (LOG-02, new, tree main, finding a00)\n",
			"\n  And 4 more (4 damaged): " + command + " WHERE verdict = 'damaged'\"\n",
			"\n  1 finding is not spelled out (1 damaged): " + command + "\"\n",
		}},
		{"Markdown", markdown.String(), []string{
			"| damaged (minor, new) | main | node i00 |", "(LOG-02) `a00` |\n",
			"\nAnd 4 more (4 damaged): see the table", "\n1 finding is not spelled out (1 damaged): see the table",
		}},
		{"HTML", pageOf(t, v, testDatabase(t)), []string{
			`<details id="damage-incidents"><summary>12 cases</summary>`, `<h3>1 other</h3></summary>
<ul class="rest"><li id="finding-known"><span class="badge suppressed">suppressed</span> Ends of jobs known are lost.`,
		}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s lacks %q:\n%s", c.name, want, c.text)
			}
		}
	}
}
