package audit

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"poolproof/replay/tables"
)

// everything is a verdict in which every field that the file holds is set.
func everything() *Verdict {
	at := time.Date(2026, 5, 1, 2, 10, 0, 5000, time.UTC)
	size := 2.5
	a := &Audit{ID: "x", Title: "X over its y", Promise: "No x.", Why: "Because.", Invariants: []string{"LIM-02"}, Judges: []string{"resource_limits"}, Breaks: []string{"strong_guarantee"}, Severity: Major}
	f := Finding{ID: "1", Fingerprint: "2", Status: New, Incident: "3", Audit: "x", Invariant: "LIM-02", Tree: "a", Verdict: Violated, Severity: Major,
		Suppressed: &Suppression{"o", "r", "2026-05-01"}, SubjectKind: "pool", Subject: "<Root>", Aspect: "cpu", From: &at, To: &at, Magnitude: &size,
		Unit: "cores", Reason: "Bad.", Judged: "recorded", Evidence: []byte(`{"pool":"p"}`)}
	gone := f
	gone.Audit, gone.Suppressed = "an audit of yesterday", nil
	return &Verdict{
		Cluster: "hume", Profile: "documented", From: "2026-05-01T00:00:00Z", To: "2026-05-02T00:00:00Z", Trees: []string{"a"}, Params: map[string]float64{"x.p": 1.5},
		Audits: []*Audit{a}, Outcomes: []Outcome{{a, "a", Violated, 7, "things", 1, "some"}}, Findings: []Finding{f}, Baseline: &Baseline{"hume", "legacy", "f", "t", []string{"b"}, []string{"D."}, []Score{{Tree: "b", Grade: Broken, Part: &size}}},
		Fixed:     []Finding{gone},
		Incidents: []Incident{{"3", "X.", "x", "a", "pool", "p", &at, nil, Violated, Major, true, New, 1, []Amount{{2.5, "cores"}}, []string{"1"}}},
		Promises: []Promise{{"4", "a", "resource_limits", "pool", "p", "q/p", "P.", &at, nil, Unverifiable, "R.", "M.", []string{"1"}, 20, 10, &Shortfall{"Short", &size, "cores", "1"},
			&Delivery{10, 2, 8, &size, 1.5, &size, "core·h", &size, "cores", 5, "nodes had left (5 s)"}}}, Configured: true, PolicyFaults: []string{"F."},
		Open:             []OpenEpisode{{Episodes: "guarantee_episodes", Audit: "x", Tree: "a", SubjectKind: "pool", Subject: "p", Aspect: "strong", From: &at, To: &at, Cut: "end", Counted: 7, Allowed: 8, Unsettled: true, Text: "T.", Row: []byte(`{"pool":"p"}`)}},
		ShareAgreement:   &ShareAgreement{7, 2, "records", []ShareDecade{{-9, 7}}, &WorstShare{1e-10, "a", "pool", "p", at}},
		DeficitAgreement: &DeficitAgreement{7, 2, "records_of_operations", 6, &WorstDeficit{0.5, "a", "o", at}},
		TreeCoverage:     []TreeCoverage{{"a", 86400, 43200, 10, 5, "R."}}, Notices: []string{"N."}, LostRows: []tables.LostRows{{Tree: "a", Table: "jobs", Codes: []string{"null_value"}, Rows: 2, From: "f", To: "t"}}, FailOn: []Severity{Critical}, FailOnLogDamage: true, FailOnUnverified: []string{"p"}, MinCoverage: 0.5, MinTimeCoverage: 0.4, MinCheckCoverage: 0.3, MinKeptTime: 0.2,
	}
}

// TestAVerdictIsReadBackAsItWas: nothing that a report needs is only in memory.
func TestAVerdictIsReadBackAsItWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	v := everything()
	fields := reflect.ValueOf(*v)
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; fields.Field(i).IsZero() && name != "Partial" { // a partial verdict is not written
			t.Errorf("%s is not set, so the test says nothing of it", fields.Type().Field(i).Name)
		}
	}
	if err := v.writeJSON(dir); err != nil {
		t.Fatal(err)
	}
	got, err := ReadVerdict(dir)
	if err != nil {
		t.Fatal(err)
	}
	// The file is indented, the evidence with it.
	got.Findings[0].Evidence, got.Fixed[0].Evidence = v.Findings[0].Evidence, v.Fixed[0].Evidence
	got.Open[0].Row = v.Open[0].Row
	if d := cmp.Diff(v, got, cmpopts.IgnoreUnexported(OpenEpisode{})); d != "" {
		t.Error(d)
	}
}

