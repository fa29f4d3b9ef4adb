package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
)

// The answer says whether a rule was broken, and the worst finding that says so.
func TestTheAnswerSaysWhetherARuleWasBroken(t *testing.T) {
	const reason = "Operation x starved. Excused: the log (alert a.b) shows it. It goes on after the window."
	violated := audit.Finding{ID: "v1", Invariant: "GUA-03", Verdict: audit.Violated}
	suspect := audit.Finding{ID: "s1", Invariant: "FSC-02", Verdict: audit.Suspect}
	suppressed := audit.Finding{ID: "p1", Invariant: "GUA-03", Verdict: audit.Violated, Suppressed: &audit.Suppression{}}
	excused := audit.Finding{ID: "e1", Invariant: "STV-09", Verdict: audit.Excused, Reason: reason}
	noted := audit.Finding{ID: "n1", Invariant: "PRE-05", Verdict: audit.Noted}
	damaged := audit.Finding{ID: "d1", Invariant: "LOG-02", Verdict: audit.Damaged}
	perhaps := audit.Finding{ID: "d2", Invariant: "LOG-01", Verdict: audit.Damaged, Judged: "possible"}
	known := audit.Finding{ID: "d3", Invariant: "LOG-02", Verdict: audit.Damaged, Suppressed: &audit.Suppression{}}
	undecidable := audit.Finding{ID: "u1", Invariant: "LOG-01", Verdict: audit.Undecidable}
	for _, c := range []struct {
		findings []audit.Finding
		want     string
	}{
		{nil, "No finding is about it: the scheduler broke no rule about it that could be judged."},
		{[]audit.Finding{violated, violated, suspect, suppressed, excused, noted}, "The scheduler broke a rule: 2 findings are violated, 1 suspect and 1 suppressed by the policy; the worst is v1 (GUA-03)."},
		{[]audit.Finding{suspect, excused}, "The scheduler may have broken a rule: 1 finding is suspect; the worst is s1 (FSC-02)."},
		{[]audit.Finding{suppressed}, "The scheduler broke a rule: 1 finding is suppressed by the policy; the worst is p1 (GUA-03)."},
		{[]audit.Finding{noted, excused, excused}, "The scheduler broke no rule that could be judged: STV-09 is excused, the log (alert a.b) shows it."},
		{[]audit.Finding{noted}, "The scheduler broke no rule that could be judged: what was found is noted, which is legal."},
		{[]audit.Finding{undecidable}, "The scheduler broke no rule that could be judged: what was found is undecidable."},
		{[]audit.Finding{damaged, perhaps, undecidable}, "The scheduler broke no rule that could be judged: what was found is damage of the log."},
		{[]audit.Finding{known}, "The scheduler broke no rule that could be judged: what was found is damage of the log."},
		{[]audit.Finding{damaged, noted}, "The scheduler broke no rule that could be judged: what was found is noted, which is legal, or damage of the log."},
		{[]audit.Finding{damaged, excused}, "The scheduler broke no rule that could be judged: STV-09 is excused, the log (alert a.b) shows it."},
		{[]audit.Finding{suppressed, damaged, known}, "The scheduler broke a rule: 1 finding is suppressed by the policy; the worst is p1 (GUA-03)."},
		{[]audit.Finding{suspect, damaged}, "The scheduler may have broken a rule: 1 finding is suspect; the worst is s1 (FSC-02)."},
	} {
		var about []concern
		for _, f := range c.findings {
			about = append(about, concern{f, asSubject})
		}
		if got := ruling(about); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
	for r, want := range map[relation]string{
		asPreemptor: "The scheduler broke a rule in its favour: 1 finding is violated; the worst is v1 (GUA-03).",
		asParty:     "The scheduler broke a rule in a decision that concerns it: 1 finding is violated; the worst is v1 (GUA-03).",
	} {
		if got := ruling([]concern{{violated, r}, {excused, asSubject}}); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// It stands in the answer, also of a run without a ledger, and no empty list follows.
func TestTheRulingStandsInTheAnswer(t *testing.T) {
	v := &audit.Verdict{Findings: []audit.Finding{{ID: "v1", Tree: "main", Invariant: "GUA-03", Verdict: audit.Violated, SubjectKind: "pool", Subject: "b", Reason: "It lacked share."}}}
	for tree, want := range map[string]string{
		"main":  "\nIn short\n  The scheduler broke a rule: 1 finding is violated; the worst is v1 (GUA-03).\n\nFindings about it; poolproof explain run FINDING shows one\n  v1  violated (, GUA-03), at an unknown time: It lacked share.\n",
		"other": "\nIn short\n  No finding is about it: the scheduler broke no rule about it that could be judged.\n",
	} {
		s := Subject{Verdict: v, RunPath: "run", Kind: "pool", Name: "b", Tree: tree}
		var d Document
		found, err := s.found(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.ruled(&d, found)
		s.findings(&d, found)
		var b bytes.Buffer
		for _, p := range d.Passages {
			p.text(&b)
		}
		if b.String() != want {
			t.Errorf("%s: %s\nwant %s", tree, b.String(), want)
		}
	}
	d := Document{}
	d.add("answer", "In short").Prose = []string{"Pool b had all."}
	d.add("held", "Who held the tree")
	(&Subject{}).ruled(&d, []concern{{v.Findings[0], asSubject}})
	if got := strings.Join(d.Passages[0].Prose, " "); len(d.Passages) != 2 || !strings.HasPrefix(got, "Pool b had all. The scheduler broke a rule") {
		t.Errorf("%d passages, %s", len(d.Passages), got)
	}
}

// A finding concerns its subject, the preemptors, the pools of both, and the jobs and nodes that
// its evidence names; a text elsewhere in the evidence names nobody.
func TestAFindingConcernsWhomItNames(t *testing.T) {
	f := audit.Finding{Tree: "main", SubjectKind: "operation", Subject: "victims", Evidence: []byte(`{"pool": "poor",
		"first_cases": [{"victim": "j1", "node": "n1", "beneficiary": "takers", "other_operation": null, "verdict": "violated"}],
		"proofs": [{"victim_pool": "poor", "beneficiary_pool": "rich", "beneficiary_job": "j2", "list": "preemptible", "starving_pool": "above"}]}`)}
	for _, c := range []struct {
		kind, name string
		want       relation
	}{
		{"operation", "victims", asSubject}, {"pool", "poor", asSubject}, {"tree", "main", asSubject},
		{"operation", "takers", asPreemptor}, {"pool", "rich", asPreemptor}, {"job", "j2", asPreemptor},
		{"job", "j1", asParty}, {"node", "n1", asParty}, {"pool", "above", asParty},
		{"pool", "preemptible", ""}, {"pool", "violated", ""}, {"operation", "j1", ""}, {"node", "poor", ""}, {"operation", "other", ""},
	} {
		if got := relationTo(&f, c.kind, c.name); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.kind, c.name, got, c.want)
		}
	}
	if pools := poolsOf(&f); !slices.Equal(pools, []string{"poor", "rich"}) {
		t.Errorf("pools %q", pools)
	}
}
