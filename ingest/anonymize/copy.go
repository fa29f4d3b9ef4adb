package anonymize

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A Result maps names to those in the copy.
type Result struct {
	e     *editor
	dir   string
	trees []string
	Names int // number of replaced names, not counting operations and jobs, which are numbered
}

// Copy copies the trace in a directory to w, which the caller commits, and returns the manifest of the
// copy. The same key gives the same names the same replacements in a trace that has the same names;
// without one the order of the replacements is random.
func Copy(ctx context.Context, dir string, key []byte, w *trace.Writer) (*Result, trace.Manifest, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return nil, trace.Manifest{}, err
	}
	trees, err := m.TreesIn(dir)
	if err != nil {
		return nil, trace.Manifest{}, err
	}
	if len(key) == 0 {
		key = make([]byte, sha256.Size)
		if _, err := rand.Read(key); err != nil {
			return nil, trace.Manifest{}, fmt.Errorf("choose an order of the names: %w", err)
		}
	}
	e := &editor{names: names{kinds: map[string]kind{}, key: key}, referred: map[string]core.JobID{}, listed: map[string]int64{}, collecting: true}
	for _, tree := range trees {
		e.names.replace(treeName, tree)
	}
	for code := range m.Quarantined {
		e.word(code)
	}
	all := trace.Copy{Dir: dir, Trees: trees, Edit: e.edit}
	if err := all.Run(ctx); err != nil {
		return nil, trace.Manifest{}, err
	}
	if err := e.findJobs(ctx, dir, trees); err != nil {
		return nil, trace.Manifest{}, err
	}
	e.collecting = false
	e.names.chooseReplacements()
	all.To = w
	all.Name = func(tree string) string { return e.names.replace(treeName, tree) }
	if err := all.Run(ctx); err != nil {
		return nil, trace.Manifest{}, err
	}
	for code, n := range m.Quarantined {
		more := n - e.listed[code] // that were too many to be listed
		w.CountProblems(e.word(code), more)
	}
	to := *m
	to.Trees = nil
	for _, tree := range trees {
		to.Trees = append(to.Trees, e.names.replace(treeName, tree))
	}
	slices.Sort(to.Trees)
	if to.Cluster != "" {
		to.Cluster = "cluster"
	}
	to.Sources, to.Log, to.Dialect, to.Notes = nil, nil, nil, nil
	return &Result{e, dir, trees, len(e.names.to)}, to, nil
}

// findJobs finds the jobs that rows of others name, and those that share an id.
func (e *editor) findJobs(ctx context.Context, dir string, trees []string) error {
	e.ids.sort()
	for _, tree := range trees {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := trace.EachRow(filepath.Join(dir, trace.TreeDir(tree)), trace.Jobs, 0, func(r *trace.Job) error {
			first, named := e.referred[r.ID]
			if (named || e.ids.several(r.ID)) && (!named || first < 0) {
				e.referred[r.ID] = r.Job
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for id, job := range e.referred {
		if job < 0 {
			e.names.replace(jobName, id)
		}
	}
	return nil
}

// Subject returns what the subject of a finding is called in the copy, given its kind: a pool may
// be named by its path. The text itself is returned if the trace has no such name.
func (r *Result) Subject(kind, text string) (string, error) {
	to := text
	var err error
	switch kind {
	case "operation":
		err = trace.EachRow(filepath.Join(r.dir, "dim"), trace.Operations, 0, func(row *trace.Operation) error {
			if row.ID == text {
				to = numbered(operationWord, int(row.Op), r.e.operations)
			}
			return nil
		})
	case "job":
		for _, tree := range r.trees {
			err = errors.Join(err, trace.EachRow(filepath.Join(r.dir, trace.TreeDir(tree)), trace.Jobs, 0, func(row *trace.Job) error {
				if row.ID == text {
					to = numbered(jobWord, int(r.e.numberOf(row)), int(r.e.jobs))
				}
				return nil
			}))
		}
	default:
		to = r.Name(text)
	}
	return to, err
}

// Name returns what a tree, a node, a user, a pool or a path of pools is called in the copy.
func (r *Result) Name(text string) string {
	if to, known := r.e.names.to[text]; known {
		return to
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		i := strings.IndexAny(rest, "/$")
		if i < 0 {
			i = len(rest)
		}
		b.WriteString(cmp.Or(r.e.names.to[rest[:i]], rest[:i]))
		b.WriteString(rest[i:min(i+1, len(rest))])
		rest = rest[min(i+1, len(rest)):]
	}
	return b.String()
}
