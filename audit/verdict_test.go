package audit

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// query is one value of the run's database.
func (r *testRun) query(q string) string {
	r.t.Helper()
	var b bytes.Buffer
	if err := Query(context.Background(), r.dir, q, "csv", &b); err != nil {
		r.t.Fatal(err)
	}
	_, rows, _ := strings.Cut(b.String(), "\n")
	return strings.TrimSpace(rows)
}

func TestTheVerdictStandsInTheRun(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	if got := r.query("SELECT audit, invariant, severity, verdict, subject, to_time, json_extract_string(evidence, '$.unit') FROM findings"); got !=
		"node_over_capacity,HB-01,critical,violated,node1,2023-11-14T23:15:00Z,cores" {
		t.Error(got)
	}
	if got := r.query("SELECT verdict, seen, seen_unit, findings FROM audits WHERE audit = 'node_over_capacity'"); got != "violated,10,job starts,1" {
		t.Error(got)
	}
	if got := r.query("SELECT count(*) = (SELECT count(DISTINCT audit) FROM audits) FROM audits"); got != "true" {
		t.Error("an audit has more than one row for the only tree")
	}
	var file struct {
		SchemaVersion int                `json:"schema_version"`
		Params        map[string]float64 `json:"params"`
		Findings      []Finding
	}
	b, err := os.ReadFile(filepath.Join(r.dir, FindingsName))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &file); err != nil || file.SchemaVersion != FindingsVersion || len(file.Findings) != 1 || len(file.Findings[0].ID) != 12 ||
		file.Params["strong_guarantee_unmet.sla_s"] != 300 {
		t.Errorf("%+v %v", file, err)
	}
	left, _ := filepath.Glob(filepath.Join(r.dir, ".*"))
	if len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// Any client that opens the file finds views and macros working, whatever the
