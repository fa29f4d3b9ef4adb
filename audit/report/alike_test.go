package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
)

// manyTrees is a night of twelve trees of which all say the same, but the last.
func manyTrees() *audit.Verdict {
	v := brokenNight()
	v.Audits, v.Outcomes, v.Findings, v.Trees = []*audit.Audit{ends}, nil, nil, nil
	v.MinTimeCoverage, v.MinCheckCoverage = 0.9, 0.9
	half := 0.5
	for i := range 12 {
		tree, reason := fmt.Sprintf("t%02d", i), "the log has no nodes"
		c := audit.TreeCoverage{Tree: tree, Seconds: 100, JudgedSeconds: 50, Checks: 10, JudgedChecks: 5, Reason: reason}
		p := audit.Promise{ID: tree, Tree: tree, Kind: "resource_limits", SubjectKind: "pool", Subject: "prod", Path: "prod", Statement: "Pool prod uses at most 5 cores.", Grade: audit.Unverifiable, Reason: "The log has no jobs."}
		q := audit.Promise{ID: tree + "q", Tree: tree, Kind: "strong_guarantee", SubjectKind: "pool", Subject: "prod", Path: "prod", Statement: "Pool prod gets 5 cores.", Grade: audit.Broken, Tested: 100, Kept: 50,
			Shortfall: &audit.Shortfall{Text: "prod lacked 1 core", Magnitude: &half, Unit: "cores"}}
		if i == 11 {
			c.JudgedSeconds, c.JudgedChecks, p.Reason, q.Kept = 80, 9, "The log has no limits.", 75
		}
		v.Trees, v.TreeCoverage, v.Promises = append(v.Trees, tree), append(v.TreeCoverage, c), append(v.Promises, p, q)
		v.Outcomes = append(v.Outcomes, audit.Outcome{Audit: ends, Tree: tree, Verdict: audit.Undecidable, Reason: reason})
	}
	return v
}

// What many trees say is said once, with who they are.
func TestManyTreesInOneLine(t *testing.T) {
	lines := strings.Split(text(t, manyTrees()), "\n")
	for _, want := range []string{
		"50 % of the time of trees t00, t01, t02 and 8 more could be judged, 90 % were asked for.",
		"80 % of the time of tree t11 could be judged, 90 % were asked for.",
		"50 % of the rule checks in trees t00, t01, t02 and 8 more could be judged, 90 % were asked for.",
		"  unverifiable Pool prod uses at most 5 cores. The log has no jobs. (trees t00, t01, t02 and 8 more)",
		"  unverifiable Pool prod uses at most 5 cores. The log has no limits.",
		"  broken  50 %       t00, t01, t02 and 8 more  prod  strong_guarantee  prod lacked 1 core",
		"  broken  75 %       t11                       prod  strong_guarantee  prod lacked 1 core",
		"  the log has no nodes: Job without a known end",
		"Trees t00, t01, t02 and 8 more: judged 50 % of the time and 50 % of 110 rule checks; the log has no nodes.",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if n := len(lines); n > 45 {
		t.Errorf("%d lines of twelve trees that say the same", n)
	}
	var b bytes.Buffer
	if err := Markdown(&b, manyTrees(), "run"); err != nil {
		t.Fatal(err)
	}
	if want := "| broken | 50 % | t00, t01, t02 and 8 more | prod | strong\\_guarantee |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}

func TestTheNamesOfTrees(t *testing.T) {
	for want, trees := range map[string][]string{
		"tree a": {"a"}, "trees a and b": {"a", "b"}, "all 3 trees": {"a", "b", "c"},
	} {
		if got := treesText(trees, 3); got != want {
			t.Errorf("%v: %s, want %s", trees, got, want)
		}
	}
}
