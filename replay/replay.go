package replay

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/resource"
	"poolproof/replay/tables"
)

// A Tree is one pool tree's recorded events, in the order (time, kind, seq).
type Tree struct {
	Name   string
	Events iter.Seq2[*core.Event, error]
}

// A Fact is what a trace says of how it knows something: an aspect and a state
// in the manifest's words, for example "demand" and "recorded".
type Fact struct{ Aspect, State string }

// Options of a replay.
type Options struct {
	Profile    core.Profile
	Window     core.Span // what is judged; earlier events warm the state up
	Warmup     core.Time // how long before the window the log begins; of what comes earlier yet it holds what was alive then
	Resolution float64   // a row closes when a share moved by more, see DefaultResolution
	Workers    int       // trees replayed at a time; 0 is 1

	// Measured says of which resources the trace knows both what nodes have and
	// what jobs take, so that a node can be over its capacity.
	Measured [resource.Kinds]bool

	// Sized says of which resources the trace knows what nodes have. What jobs
	// take of one that is not Measured is known as requested, which is at most
	// too much.
	Sized [resource.Kinds]bool

	// Slacks are what the policy gives in place of the usual slacks and of those that
	// the cluster's periods make, by the names of judge.Settable.
	Slacks map[string]float64

	// ClockUncertainty is by how much the clocks of those who wrote the log may differ,
	// as it says itself (ingest/trace/FORMAT.md §4.2).
	ClockUncertainty core.Time

	// Facts become rows of the coverage table of every tree.
	Facts []Fact

	// Asks are the questions whose answers become rows of the table considerations.
	Asks []Ask

	// Cluster are all trees of the log, whichever are replayed, with at least the
	// events that NewSurvey looks at; nil if the replayed ones are all. Strays are
	// the changes of nodes while they belong to no tree or to several.
	Cluster []Tree
	Strays  iter.Seq2[*core.Event, error]

	// Problems, if set, returns the rows of the trace that could not be used. It
	// is called once, after the last event of all trees.
	Problems func() []tables.Problem

	// Progress, if set, is called now and then from a tree's goroutine.
	Progress func(tree string, events int64, now core.Time)
}

// DefaultResolution is the movement of a share that closes a row (design §6).
const DefaultResolution = 0.001

// A Summary says what a replay saw, per tree in the order given.
type Summary struct {
	Trees  []tables.Tree
	Names  []string
	Files  []tables.File // by path
	Slacks judge.Slacks  // as at the window's end
}

// Run replays the trees and writes their result tables under dir. The tables
// are complete only if it returns no error.
func Run(ctx context.Context, dir string, dims *core.Dimensions, trees []Tree, opts Options) (*Summary, error) {
	dictionaries := tables.NewDictionaries(dims)
	defer dictionaries.Release()
	cluster := opts.Cluster
	if cluster == nil {
		cluster = trees
	}
	survey, err := NewSurvey(ctx, dims, cluster, opts.Strays, opts)
	if err != nil {
		return nil, err
	}
	results := make([]treeResult, len(trees)) // and nothing else of a tree that is done
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(opts.Workers, 1))
	for i, tree := range trees {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err
			}
			defer recoverTo(&err)
			run, err := newTreeRun(filepath.Join(dir, tables.Directory), tree.Name, dims, dictionaries, survey, opts)
			if err == nil {
				err = run.replay(ctx, tree.Events)
			}
			if err != nil {
				return fmt.Errorf("replay tree %s: %w", tree.Name, err)
			}
			results[i] = run.treeResult
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	summary := &Summary{Slacks: survey.slacks}
	for i, result := range results {
		summary.Names = append(summary.Names, trees[i].Name)
		summary.Trees = append(summary.Trees, result.summary)
		summary.Files = append(summary.Files, result.files...)
	}
	surveyed, err := survey.write(filepath.Join(dir, tables.Directory), dictionaries, summary.Names)
	if err != nil {
		return nil, err
	}
	summary.Files = append(summary.Files, surveyed...)
	if opts.Problems != nil {
		file, err := writeTable(filepath.Join(dir, tables.Directory), "", dictionaries, opts.Problems())
		if err != nil {
			return nil, err
		}
		summary.Files = append(summary.Files, file)
	}
	slices.SortFunc(summary.Files, func(a, b tables.File) int { return cmp.Compare(a.Path, b.Path) })
	return summary, nil
}

// recoverTo turns a panic into an error: a fault of one tree's replay must not
// leave half a run behind.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
	}
}

// write writes what the survey found of the trees that are replayed. The set of
// trees is no tree's own; a run has a file of every table for every tree.
func (s *Survey) write(dir string, d *tables.Dictionaries, trees []string) (files []tables.File, err error) {
	note := func(file tables.File, failed error) {
		files, err = append(files, file), cmp.Or(err, failed)
	}
	note(writeTable(dir, "", d, s.Sets))
	for _, tree := range trees {
		i, known := s.index[tree]
		if !known {
			return nil, fmt.Errorf("tree %s is not among those of the cluster", tree)
		}
		note(writeTable[tables.TreeSet](dir, tree, d, nil))
		note(writeTable(dir, tree, d, s.Shared[i]))
		note(writeTable(dir, tree, d, s.choices[i]))
		note(writeTable(dir, tree, d, s.rulings[i]))
	}
	return files, err
}

// writeTable writes the rows of a table in one file. Problems of the trace itself
// stand in a file of no tree.
func writeTable[Row any](dir, tree string, d *tables.Dictionaries, rows []Row) (tables.File, error) {
	w, err := tables.NewWriter[Row](dir, tree, d)
	if err != nil {
		return tables.File{}, err
	}
	for i := range rows {
		if err := w.Append(&rows[i]); err != nil {
			w.Abort()
			return tables.File{}, err
		}
	}
	return w.Close()
}
