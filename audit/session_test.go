package audit

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// TestSeveralRunsAreOneDatabase: two nights; in the second there is another pool alone.
func TestSeveralRunsAreOneDatabase(t *testing.T) {
	t.Parallel()
	first, second := metricsRun(t), metricsRun(t)
	put(second, "a", tables.PoolInterval{Pool: 2, Interval: ratios(0, 50, 0.1, 0.2)})
	for _, r := range []*testRun{first, second} {
		put(r, "a", tables.Node{Node: 0, FromTime: at(0), ToTime: at(1000), Limits: resource.Vector{resource.CPU: 10 * resource.CentsPerCore}})
		put(r, "a", tables.Preemption{Time: at(50), Job: "x", Pool: 1, ForPool: core.Some[core.PoolID](2), Lost: core.Some[int64](10e6)})
		r.audit("job_without_end") // with comments
	}
	s, err := OpenSession(t.Context(), queries.Files, []Source{{"mon", first.dir}, {"tue's", second.dir}}, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range [][2]string{
		{"SELECT run, count(*) FROM pool_intervals GROUP BY run ORDER BY run", "mon,9\ntue's,1\n"},
		// Views and macros, in any case, and twice in one query; a column may have the name of one.
		{"SELECT run, count(*) AS fairness FROM Fairness GROUP BY run ORDER BY run", "mon,4\ntue's,3\n"},
		{"SELECT run, sum(x.capacity) FROM utilization( bin_s := (500) ) AS x JOIN (SELECT DISTINCT run FROM utilization(bin_s := 1000)) USING (run) WHERE resource = 'cpu' GROUP BY run ORDER BY run", "mon,10000\ntue's,10000\n"},
		{"SELECT f.run, element FROM fairness AS f ANTI JOIN (FROM fairness WHERE run = 'mon') AS m USING (element) ORDER BY ALL", "tue's,ads\n"},
		{"SELECT run, preemptor FROM preemptions_between() ORDER BY run", "mon,ads\ntue's,ads\n"},
		{"SELECT DISTINCT run FROM audits ORDER BY run", "mon\ntue's\n"},
		// What asks no table is asked of the answer as a whole.
		{"SELECT DISTINCT subtree_of(path, 1) AS s FROM pools ORDER BY s", "ads\nprod\n"},
		{"WITH s AS (SELECT tree, run || pool AS element, from_time, to_time FROM pool_intervals) SELECT count(*) FROM span_gaps('s')", "0\n"},
	} {
		var b bytes.Buffer
		if err := s.Answer(t.Context(), c[0], "csv", &b); err != nil {
			t.Errorf("%s: %v", c[0], err)
		} else if _, got, _ := strings.Cut(b.String(), "\n"); got != c[1] {
			t.Errorf("%s: %q, want %q", c[0], got, c[1])
		}
	}
	for _, q := range []string{"DELETE FROM run1.main.findings", "DROP VIEW run1.main.fairness", "COPY findings TO '" + t.TempDir() + "/x.csv'", "SET enable_external_access = true", "SELECT * FROM read_csv('/etc/hosts')",
		"INSTALL httpfs", "SELECT * FROM utilization(bin_s := nonsense)", "SELECT * FROM utilization('"} {
		if fault := (*UsageError)(nil); !errors.As(s.Answer(t.Context(), q, "csv", &bytes.Buffer{}), &fault) {
			t.Errorf("%s: no error of the query", q)
		}
	}
	things, err := s.Things(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, thing := range things {
		if thing.Name == "jobs" && (thing.Columns[0].Name != "run" || thing.Columns[1].Name != "tree" || thing.Comment == "") {
			t.Errorf("%+v", thing)
		}
	}
	if len(things) < 70 {
		t.Errorf("only %d things", len(things))
	}
}

// TestARunWithoutADatabaseIsNamed: also if it is one of several.
func TestARunWithoutADatabaseIsNamed(t *testing.T) {
	t.Parallel()
	good, bad := auditedRun(t).dir, t.TempDir()
	_, err := OpenSession(context.Background(), queries.Files, []Source{{"a", good}, {"b", bad}}, true, 0)
	if !input.IsBad(err) || !strings.Contains(err.Error(), bad) {
		t.Error(err)
	}
}
