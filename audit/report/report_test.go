package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolproof/audit"
)

var update = flag.Bool("update", false, "rewrite the expected texts")

// golden compares a text with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs; go test ./audit/report -update rewrites it\n%s", file, d)
	}
}

var (
	capacity  = &audit.Audit{ID: "node_over_capacity", Title: "Node over its capacity", Promise: "No job is started on a node that has no room for it.", Invariants: []string{"HB-01"}, Severity: audit.Critical}
	guarantee = &audit.Audit{ID: "strong_guarantee_unmet", Title: "Strong guarantee unmet while demanded", Promise: "A pool gets the strong guarantee that it demands within the SLA.", Invariants: []string{"GUA-03"}, Severity: audit.Major,
		Why: "Broken is the promise only if someone had what was owed.", Reads: []string{"pools", "pool_intervals", "trees"}, Params: []audit.Param{{Name: "sla_s", Default: 300, Unit: "s", Sentence: "how long a demanded guarantee may go unmet"}}}
	fifo        = &audit.Audit{ID: "fifo_order_inverted", Title: "FIFO order inverted", Promise: "In a FIFO pool no job starts out of order.", Invariants: []string{"FIFO-03"}, Severity: audit.Minor}
	ends        = &audit.Audit{ID: "job_without_end", Title: "Job without a known end", Promise: "Every started job ends exactly once.", Invariants: []string{"LOG-02"}, Severity: audit.Minor}
	allTogether = []*audit.Audit{capacity, ends, fifo, guarantee}
)

func at(s int) *time.Time {
	t := time.Unix(1_700_000_000+int64(s), 0).UTC()
	return &t
}

func finding(a *audit.Audit, id string, verdict audit.Judgement, reason string, to *time.Time) audit.Finding {
	return audit.Finding{ID: id, Audit: a.ID, Invariant: a.Invariants[0], Tree: "main", Verdict: verdict, Severity: a.Severity,
		SubjectKind: "node", Subject: "node17", From: at(0), To: to, Reason: reason, Judged: "recorded", Evidence: json.RawMessage("{}")}
}

func brokenNight() *audit.Verdict {
	v := &audit.Verdict{Profile: "documented", Configured: true, From: "2023-11-14T00:00:00Z", To: "2023-11-15T00:00:00Z", Trees: []string{"gpu", "main"}, Audits: allTogether,
		Outcomes: []audit.Outcome{
			{Audit: capacity, Tree: "gpu", Verdict: audit.Undecidable, Reason: "the log does not record on which nodes jobs ran"},
			{Audit: capacity, Tree: "main", Verdict: audit.Violated, Seen: 17898, SeenUnit: "job starts", Findings: 2, Reason: "not judged: memory (node sizes recorded, usage requested)"},
			{Audit: ends, Tree: "gpu", Verdict: audit.OK, Seen: 3, SeenUnit: "jobs"},
			{Audit: ends, Tree: "main", Verdict: audit.OK, Seen: 17898, SeenUnit: "jobs"},
			{Audit: fifo, Tree: "gpu", Verdict: audit.Undecidable, SeenUnit: "job starts in FIFO pools", Reason: "no job started in a FIFO pool that is known to schedule in order"},
			{Audit: fifo, Tree: "main", Verdict: audit.Undecidable, SeenUnit: "job starts in FIFO pools", Reason: "no job started in a FIFO pool that is known to schedule in order"},
			{Audit: guarantee, Tree: "gpu", Verdict: audit.Failed, Reason: "Catalog Error"},
			{Audit: guarantee, Tree: "main", Verdict: audit.Failed, Reason: "Catalog Error"},
		},
		Findings: []audit.Finding{
			finding(capacity, "0123456789ab", audit.Violated, "Jobs on node node17 took 82 cores of its 80 cores for 1 h 00 min.", at(3600)),
			finding(capacity, "ba9876543210", audit.Excused, "Jobs on node node17 took more. Excused: the node shrank.", at(90_000)),
		},
	}
	return v
}

