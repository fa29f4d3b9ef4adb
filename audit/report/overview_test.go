package report

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"poolproof/audit"
)

// scatteredFindings are so many trees with other numbers of findings each, and twice as
// many that have none.
func scatteredFindings(n int) *audit.Verdict {
	v := brokenNight()
	v.Findings, v.Trees = nil, nil
	for i := range 3 * n {
		tree := fmt.Sprintf("t%03d", i)
		v.Trees = append(v.Trees, tree)
		for k := range i % 10 * min(1, n/(i+1)) {
			f := finding(guarantee, fmt.Sprintf("%06d%06d", i, k), []audit.Judgement{audit.Violated, audit.Suspect, audit.Noted, audit.Undecidable}[k%4], "It went without.", at(60))
			f.Tree, f.Severity = tree, audit.Severities[(i+k)%3]
			if k == 8 {
				f.Suppressed = &audit.Suppression{}
			}
			v.Findings = append(v.Findings, f)
		}
	}
	return v
}

// The overview has every finding and every promise of the run once, however its trees are
// folded.
func TestTheOverviewAddsUp(t *testing.T) {
	for name, v := range map[string]*audit.Verdict{"sound": brokenNight(), "full": fullNight(), "many trees": manyTrees(), "scattered": scatteredFindings(60)} {
		s := summarize(v)
		o := s.overview()
		promises := 0
		for _, g := range o.Grades {
			promises += g.Number
		}
		if promises != len(v.Promises) {
			t.Errorf("%s: %d promises by grade, and %d in the run", name, promises, len(v.Promises))
		}
		sums, trees := make([]int, len(o.Columns)), 0
		for _, r := range o.Rows {
			trees += len(r.trees)
			for k, n := range r.Numbers {
				sums[k] += n
			}
		}
		if !slices.Equal(sums, o.All) || trees != len(v.Trees) || len(o.Rows) > shownTreeRows+1 {
			t.Errorf("%s: the %d rows of %d trees add up to %v, not to %v of %d trees", name, len(o.Rows), trees, sums, o.All, len(v.Trees))
		}
		violated, others, all := 0, 0, 0
		for k, c := range o.Columns {
			switch {
			case c.Word == "all":
				all = o.All[k]
			case c.Word == "new":
			case k < o.Violated:
				violated += o.All[k]
			default:
				others += o.All[k]
			}
		}
		if want := s.tallies().violated; violated != want || violated+others != all || all != len(v.Findings) {
			t.Errorf("%s: %d violated and %d others of %d findings; the headline counts %d violated, and the run has %d findings", name, violated, others, all, want, len(v.Findings))
		}
	}
}

// What the overview shows of a run with a baseline.
func TestTheOverviewOfAFullNight(t *testing.T) {
	s := summarize(fullNight())
	o := s.overview()
	var got []string
	for _, c := range o.Columns {
		got = append(got, c.Word)
	}
	for _, r := range o.Rows {
		got = append(got, "|", r.Who, fmt.Sprint(r.Numbers))
	}
	want := "critical major suspect excused suppressed new all | Tree main [1 2 1 1 1 2 6] | Tree gpu [0 0 0 0 0 0 0]"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	if want := "Rows of the scorecard against the baseline: 1 worse, 1 better, 1 same, 4 new."; o.Trends != want {
		t.Errorf("%s\nwant %s", o.Trends, want)
	}
}

