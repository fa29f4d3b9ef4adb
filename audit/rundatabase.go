package audit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	wholefile "poolproof/ingest/atomicdir"
	"poolproof/ingest/input"
)

// holdRun lets one audit at a time work on a run, until what it returns is closed.
func holdRun(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("begin the audit: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, &StoreError{dir, "another audit of it is at work: wait until that has ended", err}
	} // where locks are not to be had, there is none
	return f, nil
}

// target returns the path of the run's database.
func (r *runner) target() string { return filepath.Join(r.opts.Dir, DatabaseName) }

// open opens the database to judge, and says where that is: the run's own where it is current,
// else one that is loaded anew. Some audits alone, which write nothing, work on a copy.
func (r *runner) open(ctx context.Context) (db *sql.DB, path string, err error) {
	path = filepath.Join(r.work, DatabaseName)
	if !isCurrent(ctx, r.target(), r.manifest, r.opts.Memory) {
		if r.partial && r.fits() {
			path = inMemory
		}
		db, err = r.load(ctx, path)
		return db, path, err
	}
	// The tables are judged, and the database is only their copy: without this check a database
	// would be trusted after its tables changed.
	if err := r.manifest.verify(ctx, r.opts.Dir); err != nil {
		return nil, "", err
	}
	if !r.partial {
		path = r.target()
	} else if err := copyFile(path, r.target()); err != nil {
		return nil, "", fmt.Errorf("copy %s: %w", DatabaseName, err)
	}
	db, err = database{path: path, threads: r.threads(), memory: r.opts.Memory, spill: r.spill()}.open()
	return db, path, err
}

// isCurrent reports whether a database holds the result that the manifest tells
// of, as this version of the program loads it.
func isCurrent(ctx context.Context, path string, m *manifest, memory Memory) bool {
	if _, err := os.Stat(path); err != nil || m.ResultDigest == "" {
		return false
	}
	db, err := database{path: path, readOnly: true, memory: memory}.open()
	if err != nil {
		return false
	}
	defer db.Close()
	var result, columns string
	err = db.QueryRowContext(ctx, "SELECT result_digest, columns_digest FROM internal.loaded").Scan(&result, &columns)
	return err == nil && result == m.ResultDigest && columns == columnsDigest()
}

// load makes a database of the result tables and leaves it open: to close it and open it again
// takes half as long as to load a small run.
func (r *runner) load(ctx context.Context, path string) (*sql.DB, error) {
	r.opts.Started("loading")
	db, err := database{path: path, threads: r.threads(), memory: r.opts.Memory, spill: r.spill(), loading: true}.open()
	if err != nil {
		return nil, err
	}
	if err := r.loader().load(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if r.large() && path != inMemory { // what lies in the file need not stay in memory
		if _, err := db.ExecContext(ctx, "CHECKPOINT "+catalog); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

func (r *runner) loader() *loader {
	return &loader{dir: r.opts.Dir, manifest: r.manifest, reads: r.reads, extracted: r.opts.Extracted,
		fresh: r.opts.Fresh, described: r.lasts(), atATime: r.opts.Workers, memory: r.opts.Memory, take: r.opts.Take}
}

// usualRoom is the default memory limit of a database, in bytes.
const usualRoom = 4 << 30

// fits reports whether what is loaded, not compressed, takes at most a quarter of what the
// database may take. To compress it for a file takes longer than to load it.
func (r *runner) fits() bool {
	return r.loader().values()*8 <= int64(cmp.Or(r.opts.Memory, usualRoom))/4
}

// lasts reports whether somebody may open the database when the audit has ended, and read what
// its tables and columns mean.
func (r *runner) lasts() bool { return !r.partial }

// rowGroup is the number of rows that DuckDB gives to a thread at a time.
const rowGroup = 122_880

// threads returns the number of threads of DuckDB in addition to concurrent audits or loads: the
// number of workers, which keep most cores busy. Several threads of one query wait for each other
// and are useless if no table has work for more than one.
func (r *runner) threads() int {
	if r.large() {
		return max(r.opts.Workers/2, 1)
	}
	return 1
}

// large reports whether a table has more than one group of rows.
func (r *runner) large() bool {
	for _, rows := range r.manifest.rows() {
		if rows > rowGroup {
			return true
		}
	}
	return false
}

func (r *runner) spill() string { return filepath.Join(r.work, "spill") }

// place puts a database with its verdict in the place of the run's own, unless it is that.
func (r *runner) place(path string) error {
	if path == r.target() {
		return nil
	}
	if err := wholefile.Sync(path); err != nil {
		return err
	}
	if err := r.withdraw(); err != nil {
		return err
	}
	// A log of the old file would be replayed into the new one.
	if err := os.Remove(r.target() + ".wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace %s: %w", DatabaseName, err)
	}
	if err := os.Rename(path, r.target()); err != nil {
		return fmt.Errorf("move %s into place: %w", DatabaseName, err)
	}
	r.replaced = true
	return nil
}

// verdictFiles tell a verdict beside the database.
var verdictFiles = []string{FindingsName, "report.html"}

// withdraw takes away the files of the verdict that the database is about to lose. An
// audit that is killed leaves a run without a verdict rather than with two.
func (r *runner) withdraw() error {
	for _, name := range verdictFiles {
		err := os.Rename(filepath.Join(r.opts.Dir, name), filepath.Join(r.work, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("withdraw the verdict before: %w", err)
		}
	}
	return nil
}

// restore gives the files of a verdict back that still is that of the database.
func (r *runner) restore() {
	if r.replaced {
		return
	}
	for _, name := range verdictFiles {
		_ = os.Rename(filepath.Join(r.work, name), filepath.Join(r.opts.Dir, name)) // most often it was not taken
	}
}

// copyFile copies a file to a new one.
func copyFile(to, from string) (err error) {
	source, err := input.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
