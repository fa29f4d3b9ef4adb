package audit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// auditedRun is a run with one finding.
func auditedRun(t *testing.T) *testRun {
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", nodeOver(0, resource.CPU, tables.CauseJobStarted))
	r.audit("node_over_capacity", "strong_guarantee_unmet")
	return r
}

func TestQueryAnswersInEveryFormat(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	const q = "SELECT 'x,\"y' AS text, from_time, magnitude, NULL AS nothing, 7 AS n, true AS yes, [1, 2] AS list, 1.5::DECIMAL(4,1) AS d FROM findings"
	for format, want := range map[string]string{
		"csv":  "text,from_time,magnitude,nothing,n,yes,list,d\n\"x,\"\"y\",2023-11-14T22:15:00Z,2.5,,7,true,\"[1,2]\",1.5\n",
		"json": "[\n" + `{"text":"x,\"y","from_time":"2023-11-14T22:15:00Z","magnitude":2.5,"nothing":null,"n":7,"yes":true,"list":[1,2],"d":1.5}` + "\n]\n",
		"table": "text  from_time             magnitude  nothing  n  yes   list   d\n" +
			"----  ---------             ---------  -------  -  ---   ----   -\n" +
			"x,\"y  2023-11-14T22:15:00Z  2.5                 7  true  [1,2]  1.5\n",
	} {
		var b bytes.Buffer
		if err := Query(context.Background(), r.dir, q, format, &b); err != nil {
			t.Errorf("%s: %v", format, err)
		} else if b.String() != want {
			t.Errorf("%s:\n%q\nwant\n%q", format, b.String(), want)
		}
	}
	for format, magic := range map[string]string{"parquet": "PAR1", "arrow": "\xff\xff\xff\xff"} {
		var b bytes.Buffer
		if err := Query(context.Background(), r.dir, "SELECT subject, magnitude FROM findings", format, &b); err != nil {
			t.Errorf("%s: %v", format, err)
		} else if !strings.HasPrefix(b.String(), magic) || !strings.Contains(b.String(), "subject") || b.Len() < 100 {
			t.Errorf("%s: %q", format, b.String())
		}
	}
	var b bytes.Buffer
	if err := Query(context.Background(), r.dir, "SELECT 1 AS x WHERE false", "json", &b); err != nil || b.String() != "[]\n" {
		t.Errorf("%q %v", b.String(), err)
	}
}

// Nothing that a query says changes the run or any other file.
func TestQueryChangesNothing(t *testing.T) {
	t.Parallel()
	r := auditedRun(t)
	before, err := os.ReadFile(filepath.Join(r.dir, DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(r.dir, "out.csv")
	formats := []string{"table", "arrow", "parquet"}
	for i, q := range []string{
		"DELETE FROM findings", "DROP TABLE findings", "CREATE TABLE t AS SELECT 1", "CREATE VIEW v AS SELECT 1",
		"COPY findings TO '" + out + "'", "EXPORT DATABASE '" + out + "'", "ATTACH '" + out + "'",
		"ATTACH '" + filepath.Join(r.dir, DatabaseName) + "' AS again", "SELECT * FROM read_csv('" + filepath.Join(r.dir, tables.ManifestName) + "')",
		"DETACH run", "SET enable_external_access = true", "SET lock_configuration = false; COPY findings TO '" + out + "'",
		"INSTALL httpfs", "USE memory; DETACH run; ATTACH '" + filepath.Join(r.dir, DatabaseName) + "' AS run", "SELEC 1", "",
	} {
		format := formats[i%len(formats)]
		if err := Query(context.Background(), r.dir, q, format, &bytes.Buffer{}); err == nil {
			t.Errorf("%q as %s is no error", q, format)
		} else if fault := (*UsageError)(nil); !errors.As(err, &fault) {
			t.Errorf("%q as %s: %T %v", q, format, err, err)
		}
	}
	after, err := os.ReadFile(filepath.Join(r.dir, DatabaseName))
	if err != nil || !bytes.Equal(before, after) {
		t.Error("the database has changed", err)
	}
	left, _ := filepath.Glob(filepath.Join(r.dir, "*"))
	if len(left) != 4 {
		t.Errorf("the run holds %v", left)
	}
}

func TestQueryNamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	err := Query(context.Background(), t.TempDir(), "SELECT 1", "table", &bytes.Buffer{})
	if !input.IsBad(err) {
		t.Error(err)
	}
	err = Query(context.Background(), auditedRun(t).dir, "SELECT 1", "xml", &bytes.Buffer{})
	if fault := (*UsageError)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), "table, csv, json, markdown, bar, line, parquet, arrow") {
		t.Error(err)
	}
}