// Trees with as many findings of each kind stand in one line, with their sums; at the end
// stand those without any.
func TestTreesWithLikeFindingsAreOneRow(t *testing.T) {
	v := scatteredFindings(4) // t000 has none, t001 one, t002 two, t003 three
	twin := v.Findings[0]
	twin.ID, twin.Tree = "twin", "t011"
	v.Findings = append(v.Findings, twin)
	var got []string
	for _, r := range summarize(v).overview().Rows {
		got = append(got, fmt.Sprint(r.Who, " ", r.Numbers))
	}
	want := []string{"Tree t003 [1 0 0 1 1 3]", "Trees t001 and t011 [0 2 0 0 0 2]", "Tree t002 [0 0 1 1 0 2]", "The other 8 trees [0 0 0 0 0 0]"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// Each finding that the page shows has one place of its own, to which its id leads, and the
// text and the Markdown page name the same ids.
func TestEveryFindingHasAnAnchor(t *testing.T) {
	v := fullNight()
	page := pageOf(t, v, testDatabase(t))
	for _, f := range v.Findings {
		if n := strings.Count(page, `id="finding-`+f.ID+`"`); n != 1 {
			t.Errorf("finding %s has %d places", f.ID, n)
		}
	}
	var text, markdown bytes.Buffer
	if err := terminal(&text, v, "run"); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&markdown, v, "run"); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`finding ([0-9a-z]{12})`).FindAllStringSubmatch(text.String(), -1)
	for _, m := range named {
		if !strings.Contains(page, `id="finding-`+m[1]+`"`) || !strings.Contains(markdown.String(), "`"+m[1]+"`") {
			t.Errorf("finding %s of the text is not on the page or not in the Markdown", m[1])
		}
	}
	if len(named) < 3 {
		t.Errorf("the text names %d findings", len(named))
	}
}

// The table of rules can be sorted by each column, begins sorted by the first, and can be
// read without a script.
func TestTheTableOfRulesCanBeSorted(t *testing.T) {
	v := fullNight()
	page := pageOf(t, v, testDatabase(t))
	table := regexp.MustCompile(`(?s)<table class="sortable">.*?</table>`).FindString(page)
	head, body, _ := strings.Cut(table, "<tbody>")
	heads := regexp.MustCompile(`<th scope="col"([^>]*)>([^<]+)</th>`).FindAllStringSubmatch(head, -1)
	if len(heads) != 5 || !strings.Contains(heads[0][1], `aria-sort="ascending"`) || strings.Count(table, "aria-sort") != 1 {
		t.Fatalf("heads %q", heads)
	}
	last := -1
	rows := strings.Split(strings.TrimSpace(body), "<tr ")[1:]
	if len(rows) != len(v.Audits) {
		t.Errorf("%d rows of %d rules", len(rows), len(v.Audits))
	}
	for _, row := range rows {
		keys := regexp.MustCompile(`<t[dh][^>]* data-key="([^"]*)"`).FindAllStringSubmatch(row, -1)
		if len(keys) != len(heads) {
			t.Errorf("%d keys of %d columns: %s", len(keys), len(heads), row)
			continue
		}
		rank, err := strconv.Atoi(keys[0][1])
		if err != nil || rank < last {
			t.Errorf("the verdict %s follows %d", keys[0][1], last)
		}
		last = rank
		if id := regexp.MustCompile(`^id="rule-([^"]+)"`).FindStringSubmatch(row); id == nil || !strings.Contains(html.UnescapeString(row), "<code>"+html.UnescapeString(id[1])+"</code>") {
			t.Errorf("no place of the rule in %s", row)
		}
	}
}

// A person reads the same first sentences in every report, right below the headline.
func TestAllReportsOpenAlike(t *testing.T) {
	for name, v := range map[string]*audit.Verdict{"broken": brokenNight(), "full": fullNight()} {
		var text, markdown bytes.Buffer
		if err := terminal(&text, v, "run"); err != nil {
			t.Fatal(err)
		}
		if err := Markdown(&markdown, v, "run"); err != nil {
			t.Fatal(err)
		}
		page, _, _ := strings.Cut(pageOf(t, v, testDatabase(t)), "<nav")
		s := summarize(v)
		for _, c := range []struct{ format, text, between string }{
			{"text", text.String(), "\n"}, {"markdown", markdown.String(), "\n\n"}, {"page", html.UnescapeString(page), "</p>\n<p>"},
		} {
			_, below, found := strings.Cut(c.text, s.headline())
			if want := strings.Join(s.opening(), c.between); !found || !strings.Contains(below, want) {
				t.Errorf("%s, %s: no %q below the headline of\n%.900s", name, c.format, want, c.text)
			}
		}
	}
}
