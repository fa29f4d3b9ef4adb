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
}

// Run replays the trees and writes their result tables under dir. The tables
// are complete only if it returns no error.
func Run(ctx context.Context, dir string, dims *core.Dimensions, trees []env.Tree, opts Options) (*Summary, error) {
	dictionaries := tables.NewDictionaries(dims)
	defer dictionaries.Release()
	cluster := opts.Cluster
	if cluster == nil {
		cluster = trees
	}
	survey, err := survey.New(ctx, dims, cluster, opts.Strays, &opts.Log)
	if err != nil {
		return nil, err
	}
	results := make([]treeResult, len(trees)) // and nothing else of a tree that is done
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(opts.Workers, 1))
	for _, i := range largestFirst(trees) {
		tree := trees[i]
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
	summary := &Summary{Slacks: survey.Slacks}
	for i, result := range results {
		summary.Names = append(summary.Names, trees[i].Name)
		summary.Trees = append(summary.Trees, result.summary)
		summary.Files = append(summary.Files, result.files...)
	}
	surveyed, err := survey.Write(filepath.Join(dir, tables.Directory), dictionaries, summary.Names)
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
