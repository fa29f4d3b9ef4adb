package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core/rows"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/parquetlog"
)

// errOrder is in the error of a row that is not in its place.
var errOrder = errors.New("and rows are in the order of (time, seq), those of dim in that of their numbers from 0")

// Options of a Writer.
type Options struct {
	Replace      bool // an existing trace is replaced; otherwise it is an error
	RowGroupRows int  // rows in a row group; 0 for the default
	Trees        int  // how many there will be, so that their tables share the memory; 0 for a few

	Passing bool // the trace is of this process alone, which removes it: it is not written to the disk with care
	// Completed, if set, is called after each table that Commit completes; its
	// error is that of Commit, which gives up.
	Completed func(done, all int) error
}

// A Writer makes a bundle that appears as a whole. Exactly one of Commit and Abort
// ends it; after an error only Abort may be called. Tables without rows are not written.
//
// Rows of one table come in the order of (time, seq), those of dim/ in the
// order of their number; anything else is an error, because readers take such
// rows for damage. A Writer is for one goroutine.
type Writer struct {
	adder       // of dim/ and global/
	dir         *atomicdir.Directory
	options     Options
	tables      map[string]output // by TableKey
	trees       map[string]*TreeWriter
	quarantined map[string]int64
}

// Create starts a trace in dir. If dir exists and is not a trace, or must not be replaced, the error wraps
// fs.ErrExist.
func Create(dir string, o Options) (*Writer, error) {
	directory, err := atomicdir.New(dir, atomicdir.Options{Replace: o.Replace, Passing: o.Passing, What: "trace", Check: func(dir string) error {
		_, err := ReadManifest(dir)
		return err
	}})
	if err != nil {
		return nil, err
	}
	w := &Writer{
		adder: adder{}, dir: directory, options: o,
		tables: map[string]output{}, trees: map[string]*TreeWriter{}, quarantined: map[string]int64{},
	}
	w.open(w, dimDir)
	w.open(w, globalDir)
	return w, nil
}

// Add adds a row to the table of its type in dim/ or global/. It counts problems in the manifest.
func (w *Writer) Add(row any) error {
	if p, ok := row.(*Problem); ok {
		w.quarantined[p.Code]++
	}
	return w.adder.Add(row)
}

// CountProblems counts problems in the manifest that global/problems does not hold,
// because there are too many of their code.
func (w *Writer) CountProblems(code string, n int64) { w.quarantined[code] += n }

// Tree returns the writer of a tree's tables, the same for the same name.
func (w *Writer) Tree(name string) *TreeWriter {
	if t := w.trees[name]; t != nil {
		return t
	}
	t := &TreeWriter{adder: adder{}}
	t.open(w, TreeDir(name))
	w.trees[name] = t
	return t
}

// Commit completes the tables, writes the manifest and moves the trace into place. It fills what
// only the Writer knows: FormatVersion, Tables, Trees where it is empty, and the counts of
// quarantined rows. A trace that is replaced stays until the new one is complete.
func (w *Writer) Commit(m Manifest) error {
	m.FormatVersion = FormatVersion
	m.Tables = map[string]Extent{}
	for i, key := range slices.Sorted(maps.Keys(w.tables)) {
		stats, err := w.tables[key].close()
		if err != nil {
			return err
		}
		if w.options.Completed != nil {
			if err := w.options.Completed(i+1, len(w.tables)); err != nil {
				return err
			}
		}
		if stats.Rows > 0 {
			m.Tables[key] = stats
		}
	}
	if m.Trees == nil {
		m.Trees = slices.Sorted(maps.Keys(w.trees))
	}
	m.Quarantined = w.quarantined
	for _, tree := range m.Trees {
		// A tree without any row still has its folder, so that it is seen.
		if err := os.MkdirAll(filepath.Join(w.dir.Path, TreeDir(tree)), 0o777); err != nil {
			return fmt.Errorf("commit trace: %w", err)
		}
	}
	b, err := m.encode()
	if err != nil {
		return fmt.Errorf("commit trace: %w", err)
	}
	if err := os.WriteFile(filepath.Join(w.dir.Path, ManifestName), b, 0o666); err != nil {
		return fmt.Errorf("commit trace: %w", err)
	}
	return w.dir.Commit()
}

