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
	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// A lake is asked by copying the tables that a query names into a database of the session's
// own: a connection that may read Parquet files may read any file.
type lake struct {
	dir     string
	tables  []string
	trends  map[string]*Object
	fetched map[string]bool
	damaged map[string]error // tables and trends that cannot be asked, and why
	scratch *wholefile.Scratch
}

// IsLake reports whether dir holds tables of runs as Export writes them.
func IsLake(dir string) bool { return len(lakeFolders(dir)) > 0 }

// lakeFolders are the folders of dir that hold partitions, sorted.
func lakeFolders(dir string) (names []string) {
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

// lakeTables are the folders of dir that are named like a table or view of a run. Others are
// not asked: a name by a stranger stays out of SQL.
func lakeTables(dir string, objects []Object) []string {
	known := map[string]bool{}
	for _, t := range tables.All() {
		known[t.Name] = true
	}
	for _, o := range append(objects, VerdictTables()...) {
		if o.Public() && (o.Kind == "TABLE" || o.Kind == "VIEW") {
			known[o.Name] = true
		}
	}
	return slices.DeleteFunc(lakeFolders(dir), func(name string) bool { return !known[name] })
}

// OpenLake opens a lake: its tables have the columns run, cluster and day before those of
// run.duckdb, and trends ask them.
func OpenLake(ctx context.Context, queries fs.FS, dir string, memory Memory) (*Session, error) {
	objects, err := ReadObjects(queries)
	if err != nil {
		return nil, err
	}
	if strings.ContainsAny(dir, "*?[") {
		return nil, runErrorf(dir, "has a path that DuckDB takes for a pattern: name the lake without *, ? and [")
	}
	l := &lake{dir: dir, tables: lakeTables(dir, objects), trends: map[string]*Object{}, fetched: map[string]bool{}, damaged: map[string]error{}}
	if len(l.tables) == 0 {
		return nil, runErrorf(dir, "is not a lake: no folder with cluster=… is named like a table or view of a run")
	}
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
	s := &Session{lake: l, path: dir, memory: memory}
	if err := s.refill(ctx, l.tables, false); err != nil {
		return nil, errors.Join(err, scratch.Remove())
	}
	return s, nil
}

// fetch copies the tables that a query names, in quotes or without, and those that its trends ask.
func (s *Session) fetch(ctx context.Context, query string) error {
	var missing []string
	for queue := []string{query}; len(queue) > 0; queue = queue[1:] {
		for _, part := range sqlParts(queue[0]) {
			if part.kind == sqlQuoted { // a name, or a text of SQL for query()
				queue = append(queue, strings.Trim(part.text, string(part.text[0])))
			}
			name := strings.ToLower(part.text)
			if part.kind != sqlWord || s.lake.fetched[name] || slices.Contains(missing, name) {
				continue
			}
			if err := s.lake.damaged[name]; err != nil {
				return err
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
	if err := s.refill(ctx, missing, true); err != nil {
		return err
	}
	for _, name := range missing {
		if err := s.lake.damaged[name]; err != nil {
			return err
		}
	}
	return nil
}

// refill copies tables with their rows, or makes them without, and opens the session anew.
func (s *Session) refill(ctx context.Context, names []string, rows bool) (err error) {
	path := filepath.Join(s.lake.scratch.Path, "lake.duckdb")
	if err := s.lake.fill(ctx, path, names, rows, s.memory); err != nil {
		return err
	}
	if s.db, err = openForReading(database{path: path, readOnly: true, threads: queryThreads, memory: s.memory}, path); err != nil {
		return err
	}
	if s.conn, err = s.db.Conn(ctx); err != nil {
		return errors.Join(ofDatabase(path, err), s.db.Close())
	}
	return nil
}

// fill copies tables of the lake into the database at path. A table that is damaged stays out
// and costs no other one. Only the copying may read files: what follows runs in a database
// that is locked as that of a query is.
func (l *lake) fill(ctx context.Context, path string, names []string, rows bool, memory Memory) (err error) {
	db, err := database{path: path, threads: queryThreads, memory: memory, spill: filepath.Join(l.scratch.Path, "spill")}.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	described := map[string]Object{}
	for _, name := range names {
		o, err := l.copyTable(ctx, db, name, rows)
		switch {
		case err == nil:
			described[name], l.fetched[name] = o, rows
		case ctx.Err() != nil:
			return ctx.Err()
		case lacksRoom(err):
			return ofDatabase(path, err)
		default:
			l.damaged[name] = l.ofTable(name, err)
		}
	}
	for _, statement := range locked {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return ofDatabase(path, err)
		}
	}
	for _, name := range keys(described) {
		if _, err := db.ExecContext(ctx, describeObjects([]Object{described[name]})); err != nil {
			return orStore(path, fmt.Errorf("describe %s of the lake %s: %w", name, l.dir, err))
		}
	}
	return l.makeTrends(ctx, db, path)
}

// makeTrends makes the trends that ask tables of the lake.
func (l *lake) makeTrends(ctx context.Context, db *sql.DB, path string) error {
	for _, name := range keys(l.trends) {
		query, _ := l.trends[name].trend(true)
		_, err := db.ExecContext(ctx, "CREATE OR REPLACE VIEW "+quoteName(name)+" AS "+query)
		if err == nil {
			_, err = db.ExecContext(ctx, describeObjects([]Object{*l.trends[name]}))
		}
		switch {
		case err == nil, strings.Contains(err.Error(), "does not exist"): // where the lake was not given what it asks
		case ctx.Err() != nil:
			return ctx.Err()
		case isIO(err) || isMemory(err):
			return ofDatabase(path, err)
		default:
			l.damaged[name] = l.ofTable(name, err)
		}
	}
	return nil
}

// ofTable names the table in an error of reading it.
func (l *lake) ofTable(name string, err error) error {
	if input.IsBad(err) || isSystem(err) {
		return fmt.Errorf("read %s of the lake: %w", name, err)
	}
	return runErrorf(filepath.Join(l.dir, name), "cannot be read as a table of a lake: %w", err)
}

// copyTable copies a table of the lake, with its rows in the order of the files or without. It
// returns the table with the comments that its last file has.
func (l *lake) copyTable(ctx context.Context, db *sql.DB, name string, rows bool) (Object, error) {
	files, err := l.filesOf(name)
	if err != nil {
		return Object{}, err
	}
	last, limit := files[len(files)-1], ""
	if !rows {
		files, limit = files[len(files)-1:], " LIMIT 0"
	}
	var quoted []string
	for _, file := range files {
		if err := l.checkFile(file); err != nil {
			return Object{}, err
		}
		quoted = append(quoted, quoteText(file))
	}
	// Cluster and day are those of the two folders below the table, whatever folders are above.
	copied := fmt.Sprintf(`CREATE OR REPLACE TABLE %s AS SELECT regexp_extract(filename, '(cluster=[^/]*/day=[^/]*)/[^/]*$', 1) AS run,
	nullif(url_decode(regexp_extract(filename, 'cluster=([^/]*)/day=[^/]*/[^/]*$', 1)), %s) AS cluster,
	regexp_extract(filename, 'day=([^/]*)/[^/]*$', 1)::DATE AS day, * EXCLUDE (filename)
FROM read_parquet([%s], filename = true, union_by_name = true, hive_partitioning = false)%s;`,
		quoteName(name), quoteText(tables.NoPartition), strings.Join(quoted, ", "), limit)
	if _, err := db.ExecContext(ctx, copied); err != nil {
		return Object{}, findDamaged(ctx, db, files, err)
	}
	return l.describe(ctx, db, name, last)
}

// findDamaged names the first file that cannot be read by itself, since DuckDB's error often names
// none. Without one the files do not fit together, or the disk is full, and err says so.
func findDamaged(ctx context.Context, db *sql.DB, files []string, err error) error {
	if lacksRoom(err) {
		return err
	}
	for _, file := range files {
		var rows, hash any
		alone := db.QueryRowContext(ctx, "SELECT count(*), bit_xor(hash(t)) FROM read_parquet($1) AS t", file).Scan(&rows, &hash)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if alone != nil {
			return runErrorf(file, "is damaged: %w", alone)
		}
	}
	return err
}

// filesOf are the files of a table, sorted.
func (l *lake) filesOf(name string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(l.dir, name, "cluster=*", "day=*", "*.parquet"))
	if err == nil && len(files) == 0 {
		err = runErrorf(filepath.Join(l.dir, name), "is not a table of a lake: it has no file cluster=…/day=…/….parquet")
	}
	return files, err
}

// checkFile refuses files that must not be passed to DuckDB: one whose folders do not name a
// cluster and a day, one whose path DuckDB would treat as a pattern, and one that is not a regular
// file.
func (l *lake) checkFile(file string) error {
	day := filepath.Dir(file)
	partition := filepath.Base(filepath.Dir(day)) + "/" + filepath.Base(day)
	if _, _, ok := partitioned(partition); !ok {
		return runErrorf(file, "is in folders that are not cluster=<name>/day=<date>")
	}
	if strings.ContainsAny(file, "*?[") {
		return runErrorf(file, "has a path that DuckDB takes for a pattern: a lake has no names with *, ? and [")
	}
	opened, err := input.Open(file)
	if err != nil {
		return err
	}
	return errors.Join(l.checkLinks(file), opened.Close())
}

// checkLinks refuses a file outside of the lake that a link leads to: a lake may be a stranger's,
// and shows nothing else.
func (l *lake) checkLinks(file string) error {
	within, err := filepath.EvalSymlinks(l.dir)
	if err != nil {
		return err
	}
	place, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	if rest, err := filepath.Rel(within, place); err != nil || !filepath.IsLocal(rest) {
		return runErrorf(file, "is behind a link that leads out of the lake: copy the file to its place")
	}
	return nil
}

// describe is a copied table with the comments that a file of it has. It names only columns that
// the table has: the comments may be of another program.
func (l *lake) describe(ctx context.Context, db *sql.DB, name, file string) (o Object, err error) {
	var text, comment sql.NullString
	err = db.QueryRowContext(ctx, `SELECT decode(max(value) FILTER (decode(key) = $1)), decode(max(value) FILTER (decode(key) = 'comment')) FROM parquet_kv_metadata($2)`, sparkMetadata, file).Scan(&text, &comment)
	if err != nil {
		return o, err
	}
	var schema sparkSchema
	if text.Valid {
		if err := json.Unmarshal([]byte(text.String), &schema); err != nil {
			return o, runErrorf(file, "has a malformed schema in its metadata: %w", err)
		}
	}
	sentences := map[string]string{}
	for _, f := range schema.Fields {
		sentences[f.Name] = f.Metadata["comment"]
	}
	for _, c := range runColumns {
		sentences[c.Name] = c.Comment
	}
	o = Object{Kind: "TABLE", Schema: mainSchema, Name: name, Sentence: comment.String}
	rows, err := db.QueryContext(ctx, "SELECT column_name FROM duckdb_columns() WHERE database_name = $1 AND schema_name = 'main' AND table_name = $2 ORDER BY column_index", catalog, name)
	if err != nil {
		return o, err
	}
	defer rows.Close()
	for rows.Next() {
		var c ObjectColumn
		if err := rows.Scan(&c.Name); err != nil {
			return o, err
		}
		c.Sentence = sentences[c.Name]
		o.Columns = append(o.Columns, c)
	}
	return o, rows.Err()
}