// file is called.
func TestTheDatabaseWorksUnderAnotherName(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	other := filepath.Join(t.TempDir(), "copy.duckdb")
	b, err := os.ReadFile(filepath.Join(r.dir, DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, b, 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("duckdb", other)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM resource_coverage").Scan(&n); err != nil || n != resource.Kinds {
		t.Error(n, err)
	}
	var text string
	if err := db.QueryRow("SELECT internal.span_text(span_seconds(from_time, to_time)) FROM limit_episodes").Scan(&text); err != nil || text != "1 h 00 min" {
		t.Error(text, err)
	}
}

func TestFindingsAreTheSameBytesWhateverTheWorkers(t *testing.T) {
	t.Parallel()
	var want []byte
	for _, workers := range []int{1, 8} {
		r := newTestRun(t)
		for _, tree := range []string{"b", "a"} {
			r.addTree(tree, whole())
			put(r, tree, nodeOver(1, resource.CPU, tables.CauseJobStarted), nodeOver(0, resource.CPU, tables.CauseJobStarted),
				poolOver(0, tables.MaxOperationCount, tables.CauseOperation))
			put(r, tree, manyJobs(1000)...)
		}
		// A second audit replaces the first and changes nothing.
		for range min(workers, 2) {
			if _, err := Run(context.Background(), Options{Dir: r.dir, Queries: queries.Files, Workers: workers}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(filepath.Join(r.dir, FindingsName))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d workers give other findings", workers)
		}
	}
}

func TestADatabaseOfAnotherResultIsReplaced(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	loads := func() (n int) {
		_, err := Run(context.Background(), Options{Dir: r.dir, Queries: about(t, "node_over_capacity"), Started: func(name string) {
			if name == "loading" {
				n++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := loads(); n != 0 {
		t.Error("a current database was loaded again")
	}
	put[tables.LimitEpisode](r, "a") // the episode is gone
	if n := loads(); n != 1 {
		t.Error("a stale database was kept")
	}
	if got := r.query("SELECT count(*) FROM findings"); got != "0" {
		t.Errorf("%s findings of the old result are left", got)
	}
	if err := os.WriteFile(filepath.Join(r.dir, DatabaseName), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if n := loads(); n != 1 {
		t.Error("a damaged database was kept")
	}
	for _, other := range []string{"UPDATE internal.loaded SET columns_digest = 'of another version'", "ALTER TABLE internal.loaded DROP COLUMN columns_digest"} {
		db, err := database{path: filepath.Join(r.dir, DatabaseName)}.open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(other); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if n := loads(); n != 1 {
			t.Errorf("%s: a database of another version of the program was kept", other)
		}
	}
}

// TestTablesThatChangedSinceAreNamed: the database of an earlier audit does not stand in
// for tables that are not what the replay wrote any more.
func TestTablesThatChangedSinceAreNamed(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	findings := filepath.Join(r.dir, FindingsName)
	before, err := os.ReadFile(findings)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(r.dir, "tables", "jobs", "tree=a.arrow")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want   string
		change func() error
	}{
		{"is not what the replay wrote", func() error { return os.WriteFile(file, append(slices.Clone(whole), '\n'), 0o644) }},
		{"is missing, though the manifest lists it", func() error { return os.Remove(file) }},
		{"", func() error { return os.WriteFile(file, whole, 0o644) }},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		_, err := Run(context.Background(), Options{Dir: r.dir, Queries: about(t, "node_over_capacity")})
		if c.want == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !input.IsBad(err) || !strings.Contains(err.Error(), file+" ") || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), "replay the trace again") {
			t.Errorf("%s: %v", c.want, err)
		}
		if after, err := os.ReadFile(findings); err != nil || string(after) != string(before) {
			t.Errorf("%s: the findings are not those of before: %v", c.want, err)
		}
	}
}

const seenOne = "\n-- @seen\nSELECT tree, 1, 'things', NULL FROM trees"

// audits makes a set of one audit, with views that promise nothing.
func audits(findings, seen string) fstest.MapFS {
	header := "-- @audit x\n-- @title X\n-- @promise P\n-- @invariant LIM-08\n-- @reads trees\n-- @param p 1.5 s — a number\n"
	views := "CREATE OR REPLACE VIEW internal.promise_spans AS SELECT '' AS tree, '' AS kind, '' AS subject_kind, '' AS subject, '' AS path, '' AS statement, " +
		"NULL AS from_time, NULL AS to_time, NULL AS impossible, NULL AS missing, NULL AS untested, NULL AS void_text, NULL AS force_text WHERE false;" +
		"CREATE OR REPLACE VIEW internal.promise_scopes AS SELECT '' AS tree, '' AS kind, '' AS subject, '' AS pool; " +
		"CREATE OR REPLACE VIEW internal.guarantee_shortfalls AS SELECT '' AS tree, '' AS kind, '' AS pool, NULL AS from_time, NULL AS to_time, 0 AS lacked, 0 AS amount, 0 AS most, '' AS unit, NULL AS excuse WHERE false; " +
		"CREATE OR REPLACE VIEW internal.open_episodes AS SELECT '' AS tree, '' AS episodes, '' AS audit, '' AS bound, '' AS subject_kind, '' AS subject, '' AS aspect, " +
		"NULL AS from_time, NULL AS to_time, '' AS cut, NULL AS counted_from, NULL AS counted_to, [] AS pools, '' AS what, NULL AS row_json WHERE false;" +
		"CREATE OR REPLACE VIEW internal.judged_parts AS SELECT tree, 0 AS seconds, 0 AS judged_seconds, 0 AS checks, 0 AS judged_checks, '' AS reason FROM trees;"
	return fstest.MapFS{orderFile: {Data: []byte("v")}, "views/v.sql": {Data: []byte(views)}, "audits/t/x.sql": {Data: []byte(header + findings + seen)}}
}

const oneFinding = `SELECT tree, '' AS aspect, 'violated' AS verdict, 'pool' AS subject_kind, 'p' AS subject, from_time, NULL AS to_time,
	$p::DOUBLE AS magnitude, 's' AS unit, 'Bad.' AS reason, 'recorded' AS judged, NULL AS evidence FROM trees`

func TestAnAuditThatBreaksItsContractFails(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	for fault, q := range map[string][2]string{
		"unknown verdict":                  {strings.Replace(oneFinding, "'violated'", "'bad'", 1), seenOne},
		"only possible":                    {strings.Replace(oneFinding, "'recorded'", "'possible'", 1), seenOne},
		"unknown level of evidence":        {strings.Replace(oneFinding, "'recorded'", "''", 1), seenOne},
		"subject or a reason":              {strings.Replace(oneFinding, "'Bad.'", "NULL", 1), seenOne},
		"not JSON":                         {strings.Replace(oneFinding, "NULL AS evidence", "'{' AS evidence", 1), seenOne},
		"does not return the column unit":  {strings.Replace(oneFinding, "'s' AS unit", "'s' AS units", 1), seenOne},
		"not in the run":                   {"SELECT error('not in the run')", seenOne},
		"which the run does not have":      {strings.Replace(oneFinding, "SELECT tree", "SELECT 'z' AS tree", 1), seenOne},
		"two findings have":                {oneFinding + " UNION ALL " + oneFinding, seenOne},
		"has two rows":                     {oneFinding, seenOne + " UNION ALL SELECT tree, 1, 'things', NULL FROM trees"},
		"nosuchtable does not exist":       {"SELECT * FROM nosuchtable", seenOne},
		"how much was seen: Catalog Error": {oneFinding, "\n-- @seen\nSELECT * FROM nosuchtable"},
	} {
		v, err := Run(context.Background(), Options{Dir: r.dir, Queries: audits(q[0], q[1])})
		if err != nil {
			t.Fatal(err)
		}
		if o := v.Outcomes[0]; o.Verdict != Failed || !strings.Contains(o.Reason, fault) || len(v.Findings) > 0 || v.ExitCode() != ExitFailed {
			t.Errorf("%s: %+v", fault, o)
		}
	}
}

// What an audit finds where it saw nothing accuses nobody.
func TestWhereNothingWasSeenNothingIsViolated(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	for seen, want := range map[string]string{
		"SELECT tree, 0, 'things', 'it was dark' FROM trees": "Bad. Undecidable: it was dark.",
		"SELECT tree, 0, 'things', NULL FROM trees":          "Bad. Undecidable: the log holds nothing for it to judge.",
	} {
		v, err := Run(context.Background(), Options{Dir: r.dir, Queries: audits(oneFinding, "\n-- @seen\n"+seen)})
		if err != nil {
			t.Fatal(err)
		}
		if f := v.Findings[0]; f.Verdict != Undecidable || f.Judged != "possible" || f.Reason != want || v.Outcomes[0].Verdict != Undecidable {
			t.Errorf("%+v", f)
		}
	}
}

func TestParamsReplaceDefaults(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	run := func(params map[string]string) (float64, error) {
		policy := NewPolicy()
		policy.Params = params
		v, err := Run(context.Background(), Options{Dir: r.dir, Queries: audits(oneFinding, seenOne), Policy: policy})
		if err != nil {
			return 0, err
		}
		return *v.Findings[0].Magnitude, nil
	}
	if got, err := run(nil); got != 1.5 || err != nil {
		t.Error(got, err)
	}
	if got, err := run(map[string]string{"x.p": "7"}); got != 7 || err != nil {
		t.Error(got, err)
	}
	for _, bad := range []map[string]string{{"x.p": "many"}, {"x.p": "-1"}, {"x.q": "1"}, {"y.p": "1"}} {
		if _, err := run(bad); !errors.As(err, new(*UsageError)) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	seen, unseen, failed := Outcome{Verdict: OK, Seen: 1}, Outcome{Verdict: Undecidable}, Outcome{Verdict: Failed}
	major, noted := Finding{Verdict: Violated, Severity: Major}, Finding{Verdict: Noted, Severity: Info}
	suspect := Finding{Verdict: Suspect, Severity: Critical}
	damaged, perhaps := Finding{Verdict: Damaged, Severity: Minor, Judged: "recorded"}, Finding{Verdict: Damaged, Severity: Critical, Judged: "possible"}
	covered := damaged
	covered.Suppressed = &Suppression{}
	for name, c := range map[string]struct {
		v    Verdict
		min  float64
		want int
	}{
		"all promises kept":                  {Verdict{Outcomes: []Outcome{seen}}, 1, 0},
		"undecidable, nothing asked":         {Verdict{Outcomes: []Outcome{seen, unseen}}, 0, 0},
		"undecidable, half asked":            {Verdict{Outcomes: []Outcome{seen, unseen}}, 0.5, 0},
		"undecidable, all asked":             {Verdict{Outcomes: []Outcome{seen, unseen}}, 1, 3},
		"a violation before the coverage":    {Verdict{Outcomes: []Outcome{unseen}, Findings: []Finding{major}}, 1, 1},
		"a failed audit before a violation":  {Verdict{Outcomes: []Outcome{failed, seen}, Findings: []Finding{major}}, 0, 4},
		"what is noted or suspect does not":  {Verdict{Outcomes: []Outcome{seen}, Findings: []Finding{noted, suspect}}, 0, 0},
		"damage of the log does not":         {Verdict{Outcomes: []Outcome{seen}, Findings: []Finding{damaged, perhaps}}, 0, 0},
		"damage of the log, which is asked":  {Verdict{Outcomes: []Outcome{seen}, Findings: []Finding{damaged}, FailOnLogDamage: true}, 0, 1},
		"damage that is possible, or known":  {Verdict{Outcomes: []Outcome{seen}, Findings: []Finding{perhaps, covered}, FailOnLogDamage: true}, 0, 0},
		"a suspicion, where damage is asked": {Verdict{Outcomes: []Outcome{seen}, Findings: []Finding{suspect}, FailOnLogDamage: true}, 0, 0},
	} {
		c.v.MinCoverage, c.v.FailOn = c.min, []Severity{Critical, Major, Minor}
		if got := c.v.ExitCode(); got != c.want {
			t.Errorf("%s: exit code %d, want %d", name, got, c.want)
		}
	}
}

func TestAnInterruptLeavesNothingHalfMade(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Run(ctx, Options{Dir: r.dir, Queries: queries.Files, Started: func(string) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	entries, _ := os.ReadDir(r.dir)
	if len(entries) != 2 {
		t.Errorf("the run holds %v", entries)
	}
}

// A panic on an audit's goroutine ends the audit, not the process, and is
// nobody's bad input.
func TestAPanicBecomesAnError(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	_, err := Run(context.Background(), Options{Dir: r.dir, Queries: about(t, "job_without_end"), Workers: 2, Started: func(name string) {
		if name == "job_without_end" {
			panic(os.ErrNotExist)
		}
	}})
	if err == nil || !strings.HasPrefix(err.Error(), "audit job_without_end: internal error: file does not exist\n") ||
		!strings.Contains(err.Error(), "runOne") || errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(r.dir, "*")); len(left) != 2 {
		t.Errorf("the run holds %v", left)
	}
}

func TestADirectoryThatIsNoRunIsNamed(t *testing.T) {
	t.Parallel()
	_, err := Run(context.Background(), Options{Dir: t.TempDir(), Queries: queries.Files})
	if !input.IsBad(err) || !strings.Contains(err.Error(), "is not a run") {
		t.Error(err)
	}
}

// A manifest that was cut does not turn a broken promise into a kept one.
func TestAManifestThatListsLessIsRefused(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	whole := r.manifest
	without := func(path string) (rest []tables.File) {
		for _, f := range whole.Tables {
			if f.Path != path {
				rest = append(rest, f)
			}
		}
		return rest
	}
	const episodes = "tables/limit_episodes/tree=a.arrow"
	for fault, damage := range map[string]func(m *manifest){
		"do not give its result_digest":  func(m *manifest) { m.Tables = without(episodes) },
		"a manifest without " + episodes: func(m *manifest) { m.Tables = without(episodes); m.ResultDigest = tables.ResultDigest(m.Tables) },
		"twice": func(m *manifest) {
			m.Tables = append(without(""), *r.listed(episodes))
			m.ResultDigest = tables.ResultDigest(m.Tables)
		},
		`"a" and "b" in its manifest`: func(m *manifest) { // all tables of b, with the rows of none
			m.Trees = append(m.Trees, "b")
			r.putNothing("b")
			m.ResultDigest = tables.ResultDigest(m.Tables)
		},
		"holds no pool tree": func(m *manifest) { m.Trees, m.Tables = nil, nil; m.ResultDigest = tables.ResultDigest(m.Tables) },
		"format_version 2":   func(m *manifest) { m.FormatVersion = 2 },
	} {
		r.manifest = whole
		r.manifest.Tables = without("")
		damage(&r.manifest)
		r.writeManifestAsIs()
		_, err := Run(context.Background(), Options{Dir: r.dir, Queries: queries.Files})
		if !input.IsBad(err) || !strings.Contains(err.Error(), fault) {
			t.Errorf("%s: %v", fault, err)
		}
	}
}
