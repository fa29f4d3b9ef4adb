package audit

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// night is the run of a cluster, some days after at(0): pool prod starved for a minute, its
// operation for 10 s, and there are promises and findings.
func night(t *testing.T, cluster string, days int, rows ...string) *testRun {
	r := newTestRun(t)
	from := days * 86400
	r.manifest.Cluster, r.manifest.From = cluster, time.Unix(at0+int64(from), 0).UTC().Format(time.RFC3339)
	r.addTree("a", whole())
	put(r, "a", tables.StarvationEpisode{Element: tables.ElementPool, Pool: 0, For: scheduling.FairShare, FromTime: at(from), ToTime: at(from + 60), Owed: 5e9, Delivered: 2e9},
		tables.StarvationEpisode{Element: tables.ElementPool, Pool: 0, For: scheduling.MinShare, FromTime: at(from + 30), ToTime: at(from + 60), Owed: 1e9},
		tables.StarvationEpisode{Element: tables.ElementOperation, Operation: core.Some(core.OperationID(0)), Pool: 0, For: scheduling.FairShare, FromTime: at(from + 5), ToTime: at(from + 15)})
	r.described = true // a lake holds that, too
	r.audit("job_without_end")
	db, err := database{path: filepath.Join(r.dir, DatabaseName)}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, row := range append(rows, fmt.Sprintf("promises (promise_id, tree, promise, subject_kind, subject, path, statement, from_time, to_time, grade, reason, missing, findings) VALUES ('x', 'a', 'weight', 'pool', 'prod', 'prod', '', %[1]s, %[1]s, 'vacuous', '', '', 0)", momentOf(from))) {
		if _, err := db.Exec("INSERT INTO " + row); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func momentOf(seconds int) string {
	return fmt.Sprintf("make_timestamp((%d + %d) * 1000000::BIGINT)", at0, seconds)
}

func promised(days int, grade string) string {
	return fmt.Sprintf("promises (promise_id, tree, promise, subject_kind, subject, path, statement, from_time, to_time, grade, reason, missing, findings) VALUES ('y', 'a', 'resource_limits', 'pool', 'prod', 'prod', '', %[1]s, %[1]s, '%s', '', '', 0)", momentOf(days*86400), grade)
}

func alleged(days int, fingerprint, verdict, subject string) string {
	return fmt.Sprintf("findings BY NAME SELECT 'id%d%s' AS finding_id, '%s' AS fingerprint, 'pool_over_limit' AS audit, 'a' AS tree, '%s' AS verdict, 'critical' AS severity, 'job' AS subject_kind, '%s' AS subject, %s AS from_time, 'It was %s.' AS reason",
		days, subject, fingerprint, verdict, subject, momentOf(days*86400+7), subject)
}

// nights are four of cluster one, the last in December, and one of a cluster without a name.
func nights(t *testing.T) []*testRun {
	return []*testRun{
		night(t, "one", 0, promised(0, "kept"), alleged(0, "f", "violated", "j1"), alleged(0, "g", "noted", "j2")), // Tuesday, 2023-11-14 22:13:20
		night(t, "one", 1, promised(1, "broken"), alleged(1, "f", "suspect", "j3"), alleged(1, "h", "excused", "j4")),
		night(t, "one", 6, promised(6, "kept"), alleged(6, "h", "excused", "j4")), // the Monday after
		night(t, "one", 17, promised(17, "unverifiable")),
		night(t, "", 0, promised(0, "broken"), alleged(0, "f", "violated", "j9")),
	}
}

// trends are what these nights give.
var trends = [][2]string{
	{"SELECT cluster, week::DATE, promises, broken, impossible, unverifiable, excused, vacuous, kept, kept_part FROM promises_by_week WHERE promise = 'resource_limits' ORDER BY cluster, week",
		"one,2023-11-13T00:00:00Z,2,1,0,0,0,0,1,0.5\none,2023-11-20T00:00:00Z,1,0,0,0,0,0,1,1\none,2023-11-27T00:00:00Z,1,0,0,1,0,0,0,\n,2023-11-13T00:00:00Z,1,1,0,0,0,0,0,0\n"},
	{"SELECT cluster, sum(vacuous) FROM promises_by_week WHERE promise = 'weight' GROUP BY cluster ORDER BY cluster", "one,4\n,1\n"},
	{"SELECT cluster, month::DATE, pool, starved_s, operations_starved_s, operations, missing_share_seconds FROM starved_by_month ORDER BY cluster, month",
		"one,2023-11-01T00:00:00Z,prod,180,30,1,9\none,2023-12-01T00:00:00Z,prod,60,10,1,3\n,2023-11-01T00:00:00Z,prod,60,10,1,3\n"},
	// f is on two days of one cluster; g is on one, and h was excused.
	{"SELECT cluster, fingerprint, audit, tree, subject_kind, subject, days, findings, violated, epoch(first_time) - 1700000000, epoch(last_time) - 1700000000, reason FROM recurring_incidents",
		"one,f,pool_over_limit,a,job,j3,2,2,1,7,86407,It was j3.\n"},
}

// TestTrends asks trends of runs in partitions as one database, and of a lake.
func TestTrends(t *testing.T) {
	t.Parallel()
	lake := t.TempDir()
	var sources []Source
	all := nights(t)
	for _, r := range all {
		name := tables.Partition("cluster", r.manifest.Cluster) + "/" + tables.Partition("day", r.manifest.From[:10])
		sources = append(sources, Source{name, r.dir})
		if _, err := Export(t.Context(), r.dir, lake, LakeTables, 0); err != nil {
			t.Fatal(err)
		}
	}
	together, err := OpenSession(t.Context(), queries.Files, sources, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer together.Close()
	whole, err := OpenLake(t.Context(), queries.Files, lake, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	for name, s := range map[string]*Session{"runs": together, "lake": whole} {
		for _, c := range append(trends, [2]string{"SELECT run, cluster, day, count(*) FROM findings WHERE day < '2023-11-15' GROUP BY ALL ORDER BY run",
			"cluster=__HIVE_DEFAULT_PARTITION__/day=2023-11-14,,2023-11-14T00:00:00Z,1\ncluster=one/day=2023-11-14,one,2023-11-14T00:00:00Z,2\n"}) {
			var b bytes.Buffer
			if err := s.Answer(t.Context(), c[0], "csv", &b); err != nil {
				t.Errorf("%s: %s: %v", name, c[0], err)
			} else if _, got, _ := strings.Cut(b.String(), "\n"); got != c[1] {
				t.Errorf("%s: %s:\ngot  %q\nwant %q", name, c[0], got, c[1])
			}
		}
		for _, q := range []string{"SELECT * FROM read_csv('/etc/hosts')", "SELECT * FROM read_parquet('" + lake + "/*/*/*/*.parquet')", "COPY findings TO '" + lake + "/x.csv'", "SET enable_external_access = true"} {
			if fault := (*UsageError)(nil); !errors.As(s.Answer(t.Context(), q, "csv", &bytes.Buffer{}), &fault) {
				t.Errorf("%s: %s: no error of the query", name, q)
			}
		}
	}
	// Of one night alone, which has no cluster to group by.
	all[0].answers([][2]string{{"SELECT starved_s, operations, missing_share_seconds FROM starved_by_month", "60,1,3"}, {"SELECT count(*) FROM recurring_incidents", "0"}})
}

// TestALakeHoldsTheTables: every table and view as run.duckdb has it, with the same comments,
// in the same bytes when it is exported again; and what is asked for that is not there is named.
func TestALakeHoldsTheTables(t *testing.T) {
	t.Parallel()
	r := night(t, "a b/c", 0, promised(0, "kept"), alleged(0, "f", "violated", "j1"))
	lake := t.TempDir()
	files, err := Export(t.Context(), r.dir, lake, LakeTables, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := "audits/cluster=a%20b%2Fc/day=2023-11-14/20231114T221320Z.parquet"; len(files) != len(LakeTables) || files[0] != want {
		t.Errorf("%d files, the first %s, not %s", len(files), files[0], want)
	}
	read := func() (all string) {
		err := fs.WalkDir(os.DirFS(lake), ".", func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				var digest string
				digest, err = tables.DigestOf(filepath.Join(lake, path))
				all += path + " " + digest + "\n"
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := read()
	if _, err := Export(t.Context(), r.dir, lake, LakeTables, 0); err != nil || read() != first {
		t.Errorf("exported again there are other files: %v", err)
	}
	s, err := OpenLake(t.Context(), queries.Files, lake, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one, err := OpenSession(t.Context(), queries.Files, []Source{{"", r.dir}}, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	there, err := s.Things(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	things, err := one.Things(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, thing := range things {
		comments[thing.Name] = thing.Comment
		for _, c := range thing.Columns {
			comments[thing.Name+"."+c.Name] = c.Comment
		}
	}
	seen := 0
	for _, thing := range there {
		if thing.Kind != "table" {
			continue
		}
		seen++
		if thing.Comment != comments[thing.Name] || thing.Columns[0].Name != "run" || thing.Columns[1].Name != "cluster" || thing.Columns[2].Name != "day" {
			t.Errorf("table %s: %+v", thing.Name, thing)
		}
		var names []string
		for _, c := range thing.Columns[3:] {
			names = append(names, quoteName(c.Name)+"::VARCHAR")
			if c.Comment != comments[thing.Name+"."+c.Name] {
				t.Errorf("column %s of %s: %q, not %q", c.Name, thing.Name, c.Comment, comments[thing.Name+"."+c.Name])
			}
		}
		var got, want bytes.Buffer
		question := "SELECT " + strings.Join(names, ", ") + " FROM " + thing.Name + " ORDER BY ALL"
		if err := errors.Join(s.Answer(t.Context(), question, "csv", &got), one.Answer(t.Context(), question, "csv", &want)); err != nil || got.String() != want.String() {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s", thing.Name, err, got.String(), want.String())
		}
	}
	if comments["findings.reason"] == "" {
		t.Error("the run has no comments")
	}
	if seen != len(LakeTables) {
		t.Errorf("%d of %d tables", seen, len(LakeTables))
	}
	if _, err := Export(t.Context(), r.dir, lake, []string{"finding"}, 0); err == nil || !strings.Contains(err.Error(), `run.duckdb has no table or view "finding"; did you mean "findings"?`) {
		t.Error(err)
	}
}

// TestAnExportAsksViewsWithoutFiles: the views of a run may be a stranger's. They read no file, and
// the lake holds nothing of the export.
func TestAnExportAsksViewsWithoutFiles(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := night(t, "one", 0)
	path := filepath.Join(r.dir, DatabaseName)
	for _, of := range []string{
		"SELECT * FROM read_csv(" + quoteText(secret) + ")", "SELECT content FROM read_text(" + quoteText(secret) + ")",
		"SELECT file FROM glob('/*')", "FROM query('FROM read_text(''" + secret + "'')')",
	} {
		db, err := database{path: path}.open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = db.Exec("CREATE OR REPLACE VIEW metrics AS " + of)
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		lake := filepath.Join(t.TempDir(), "lake")
		if _, err := Export(t.Context(), r.dir, lake, []string{"trees", "metrics"}, 0); err == nil || !strings.Contains(err.Error(), "disabled through configuration") {
			t.Errorf("%s: %v", of, err)
		}
		if _, err := os.Stat(lake); err == nil {
			t.Errorf("%s: the lake is there", of)
		}
	}
}