// AddNote adds a file for people, which no reader of the trace reads.
func (w *Writer) AddNote(name, text string) error {
	if err := os.WriteFile(filepath.Join(w.dir.Path, name), []byte(text), 0o666); err != nil {
		return fmt.Errorf("write the trace's note: %w", err)
	}
	return nil
}

// Scratch names a folder for what is needed only until Commit. The caller that makes it removes
// it.
func (w *Writer) Scratch() string { return filepath.Join(w.dir.Path, "scratch") }

// Abort gives the trace up and leaves nothing behind. After Commit has
// succeeded it does nothing, so it may be deferred.
func (w *Writer) Abort() {
	for _, key := range slices.Sorted(maps.Keys(w.tables)) {
		w.tables[key].abort()
	}
	w.dir.Abort()
}

// An output is a table being written.
type output interface {
	add(row any) error
	addAt(row any, at Stamp) error
	close() (Extent, error)
	abort()
}

// A sink is the output of rows of type T. Its file is made at the first row.
type sink[T any] struct {
	of      *parquetlog.TableOf[T]
	table   *Table
	path    string
	options parquetlog.Options
	writer  *parquetlog.Writer[T]
	stats   Extent
	last    Stamp
}

// layoutOf returns how the files of a table are cut.
func (o *Options) layoutOf(t *Table) parquetlog.Options {
	layout := parquetlog.Options{RowGroupRows: o.RowGroupRows, PageBytes: largePage}
	if !t.Large {
		layout.PageBytes = smallPage
	}
	if o.Trees > fewTrees {
		layout.PageBytes = max(layout.PageBytes*fewTrees/o.Trees, leastPage)
	}
	return layout
}

// Every column of a table that has rows holds a buffer of the size of a page:
// smallPage in tables that stay small, largePage in others. Where there are more
// than a few trees they share what a few would take.
const (
	largePage = 1 << 20
	smallPage = 1 << 16
	leastPage = 1 << 12
	fewTrees  = 4
)

func (s *sink[T]) add(row any) error {
	r := row.(*T)
	switch s.table.Order {
	case ByStamp:
		if err := s.order(StampOf(row)); err != nil {
			return err
		}
	case ByNumber:
		if number := *rows.At[int32](&s.table.Fields[0], row); int64(number) != s.stats.Rows {
			return fmt.Errorf("write table %s: row %d has the number %d, %w", s.table.Name, s.stats.Rows, number, errOrder)
		}
	}
	if s.writer == nil {
		if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
			return fmt.Errorf("write table %s: %w", s.table.Name, err)
		}
		var err error
		if s.writer, err = parquetlog.Create(s.of, s.path, s.options); err != nil {
			return err
		}
	}
	s.stats.Rows++
	return s.writer.Add(r)
}

func (s *sink[T]) addAt(row any, at Stamp) error {
	r := *row.(*T)
	*any(&r).(stamped).stamp() = at
	return s.add(&r)
}

// order checks the place of a row and keeps the table's span.
func (s *sink[T]) order(at Stamp) error {
	if s.stats.Rows > 0 && (at.Time < s.last.Time || at.Time == s.last.Time && at.Seq <= s.last.Seq) {
		return fmt.Errorf("write table %s: row %d (time %s, seq %d) stands after (time %s, seq %d), %w",
			s.table.Name, s.stats.Rows, formatTime(at.Time), at.Seq, formatTime(s.last.Time), s.last.Seq, errOrder)
	}
	if s.stats.Rows == 0 {
		s.stats.Min = at.Time
	}
	s.stats.Max, s.last = at.Time, at
	return nil
}

func (s *sink[T]) close() (Extent, error) {
	if s.writer == nil {
		return s.stats, nil
	}
	writer := s.writer
	s.writer = nil // with its buffers
	return s.stats, writer.Close()
}

func (s *sink[T]) abort() {
	if s.writer != nil {
		s.writer.Abort()
	}
}

// readNames returns the names in a folder, sorted; none if there is no folder.
func readNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
