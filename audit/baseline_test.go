package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// statuses are the findings with their status, and what is fixed.
func statuses(v *Verdict) string {
	var lines []string
	for _, f := range append(append([]Finding{}, v.Findings...), v.Fixed...) {
		lines = append(lines, fmt.Sprintf("%s %s %s", f.Status, f.Verdict, f.Subject))
	}
	return strings.Join(lines, "\n")
}

// judgeAfter audits the run against another's verdict.
func (r *testRun) judgeAfter(base *testRun) *Verdict {
	r.t.Helper()
	baseline, err := ReadBaseline(base.dir, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.judgeWith(Options{Queries: about(r.t, nightly...), Baseline: baseline})
}

// nightly are the audits of TestNightsAreCompared.
var nightly = []string{"pool_over_operation_count", "node_over_capacity", "pool_over_resource_limits"}

// TestNightsAreCompared: the same trouble at another time of another night
// persists, what got worse is new, and what is gone is fixed only where somebody
// looked.
func TestNightsAreCompared(t *testing.T) {
	t.Parallel()
	later := func(e tables.LimitEpisode) tables.LimitEpisode {
		e.FromTime, e.ToTime, e.PeakTime = e.FromTime+86400*second, e.ToTime+86400*second, e.PeakTime+86400*second
		return e
	}
	count := func(pool core.PoolID, cause tables.Cause) tables.LimitEpisode {
		return poolOver(pool, tables.MaxOperationCount, cause)
	}
	first := newTestRun(t)
	first.addTree("a", whole())
	put(first, "a",
		count(0, tables.CauseOperation),                            // again
		count(1, tables.CauseLimit),                                // excused, then violated
		nodeOver(0, resource.CPU, tables.CauseJobStarted),          // fixed
		poolOver(2, tables.ResourceLimits, tables.CauseJobStarted), // not seen tonight
		nodeOver(1, resource.CPU, tables.CauseLimit))               // excused, then gone
	put(first, "a", tables.PoolInterval{Pool: 2, Operations: 1, MaxOperations: core.Some(int64(9))})
	first.audit(nightly...)

	second := newTestRun(t)
	second.addTree("a", whole())
	put(second, "a", later(count(0, tables.CauseOperation)), later(count(1, tables.CauseOperation)),
		later(nodeOver(2, resource.CPU, tables.CauseJobStarted)))
	v := second.judgeAfter(first)
	want := "new violated node3\nnew violated batch\npersisting violated prod\nfixed violated node1"
	if got := statuses(v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Join(v.Notices, "\n"); !strings.HasPrefix(got, "1 finding of the baseline is neither fixed nor found again") {
		t.Errorf("notices %q", got)
	}
	for _, in := range v.Incidents {
		if want := map[string]Status{"node3": New, "batch": New, "prod": Persisting}[in.Cause]; in.Status != want {
			t.Errorf("the incident of %s is %s", in.Cause, in.Status)
		}
	}
	if got := second.query("SELECT string_agg(subject || ' ' || status, ', ' ORDER BY subject) FROM (FROM findings UNION ALL FROM fixed_findings)"); got != `"batch new, node1 fixed, node3 new, prod persisting"` {
		t.Error(got)
	}
	if v := first.judgeAfter(first); strings.Contains(statuses(v), "new") || len(v.Fixed) > 0 {
		t.Errorf("against itself:\n%s", statuses(v))
	}
	if v := first.judge(nightly...); v.Findings[0].Status != "" || v.Baseline != nil {
		t.Errorf("without a baseline: %+v", v.Findings[0])
	}
}

// TestAnotherComparisonIsSaid: what else than the night changed stands in differs; of
// another cluster nothing is compared.
func TestAnotherComparisonIsSaid(t *testing.T) {
	t.Parallel()
	verdict := func(change func(v *Verdict)) *Verdict {
		v := &Verdict{Cluster: "hume", Profile: "documented", From: "2026-05-02T00:00:00Z", To: "2026-05-03T00:00:00Z", Trees: []string{"gpu", "main"},
			Params: map[string]float64{"x.a": 1, "x.b": 2, "x.c": 3, "x.d": 4}, Findings: []Finding{{Fingerprint: "1", Audit: "x", Tree: "main", Verdict: Violated}},
			Outcomes: []Outcome{{Audit: &Audit{ID: "x"}, Tree: "main", Seen: 1}}}
		if change != nil {
			change(v)
		}
		return v
	}
	for name, c := range map[string]struct {
		base func(v *Verdict)
		want string
	}{
		"the same":               {nil, ""},
		"the night before":       {func(v *Verdict) { v.From, v.To = "2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z" }, ""},
		"a day of 23 hours":      {func(v *Verdict) { v.From, v.To = "2026-05-01T01:00:00Z", "2026-05-02T00:00:00Z" }, ""},
		"nobody named a cluster": {func(v *Verdict) { v.Cluster = "" }, ""},
		"a cluster":              {func(v *Verdict) { v.Cluster, v.Trees = "kant", nil }, `The baseline is of cluster "kant" and this run of cluster "hume": nothing is compared, and every finding counts as new.`},
		"fewer trees":            {func(v *Verdict) { v.Trees = nil }, "The baseline does not have trees gpu and main: what is found there is new for that alone."},
		"more trees":             {func(v *Verdict) { v.Trees = []string{"a", "b", "c", "d", "e", "gpu", "main"} }, "This run does not have trees a, b, c and 2 more of the baseline: what was found there is not fixed for that."},
		"an hour": {func(v *Verdict) { v.From, v.To = "2026-05-01T00:00:00Z", "2026-05-01T01:00:00Z" },
			"The baseline spans 1 h 00 min and this run 24 h 00 min: what is rare, or takes long, may be new or fixed for that alone."},
		"the night after": {func(v *Verdict) { v.From, v.To = "2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z" },
			"The baseline is of a later time than this run, so that new and fixed are the other way round."},
		"a profile": {func(v *Verdict) { v.Profile = "legacy" }, "Profile legacy judged the baseline and documented this run."},
		"thresholds": {func(v *Verdict) { v.Params = map[string]float64{"x.a": 0.5, "x.b": 2, "x.gone": 7} },
			"Other thresholds judged the baseline: x.a was 0.5 and is 1."},
		"many thresholds": {func(v *Verdict) { v.Params = map[string]float64{"x.a": 0, "x.b": 0, "x.c": 0, "x.d": 0} },
			"Other thresholds judged the baseline: x.a was 0 and is 1; x.b was 0 and is 2; x.c was 0 and is 3; and 1 more."},
	} {
		v := verdict(nil)
		v.compare(verdict(c.base))
		if got := strings.Join(v.Baseline.Differs, "\n"); got != c.want || v.Baseline.Differs == nil {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.want)
		}
		status := Persisting
		if name == "a cluster" {
			status = New
		}
		if v.Findings[0].Status != status || len(v.Fixed) > 0 {
			t.Errorf("%s: %s, %d fixed", name, v.Findings[0].Status, len(v.Fixed))
		}
		v = verdict(func(v *Verdict) { v.Findings = nil })
		v.compare(verdict(c.base))
		if fixed := len(v.Fixed); fixed != 1 && name != "a cluster" || fixed != 0 && name == "a cluster" {
			t.Errorf("%s: %d fixed", name, fixed)
		}
	}
}

// TestABaselineOfAnOlderVersion: nights of an earlier program are compared with, since
// nobody may be able to judge them anew; others are named.
func TestABaselineOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"schema_version": 3, "cluster": "hume", "findings": [{"audit": "x", "fingerprint": "1"}]}`: "",
		`{"schema_version": 2, "findings": [{"audit": "x", "fingerprint": "1"}]}`:                    "",
		`{"schema_version": 1}`: "has schema_version 1, and a baseline has 2 to 8: audit the run again, or name another",
		`{"schema_version": 9}`: "has schema_version 9, and a baseline has 2 to 8",
		`{`:                     "is damaged",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FindingsName), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		v, err := ReadBaseline(dir, nil)
		if want == "" && (err != nil || len(v.Findings) != 1) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", content, v, err)
		}
	}
	// What an earlier version called the time kept of a guarantee has no trend against this one's.
	dir := t.TempDir()
	old := `{"schema_version": 6, "promises": [{"promise": "strong_guarantee", "tested_s": 9, "kept_s": 9}, {"promise": "resource_limits", "tested_s": 9, "kept_s": 9}]}`
	if err := os.WriteFile(filepath.Join(dir, FindingsName), []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := ReadBaseline(dir, nil)
	if err != nil || len(v.Promises) != 2 || v.Promises[0].Tested != 0 || v.Promises[1].Kept != 9 {
		t.Errorf("%+v, %v", v, err)
	}
	if _, err := ReadBaseline(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "is not a baseline") {
		t.Error(err)
	}
	if _, err := ReadBaseline(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What an earlier version called violated of severity info is noted: the same legal case
// persists, and where it is gone nothing is fixed.
func TestWhatIsLegalWasCalledViolatedBefore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	content := `{"schema_version": 3, "findings": [
		{"audit": "x", "fingerprint": "1", "verdict": "violated", "severity": "info"}, {"audit": "x", "fingerprint": "2", "verdict": "suspect", "severity": "info"},
		{"audit": "x", "fingerprint": "3", "verdict": "suspect", "severity": "minor"}]}`
	if err := os.WriteFile(filepath.Join(dir, FindingsName), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	base, err := ReadBaseline(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &Verdict{Outcomes: []Outcome{{Audit: &Audit{ID: "x"}, Verdict: Noted, Seen: 1}}, Findings: []Finding{{Audit: "x", Fingerprint: "1", Verdict: Noted, Severity: Info}}}
	v.compare(base)
	if got := v.Findings[0].Status; got != Persisting {
		t.Errorf("it is %s", got)
	}
	if len(v.Fixed) != 1 || v.Fixed[0].Fingerprint != "3" {
		t.Errorf("fixed are %v", v.Fixed)
	}
}

// TestWhatIsDamagedWasCalledViolatedBefore: what an earlier version found with an audit of the log has the verdict of
// today, so that the same damage persists, and what is gone is listed as damage.
func TestWhatIsDamagedWasCalledViolatedBefore(t *testing.T) {
	t.Parallel()
	audits, err := ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	ofLog := map[string]bool{}
	for _, a := range audits {
		if a.Concerns == concernsLog {
			ofLog[a.ID] = true
		}
	}
	if !ofLog["configuration_unknown"] || len(ofLog) == len(audits) {
		t.Fatalf("the audits of the log are %v", ofLog)
	}
	type kind struct {
		version         int
		verdict, judged string
		severity        Severity
	}
	for k, want := range map[kind]string{
		{8, "violated", "recorded", Minor}:    "violated recorded", // which no program of that version writes
		{8, "damaged", "possible", Minor}:     "damaged possible",
		{7, "violated", "recorded", Minor}:    "damaged recorded",
		{7, "suspect", "recorded", Minor}:     "damaged possible",
		{7, "noted", "recorded", Info}:        "damaged recorded",
		{7, "undecidable", "possible", Minor}: "undecidable possible",
		{7, "excused", "recorded", Minor}:     "excused recorded",
		{3, "violated", "recorded", Info}:     "damaged recorded",
		{2, "suspect", "recomputed", Info}:    "damaged possible",
	} {
		for _, a := range audits {
			dir := t.TempDir()
			content := fmt.Sprintf(`{"schema_version": %d, "findings": [{"audit": %q, "fingerprint": "1", "verdict": %q, "judged": %q, "severity": %q}]}`, k.version, a.ID, k.verdict, k.judged, k.severity)
			if err := os.WriteFile(filepath.Join(dir, FindingsName), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			base, err := ReadBaseline(dir, audits)
			if err != nil {
				t.Fatal(err)
			}
			want := want
			if !ofLog[a.ID] {
				if want = k.verdict + " " + k.judged; k.version < 4 {
					want = "noted " + k.judged
				}
			}
			if f := base.Findings[0]; string(f.Verdict)+" "+f.Judged != want {
				t.Errorf("%s, %+v: %s %s, want %s", a.ID, k, f.Verdict, f.Judged, want)
			}
		}
	}
	base := &Verdict{Findings: []Finding{{Audit: "configuration_unknown", Fingerprint: "1", Verdict: Noted, Severity: Info}}}
	base.Findings[0].renewVerdict(7, audits)
	v := &Verdict{Findings: []Finding{{Audit: "configuration_unknown", Fingerprint: "1", Verdict: Damaged, Severity: Info}}}
	if v.compare(base); v.Findings[0].Status != Persisting {
		t.Errorf("the same damage is %s", v.Findings[0].Status)
	}
}
