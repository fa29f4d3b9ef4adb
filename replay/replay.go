package replay

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/replay/env"
	"poolproof/replay/survey"
	"poolproof/replay/tables"
)

// Options of a replay.
type Options struct {
	env.Log
	Workers int // trees replayed at a time; 0 is 1

	// Asks are the questions whose answers become rows of the table considerations.
	Asks []Ask

	// Cluster are all trees of the log, whichever are replayed, with at least the
	// events that NewSurvey looks at; nil if the replayed ones are all. Strays are
	// the changes of nodes while they belong to no tree or to several.
	Cluster []env.Tree
	Strays  iter.Seq2[*core.Event, error]

	// Survey is that of the cluster, nil if Run is to make it.
	Survey *survey.Survey
	// Same are the names of trees whose tables a run of before has, which Made waits for: it
	// returns what the run is and where. Their events are not read.
	Same []string
	Made func(context.Context) (s *Summary, dir string, err error)
	// Take, if set, waits for a worker that several replays share.
	Take func(context.Context) (back func(), err error)

	// Extract, if set, is what the tables of the run are to hold, which is thrown away.
	Extract tables.Extract

	// Problems, if set, returns the rows of the trace that could not be used. It
	// is called once, after the last event of all trees.
	Problems func() []tables.Problem

	// Progress, if set, is called now and then from a tree's goroutine.
	Progress func(tree string, events int64, now core.Time)
}

// A Summary says what a replay saw, per tree in the order given.
type Summary struct {
	Trees  []tables.Tree
	Names  []string
	Files  []tables.File // by path
	Slacks judge.Slacks  // as at the window's end

	results []treeResult
}

// Run replays the trees and writes their result tables under dir. The tables
// are complete only if it returns no error.
func Run(ctx context.Context, dir string, dims *core.Dimensions, trees []env.Tree, opts Options) (*Summary, error) {
	dictionaries := tables.NewDictionaries(dims)
	dictionaries.Extract = opts.Extract
	defer dictionaries.Release()
	all := opts.Survey
	if all == nil {
		cluster := opts.Cluster
		if cluster == nil {
			cluster = trees
		}
		var err error
		if all, err = survey.New(ctx, dims, cluster, opts.Strays, &opts.Log); err != nil {
			return nil, err
		}
	}
	r := run{dir: dir, dims: dims, dictionaries: dictionaries, survey: all, trees: trees, opts: &opts}
	summary := &Summary{Slacks: all.Slacks, results: make([]treeResult, len(trees))} // and nothing else of a tree that is done
	if err := r.replay(ctx, summary.results); err != nil {
		return nil, err
	}
	if err := r.share(ctx, summary.results); err != nil {
		return nil, err
	}
	for i, result := range summary.results {
		summary.Names = append(summary.Names, trees[i].Name)
		summary.Trees = append(summary.Trees, result.summary)
		summary.Files = append(summary.Files, result.files...)
	}
	surveyed, err := all.Write(filepath.Join(dir, tables.Directory), dictionaries, summary.Names)
	if err != nil {
		return nil, err
	}
	summary.Files = append(summary.Files, surveyed...)
	if opts.Problems != nil {
		file, err := env.WriteTable(filepath.Join(dir, tables.Directory), "", dictionaries, opts.Problems())
		if err != nil {
			return nil, err
		}
		summary.Files = append(summary.Files, file)
	}
	slices.SortFunc(summary.Files, func(a, b tables.File) int { return cmp.Compare(a.Path, b.Path) })
	return summary, nil
}

// A run is a replay under way.
type run struct {
	dir          string
	dims         *core.Dimensions
	dictionaries *tables.Dictionaries
	survey       *survey.Survey
	trees        []env.Tree
	opts         *Options
}

// replay replays the trees whose tables no other run has.
func (r *run) replay(ctx context.Context, results []treeResult) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(r.opts.Workers, 1))
	for _, i := range largestFirst(r.trees) {
		if slices.Contains(r.opts.Same, r.trees[i].Name) {
			continue
		}
		group.Go(func() (err error) {
			defer recoverTo(&err)
			results[i], err = r.replayTree(ctx, &r.trees[i])
			return err
		})
	}
	return group.Wait()
}

func (r *run) replayTree(ctx context.Context, tree *env.Tree) (none treeResult, err error) {
	if r.opts.Take != nil {
		back, err := r.opts.Take(ctx)
		if err != nil {
			return none, err
		}
		defer back()
	}
	if err := ctx.Err(); err != nil {
		return none, err
	}
	run, err := newTreeRun(filepath.Join(r.dir, tables.Directory), tree.Name, r.dims, r.dictionaries, r.survey, *r.opts)
	if err == nil {
		err = run.replay(ctx, tree.Events)
	}
	if err != nil {
		return none, fmt.Errorf("replay tree %s: %w", tree.Name, err)
	}
	return run.treeResult, nil
}

// share takes over the tables that another run has.
func (r *run) share(ctx context.Context, results []treeResult) error {
	if len(r.opts.Same) == 0 {
		return nil
	}
	made, dir, err := r.opts.Made(ctx)
	if err != nil {
		return err
	}
	for i := range r.trees {
		if !slices.Contains(r.opts.Same, r.trees[i].Name) {
			continue
		}
		results[i] = made.results[slices.Index(made.Names, r.trees[i].Name)]
		for _, f := range results[i].files {
			if err := linkTable(r.dir, dir, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// linkTable adds a table of another run to a directory. Tables are immutable, so two runs may share
// a file. If the file cannot be linked it is copied.
func linkTable(dir, from string, file tables.File) error {
	name := filepath.FromSlash(file.Path)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		return err
	}
	if os.Link(filepath.Join(from, name), filepath.Join(dir, name)) == nil {
		return nil
	}
	return copyTable(dir, from, file)
}

// largestFirst is the order in which trees begin, so that the largest is not left to the end,
// where it would keep a single worker busy.
func largestFirst(trees []env.Tree) []int {
	order := make([]int, len(trees))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(trees[j].Rows, trees[i].Rows) })
	return order
}

// recoverTo turns a panic into an error: a fault of one tree's replay must not
// leave half a run behind.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
	}
}
