package ingest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"poolproof/core"
	"poolproof/ingest/input"
	"poolproof/ingest/opspec"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A Trace is a native bundle, opened for reading. Its methods may be called
// from several goroutines; Problems and ProblemCounts only while no stream runs.
type Trace struct {
	dir        string
	memory     Memory
	manifest   *trace.Manifest
	trees      []string
	dimensions *core.Dimensions
	operations []operation // by id

	mu       sync.Mutex
	problems map[string]*problems // by tree; "" for what concerns none
	global   map[string]*problems // of the tables under global/, by the tree they were read with
	silent   map[string]int64     // by tree
	use      map[string]use       // by tree
	lost     map[string][]LostRows
}

// An operation holds the columns of dim/operations that streams need.
type operation struct {
	gang core.Optional[bool]
	spec *opspec.Spec // nil if the log holds none that can be read
}

// Memory bounds what each stream of a trace takes, in bytes.
type Memory struct {
	Pages   parquetlog.Memory
	Sorting int64 // of rows of an unsorted table, before they go to the folder for temporary files; 0 for 64 MiB
}

// Open opens the trace in dir and reads its manifest, dimensions and the
// problems of its import. An error for which input.IsBad holds says that dir holds
// no trace, or a damaged one.
func Open(dir string) (*Trace, error) { return OpenWithin(dir, Memory{}) }

// OpenWithin opens a trace whose streams have that memory.
func OpenWithin(dir string, memory Memory) (*Trace, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	t := &Trace{dir: dir, memory: memory, manifest: m, problems: map[string]*problems{"": newProblems()}, global: map[string]*problems{}, silent: map[string]int64{}, use: map[string]use{}, lost: map[string][]LostRows{}, dimensions: &core.Dimensions{}}
	if t.trees, err = m.TreesIn(dir); err != nil {
		return nil, fmt.Errorf("open trace: %w", err)
	}
	for _, read := range []func() error{t.readOperations, t.readPools, t.readNodes, t.readProblems} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Memory returns the memory of each of its streams.
func (t *Trace) Memory() Memory { return t.memory }

// Manifest returns what the trace says of itself.
func (t *Trace) Manifest() *trace.Manifest { return t.manifest }

// Dimensions returns what the ids in the events mean.
func (t *Trace) Dimensions() *core.Dimensions { return t.dimensions }

// Profile returns the profile that the manifest names, the default if it names
// none.
func (t *Trace) Profile() (core.Profile, error) {
	p, err := core.ParseProfile(t.manifest.Profile)
	if err != nil {
		return p, &parquetlog.FormatError{File: filepath.Join(t.dir, trace.ManifestName), Found: err.Error(),
			Advice: "Mend the manifest's profile, or name one by --profile."}
	}
	return p, nil
}

// StateChanges returns how many good rows of a tree's allocations its last stream passed over:
// those without usage make no event.
func (t *Trace) StateChanges(tree string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.silent[tree]
}

// Trees returns the names of the trees, sorted.
func (t *Trace) Trees() []string { return slices.Clone(t.trees) }

// Window returns the time to be judged. Events before it are warm-up.
func (t *Trace) Window() core.Span { return core.Span(t.manifest.Window) }

// files returns the files of a table. A table that the manifest counts rows of
// must be there: a copy of a trace is sometimes incomplete.
func (t *Trace) files(folder, table string) ([]string, error) {
	files, err := trace.Files(filepath.Join(t.dir, folder), table)
	if err != nil {
		return nil, err
	}
	key := trace.TableKey(folder, table)
	if n := t.manifest.Tables[key].Rows; n > 0 && len(files) == 0 {
		return nil, &parquetlog.FormatError{File: filepath.Join(t.dir, folder, table+"*.parquet"),
			Found:  fmt.Sprintf("the file is missing, and the manifest counts %d rows in it", n),
			Advice: "Copy the trace again, all of it, or import the log again."}
	} else if n > 0 {
		empty, err := allEmpty(files)
		if err != nil {
			return nil, fmt.Errorf("open trace: %w", err)
		}
		if empty {
			return nil, &parquetlog.FormatError{File: files[0],
				Found:  fmt.Sprintf("the file is empty, and the manifest counts %d rows in its table", n),
				Advice: "Copy the trace again, all of it, or import the log again."}
		}
	}
	return files, nil
}

// allEmpty reports whether no file holds a byte: some writers leave such a file
// for a table without rows.
func allEmpty(files []string) (bool, error) {
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() > 0 {
			return false, err
		}
	}
	return true, nil
}

// source is the name of a file in problems.
func (t *Trace) source(file string) string {
	name, err := filepath.Rel(t.dir, file)
	if err != nil {
		return file
	}
	return filepath.ToSlash(name)
}

// each calls use with every batch of a table.
func (t *Trace) each(folder string, table *parquetlog.Table, o parquetlog.ReadOptions, use func(source string, b *parquetlog.Batch)) error {
	files, err := t.files(folder, table.Name)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := eachBatch(table, file, o, func(b *parquetlog.Batch) { use(t.source(file), b) }); err != nil {
			return err
		}
	}
	return nil
}

func eachBatch(table *parquetlog.Table, file string, o parquetlog.ReadOptions, use func(*parquetlog.Batch)) error {
	r, err := parquetlog.Open(table, file, o)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF || errors.Is(err, io.EOF) && !input.IsBad(err) {
			return nil
		}
		if err != nil {
			return err
		}
		use(b)
	}
}
