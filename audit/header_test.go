package audit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/queries"
)

const goodAudit = `-- @audit     too_late
-- @title     Jobs that start
--            too late
-- @promise   Every job starts in time.
-- @invariant LIM-02, CNT-04
-- @reads     jobs, coverage
-- @param     sla_s 300 s — longest wait
-- @needs     demand recorded|reconstructed — what jobs wait
SELECT 1; -- a comment
-- @seen
SELECT 2;
`

func TestParseAuditReadsAHeader(t *testing.T) {
	t.Parallel()
	got, err := parseAudit(goodAudit)
	if err != nil {
		t.Fatal(err)
	}
	want := &Audit{
		ID: "too_late", Title: "Jobs that start too late", Promise: "Every job starts in time.",
		Invariants: []string{"LIM-02", "CNT-04"}, Severity: Minor, Reads: []string{"jobs", "coverage"},
		Params: []Param{{"sla_s", 300, "s", "longest wait"}}, Needs: []Need{{"demand", []string{"recorded", "reconstructed"}, "what jobs wait"}},
		Findings: "SELECT 1; -- a comment", Seen: "SELECT 2",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestParseAuditRefusesBadHeaders(t *testing.T) {
	t.Parallel()
	for fault, edit := range map[string][2]string{
		"no @promise":          {"-- @promise   Every job starts in time.\n", ""},
		"unknown key":          {"@promise", "@promises"},
		"stands twice":         {"-- @reads", "-- @title x\n-- @reads"},
		"unknown rule":         {"LIM-02", "LIM-99"},
		"differ in severity":   {"CNT-04", "CNT-02"},
		"is about the log":     {"LIM-02", "LOG-01"},
		"invalid number":       {"300", "many"},
		"not \"name default":   {"300 s", "300"},
		"not \"aspect state":   {"recorded|reconstructed", ""},
		"says how much it saw": {"-- @seen\n", ""},
		"a query is missing":   {"SELECT 2;", ""},
		"has no value":         {"jobs, coverage", ""},
		"not with a key":       {"-- @audit", "-- hello\n-- @audit"},
	} {
		if _, err := parseAudit(strings.Replace(goodAudit, edit[0], edit[1], 1)); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

// fromAudit leaves its queries to a source.
const fromAudit = `-- @audit     too_late
-- @title     Jobs that start too late
-- @promise   Every job starts in time.
-- @invariant LIM-02, CNT-04
-- @reads     jobs
-- @from      decisions
`

func TestASourceGivesTheQueriesThatAFileDoesNotHold(t *testing.T) {
	t.Parallel()
	const findings = "SELECT tree, invariant, aspect, verdict, subject_kind, subject, from_time, to_time, magnitude, unit, reason, judged, evidence, excuse\nFROM "
	const order = "\nORDER BY tree, from_time, subject_kind, subject, aspect"
	const seen = "SELECT tree, seen, unit, reason, idle\nFROM "
	one := strings.Replace(fromAudit, ", CNT-04", "", 1)
	for name, c := range map[string]struct{ text, findings, seen string }{
		"both":        {fromAudit, findings + "internal.decisions_findings(['LIM-02', 'CNT-04'])" + order, seen + "internal.decisions_seen([['LIM-02', 'CNT-04']])\nORDER BY tree"},
		"one rule":    {one, strings.Replace(findings, "invariant, ", "", 1) + "internal.decisions_findings(['LIM-02'])" + order, seen + "internal.decisions_seen([['LIM-02']])\nORDER BY tree"},
		"arguments":   {strings.Replace(fromAudit, "decisions", "limits('pool', $use_s)", 1), findings + "internal.limits_findings('pool', $use_s)" + order, seen + "internal.limits_seen('pool', $use_s)\nORDER BY tree"},
		"own seen":    {fromAudit + "-- @seen\nSELECT 2;\n", findings + "internal.decisions_findings(['LIM-02', 'CNT-04'])" + order, "SELECT 2"},
		"own finding": {fromAudit + "SELECT 1;\n", "SELECT 1", seen + "internal.decisions_seen([['LIM-02', 'CNT-04']])\nORDER BY tree"},
	} {
		a, err := parseAudit(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff([]string{c.findings, c.seen}, []string{a.Findings, a.Seen}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if a.Text() != c.text {
			t.Errorf("%s: it is written as\n%s", name, a.Text())
		}
	}
	for fault, text := range map[string]string{
		"nothing comes from": fromAudit + "SELECT 1;\n-- @seen\nSELECT 2;\n",
		"invalid source":     strings.Replace(fromAudit, "decisions", "Decisions; SELECT 1", 1),
		"belongs to @judges": fromAudit + "-- @tested\nSELECT 3;\n",
	} {
		if _, err := parseAudit(text); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

func TestTheAuditsOfTheProjectParse(t *testing.T) {
	t.Parallel()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range audits {
		again, err := parseAudit(a.Text())
		if d := cmp.Diff(a, again); err != nil || d != "" {
			t.Errorf("%s does not round-trip: %v\n%s", a.ID, err, d)
		}
	}
}

// A header is refused, or it is the same after writing and reading it again.
func FuzzParseAudit(f *testing.F) {
	f.Add(goodAudit)
	f.Add(fromAudit)
	f.Add(fromAudit + "-- @seen\nSELECT 2;\n")
	f.Add("-- @audit x\n-- @seen\n")
	f.Add(strings.Replace(goodAudit, "SELECT", "\n-- a comment of the query\nSELECT", 1))
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAudit(text)
		if err != nil {
			return
		}
		again, err := parseAudit(a.Text())
		if err != nil {
			t.Fatalf("%v\n%s", err, a.Text())
		}
		if d := cmp.Diff(a, again); d != "" {
			t.Fatal(d)
		}
	})
}
