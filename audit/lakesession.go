package audit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	wholefile "poolproof/ingest/atomicdir"
	"poolproof/replay/tables"
)

// A lake is asked by copying the tables that a query names into a database of the session's
// own: a connection that may read Parquet files may read any file.
type lake struct {
	dir     string
	tables  []string
	trends  map[string]*Object
	fetched map[string]bool
	scratch *wholefile.Scratch
}

// IsLake reports whether dir holds tables of runs as Export writes them.
func IsLake(dir string) bool { return len(lakeTables(dir)) > 0 }

// lakeTables are the tables of a lake, sorted.
func lakeTables(dir string) (names []string) {
	found, err := fs.Glob(os.DirFS(dir), "*/cluster=*")
	if err != nil {
		return nil
	}
	for _, folder := range found {
		names = append(names, filepath.Dir(folder))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// OpenLake opens a lake: its tables have the columns run, cluster and day before those of
// run.duckdb, and trends ask them.
func OpenLake(ctx context.Context, queries fs.FS, dir string) (*Session, error) {
	objects, err := ReadObjects(queries)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, "*?[") {
		return nil, &RunError{dir, errors.New("has a path that DuckDB takes for a pattern: name the lake without *, ? and [")}
	}
	l := &lake{dir: dir, tables: lakeTables(dir), trends: map[string]*Object{}, fetched: map[string]bool{}}
	for i := range objects {
		if _, ok := objects[i].trend(true); ok {
			l.trends[objects[i].Name] = &objects[i]
		}
	}
	scratch, err := wholefile.NewScratch(os.TempDir(), "poolproof")
	if err != nil {
		return nil, err
	}
	l.scratch = scratch
	s := &Session{lake: l, path: dir}
	if err := s.refill(ctx, l.tables, false); err != nil {
		return nil, errors.Join(err, scratch.Remove())
	}
	return s, nil
}

// fetch copies the tables that a query names, and those that its trends ask.
func (s *Session) fetch(ctx context.Context, query string) error {
	var missing []string
	for queue := []string{query}; len(queue) > 0; queue = queue[1:] {
		for _, part := range sqlParts(queue[0]) {
			name := strings.ToLower(part.text)
			if part.kind != sqlWord || s.lake.fetched[name] || slices.Contains(missing, name) {
				continue
			}
			if slices.Contains(s.lake.tables, name) {
				missing = append(missing, name)
			} else if trend := s.lake.trends[name]; trend != nil {
				query, _ := trend.trend(true)
				queue = append(queue, query)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := s.close(); err != nil {
		return err
	}
	return s.refill(ctx, missing, true)
}

// refill copies tables with their rows, or makes them without, and opens the session anew.
func (s *Session) refill(ctx context.Context, names []string, rows bool) (err error) {
	path := filepath.Join(s.lake.scratch.Path, "lake.duckdb")
	if err := s.lake.fill(ctx, path, names, rows); err != nil {
		return err
	}
	if s.db, err = openForReading(database{path: path, readOnly: true, threads: queryThreads}, path); err != nil {
		return err
	}
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return errors.Join(ofDatabase(path, err), s.db.Close())
	}
	return nil
}

// fill copies tables of the lake into the database at path.
func (l *lake) fill(ctx context.Context, path string, names []string, rows bool) (err error) {
	db, err := database{path: path, threads: queryThreads, spill: filepath.Join(l.scratch.Path, "spill")}.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, name := range names {
		if err := l.copyTable(ctx, db, name, rows); err != nil {
			return fmt.Errorf("read %s of the lake %s: %w", name, l.dir, err)
		}
		l.fetched[name] = rows
	}
	for _, name := range keys(l.trends) {
		query, _ := l.trends[name].trend(true)
		_, err := db.ExecContext(ctx, "CREATE OR REPLACE VIEW "+quoteName(name)+" AS "+query)
		if err != nil && strings.Contains(err.Error(), "does not exist") {
			continue // the lake was not given what it asks
		}
		if err == nil {
			_, err = db.ExecContext(ctx, describeObjects([]Object{*l.trends[name]}))
		}
		if err != nil {
			return fmt.Errorf("make %s of the lake %s: %w", name, l.dir, err)
		}
	}
	return nil
}

// copyTable copies a table of the lake, with its rows in the order of the files or without.
func (l *lake) copyTable(ctx context.Context, db *sql.DB, name string, rows bool) error {
	files, err := filepath.Glob(filepath.Join(l.dir, name, "cluster=*", "day=*", "*.parquet"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return &RunError{filepath.Join(l.dir, name), errors.New("is no table of a lake: it has no file cluster=…/day=…/….parquet")}
	}
	last, limit := files[len(files)-1], ""
	if !rows {
		files, limit = files[len(files)-1:], " LIMIT 0"
	}
	for i := range files {
		files[i] = quoteText(files[i])
	}
	copied := fmt.Sprintf(`CREATE OR REPLACE TABLE %s AS SELECT regexp_extract(filename, '(cluster=[^/]*/day=[^/]*)/[^/]*$', 1) AS run, nullif(cluster, %s) AS cluster, day, * EXCLUDE (filename, cluster, day)
FROM read_parquet([%s], filename = true, union_by_name = true, hive_partitioning = true, hive_types = {'cluster': VARCHAR, 'day': DATE})%s;`,
		quoteName(name), quoteText(tables.NoPartition), strings.Join(files, ", "), limit)
	if _, err := db.ExecContext(ctx, copied); err != nil {
		return err
	}
	return l.describe(ctx, db, name, last)
}

// describe gives a copied table the comments that a file of it has.
func (l *lake) describe(ctx context.Context, db *sql.DB, name, file string) error {
	var schema sparkSchema
	var text, comment string
	err := db.QueryRowContext(ctx, `SELECT decode(max(value) FILTER (decode(key) = $1)), decode(max(value) FILTER (decode(key) = 'comment')) FROM parquet_kv_metadata($2)`, sparkMetadata, file).Scan(&text, &comment)
	if err == nil {
		err = json.Unmarshal([]byte(text), &schema)
	}
	if err != nil {
		return err
	}
	o := Object{Kind: "TABLE", Schema: mainSchema, Name: name, Sentence: comment}
	for _, c := range runColumns {
		o.Columns = append(o.Columns, ObjectColumn{Name: c.Name, Sentence: c.Comment})
	}
	for _, f := range schema.Fields {
		o.Columns = append(o.Columns, ObjectColumn{Name: f.Name, Sentence: f.Metadata["comment"]})
	}
	_, err = db.ExecContext(ctx, describeObjects([]Object{o}))
	return err
}
