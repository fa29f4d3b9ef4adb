package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"poolproof/replay/tables"
)

// A Source is a run that is asked, and its name among several.
type Source struct{ Name, Dir string }

// A Session answers questions to a run, or to several as one database: their tables, views
// and table macros have a column run then, which comes first. It can read what stands in
// their run.duckdb and nothing else, and it cannot change them.
type Session struct {
	db      *Database
	conn    *sql.Conn
	path    string // of the database, for errors
	memory  Memory
	sources []Source
	several *together
	lake    *lake
}

// OpenSession opens a run, or several by their names.
func OpenSession(ctx context.Context, queries fs.FS, sources []Source, named bool, memory Memory) (*Session, error) {
	s := &Session{sources: sources, memory: memory, path: filepath.Join(sources[0].Dir, DatabaseName)}
	var err error
	if !named {
		s.db, err = OpenDatabase(sources[0].Dir, memory)
	} else if s.several, err = newTogether(queries, sources); err == nil {
		s.db, err = openTogether(sources, memory)
	}
	if err != nil {
		return nil, err
	}
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return nil, errors.Join(ofDatabase(s.path, err), s.db.Close())
	}
	if s.several != nil {
		if err := s.several.open(ctx, s.conn); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close closes the databases, and removes what was copied of a lake.
func (s *Session) Close() error {
	err := s.close()
	if s.lake != nil {
		err = errors.Join(err, s.lake.scratch.Remove())
	}
	return err
}

func (s *Session) close() error { return errors.Join(s.conn.Close(), s.db.Close()) }

// Answer answers a question in one of Formats. Of several statements the last one's answer is
// given.
func (s *Session) Answer(ctx context.Context, query, format string, w io.Writer) error {
	write, ok := answers[format]
	if !ok {
		return &UsageError{fmt.Errorf("unknown output format %q (want %s)", format, strings.Join(Formats, ", "))}
	}
	err := s.prepare(ctx, &query)
	if err == nil {
		err = write(ctx, s.conn, query, w, s.memory)
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return orStore(s.path, err)
}

// prepare makes what a query to several runs asks for.
func (s *Session) prepare(ctx context.Context, query *string) (err error) {
	switch {
	case s.several != nil:
		*query, err = s.several.prepare(ctx, s.conn, *query)
	case s.lake != nil:
		err = s.fetch(ctx, *query)
	}
	return err
}

// A Thing is a table, view or macro of the schema main, as a session shows it.
type Thing struct {
	Name, Kind, Comment string
	Columns             []Column // of a table or view
}

// A Column is a column of a Thing.
type Column struct{ Name, Type, Comment string }

// Things returns the objects that can be queried, by name.
func (s *Session) Things(ctx context.Context) (all []Thing, err error) {
	from := catalog
	if s.several != nil {
		from = s.several.catalog(0)
	}
	rows, err := s.conn.QueryContext(ctx, `
SELECT name, kind, coalesce(t.comment, ''), coalesce(c.column_name, ''), coalesce(c.data_type, ''), coalesce(c.comment, '')
FROM (
  SELECT table_name AS name, 'table' AS kind, comment FROM duckdb_tables() WHERE database_name = $1 AND schema_name = 'main'
  UNION ALL
  SELECT view_name, 'view', comment FROM duckdb_views() WHERE database_name = $1 AND schema_name = 'main' AND NOT internal
  UNION ALL
  SELECT DISTINCT function_name, 'macro', comment FROM duckdb_functions() WHERE database_name = $1 AND schema_name = 'main' AND function_type LIKE '%macro' AND NOT internal
) AS t
LEFT JOIN (SELECT table_name, column_name, data_type, comment, column_index FROM duckdb_columns() WHERE database_name = $1 AND schema_name = 'main') AS c ON c.table_name = t.name AND kind <> 'macro'
ORDER BY name, column_index`, from)
	if err != nil {
		return nil, orStore(s.path, &UsageError{err})
	}
	defer rows.Close()
	for rows.Next() {
		var t Thing
		var c Column
		if err := rows.Scan(&t.Name, &t.Kind, &t.Comment, &c.Name, &c.Type, &c.Comment); err != nil {
			return nil, err
		}
		if len(all) == 0 || all[len(all)-1].Name != t.Name {
			if s.several != nil && t.Kind != "macro" {
				t.Columns = slices.Clone(runColumns)
				if !s.several.clustered {
					t.Columns = t.Columns[:1]
				}
			}
			all = append(all, t)
		}
		if c.Name != "" {
			last := &all[len(all)-1]
			last.Columns = append(last.Columns, c)
		}
	}
	return all, rows.Err()
}

// runColumns name the run of a row. Those after the first are of runs that stand in
// partitions, cluster=…/day=…, alone.
var runColumns = []Column{
	{Name: "run", Type: "VARCHAR", Comment: "name of the run"},
	{Name: "cluster", Type: "VARCHAR", Comment: "cluster of the run; null if it has no name"},
	{Name: "day", Type: "DATE", Comment: "day on which the window of the run begins"},
}

// openTogether opens the databases of several runs for reading, attached to one in memory.
func openTogether(sources []Source, memory Memory) (*Database, error) {
	d := database{threads: queryThreads, memory: memory}
	for _, source := range sources {
		if err := hasDatabase(source.Dir); err != nil {
			return nil, err
		}
		d.beside = append(d.beside, filepath.Join(source.Dir, DatabaseName))
	}
	return openForReading(d, d.beside[0])
}

// A together makes of several runs one database. Tables are views of all runs; views and
// macros look for their tables in the catalog that is in use, so that they are asked in one
// run after the other, once a query names them.
type together struct {
	sources []Source
	objects map[string]*Object // of the schema main
	plain   []Object           // macros that ask no table
	made    map[string]bool
	// clustered says that all runs stand in partitions, which tell cluster and day.
	clustered bool
}

func newTogether(queries fs.FS, sources []Source) (*together, error) {
	objects, err := ReadObjects(queries)
	if err != nil {
		return nil, err
	}
	t := &together{sources: sources, objects: map[string]*Object{}, made: map[string]bool{}, clustered: true}
	for _, source := range sources {
		_, _, ok := partitioned(source.Name)
		t.clustered = t.clustered && ok
	}
	for i := range objects {
		o := &objects[i]
		switch {
		case o.Kind == "MACRO" || strings.Contains(o.statement, "query_table("):
			t.plain = append(t.plain, *o)
		case o.Public():
			t.objects[o.Name] = o
		}
	}
	return t, nil
}

// catalog is the name of the database of a run.
func (t *together) catalog(i int) string { return fmt.Sprintf("run%d", i+1) }

// partitioned are cluster and day of a run that is called cluster=…/day=…, as values of SQL.
func partitioned(name string) (cluster, day string, ok bool) {
	first, second, _ := strings.Cut(filepath.ToSlash(name), "/")
	cluster, ok = strings.CutPrefix(first, "cluster=")
	day, dated := strings.CutPrefix(second, "day=")
	cluster, err := url.PathUnescape(cluster)
	if _, wrong := time.Parse(time.DateOnly, day); !ok || !dated || err != nil || wrong != nil {
		return "", "", false
	}
	if cluster == tables.NoPartition {
		return "NULL::VARCHAR", "DATE " + quoteText(day), true
	}
	return quoteText(cluster), "DATE " + quoteText(day), true
}

// labels are the columns of SQL that tell that rows are of a run.
func (t *together) labels(i int) string {
	name := t.sources[i].Name
	label := quoteText(name) + " AS run"
	if t.clustered {
		cluster, day, _ := partitioned(name)
		label += ", " + cluster + " AS cluster, " + day + " AS day"
	}
	return label
}

// clusterMark stands in a view for the column cluster, by which it groups where it is asked of
// several runs as one: it is a trend.
const clusterMark = "/* cluster, */"

// trend is the query of a view that is one.
func (o *Object) trend(clustered bool) (query string, ok bool) {
	_, query, ok = strings.Cut(o.statement, " AS\n")
	if !ok || !strings.Contains(query, clusterMark) {
		return "", false
	}
	by := ""
	if clustered {
		by = "cluster,"
	}
	return strings.TrimSuffix(strings.Replace(query, clusterMark, by, 1), ";"), true
}

// open makes the tables.
func (t *together) open(ctx context.Context, conn *sql.Conn) error {
	rows, err := conn.QueryContext(ctx, "SELECT table_name, list(database_name ORDER BY database_name)::VARCHAR FROM duckdb_tables() WHERE schema_name = 'main' AND NOT internal GROUP BY table_name ORDER BY table_name")
	if err != nil {
		return err
	}
	defer rows.Close()
	var made strings.Builder
	made.WriteString("CREATE SCHEMA internal;\n")
	for rows.Next() {
		var table, in string
		if err := rows.Scan(&table, &in); err != nil {
			return err
		}
		having := splitList(strings.Trim(in, "[]"))
		var parts []string
		for i := range t.sources {
			if slices.Contains(having, t.catalog(i)) {
				parts = append(parts, fmt.Sprintf("SELECT %s, * FROM %s.main.%s", t.labels(i), t.catalog(i), quoteName(table)))
			}
		}
		fmt.Fprintf(&made, "CREATE VIEW %s AS %s;\n", quoteName(table), strings.Join(parts, " UNION ALL BY NAME "))
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, o := range t.plain {
		made.WriteString(o.statement + "\n")
	}
	if _, err := conn.ExecContext(ctx, made.String()); err != nil {
		return fmt.Errorf("open the runs together: %w", err)
	}
	return nil
}

// prepare makes the views and the calls of table macros that a query names, and returns the
// query with the tables that hold them.
func (t *together) prepare(ctx context.Context, conn *sql.Conn, query string) (string, error) {
	parts := sqlParts(query)
	var b strings.Builder
	for i := 0; i < len(parts); i++ {
		o := t.objects[strings.ToLower(parts[i].text)]
		if parts[i].kind != sqlWord || o == nil {
			b.WriteString(parts[i].text)
			continue
		}
		call, end := o.Name, i
		if o.Kind == "MACRO TABLE" {
			if end = callEnd(parts, i); end == i { // a column of that name
				b.WriteString(parts[i].text)
				continue
			}
			call = textOf(parts[i : end+1])
		}
		do := t.make
		if trend, ok := o.trend(t.clustered); ok {
			do = t.makeTrend(trend)
		}
		if err := do(ctx, conn, call); err != nil {
			return "", err
		}
		b.WriteString(quoteName(call))
		i = end
	}
	return b.String(), nil
}

// callEnd returns the index of the bracket that ends the call of a macro at i, or i if there is no
// call.
func callEnd(parts []sqlPart, i int) int {
	depth := 0
	for j := i + 1; j < len(parts); j++ {
		switch text := parts[j].text; {
		case text == "(":
			depth++
		case text == ")":
			if depth--; depth == 0 {
				return j
			}
		case depth == 0 && strings.TrimSpace(text) != "":
			return i
		}
	}
	return i
}

func textOf(parts []sqlPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// make asks a view, or a call of a macro, in one run after the other.
func (t *together) make(ctx context.Context, conn *sql.Conn, call string) error {
	if t.made[call] {
		return nil
	}
	// A query of the session itself may have made a table of that name, and the session's own
	// catalog is in use whatever happens.
	defer conn.ExecContext(context.WithoutCancel(ctx), "USE memory")
	for i, source := range t.sources {
		into := fmt.Sprintf("CREATE OR REPLACE TABLE memory.main.%s AS", quoteName(call))
		if i > 0 {
			into = fmt.Sprintf("INSERT INTO memory.main.%s BY NAME", quoteName(call))
		}
		statement := fmt.Sprintf("USE %s; %s SELECT %s, * FROM %s", t.catalog(i), into, t.labels(i), call)
		if _, err := conn.ExecContext(ctx, statement); err != nil {
			return &UsageError{fmt.Errorf("ask run %s: %w", source.Name, err)}
		}
	}
	t.made[call] = true
	return nil
}

// makeTrend asks a trend of all runs at once.
func (t *together) makeTrend(query string) func(ctx context.Context, conn *sql.Conn, name string) error {
	return func(ctx context.Context, conn *sql.Conn, name string) error {
		if t.made[name] {
			return nil
		}
		t.made[name] = true
		query, err := t.prepare(ctx, conn, query)
		if err == nil {
			_, err = conn.ExecContext(ctx, "CREATE OR REPLACE VIEW memory.main."+quoteName(name)+" AS "+query)
		}
		return err
	}
}