func TestADamagedVerdictIsNamed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"{":                     "is damaged",
		`{"schema_version": 2}`: "has schema_version 2, this program reads 8: audit the run again",
		`{"schema_version": 8, "from": "2026-05-02T00:00:00Z", "to": "2026-05-01T00:00:00Z"}`:                               "empty window 2026-05-02T00:00:00Z to 2026-05-01T00:00:00Z",
		`{"schema_version": 8, "from": "2026-05-01T00:00:00Z", "to": "2026-05-02T00:00:00Z", "outcomes": [{"audit": "x"}]}`: `the audit "x", which it does not list`,
		`{"schema_version": 8, "from": "2026-05-01T00:00:00Z", "to": "2026-05-02T00:00:00Z", "findings": [{"audit": "x"}]}`: `the audit "x", which it does not list`,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, FindingsName), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadVerdict(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", content, err)
		}
	}
	if _, err := ReadVerdict(t.TempDir()); err == nil || !strings.Contains(err.Error(), "audit the run first") {
		t.Error(err)
	}
}

// TestTheFormatIsExplained: FINDINGS.md names every key of findings.json.
func TestTheFormatIsExplained(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("FINDINGS.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []any{findingsFile{}, auditJSON{}, outcomeJSON{}, Finding{}, Suppression{}, Incident{}, Amount{}, Promise{}, Delivery{}, TreeCoverage{}, ShareAgreement{}, ShareDecade{}, WorstShare{}, DeficitAgreement{}, WorstDeficit{}, Baseline{}, OpenEpisode{}} {
		fields := reflect.TypeOf(object)
		for i := range fields.NumField() {
			if key := fields.Field(i).Tag.Get("json"); key != "-" && !strings.Contains(string(b), "`"+key+"`") {
				t.Errorf("FINDINGS.md does not explain %s of %s", key, fields.Name())
			}
		}
	}
}

// TestFingerprintsLastOverNights: a span is of one night, an operation as well;
// pools, nodes and limits stay.
func TestFingerprintsLastOverNights(t *testing.T) {
	t.Parallel()
	night := func(kind, subject, aspect, evidence string, day int) Finding {
		at := time.Date(2026, 5, day, 0, 0, 0, 0, time.UTC)
		f := Finding{Audit: "x", Tree: "a", SubjectKind: kind, Subject: subject, Aspect: aspect, From: &at, Evidence: []byte(evidence)}
		f.identify()
		return f
	}
	pool := night("pool", "p", "cpu", `{"pool":"p"}`, 1)
	operation := night("operation", "op-1", "op-2", `{"pool":"p"}`, 1)
	for name, c := range map[string]struct {
		a, b Finding
		same bool
	}{
		"another night":                      {pool, night("pool", "p", "cpu", `{"pool":"p"}`, 2), true},
		"another limit":                      {pool, night("pool", "p", "gpu", `{"pool":"p"}`, 2), false},
		"another pool":                       {pool, night("pool", "q", "cpu", `{"pool":"q"}`, 2), false},
		"another operation of the pool":      {operation, night("operation", "op-3", "op-4", `{"pool":"p"}`, 2), true},
		"an operation of another pool":       {operation, night("operation", "op-3", "op-4", `{"pool":"q"}`, 2), false},
		"an operation is not its pool":       {operation, night("pool", "p", "", `{"pool":"p"}`, 2), false},
		"an operation of a pool not named":   {night("operation", "op-1", "", `{}`, 1), night("operation", "op-2", "", `{}`, 1), false},
		"an operation that lives on":         {night("operation", "op-1", "", `{}`, 1), night("operation", "op-1", "", `{}`, 2), true},
		"a node, whatever its evidence says": {night("node", "n", "", `{"pool":"p"}`, 1), night("node", "m", "", `{"pool":"p"}`, 2), false},
	} {
		if got := c.a.Fingerprint == c.b.Fingerprint; got != c.same {
			t.Errorf("%s: same fingerprint %v", name, got)
		}
		if c.a.ID == c.b.ID {
			t.Errorf("%s: two cases have the same id", name)
		}
	}
}