func text(t *testing.T, v *audit.Verdict) string {
	t.Helper()
	var b bytes.Buffer
	if err := terminal(&b, v, "out/run"); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestABrokenNightOnTheTerminal(t *testing.T) { golden(t, "broken.txt", text(t, brokenNight())) }

func TestAQuietNightOnTheTerminal(t *testing.T) {
	v := brokenNight()
	v.Audits, v.Findings = []*audit.Audit{ends, fifo}, nil
	v.Outcomes = v.Outcomes[2:6]
	golden(t, "kept.txt", text(t, v))
}

// A night with findings that break nothing is kept, and says what there was.
func TestSuspicionAndExcusesAreNotHidden(t *testing.T) {
	suspect := finding(ends, "s", audit.Suspect, "Lost.", at(1))
	excused := finding(fifo, "e", audit.Excused, "Out of order.", at(1))
	broken := finding(capacity, "b", audit.Violated, "Over.", at(1))
	for _, c := range []struct {
		findings []audit.Finding
		want     string
	}{
		{[]audit.Finding{suspect, suspect, excused, excused, excused, excused}, "KEPT: all 3 judged rules; nothing is promised. Findings: 2 suspect, 4 excused. Rules: 1 suspect, 1 excused, 1 undecidable, 1 ok."},
		{[]audit.Finding{suspect}, "KEPT: all 3 judged rules; nothing is promised. Findings: 1 suspect. Rules: 1 suspect, 1 undecidable, 2 ok."},
		{[]audit.Finding{excused, excused}, "KEPT: all 3 judged rules; nothing is promised. Findings: 2 excused. Rules: 1 excused, 1 undecidable, 2 ok."},
		{[]audit.Finding{broken, broken, excused}, "BROKEN: 1 of 3 rules of the scheduler, about node node17. Findings: 2 violated, 1 excused. Rules: 1 violated, 1 excused, 1 undecidable, 1 ok. The policy fails the run on nothing."},
	} {
		v := brokenNight()
		v.Findings = c.findings
		v.Outcomes = nil
		for _, a := range v.Audits {
			o := audit.Outcome{Audit: a, Tree: "main", Verdict: audit.OK, Seen: 1, SeenUnit: "cases"}
			if a == guarantee {
				o.Verdict, o.Seen = audit.Undecidable, 0
			}
			for _, f := range c.findings {
				if f.Audit == a.ID {
					o.Verdict = f.Verdict
				}
			}
			v.Outcomes = append(v.Outcomes, o)
		}
		if got := summarize(v).headline() + " " + summarize(v).countsLine(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// The exit code stands beside a headline that counts what the policy does not fail on.
func TestTheExitCodeIsExplained(t *testing.T) {
	broken := finding(capacity, "b", audit.Violated, "Over.", at(1))
	hidden := broken
	hidden.Suppressed = &audit.Suppression{}
	all := []audit.Severity{audit.Critical, audit.Major, audit.Minor}
	for _, c := range []struct {
		name     string
		findings []audit.Finding
		failOn   []audit.Severity
		cover    float64
		headline string
		want     string
	}{
		{"counts", []audit.Finding{broken}, []audit.Severity{broken.Severity}, 0, "BROKEN: 1 of 3 rules", "Exit code 1: 1 violated finding of severity " + string(broken.Severity) + "."},
		{"not asked", []audit.Finding{broken}, []audit.Severity{otherThan(broken.Severity)}, 0, "BROKEN: 1 of 3 rules", "Exit code 0: no violated finding of severity " + string(otherThan(broken.Severity)) + "."},
		{"nothing asked", []audit.Finding{broken}, nil, 0, "BROKEN: 1 of 3 rules", "Exit code 0: the policy fails the run on nothing."},
		{"suppressed", []audit.Finding{hidden}, all, 0, "KEPT but for what is suppressed: all 3 judged rules", "Exit code 0: no violated finding of severity critical, major or minor that is not suppressed."},
		{"clean", nil, all, 0, "KEPT: all 3 judged rules", "Exit code 0: no violated finding of severity critical, major or minor."},
		{"short", nil, all, 0.99, "UNKNOWN", "Exit code 3: less could be judged than was asked for."},
		{"none asked", nil, nil, 0, "KEPT", "Exit code 0: the policy fails the run on nothing."},
	} {
		v := brokenNight()
		v.Findings, v.FailOn, v.MinCoverage, v.Outcomes = c.findings, c.failOn, c.cover, nil
		for _, a := range v.Audits {
			o := audit.Outcome{Audit: a, Tree: "main", Verdict: audit.OK, Seen: 1, SeenUnit: "cases"}
			if a == guarantee {
				o.Verdict, o.Seen = audit.Undecidable, 0
			}
			v.Outcomes = append(v.Outcomes, o)
		}
		got := strings.TrimSpace(text(t, v))
		if !strings.HasPrefix(got, c.headline) || !strings.HasSuffix(got, "\n"+c.want) {
			t.Errorf("%s: got\n%s\nwant %s ... %s", c.name, got, c.headline, c.want)
		}
		var b strings.Builder
		if err := Markdown(&b, v, "run"); err != nil {
			t.Fatal(err)
		}
		if page := strings.TrimSpace(b.String()); !strings.HasSuffix(page, "\n"+c.want) {
			t.Errorf("%s: the page ends otherwise:\n%s", c.name, page)
		}
	}
}

// otherThan is a severity that a finding does not have.
func otherThan(s audit.Severity) audit.Severity {
	if s == audit.Critical {
		return audit.Major
	}
	return audit.Critical
}

// An excused promise is no kept one, and where to look is said although nothing
// is spelled out.
func TestAnExcusedNightOnTheTerminal(t *testing.T) {
	v := brokenNight()
	v.Audits, v.Findings = []*audit.Audit{capacity, ends}, v.Findings[1:]
	v.Outcomes = v.Outcomes[1:4]
	v.Outcomes[0].Verdict = audit.Excused
	v.Outcomes[0].Findings = 1
	golden(t, "excused.txt", text(t, v))
}

func TestAPathInAHintIsOneWord(t *testing.T) {
	var b bytes.Buffer
	if err := terminal(&b, brokenNight(), "my runs/a"); err != nil {
		t.Fatal(err)
	}
	if want := `poolproof query "my runs/a" "SELECT`; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}

func TestANightThatNobodyCanJudge(t *testing.T) {
	v := brokenNight()
	v.Audits, v.Findings = []*audit.Audit{fifo}, nil
	v.Outcomes = v.Outcomes[4:6]
	golden(t, "unknown.txt", text(t, v))
}

// A flood of one kind hides no other.
func TestEveryBrokenPromiseIsSpelledOut(t *testing.T) {
	v := brokenNight()
	v.Findings = nil
	for i := range 500 {
		v.Findings = append(v.Findings, finding(capacity, fmt.Sprint(i), audit.Violated, "Over.", at(i)))
	}
	v.Findings = append(v.Findings, finding(ends, "last", audit.Violated, "Lost.", nil))
	v.Findings = append(v.Findings, finding(ends, "excused", audit.Excused, "Lost.", nil))
	s := summarize(v)
	shown, rest := s.worst(shownIncidents)
	if len(shown) != shownIncidents || shown[len(shown)-1].ID != "last" {
		t.Errorf("%d shown, the last is %s", len(shown), shown[len(shown)-1].ID)
	}
	if got, want := leftOver(len(shown), rest), "And 492 more (491 violated, 1 excused)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestABrokenNightInMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, brokenNight(), "out/run"); err != nil {
		t.Fatal(err)
	}
	golden(t, "broken.md", b.String())
}

func TestAFullNightOnTheTerminal(t *testing.T) {
	var b bytes.Buffer
	if err := terminal(&b, fullNight(), "out/run"); err != nil {
		t.Fatal(err)
	}
	golden(t, "full.txt", b.String())
}

func TestAFullNightInMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, fullNight(), "out/run"); err != nil {
		t.Fatal(err)
	}
	golden(t, "full.md", b.String())
}

// What could not be judged for one reason is one line, however many audits it is.
func TestDoubtsOfOneReasonAreOneLine(t *testing.T) {
	v := &audit.Verdict{Trees: []string{"main"}, From: "2023-11-14T00:00:00Z", To: "2023-11-15T00:00:00Z", Audits: allTogether}
	for _, a := range allTogether {
		v.Outcomes = append(v.Outcomes, audit.Outcome{Audit: a, Tree: "main", Verdict: audit.Undecidable, Reason: "the log names no nodes"})
	}
	got := text(t, v)
	if n := strings.Count(got, "the log names no nodes: "); n != 1 || !strings.Contains(got, "; and 2 more\n") {
		t.Errorf("the reason stands %d times in\n%s", n, got)
	}
	if !strings.Contains(got, "  undecidable    4 rules, ") {
		t.Errorf("the rules are not counted in\n%s", got)
	}
}
