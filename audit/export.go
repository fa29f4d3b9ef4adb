package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"poolproof/core/spelling"
	wholefile "poolproof/ingest/atomicdir"
	"poolproof/replay/tables"
)

// stageCatalog is the database that an export copies tables and views into: the run's own is locked,
// since its views may be a stranger's.
const stageCatalog = "stage"

// Export writes tables and views of the audited run in dir into a lake. What the lake holds of
// the same cluster and start is replaced, each file whole, once all of them are written. It returns
// the files, relative to the lake.
func Export(ctx context.Context, dir, lake string, names []string, memory Memory) (files []string, err error) {
	place, err := placeInLake(dir)
	if err != nil {
		return nil, err
	}
	if err := hasDatabase(dir); err != nil {
		return nil, err
	}
	scratch, err := wholefile.NewScratch(os.TempDir(), "poolproof")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scratch.Remove()) }()
	x := export{run: filepath.Join(dir, DatabaseName), scratch: scratch.Path, stage: filepath.Join(scratch.Path, "stage.duckdb"), memory: memory}
	things, err := x.fillStage(ctx, names)
	if err != nil {
		return nil, orStore(x.run, err)
	}
	into, err := newLakeWriter(lake)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, into.end()) }()
	if err := x.writeFiles(ctx, things, into); err != nil {
		return nil, err
	}
	for _, name := range names {
		files = append(files, filepath.Join(name, place))
	}
	return files, into.place(files)
}

// placeInLake is the path of the files of a run below the folder of their table.
func placeInLake(dir string) (string, error) {
	m, err := readManifest(dir)
	if err != nil {
		return "", err
	}
	from, err := time.Parse(time.RFC3339Nano, m.From)
	if err != nil {
		return "", runErrorf(dir, "has a manifest whose window begins at %q", m.From)
	}
	return filepath.Join(tables.Partition("cluster", m.Cluster), tables.Partition("day", from.UTC().Format(time.DateOnly)),
		from.UTC().Format("20060102T150405.999999Z")+".parquet"), nil
}

// An export copies from run to stage, and from there to files.
type export struct {
	run, stage, scratch string
	memory              Memory
}

// fillStage copies tables and views of the run into the stage. Views are asked here, by a connection
// that may read no file.
func (x *export) fillStage(ctx context.Context, names []string) (chosen []*lakeThing, err error) {
	// One thread: the rows of a file stand in one order, and its row groups are cut at the same places.
	db, err := database{path: x.run, readOnly: true, stage: x.stage, threads: 1, memory: x.memory, spill: x.scratch}.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	things, err := lakeThings(ctx, db)
	if err != nil {
		return nil, ofDatabase(x.run, err)
	}
	for _, name := range names {
		thing, ok := things[name]
		if !ok {
			return nil, &UsageError{fmt.Errorf("run.duckdb has no table or view %q; %s", name, spelling.MeantName(name, keys(things)))}
		}
		order := ""
		if thing.view {
			order = " ORDER BY ALL" // those of a table keep their order
		}
		copied := fmt.Sprintf("CREATE OR REPLACE TABLE %s.%s AS FROM %s.%s%s", quoteName(stageCatalog),
			quoteIn(mainSchema, name), quoteName(catalog), quoteIn(mainSchema, name), order)
		if _, err := db.ExecContext(ctx, copied); err != nil && (ctx.Err() != nil || lacksRoom(err)) {
			return nil, fmt.Errorf("export %s: %w", name, err)
		} else if err != nil {
			return nil, runErrorf(x.run, "gives no answer to %s: %w", name, err)
		}
		chosen = append(chosen, thing)
	}
	return chosen, nil
}

// writeFiles writes the tables of the stage as Parquet, each into a file of its number.
func (x *export) writeFiles(ctx context.Context, things []*lakeThing, into *lakeWriter) (err error) {
	db, err := database{path: x.stage, threads: 1, memory: x.memory, spill: x.scratch}.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for i, thing := range things {
		if err := thing.copyTo(ctx, db, into.staged(i)); err != nil {
			return fmt.Errorf("export %s: %w", thing.name, err)
		}
	}
	return nil
}

// copyTo writes the rows of the staged table to a file.
func (t *lakeThing) copyTo(ctx context.Context, db *sql.DB, file string) error {
	schema, err := t.schema()
	if err != nil {
		return err
	}
	copied := fmt.Sprintf("COPY (FROM %s) TO %s (FORMAT PARQUET, COMPRESSION ZSTD, KV_METADATA {%s: %s, comment: %s})",
		quoteName(t.name), quoteText(file), quoteText(sparkMetadata), quoteText(schema), quoteText(t.comment))
	_, err = db.ExecContext(ctx, copied)
	return err
}

// A lakeWriter adds files to a lake: they are written aside and take their places together.
// Folders that it made are removed unless files came into them.
type lakeWriter struct {
	lake    string
	scratch *wholefile.Scratch
	made    []string // folders, those above before those below
}

func newLakeWriter(lake string) (w *lakeWriter, err error) {
	w = &lakeWriter{lake: lake}
	if err := w.makeFolder(lake); err != nil {
		return nil, errors.Join(err, w.end())
	}
	if w.scratch, err = wholefile.NewScratch(lake, "export"); err != nil {
		return nil, errors.Join(err, w.end())
	}
	return w, nil
}

// staged returns the temporary path of the file with a number.
func (w *lakeWriter) staged(i int) string {
	return filepath.Join(w.scratch.Path, fmt.Sprintf("%d.parquet", i))
}

// place moves all files to their places.
func (w *lakeWriter) place(files []string) error {
	for _, file := range files {
		target := filepath.Join(w.lake, file)
		if err := w.makeFolder(filepath.Dir(target)); err != nil {
			return err
		}
		if info, err := os.Lstat(target); err == nil && info.IsDir() {
			return &fs.PathError{Op: "replace", Path: target, Err: syscall.EISDIR}
		}
	}
	for i, file := range files {
		if err := os.Rename(w.staged(i), filepath.Join(w.lake, file)); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder makes a folder and those above it.
func (w *lakeWriter) makeFolder(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil
	}
	if above := filepath.Dir(path); above != path {
		if err := w.makeFolder(above); err != nil {
			return err
		}
	}
	err := os.Mkdir(path, 0o755)
	switch {
	case err == nil:
		w.made = append(w.made, path)
	case errors.Is(err, fs.ErrExist):
		if info, statErr := os.Stat(path); statErr == nil && info.IsDir() { // another export was faster
			return nil
		}
	}
	return err
}

// end removes what was written aside, and folders that are empty.
func (w *lakeWriter) end() (err error) {
	if w.scratch != nil {
		err = w.scratch.Remove()
	}
	for i := len(w.made) - 1; i >= 0; i-- {
		os.Remove(w.made[i]) // not one with files
	}
	return err
}
