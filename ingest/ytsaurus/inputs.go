package ytsaurus

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"poolproof/core"
	"poolproof/ingest/extsort"
	"poolproof/ingest/joblog"
)

// inputs are what an import reads.
type inputs struct {
	options  *Options
	files    []string // of rows
	dumps    []Export // of Orchid
	exported *exports
	scratch  string // a folder for what is needed only while importing
	memory   int64  // of the sorter
	stdin    spool
}

// load reads all rows. Which of them are strays shows at the end only: where there are
// some, it reads all again without them.
func (in *inputs) load(ctx context.Context) (*reading, error) {
	r, err := in.read(ctx, core.Span{})
	if err != nil {
		return nil, err
	}
	only, strays := r.within()
	if !strays {
		return r, nil
	}
	if err := r.sorter.Close(); err != nil {
		return nil, err
	}
	return in.read(ctx, only)
}

// read reads all rows once. Of a span that is not empty rows outside it become problems.
func (in *inputs) read(ctx context.Context, only core.Span) (_ *reading, err error) {
	sorter := extsort.New(extsort.Options{Memory: in.memory, Scratch: filepath.Join(in.scratch, "rows")})
	defer func() {
		if err != nil {
			sorter.Close()
		}
	}()
	l := newLoader(in.options, sorter)
	l.only = only
	l.learn(in.exported)
	r := &reading{loader: l, ctx: ctx, total: totalSize(in.files), scratch: in.scratch, stdin: &in.stdin, budget: in.options.Pages.Budget()}
	for _, path := range in.files {
		if err := r.file(path); err != nil {
			return nil, err
		}
	}
	if err := r.orchids(in.dumps); err != nil {
		return nil, err
	}
	return r, sorter.Finish()
}

func (in *inputs) close() { in.stdin.close() }

// A spool keeps standard input, which can be read but once, for reading it again.
type spool struct{ file *os.File }

// open opens a source.
func (r *reading) open(path string) (*sourceReader, error) {
	if path != joblog.Stdin {
		return openSource(path)
	}
	in, err := r.stdin.reader(r.scratch)
	if err != nil {
		return nil, err
	}
	f, err := joblog.NewFile(path, in)
	if err != nil {
		return nil, err
	}
	return newSource(f)
}

// reader reads standard input: the first time from itself, then from a file below
// scratch, which has no name any more.
func (s *spool) reader(scratch string) (io.Reader, error) {
	if s.file != nil {
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, fmt.Errorf("read standard input again: %w", err)
		}
		return s.file, nil
	}
	if err := os.MkdirAll(scratch, 0o777); err != nil {
		return nil, fmt.Errorf("keep standard input: %w", err)
	}
	path := filepath.Join(scratch, "stdin")
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("keep standard input: %w", err)
	}
	s.file = f
	if err := os.Remove(path); err != nil {
		return nil, fmt.Errorf("keep standard input: %w", err)
	}
	return io.TeeReader(os.Stdin, f), nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
}
