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
		"50 to 80 % of the time of all 12 trees could be judged, 90 % were asked for.",
		"50 % of the rule checks in all 12 trees but t11 could be judged, 90 % were asked for.",
		"  unverifiable Pool prod uses at most 5 cores. The log has no jobs. (all 12 trees but t11)",
		"  unverifiable Pool prod uses at most 5 cores. The log has no limits.",
		"  broken  50 %       t00, t01, t02 and 8 more  prod  strong_guarantee  prod lacked 1 core",
		"  broken  75 %       t11                       prod  strong_guarantee  prod lacked 1 core",
		"  the log has no nodes: Job without a known end",
		"All 12 trees: judged 50 to 80 % of the time and 50 to 90 % of 120 rule checks; the log has no nodes.",
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
	all := []string{"a", "b", "c", "d", "e", "f"}
	for _, c := range []struct {
		want  string
		trees []string
		all   []string
	}{
		{"tree a", []string{"a"}, all}, {"trees a and b", []string{"a", "b"}, all}, {"all 6 trees", all, all}, {"both trees", all[:2], all[:2]},
		{"trees a, b, c and 1 more", all[:4], all}, {"all 6 trees but a", all[1:], all}, {"trees a and b", all[:2], all[:3]},
	} {
		if got := treesText(c.trees, c.all); got != c.want {
			t.Errorf("%v: %s, want %s", c.trees, got, c.want)
		}
	}
}

// What differs in quantities and in the tree's own name alone is said once; names are no
// quantities.
func TestTextsThatDifferInQuantities(t *testing.T) {
	trees := []string{"a", "b", "c"}
	for _, c := range []struct{ texts, want []string }{
		{[]string{"1 rule check lacks an input", "1,200 rule checks lack an input", "28 rule checks lack an input"}, []string{"1 to 1,200 rule checks lack an input"}},
		{[]string{"for 5 min 30 s; 3 jobs", "for 1 h 05 min; 3 jobs", "for 45 s; 3 jobs"}, []string{"for 45 s to 1 h 05 min; 3 jobs"}},
		{[]string{"Tree a has room for 5 jobs in tree a.", "Tree b has room for 5 jobs in tree b.", "Tree c has room for 7 jobs in tree c."}, []string{"Each tree has room for 5 to 7 jobs in each tree."}},
		{[]string{"Tree b has room", "Tree b has room", "Tree c has room"}, []string{"Tree b has room", "Each tree has room"}},
		{[]string{"pool 7 is full", "pool 8 is full", "pool 7 is full"}, []string{"pool 7 is full", "pool 8 is full"}},
		{[]string{"row 7", "row 8", "row 7"}, []string{"row 7", "row 8"}},
		{[]string{"3 jobs", "3 nodes", "4 jobs"}, []string{"3 to 4 jobs", "3 nodes"}},
		{[]string{"12.5 % of it", "100 % of it", "0 % of it"}, []string{"0 to 100 % of it"}},
	} {
		var f folding
		for i, text := range c.texts {
			f.add(text, trees[i])
		}
		var got []string
		for _, a := range f.all {
			got = append(got, a.text())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
}

// Lines about trees are one each while they are few, and else one for those that say the
// same, the exceptions first.
func TestLinesAboutTrees(t *testing.T) {
	about := func(tree string) string {
		if tree == "c" {
			return "nothing"
		}
		return fmt.Sprintf("%d job starts, 1 tree configuration", tree[0]-'a')
	}
	for want, trees := range map[string][]string{
		"Tree b: 1 job starts, 1 tree configuration|Tree c: nothing|Tree d: 3 job starts, 1 tree configuration": {"b", "c", "d"},
		"Tree c: nothing|The other 5 trees: in each 1 to 6 job starts, 1 tree configuration":                    {"b", "c", "d", "e", "f", "g"},
		"All 4 trees: in each 1 to 5 job starts, 1 tree configuration":                                          {"b", "d", "e", "f"},
		"Tree c: nothing|Trees b, d and e: in each 1 to 4 job starts, 1 tree configuration":                     {"b", "c", "d", "e"},
	} {
		if got := strings.Join(FoldedTrees(trees, about), "|"); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", trees, got, want)
		}
	}
}

// On the page, too, many trees are said once; one of which something was found stands alone.
func TestManyTreesOnThePage(t *testing.T) {
	v := manyTrees()
	for i, tree := range v.Trees {
		v.Promises = append(v.Promises, audit.Promise{ID: "m" + tree, Tree: tree, Kind: "max_operation_count", SubjectKind: "tree", Subject: tree,
			Statement: fmt.Sprintf("Tree %s has at most %d operations.", tree, 5+i), Grade: audit.Kept, Reason: "Tested and not broken.", Tested: 100, Kept: 100})
	}
	db := testDatabase(t)
	for i, tree := range v.Trees {
		if _, err := db.Exec("INSERT INTO trees VALUES (?, 'cpu')", tree); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec("INSERT INTO pool_intervals SELECT ?, ?, from_time, to_time, ?, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 8 FROM pool_intervals WHERE pool = 'prod' AND tree = 'main' LIMIT 1", tree, rootName, 1000*i); err != nil {
			t.Fatal(err)
		}
	}
	text := pageOf(t, v, db)
	for _, want := range []string{
		`<tr class="group"><th scope="rowgroup" colspan="2">12 trees <small>t00, t01, t02 and 9 more</small>`,
		`Each tree has at most 5 to 16 operations. <small>Tested and not broken.</small>`,
		`<th scope="row">12 trees <small>trees t00, t01, t02 and 9 more</small></th><td>max_operation_count`,
		`<th scope="row">pool prod <small>trees t00, t01, t02 and 8 more</small></th><td>strong_guarantee`,
		`Drawn are the trees with the worst findings and the largest; 1 tree is not drawn.`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "<h3>Tree t00</h3>") || !strings.Contains(text, "<h3>Tree t11</h3>") {
		t.Error("it is not the smallest tree that is not drawn")
	}
	var b bytes.Buffer
	if err := Markdown(&b, v, "run"); err != nil {
		t.Fatal(err)
	}
	if want := "| kept | t00, t01, t02 and 9 more | each tree | Each tree has at most 5 to 16 operations. | Tested and not broken. |"; !strings.Contains(b.String(), want) {
		t.Errorf("no %s in\n%s", want, b.String())
	}
}
