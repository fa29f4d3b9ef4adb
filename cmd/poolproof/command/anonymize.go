package command

import (
	"context"
	"fmt"
	"path/filepath"

	"poolproof/ingest/anonymize"
	"poolproof/ingest/atomicdir"
	"poolproof/ingest/input"
	"poolproof/ingest/trace"
)

const anonymizeHelp = "replace the names of cluster, trees, pools, users, operations, jobs, nodes and tags, in random order; times, amounts, the structure of pools and the words that the format declares stay"

const anonymizeKeyHelp = "`FILE` of at least 16 secret bytes that the order of the replacements follows from, so that it repeats; with --anonymize"

// readAnonymizeKey reads the key of --anonymize-key; none without a file.
func readAnonymizeKey(file string, anonymous bool) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	if !anonymous {
		return nil, usagef("--anonymize-key goes with --anonymize")
	}
	key, err := input.ReadAll(file, 1<<16)
	if err == nil && len(key) < 16 {
		err = usagef("--anonymize-key %s has %d bytes: give at least 16 that nobody can guess", file, len(key))
	}
	return key, err
}

// anonymizeInto copies the trace in a directory under other names.
func anonymizeInto(ctx context.Context, dir, out string, key []byte, o trace.Options) (*anonymize.Result, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	o.Trees = len(m.Trees)
	w, err := trace.Create(out, o)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	result, to, err := anonymize.Copy(ctx, dir, key, w)
	if err != nil {
		return nil, err
	}
	to.CreatedBy = "poolproof --anonymize " + version
	return result, w.Commit(to)
}

// An importPlace is the directory to which an import writes its trace: the final one, or one beside
// it if names are to be replaced.
type importPlace struct {
	out       string
	replace   bool
	rowGroup  int
	anonymous bool
	key       []byte // of the order of the replacements

	path    string             // that the importer is given
	scratch *atomicdir.Scratch // nil if it writes in place
}

// checkOutput refuses an output that cannot be made, before a log is read for it.
func (p *importPlace) checkOutput() error {
	p.path = p.out
	if !p.anonymous {
		return nil
	}
	err := freeForTrace(p.out, p.options())
	if err != nil {
		return err
	}
	out := filepath.Clean(p.out)
	if p.scratch, err = atomicdir.NewScratch(filepath.Dir(out), filepath.Base(out)); err != nil {
		return fmt.Errorf("make room for the trace with its names: %w", err)
	}
	p.path = filepath.Join(p.scratch.Path, "named")
	return nil
}

// freeForTrace refuses an output in whose place no trace can be made.
func freeForTrace(out string, o trace.Options) error {
	w, err := trace.Create(out, o)
	if err == nil {
		w.Abort()
	}
	return err
}

func (p *importPlace) options() trace.Options {
	return trace.Options{Replace: p.replace, RowGroupRows: p.rowGroup}
}

// replaceNames replaces the names, if they are to be, and says how many there are.
func (p *importPlace) replaceNames(ctx context.Context) (*anonymize.Result, error) {
	if !p.anonymous {
		return nil, nil
	}
	return anonymizeInto(ctx, p.path, p.out, p.key, p.options())
}

// end removes what was written beside the place.
func (p *importPlace) end() {
	if p.scratch != nil {
		_ = p.scratch.Remove() // the next one that writes here removes what is left
	}
}
