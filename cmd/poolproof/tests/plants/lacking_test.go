package plants

import (
	"cmp"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/synthetic"
)

// settings are the files in which a column that is not there says that nobody set the
// option (ingest/trace/FORMAT.md): they lack nothing.
var settings = []string{"pool_config", "tree_config", "cluster_config"}

// A lack is a column that a log leaves out, or all of one for each resource.
type lack struct {
	file    string // of a table, as jobs
	columns []string
}

var (
	resourceOfColumn = regexp.MustCompile(`_(user_slots|cpu|cpu_milli|gpu|memory|network)$`)
	partOfFile       = regexp.MustCompile(`-\d+$`)
)

func fileOf(path string) string {
	return partOfFile.ReplaceAllString(strings.TrimSuffix(filepath.Base(path), ".parquet"), "")
}

// lacks are all that a trace could leave out, by table and column: what it says
// something in, and need not.
func lacks(t *testing.T, trace string) (all []lack) {
	t.Helper()
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(strings.ReplaceAll(`SELECT DISTINCT s.file_name, s.name FROM parquet_schema('$files') AS s
		JOIN parquet_metadata('$files') AS m ON m.file_name = s.file_name AND m.path_in_schema = s.name
		WHERE s.repetition_type = 'OPTIONAL' AND coalesce(m.stats_null_count, 0) < m.num_values ORDER BY ALL`, "$files", filepath.Join(trace, "**", "*.parquet")))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var path, column string
		if err := rows.Scan(&path, &column); err != nil {
			t.Fatal(err)
		}
		of := lack{fileOf(path), []string{column}}
		if slices.Contains(settings, of.file) {
			continue
		}
		i := slices.IndexFunc(all, func(l lack) bool {
			return l.file == of.file && resourceOfColumn.ReplaceAllString(l.columns[0], "") == resourceOfColumn.ReplaceAllString(column, "")
		})
		switch {
		case i < 0:
			all = append(all, of)
		case !slices.Contains(all[i].columns, column):
			all[i].columns = append(all[i].columns, column)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b lack) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.columns[0], b.columns[0]))
	})
	return all
}

// query leaves the columns out of the files that have them.
func (l *lack) query(file, scan string) string {
	if fileOf(file) != l.file {
		return "FROM " + scan
	}
	return fmt.Sprintf("SELECT COLUMNS(c -> c NOT IN ('%s')) FROM %s", strings.Join(l.columns, "', '"), scan)
}

// TestSweepWhatALogLacksAccusesNobody: of a cluster whose scheduler kept its promises nobody
// is accused above info because the log leaves out a column that it need not have.
func TestSweepWhatALogLacksAccusesNobody(t *testing.T) {
	part := sweep.Take(t, 96)
	spec, err := synthetic.Preset("small")
	if err != nil {
		t.Fatal(err)
	}
	if part.Sample() {
		spec.Length = synthetic.Duration((10 * time.Minute).Microseconds())
	}
	trace := filepath.Join(t.TempDir(), "trace")
	if _, err := synthetic.Generate(t.Context(), synthetic.Options{Spec: spec, Seed: 1, Out: trace}); err != nil {
		t.Fatal(err)
	}
	all := lacks(t, trace)
	if len(all) < 70 {
		t.Fatalf("only %d columns can be left out", len(all))
	}
	for i, l := range all {
		if !part.Has(i) {
			continue
		}
		t.Run(l.file+"."+l.columns[0], func(t *testing.T) {
			lacking := commandtest.Rewrite(t, trace, l.query)
			if left := lacks(t, lacking); slices.ContainsFunc(left, func(x lack) bool { return x.file == l.file && slices.Contains(l.columns, x.columns[0]) }) {
				t.Fatal("it is still there")
			}
			v := commandtest.VerdictOn(t, lacking, filepath.Join(t.TempDir(), "run"), 1)
			for i := range v.Findings {
				if f := &v.Findings[i]; f.Verdict == audit.Violated {
					t.Errorf("%s of %s %s in tree %s from %s: %s", f.Invariant, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason)
				}
			}
			if !slices.ContainsFunc(v.Outcomes, func(o audit.Outcome) bool { return o.Seen > 0 }) {
				t.Error("nothing was judged")
			}
		})
	}
}
