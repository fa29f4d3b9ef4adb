package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	wholefile "poolproof/ingest/atomicdir"
	"poolproof/ingest/input"
)

// A Database is the run.duckdb of a finished run, open for reading. A query of
// it can read what stands in the file and nothing else, and cannot change
// anything.
type Database struct {
	*sql.DB
	scratch *wholefile.Scratch
}

// OpenDatabase opens the database of the run in dir; a run without one is bad
// input.
func OpenDatabase(dir string, memory Memory) (*Database, error) {
	if err := hasDatabase(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, DatabaseName)
	return openForReading(database{path: path, readOnly: true, threads: queryThreads, memory: memory}, path)
}

// hasDatabase returns an error if a run has no database, or one that is not a regular file.
func hasDatabase(dir string) error {
	file, err := input.Open(filepath.Join(dir, DatabaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return runErrorf(dir, "has no "+DatabaseName+": audit the run first")
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// openForReading opens a database, whose errors are those of the file at path.
func openForReading(d database, path string) (*Database, error) {
	scratch, err := wholefile.NewScratch(os.TempDir(), "poolproof")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", DatabaseName, err)
	}
	d.spill = scratch.Path
	db, err := d.open()
	if err != nil {
		return nil, errors.Join(err, scratch.Remove())
	}
	db.SetMaxOpenConns(1) // a second one could not lock the configuration again
	if err := db.Ping(); err != nil {
		db.Close()
		return nil, errors.Join(ofDatabase(path, err), scratch.Remove())
	}
	return &Database{db, scratch}, nil
}

// Close closes the database and removes what was spilled.
func (d *Database) Close() error { return errors.Join(d.DB.Close(), d.scratch.Remove()) }
