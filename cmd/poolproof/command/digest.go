package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"poolproof/ingest/input"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
	"poolproof/replay/tables"
)

// inputFiles are the files of a trace as they were before the first of them was
// read. A replay reads them several times, so they are digested once before and
// once after: a run that names digests was judged from those bytes.
type inputFiles struct {
	dir   string
	files map[string]inputFile // by path in the trace, with slashes
}

// An inputFile is a file as it was found.
type inputFile struct {
	state  fileState
	sha256 string
}

// A fileState distinguishes a file from later versions of it.
type fileState struct {
	device, inode uint64
	size          int64
	modified      syscall.Timespec
	changed       syscall.Timespec // also by what sets the time of the change back
}

// digestInputs digests the files of a trace.
func digestInputs(ctx context.Context, dir string) (*inputFiles, error) {
	in := &inputFiles{dir: dir, files: map[string]inputFile{}}
	names, err := trace.InputFiles(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		file, err := in.digestFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // what has to be there is missed by the reader, with advice
		}
		if err != nil {
			return nil, fmt.Errorf("digest the trace: %w", err)
		}
		in.files[filepath.ToSlash(name)] = file
	}
	return in, nil
}

// digestFile digests one file.
func (in *inputFiles) digestFile(name string) (file inputFile, err error) {
	path := filepath.Join(in.dir, name)
	f, err := input.Open(path)
	if err != nil {
		return file, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return file, err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		file.state = fileState{uint64(s.Dev), s.Ino, s.Size, s.Mtim, s.Ctim}
	}
	file.sha256, err = tables.Digest(f)
	return file, err
}

// digests returns the SHA-256 of every file, by its path in the trace.
func (in *inputFiles) digests() map[string]string {
	sums := map[string]string{}
	for name, file := range in.files {
		sums[name] = file.sha256
	}
	return sums
}

// verify is bad input if a file of the trace is another one than at first, has
// gone or has come.
func (in *inputFiles) verify(ctx context.Context) error {
	now, err := digestInputs(ctx, in.dir)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for name := range in.files {
		names[name] = true
	}
	for name := range now.files {
		names[name] = true
	}
	var changed []string
	for name := range names {
		before, was := in.files[name]
		after, is := now.files[name]
		if was != is || before != after {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	return &parquetlog.FormatError{File: filepath.Join(in.dir, filepath.FromSlash(changed[0])),
		Found:  "it changed while the trace was read, so that it is unknown what was judged",
		Advice: "Wait until the trace is no longer written, and begin again."}
}

// blame returns the change of a trace instead of what a reader made of it: a file
// that is written to reads as damaged, and one that was digested may be gone before it is
// opened.
func (in *inputFiles) blame(ctx context.Context, err error) error {
	if !input.IsBad(err) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var changed *parquetlog.FormatError
	if errors.As(in.verify(ctx), &changed) {
		return changed
	}
	return err
}
