package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	wholefile "poolproof/ingest/atomicdir"
)

// A Database is the run.duckdb of a finished run, open for reading. A query of
// it can read what stands in the file and nothing else, and cannot change
// anything.
type Database struct {
	*sql.DB
	scratch *wholefile.Scratch
}

// OpenDatabase opens the database of the run in dir; a run without one is a
// *RunError.
func OpenDatabase(dir string) (*Database, error) {
	path := filepath.Join(dir, DatabaseName)
	switch _, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &RunError{dir, errors.New("has no " + DatabaseName + ": audit the run first")}
	case err != nil:
		return nil, err
	}
	scratch, err := wholefile.NewScratch(os.TempDir(), "poolproof")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", DatabaseName, err)
	}
	db, err := database{path: path, readOnly: true, threads: queryThreads, spill: scratch.Path}.open()
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
