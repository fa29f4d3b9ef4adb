package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Database is the run.duckdb of a finished run, open for reading. A query of
// it can read what stands in the file and nothing else, and cannot change
// anything.
type Database struct {
	*sql.DB
	spill string
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
	spill, err := os.MkdirTemp("", "poolproof-*")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", DatabaseName, err)
	}
	db, err := database{path: path, readOnly: true, threads: queryThreads, spill: spill}.open()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(spill))
	}
	db.SetMaxOpenConns(1) // a second one could not lock the configuration again
	return &Database{db, spill}, nil
}

// Close closes the database and removes what was spilled.
func (d *Database) Close() error { return errors.Join(d.DB.Close(), os.RemoveAll(d.spill)) }
