package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"poolproof/audit"
)

// Evidence is told in words: in its order, lists in one line, what is absent left out.
func TestEvidenceIsToldInWords(t *testing.T) {
	got := evidenceFacts(json.RawMessage(`{"full_pool": "narrow", "limit_value": 1, "gap": 0.30000000001, "overtook": null, "lightweight": false,
		"jobs": ["a", "b"], "first_cases": [{"job": "x", "bound": 5.0}, {"job": "y"}], "proofs": [], "below_s": 31.25, "waited_s": 648, "peak_time": "2025-03-03T08:01:01.500000Z"}`))
	want := []fact{
		{"full pool", "narrow"}, {"limit value", "1"}, {"lacked at most, share of the tree", "0.3"}, {"lightweight", "no"}, {"jobs", "a, b"},
		{"first cases 1: job", "x"}, {"first cases 1: bound", "5"}, {"first cases 2: job", "y"},
		{"below", "31.25 s"}, {"waited", "10 min 48 s"}, {"most at", "2025-03-03 08:01:01.5 UTC"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := evidenceFacts(json.RawMessage(`{"a": `)); got != nil {
		t.Errorf("damaged evidence is %v", got)
	}
}

// The numbers of an explanation are in the same words, an object of a list in one line;
// what stands elsewhere is left out.
func TestNumbersAreToldInWords(t *testing.T) {
	evidence := json.RawMessage(`{"preemptible_s": 617.961675, "promised": [{"verdict": "violated"}], "proofs": [1], "full_pool": "a\u001bb", "first_cases": [{"job_id": "x", "late_s": 5.5}, {"job_id": null}]}`)
	e := Explanation{Finding: &audit.Finding{Evidence: evidence}, Audit: &audit.Audit{}, Verdict: &audit.Verdict{}}
	var d Document
	e.numbers(&d)
	got := d.Passages[0].Facts[1:] // after how it was judged
	want := []fact{{"preemption could make room for", "10 min 17 s"}, {"full pool", `a\x1bb`}, {"first cases", "job id x, late 5.5 s"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, f := range evidenceFacts(evidence) {
		if strings.HasPrefix(f.Name, "promised") || strings.HasPrefix(f.Name, "proofs") {
			t.Errorf("%v", f)
		}
	}
}

// Trees of which the same is true share a line of what could be judged, on the terminal
// and on the page.
func TestTreesThatSayTheSameAreFolded(t *testing.T) {
	of := func(trees ...audit.TreeCoverage) *summary {
		v := &audit.Verdict{TreeCoverage: trees}
		for _, c := range trees {
			v.Trees = append(v.Trees, c.Tree)
		}
		return &summary{Verdict: v}
	}
	a := audit.TreeCoverage{Tree: "a", Seconds: 10, JudgedSeconds: 10, Checks: 4, JudgedChecks: 4}
	b := audit.TreeCoverage{Tree: "b", Seconds: 10}
	c := audit.TreeCoverage{Tree: "c", Seconds: 20, JudgedSeconds: 20, Checks: 6, JudgedChecks: 6}
	got := of(a, b, c).coverageLines()
	if d := cmp.Diff([]string{"Tree b: judged 0 % of the time.", "Trees a and c: judged 100 % of the time and 100 % of 10 rule checks."}, got); d != "" {
		t.Error(d)
	}
	if got := of(a, c).CoverageGroups()[0].Who(); got != "Both trees" {
		t.Error(got)
	}
}

// Of 170 trees the exceptions stand first, and the others in one line with what each of
// them lacks.
func TestExceptionsAmongManyTreesStandFirst(t *testing.T) {
	v := &audit.Verdict{}
	for i := range 170 {
		c := audit.TreeCoverage{Tree: fmt.Sprintf("t%03d", i), Seconds: 100, JudgedSeconds: 100, Checks: 10, Reason: fmt.Sprintf("%d rule checks that the log does not settle", 1+i)}
		switch i {
		case 0:
			c.Reason = "1 rule check that the log does not settle"
		case 30:
			c.JudgedSeconds = 0
		case 40, 50:
			c.JudgedSeconds = float64(i)
		case 60:
			c.JudgedChecks = 10
		}
		v.Trees, v.TreeCoverage = append(v.Trees, c.Tree), append(v.TreeCoverage, c)
	}
	s := summary{Verdict: v}
	want := []string{
		"Tree t030: judged 0 % of the time and 0 % of 10 rule checks; 31 rule checks that the log does not settle.",
		"Tree t060: judged 100 % of the time and 100 % of 10 rule checks; 61 rule checks that the log does not settle.",
		"Trees t040 and t050: judged 40 to 50 % of the time and 0 % of 20 rule checks; in each 41 to 51 rule checks that the log does not settle.",
		"The other 166 trees: judged 100 % of the time and 0 % of 1,660 rule checks; in each 1 to 170 rule checks that the log does not settle.",
	}
	if d := cmp.Diff(want, s.coverageLines()); d != "" {
		t.Error(d)
	}
}

// An id is shown by its beginning and its end and keeps the whole; what stands beside it is escaped.
func TestIDsAreShortened(t *testing.T) {
	const id = "40648247-b4cb44af-852e63e8-90ff8620"
	got := string(shortIDs("<b> operation " + id + " of 2025-03-03."))
	if want := `&lt;b&gt; operation <code class="id" title="` + id + `">40648247<i>-b4cb44af-852e63e8-</i>90ff8620</code> of 2025-03-03.`; got != want {
		t.Errorf("%s", got)
	}
}

// The chart of a broken limit of operations counts them, in the pool whose limit it is.
func TestAChartOfALimitCountsOperations(t *testing.T) {
	db := testDatabase(t)
	for _, statement := range []string{
		"ALTER TABLE pool_intervals ADD COLUMN running_operation_count BIGINT", "ALTER TABLE pool_intervals ADD COLUMN max_running_operation_count BIGINT",
		"UPDATE pool_intervals SET running_operation_count = CASE WHEN hour(from_time) < 12 THEN 2 ELSE 1 END, max_running_operation_count = 1 WHERE pool = 'prod'",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	f := audit.Finding{Audit: "operation_ran_over_limit", SubjectKind: "operation", Evidence: json.RawMessage(`{"pool": "below", "full_pool": "prod", "limit": "max_running_operation_count"}`)}
	if pool := limitedPool(f); pool != "prod" {
		t.Errorf("it is of pool %s", pool)
	}
	begin := time.Date(2023, 11, 14, 10, 0, 0, 0, time.UTC)
	c := chart{frame: newFrame("main", limitedPool(f), begin, begin.Add(4*time.Hour), 4), counted: countedLimit(f)}
	counts, err := readCounts(t.Context(), db, c.frame, c.counted)
	if err != nil {
		t.Fatal(err)
	}
	c.counts = counts
	if got := c.describeCounts(); !strings.HasPrefix(got, "It had up to 2 running operations; its least max_running_operation_count was 1") {
		t.Errorf("%s", got)
	}
	if *counts[0].there != 2 || *counts[3].there != 1 || *counts[3].limit != 1 {
		t.Errorf("%v %v", *counts[0].there, *counts[3].there)
	}
}
