package audit

import (
	"bytes"
	"database/sql"
	"encoding/csv"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/queries"
	"poolproof/replay/tables"
)

// A victim is a lake with what attacks on it are after: a secret file, and files that nobody makes.
type victim struct {
	*testing.T
	dir, lake, secret string
	rows              string // a file of the table trees
}

// canary is a file that SQL of an attack would make.
const canary = "canary.csv"

// attackedLake exports a night. The folders above have SQL and a partition in their names, too.
func attackedLake(t *testing.T) *victim {
	t.Helper()
	dir := t.TempDir()
	a := &victim{t, dir, filepath.Join(dir, "cluster=x'; COPY (SELECT 1) TO 'canary.csv'; --", "day=2020-01-01", "lake"), filepath.Join(dir, "secret"), ""}
	if err := os.MkdirAll(filepath.Dir(a.lake), 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := Export(t.Context(), night(t, "one", 0, promised(0, "kept")).dir, a.lake, LakeTables, 0)
	if err != nil {
		t.Fatal(err)
	}
	a.rows = filepath.Join(a.lake, files[slices.Index(LakeTables, "trees")])
	if err := os.WriteFile(a.secret, []byte("secret,of\nthe,user\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// fill is SQL of an attack with the paths of the secret and the canary.
func (a *victim) fill(text string) string {
	return strings.NewReplacer("@SECRET", a.secret, "@CANARY", canary).Replace(text)
}

// put copies the rows of trees to a file of the lake.
func (a *victim) put(path ...string) {
	a.Helper()
	file := filepath.Join(append([]string{a.lake}, path...)...)
	b, err := os.ReadFile(a.rows)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, b, 0o644)
	}
	if err != nil {
		a.Fatalf("%q: %v", file, err)
	}
}

// open opens the lake as it stands.
func (a *victim) open() *Session {
	a.Helper()
	s, err := OpenLake(a.Context(), queries.Files, a.lake, 0)
	if err != nil {
		a.Fatal(err)
	}
	a.Cleanup(func() { s.Close() })
	return s
}

// ask returns the rows of an answer, and the error if there is none.
func (a *victim) ask(s *Session, query string) ([][]string, error) {
	a.Helper()
	var b bytes.Buffer
	if err := s.Answer(a.Context(), query, "csv", &b); err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) == 0 {
		a.Fatalf("%s: %v", query, err)
	}
	return rows[1:], nil
}

// unharmed fails where something was executed or read that no attack may reach.
func (a *victim) unharmed(what string, rows [][]string) {
	a.Helper()
	for _, place := range []string{canary, filepath.Join(a.dir, canary), filepath.Join(a.lake, canary)} {
		if _, err := os.Stat(place); err == nil {
			a.Errorf("%q: %s was written", what, place)
			os.Remove(place)
		}
	}
	for _, row := range rows {
		if text := strings.ReplaceAll(strings.Join(row, ","), a.secret, ""); strings.Contains(text, "secret,of") {
			a.Errorf("%q: the secret was read: %q", what, row)
		}
	}
}

// folderNames are names of folders that a stranger gives in place of a table's.
var folderNames = []string{
	`pools"; COPY (SELECT 1) TO '@CANARY'; --`, `pools'; COPY (SELECT 1) TO '@CANARY'; --`, `pools; COPY (SELECT 1) TO '@CANARY'`, "pools\n; COPY (SELECT 1) TO '@CANARY'",
	`"pools"`, `pools"."x`, `main.pools`, `run.main.pools`, `$$pools$$`, `$a$ pools $a$`, `pools -- x`, `pools x`, `-- pools`, `--help`, `-pools`,
	`pools\`, `\pools`, `POOLS`, `Pools`, ` pools`, `pools `, "pools\t", "pools\u202e", "poo\u200bls", "\ufeffpools", "po\u043els", "\x1b[2Jpools", "\x1b]8;;http:evil\x1b\\pools\x1b]8;;\x1b\\",
	`select`, `order`, `table`, `main`, `internal`, `run`, `memory`, `temp`, `pg_catalog`, `duckdb_secrets`, `information_schema`, `read_text`, `read_csv('x')`,
	`pools.parquet`, `...`, `%70ools`, `pools%00`, `=HYPERLINK(1)`, `|pools|`, "`pools`", `<b>pools`, `[pools](x)`, `{pools}`, "pools\r", strings.Repeat("p", 200),
}

// TestNamesOfFoldersAreNoTables: a folder that is not named like a table of a run is not asked, and
// nothing of its name is executed.
func TestNamesOfFoldersAreNoTables(t *testing.T) {
	t.Parallel()
	a := attackedLake(t)
	for _, name := range folderNames {
		a.put(a.fill(name), "cluster=one", "day=2023-11-14", "x.parquet")
	}
	s := a.open()
	things, err := s.Things(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, thing := range things {
		if thing.Kind == "table" && !slices.Contains(LakeTables, thing.Name) {
			t.Errorf("%q is a table", thing.Name)
		}
	}
	for _, name := range folderNames {
		// DuckDB tells no capitals apart in names.
		rows, err := a.ask(s, "SELECT count(*) FROM "+quoteName(a.fill(name)))
		if err == nil && !strings.EqualFold(name, "pools") {
			t.Errorf("%q is asked: %q", name, rows)
		}
		a.unharmed(name, rows)
	}
	if rows, err := a.ask(s, "SELECT count(*) FROM trees"); err != nil || rows[0][0] == "0" {
		t.Errorf("trees beside these: %q, %v", rows, err)
	}
}

// clusterNames are names of clusters that a stranger writes into the partitions of a table.
var clusterNames = []string{
	`x'; COPY (SELECT 1) TO '@CANARY'; --`, `x" ; COPY (SELECT 1) TO '@CANARY'; --`, `x') ; SELECT * FROM read_text('@SECRET'); --`, `' || (SELECT content FROM read_text('@SECRET')) || '`,
	`${HOME}`, `$(touch @CANARY)`, "`touch @CANARY`", `$$x$$`, `/* x`, `x -- y`, `\`, `\'; SELECT 1`, `'`, `''`, `"`, `;`, "a\nb", "a\tb", "\x1b[31mred", "\x1b]8;;http:evil\x1b\\", "\u202eabc", "a\u200b", "\ufeffa",
	`..`, `../../secret`, `/etc/passwd`, `a=b`, `day=2020-01-01`, `%27`, `%`, `a%2Fb`, `NULL`, `null`, `true`, `1e9`, `2020-01-01`, `=1+1`, `+1`, `-1`, `@SUM(1)`, `<script>alert(1)</script>`, `[x](javascript:1)`, `a|b`, `{cluster="x"}`, `,",`,
}

// TestNamesOfPartitionsAreTexts: whatever the folders above a file are called, a row has the name of
// the cluster as a text.
func TestNamesOfPartitionsAreTexts(t *testing.T) {
	t.Parallel()
	a := attackedLake(t)
	raw := `y'; COPY (SELECT 1) TO 'canary.csv'; --` // as no export writes it
	a.put("trees", "cluster="+raw, "day=2023-11-15", "x.parquet")
	want := []string{raw, "one"}
	for _, name := range clusterNames {
		name = a.fill(name)
		want = append(want, name)
		a.put("trees", tables.Partition("cluster", name), "day=2023-11-14", "x.parquet")
	}
	rows, err := a.ask(a.open(), "SELECT DISTINCT cluster FROM trees")
	if err != nil {
		t.Fatal(err)
	}
	a.unharmed("clusters", nil)
	var got []string
	for _, row := range rows {
		got = append(got, row[0])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("clusters\n%q, want\n%q", got, want)
	}
}

// TestFoldersThatNameNoDay cost their table: what they are called reaches no SQL.
func TestFoldersThatNameNoDay(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{
		"day=2023-11-14'; COPY (SELECT 1) TO 'canary.csv'; --", "day=2023-11-14::VARCHAR", "day=today", "day=", "day=2023-11-14 ", "day=-infinity", "day=99999-01-01", "day=2023-02-30", "day=2023-11-14\n",
	} {
		l := &lake{dir: t.TempDir()}
		file := filepath.Join(l.dir, "pools", "cluster=one", folder, "x.parquet")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := l.checkFile(file); err == nil || !strings.Contains(err.Error(), "is in folders that are not cluster=<name>/day=<date>") {
			t.Errorf("%q: %v", folder, err)
		}
	}
}

// TestLinksOutOfALake: a lake shows no file from outside of it, and loops of links end at once.
func TestLinksOutOfALake(t *testing.T) {
	t.Parallel()
	a := attackedLake(t)
	outside := filepath.Join(a.dir, "outside", "cluster=one", "day=2023-11-14")
	b, err := os.ReadFile(a.rows)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "x.parquet"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	l := &lake{dir: a.lake}
	in := func(path string) string { return filepath.Join(a.lake, path) }
	link := func(from, to string) {
		t.Helper()
		if err := os.Symlink(from, to); err != nil {
			t.Fatal(err)
		}
	}
	const day = "trees/cluster=one/day=2023-11-14/"
	for _, one := range []struct{ from, to, file, says string }{
		{filepath.Join(outside, "x.parquet"), day + "link.parquet", "", "leads out of the lake"},
		{a.secret, day + "secret.parquet", "", "leads out of the lake"},
		{"../../../../../../outside/cluster=one/day=2023-11-14/x.parquet", day + "up.parquet", "", "leads out of the lake"},
		{filepath.Dir(outside), "trees/cluster=two", "trees/cluster=two/day=2023-11-14/x.parquet", "leads out of the lake"},
		{outside, "trees/cluster=one/day=2023-11-15", "trees/cluster=one/day=2023-11-15/x.parquet", "leads out of the lake"},
		{"/proc/self/exe", day + "exe.parquet", "", "leads out of the lake"},
		{"loop.parquet", day + "loop.parquet", "", ""},
		{"none.parquet", day + "a.parquet", "", ""},
		{"/dev/zero", day + "zero.parquet", "", ""},
		{".", day + "here.parquet", "", "directory"},
	} {
		link(one.from, in(one.to))
		if one.file == "" {
			one.file = one.to
		}
		if err := l.checkFile(in(one.file)); err == nil || !strings.Contains(err.Error(), one.says) {
			t.Errorf("%s to %s: %v", one.to, one.from, err)
		}
	}
	rows, err := a.ask(a.open(), "SELECT * FROM trees")
	if err == nil {
		t.Error("trees is answered in spite of files from outside")
	}
	a.unharmed("links", rows)
	link(filepath.Base(a.rows), filepath.Join(filepath.Dir(a.rows), "same.parquet"))
	if err := l.checkFile(filepath.Join(filepath.Dir(a.rows), "same.parquet")); err != nil {
		t.Errorf("a link within the lake: %v", err)
	}
	way := &lake{dir: filepath.Join(a.dir, "way")}
	link(a.lake, way.dir)
	if err := way.checkFile(strings.Replace(a.rows, a.lake, way.dir, 1)); err != nil {
		t.Errorf("a lake behind a link: %v", err)
	}
}

// columnNames are names of columns that a stranger writes into a file.
var columnNames = []string{
	`a"; COPY (SELECT 1) TO 'canary.csv'; --`, `a' ; COPY (SELECT 1) TO 'canary.csv'; --`, `"`, `""`, `'`, `;`, `--`, `/*`, `$$`, `\`, ` `, "a\nb", "a\tb", "\x1b[2J", "\u202e", "a\u200b", "select", "rowid", "filename2",
	"x" + strings.Repeat("y", 2000), "<script>", "a|b", "[x](y)", "=1+1",
}

// TestFilesOfStrangers: names of columns and comments of a file are names and comments, and what a
// file says of itself is not executed.
func TestFilesOfStrangers(t *testing.T) {
	t.Parallel()
	a := attackedLake(t)
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func(table, columns, metadata string) {
		file := filepath.Join(a.lake, table, "cluster=two", "day=2023-11-15", "x.parquet")
		err := errors.Join(os.RemoveAll(filepath.Join(a.lake, table, "cluster=one")), os.MkdirAll(filepath.Dir(file), 0o755))
		if err == nil {
			_, err = db.Exec("COPY (SELECT " + columns + ") TO " + quoteText(file) + " (FORMAT PARQUET, KV_METADATA {" + metadata + "})")
		}
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
	var columns []string
	for _, name := range columnNames {
		columns = append(columns, "'v' AS "+quoteName(name))
	}
	const attack = `'; COPY (SELECT 1) TO 'canary.csv'; --`
	write("pools", strings.Join(columns, ", "), "comment: "+quoteText(attack))
	schema := quoteName(sparkMetadata) + ": "
	write("trees", "1 AS tree", schema+quoteText(`{"fields": [{"name": "tree", "metadata": {"comment": "`+attack+`"}}, {"name": "x\"; DROP", "metadata": {}}]}`))
	write("metrics", "1 AS metric", schema+quoteText(`{"fields": [`))
	write("findings", "1 AS run, 2 AS cluster, 3 AS day", "comment: 'x'")
	write("audits", "1 AS a, 2 AS filename", "comment: 'x'")
	s := a.open()
	rows, err := a.ask(s, "SELECT column_name FROM (DESCRIBE pools)")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range columnNames {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[0] == name }) {
			t.Errorf("no column %q among %q", name, rows)
		}
	}
	a.unharmed("columns", rows)
	if rows, err := a.ask(s, "SELECT comment FROM duckdb_tables() WHERE table_name = 'pools'"); err != nil || rows[0][0] != attack {
		t.Errorf("the comment is %q, %v", rows, err)
	}
	for _, table := range []string{"trees", "metrics", "findings", "audits"} {
		rows, err := a.ask(s, "SELECT * FROM "+table)
		if bad := (interface{ BadInput() bool })(nil); err != nil && !errors.As(err, &bad) {
			t.Errorf("%s: not bad input: %v", table, err)
		}
		a.unharmed(table, rows)
	}
}

// TestRunsOfStrangers: a database of a run that declares macros and schemas of the names that the
// program uses is exported as any other, and names of runs that are asked together are texts.
func TestRunsOfStrangers(t *testing.T) {
	t.Parallel()
	r := night(t, "one", 0, promised(0, "kept"))
	db, err := database{path: filepath.Join(r.dir, DatabaseName)}.open()
	if err != nil {
		t.Fatal(err)
	}
	const view = `x"; COPY (SELECT 1) TO 'canary.csv'; --`
	for _, statement := range []string{
		`CREATE MACRO count_star() AS 'owned'`, `CREATE MACRO url_decode(x) AS 'owned'`, `CREATE MACRO read_parquet(x) AS TABLE SELECT 'owned' AS tree`,
		`CREATE SCHEMA run`, `CREATE TABLE run.run.trees AS SELECT 'owned' AS tree`, `CREATE SCHEMA stage`, `CREATE TABLE run.stage.trees AS SELECT 'owned' AS tree`,
		"CREATE VIEW " + quoteName(view) + " AS SELECT 1 AS a", "COMMENT ON TABLE trees IS " + quoteText(`'; COPY (SELECT 1) TO 'canary.csv'; --`),
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	a := &victim{T: t, dir: t.TempDir(), secret: "none"}
	a.lake = filepath.Join(a.dir, "lake")
	if _, err := Export(t.Context(), r.dir, a.lake, []string{"trees", view}, 0); err != nil {
		t.Fatal(err)
	}
	rows, err := a.ask(a.open(), "SELECT tree, cluster FROM trees")
	if err != nil || len(rows) != 1 || rows[0][0] != "a" || rows[0][1] != "one" {
		t.Errorf("trees: %q, %v", rows, err)
	}
	a.unharmed("database", rows)
	names := []string{view, `x'; COPY (SELECT 1) TO 'canary.csv'; --`, `"`, "a\nb", `$$`, `\`, `--`, "cluster=x'; SELECT 1/day=2023-11-14"}
	var sources []Source
	for _, name := range names {
		sources = append(sources, Source{name, filepath.Join(t.TempDir(), "run")})
		if err := os.CopyFS(sources[len(sources)-1].Dir, os.DirFS(r.dir)); err != nil {
			t.Fatal(err)
		}
	}
	s, err := OpenSession(t.Context(), queries.Files, sources, true, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err = a.ask(s, "SELECT DISTINCT run FROM trees")
	if err != nil || len(rows) != len(names) || slices.ContainsFunc(rows, func(row []string) bool { return !slices.Contains(names, row[0]) }) {
		t.Errorf("runs: %q, %v", rows, err)
	}
	a.unharmed("runs", rows)
}

// TestPartitionsOfExports: whatever a cluster is called, its file stands in its place in the lake.
func TestPartitionsOfExports(t *testing.T) {
	t.Parallel()
	for _, name := range append(slices.Clone(clusterNames), "", ".", "a/../../b", "\x00", strings.Repeat("long", 30)) {
		folder := tables.Partition("cluster", name)
		if filepath.Base(folder) != folder || !filepath.IsLocal(folder) || strings.ContainsAny(folder, "/\\'\";*?[\x00\n ") {
			t.Errorf("%q stands in %q", name, folder)
		}
		if name == "" {
			name = tables.NoPartition
		}
		if back, err := url.PathUnescape(strings.TrimPrefix(folder, "cluster=")); err != nil || back != name {
			t.Errorf("%q reads as %q, %v", name, back, err)
		}
	}
}
