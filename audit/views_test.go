package audit

import (
	"strings"
	"testing"
	"testing/fstest"

	"poolproof/queries"
	"poolproof/replay/tables"
)

// TestViewsThatAreNeeded: what a text names, and what that is made from, in the order of
// the files.
func TestViewsThatAreNeeded(t *testing.T) {
	t.Parallel()
	files := []viewFile{
		{"a", "CREATE OR REPLACE MACRO half(x) AS x / 2;\nCREATE OR REPLACE MACRO twice(x) AS 2 * x;"},
		{"b", "CREATE OR REPLACE TABLE halves AS\nSELECT half(n) FROM jobs;"},
		{"c", "CREATE OR REPLACE VIEW elsewhere AS\nSELECT 1;"},
		{"d", "CREATE OR REPLACE VIEW shown AS\nFROM named('halves');"},
	}
	for asked, want := range map[string]string{
		"SELECT 1":              "",
		"SELECT twice(3)":       "a",
		`SELECT "twice" (3)`:    "a",
		"SELECT 3 AS twice":     "",
		"FROM halves":           "a b",
		"FROM shown":            "a b d",
		"FROM shown_otherwise":  "",
		"FROM elsewhere":        "c",
		"FROM shown, elsewhere": "a b c d",
	} {
		var got []string
		needed, _ := neededViews(files, []string{asked})
		for _, f := range needed {
			got = append(got, f.name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s needs %q, want %q", asked, got, want)
		}
	}
}

// TestColumnsThatAreRead: those that are named by what reads their table, itself or through views.
func TestColumnsThatAreRead(t *testing.T) {
	t.Parallel()
	files := []viewFile{
		{"a", "CREATE OR REPLACE VIEW ended AS\nSELECT * FROM jobs WHERE end_time IS NOT NULL;"},
		{"b", "CREATE OR REPLACE VIEW rows AS\nSELECT to_json(p) FROM pools AS p;"},
		{"c", "CREATE OR REPLACE VIEW unused AS\nSELECT resources_gpu FROM jobs;"},
	}
	_, read := neededViews(files, []string{"SELECT operation FROM ended", "SELECT node, end_reason FROM operations", "FROM rows"})
	for name, want := range map[string]string{
		"jobs":  "tree operation end_time", // node and end_reason are of another table
		"nodes": "",
	} {
		table, got := tableNamed(name), []string(nil)
		for i, c := range table.Columns {
			if read.wants(table, i) {
				got = append(got, c.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("of %s %q are read, want %q", name, got, want)
		}
	}
	if pools := tableNamed("pools"); !read.wants(pools, len(pools.Columns)-1) {
		t.Error("rows that are taken whole lack columns")
	}
	if table := tableNamed("nodes"); !readColumns(nil).wants(table, 3) {
		t.Error("without a question a column is left out")
	}
}

// The files of views/ run in the order of order.txt, which names each once.
func TestViewsRunInTheirOrder(t *testing.T) {
	t.Parallel()
	names, err := viewsInOrder(queries.Files)
	if err != nil || names[0] != "views/macros.sql" {
		t.Errorf("%v: %v", names, err)
	}
	for order, fault := range map[string]string{
		"b\n# a comment\n\na\n": "",
		"a\n":                   "names views/b.sql 0 times",
		"a\nb\na\n":             "names views/a.sql 2 times",
		"a\nb\nc\n":             "names 3 files, and there are 2",
	} {
		names, err := viewsInOrder(fstest.MapFS{orderFile: {Data: []byte(order)}, "views/a.sql": {}, "views/b.sql": {}})
		switch {
		case fault == "" && (err != nil || strings.Join(names, " ") != "views/b.sql views/a.sql"):
			t.Errorf("%q: %v, %v", order, names, err)
		case fault != "" && (err == nil || !strings.Contains(err.Error(), fault)):
			t.Errorf("%q: %v", order, err)
		}
	}
	if _, err := viewsInOrder(fstest.MapFS{"views/a.sql": {}}); err == nil {
		t.Error("views without an order are run")
	}
}

// TestThreads: a query is divided among threads where a table has more than one of them
// takes, over all trees: among half as many as there are audits at a time.
func TestThreads(t *testing.T) {
	t.Parallel()
	r := &runner{Question: Question{opts: Options{Workers: 4}}, manifest: &manifest{}}
	for _, c := range []struct {
		table string
		rows  int64
		want  int
	}{{"jobs/tree=a", 100_000, 1}, {"pools/tree=a", 100_000, 1}, {"jobs/tree=b", 22_880, 1}, {"jobs/tree=c", 1, 2}} {
		r.manifest.Tables = append(r.manifest.Tables, tables.File{Path: "tables/" + c.table + ".arrow", Rows: c.rows})
		if got := r.threads(); got != c.want {
			t.Errorf("with %d rows of %s %d threads, want %d", c.rows, c.table, got, c.want)
		}
	}
}
