package shrink

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A Target is the finding that has to stay.
type Target struct {
	Tree    string // empty for none
	Kind    string // of the subject: pool, operation, job, node, ...
	Subject string
}

// A Sighting is the finding as a trace shows it.
type Sighting struct {
	ID       string
	Reason   string
	From, To core.Time // 0 where it has none
}

// Options of Minimize.
type Options struct {
	Trace   string
	Out     string
	Replace bool
	Workers int               // removals that are tried at a time; 0 is 1
	Memory  parquetlog.Memory // of reading a table
	Target  Target
	// Window is the part of the trace's window in which the finding shows; the trace's if it is empty.
	Window core.Span
	// Shows returns the finding as the trace in a directory shows it, nil if it does not. It is
	// called by several goroutines.
	Shows func(ctx context.Context, dir string) (*Sighting, error)
	// Note returns the text of README.md in the result, whose tables the trace in a directory has.
	Note func(ctx context.Context, dir string, s *Summary) (string, error)
	// Rename, if set, writes the smallest trace, which stands in a directory, with other names to
	// another one, and returns the finding as that shows it.
	Rename    func(ctx context.Context, dir, to string) (*Sighting, error)
	CreatedBy string
	// Progress, if set, is called with what is removed now, what is left, and how many removals
	// were tried.
	Progress func(what string, left *Outline, tried int)
}

// A Summary says what was removed.
type Summary struct {
	Before, After *Outline
	Finding       Sighting // in the result
}

// ErrNotShown says that not even all of the trace in the window shows the finding.
var ErrNotShown = errors.New("the trace does not show the finding")

// Minimize writes the smallest trace that it finds to show the target.
func Minimize(ctx context.Context, o Options) (*Summary, error) {
	if o.Progress == nil {
		o.Progress = func(string, *Outline, int) {}
	}
	before, err := look(ctx, o.Trace, o.Memory, o.jobSubject())
	if err != nil {
		return nil, err
	}
	out, err := trace.Create(o.Out, trace.Options{Replace: o.Replace})
	if err != nil {
		return nil, err
	}
	defer out.Abort()
	if err := os.Mkdir(out.Scratch(), 0o777); err != nil {
		return nil, fmt.Errorf("make room for trials: %w", err)
	}
	r := &reducer{options: o, scratch: out.Scratch(), now: candidate{dir: o.Trace, outline: before}}
	if err := r.reduce(ctx); err != nil {
		return nil, err
	}
	if o.Rename != nil {
		if err := r.rename(ctx); err != nil {
			return nil, err
		}
	}
	s := &Summary{Before: before, After: r.now.outline, Finding: *r.now.sighting}
	text, err := o.Note(ctx, r.now.dir, s)
	if err != nil {
		return nil, err
	}
	_, m, err := cut(ctx, r.now.dir, o.Memory, all(r.now.outline), out)
	if err != nil {
		return nil, err
	}
	if err := out.AddNote(noteName, text); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(out.Scratch()); err != nil {
		return nil, err
	}
	m.CreatedBy = o.CreatedBy
	return s, out.Commit(m)
}

// rename goes on with the smallest trace under other names.
func (r *reducer) rename(ctx context.Context) (err error) {
	to := candidate{dir: filepath.Join(r.scratch, "renamed")}
	if to.sighting, err = r.options.Rename(ctx, r.now.dir, to.dir); err != nil {
		return err
	}
	to.outline, err = look(ctx, to.dir, r.options.Memory, "")
	r.now = to
	return err
}

// noteName is the file for people in the result.
const noteName = "README.md"

func (o *Options) jobSubject() string {
	if o.Target.Kind == "job" {
		return o.Target.Subject
	}
	return ""
}

// A reducer removes from a trace what the finding does not need.
type reducer struct {
	options Options
	scratch string
	now     candidate // the smallest trace so far that shows the finding
	made    int
	tried   int
}

// A candidate is a trace that may show the finding.
type candidate struct {
	dir      string
	outline  *Outline
	sighting *Sighting // nil if it does not
}

// reduce goes from what costs little and removes much to single elements.
func (r *reducer) reduce(ctx context.Context) error {
	if err := r.cutToWindow(ctx); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{r.cutTime, r.dropRecords, r.dropPools, r.dropOperations, r.dropNodes, r.dropOperations} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// cutToWindow removes what is outside the window in which the finding shows, and trees. It tries to
// remove trees one by one only if the finding does not show in its own tree alone.
func (r *reducer) cutToWindow(ctx context.Context) error {
	others := slices.DeleteFunc(slices.Clone(r.now.outline.Trees), func(tree string) bool { return tree == r.options.Target.Tree })
	without := func(o *Outline, gone map[int]bool) selection {
		s := r.within(o)
		s.trees = slices.DeleteFunc(slices.Clone(o.Trees), func(tree string) bool {
			i := slices.Index(others, tree)
			return i >= 0 && gone[i]
		})
		return s
	}
	if len(others) < len(r.now.outline.Trees) { // not a finding about all trees
		alone := without(r.now.outline, set(numbers(len(others))))
		found, err := r.try(ctx, "trees", []selection{alone})
		if err != nil || found >= 0 {
			return err
		}
	}
	if found, err := r.try(ctx, "nothing", []selection{r.within(r.now.outline)}); err != nil {
		return err
	} else if found < 0 {
		return ErrNotShown
	}
	return r.drop(ctx, "trees", numbers(len(others)), without)
}

// within is the selection that leaves all of the window in which the finding shows.
func (r *reducer) within(o *Outline) selection {
	s := all(o)
	if w := r.options.Window; w.From < w.To {
		s.window.From, s.window.To = max(s.window.From, w.From), min(s.window.To, w.To)
	}
	return s
}

// drop removes elements, which it names by numbers, as long as the finding stays: half of them
// at first, single ones at last. Without returns the selection without those that go.
func (r *reducer) drop(ctx context.Context, what string, list []int, without func(o *Outline, gone map[int]bool) selection) error {
	workers := max(r.options.Workers, 1)
	for size := len(list); size > 0; size /= 2 {
		for at := 0; at < len(list); {
			var parts [][]int
			for from := at; from < len(list) && len(parts) < workers; from += size {
				parts = append(parts, list[from:min(from+size, len(list))])
			}
			var selections []selection
			for _, part := range parts {
				selections = append(selections, without(r.now.outline, set(part)))
			}
			found, err := r.try(ctx, what, selections)
			if err != nil {
				return err
			}
			if found < 0 {
				at += len(parts) * size
				continue
			}
			at += found * size
			list = slices.Delete(slices.Clone(list), at, at+len(parts[found]))
		}
	}
	return nil
}

// try cuts candidates from the smallest trace so far and takes the first in their order that
// shows the finding, whose place it returns, -1 for none.
func (r *reducer) try(ctx context.Context, what string, selections []selection) (int, error) {
	r.options.Progress(what, r.now.outline, r.tried)
	candidates := make([]candidate, len(selections))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(max(r.options.Workers, 1))
	for i, s := range selections {
		if s.nothing(r.now.outline) {
			continue
		}
		dir := filepath.Join(r.scratch, fmt.Sprint(r.made))
		r.made++
		group.Go(func() (err error) {
			defer recoverTo(&err)
			candidates[i], err = r.tryCut(groupCtx, dir, s)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return -1, err
	}
	r.tried += len(selections)
	found := slices.IndexFunc(candidates, func(c candidate) bool { return c.sighting != nil })
	for i, c := range candidates {
		if i != found && c.dir != "" {
			if err := os.RemoveAll(c.dir); err != nil {
				return -1, err
			}
		}
	}
	if found < 0 {
		return -1, nil
	}
	before := r.now.dir
	r.now = candidates[found]
	if before != r.options.Trace {
		return found, os.RemoveAll(before)
	}
	return found, nil
}

// recoverTo turns a panic of a goroutine, which would end the process at once, into an error: the
// directory with the candidates is removed on the way out.
func recoverTo(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("internal error: %v\n%s", p, debug.Stack())
	}
}

// tryCut makes a candidate and asks whether it shows the finding.
func (r *reducer) tryCut(ctx context.Context, dir string, s selection) (candidate, error) {
	s.job = r.options.jobSubject()
	w, err := trace.Create(dir, trace.Options{Passing: true, Trees: len(s.trees)})
	if err != nil {
		return candidate{}, err
	}
	defer w.Abort()
	outline, m, err := cut(ctx, r.now.dir, r.options.Memory, s, w)
	if err != nil {
		return candidate{}, err
	}
	outline.trace(r.now.outline)
	if err := w.Commit(m); err != nil {
		return candidate{}, err
	}
	c := candidate{dir: dir, outline: outline}
	c.sighting, err = r.options.Shows(ctx, dir)
	return c, err
}

// trace turns the numbers of elements in the trace that they were cut from into those in the
// trace that all comes from.
func (o *Outline) trace(from *Outline) {
	for i := range o.Pools {
		o.Pools[i].Origin = from.Pools[o.Pools[i].Origin].Origin
	}
	for i := range o.Operations {
		o.Operations[i].Origin = from.Operations[o.Operations[i].Origin].Origin
	}
	for i := range o.Nodes {
		o.Nodes[i].Origin = from.Nodes[o.Nodes[i].Origin].Origin
	}
}

// nothing reports whether a selection leaves a trace without trees or time.
func (s *selection) nothing(*Outline) bool {
	return len(s.trees) == 0 || s.window.From >= s.window.To
}

func numbers(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

func set(list []int) map[int]bool {
	s := map[int]bool{}
	for _, i := range list {
		s[i] = true
	}
	return s
}

// dropRecords removes what was recorded beside pools, operations and jobs.
func (r *reducer) dropRecords(ctx context.Context) error {
	var list []int
	for i, name := range records {
		if r.now.outline.Records[name] > 0 {
			list = append(list, i)
		}
	}
	return r.drop(ctx, "records", list, func(o *Outline, gone map[int]bool) selection {
		s := all(o)
		for i := range gone {
			s.without[records[i]] = true
		}
		return s
	})
}

// dropPools removes pools with all below them, from the top down.
func (r *reducer) dropPools(ctx context.Context) error {
	for depth := 0; ; depth++ {
		pinned := r.pinned()
		var list []int
		deeper := false
		for i, p := range r.now.outline.Pools {
			switch d := r.now.outline.depth(core.PoolID(i)); {
			case d > depth:
				deeper = true
			case d == depth && !pinned.pools[core.PoolID(i)]:
				list = append(list, p.Origin)
			}
		}
		if err := r.drop(ctx, "pools", list, withoutPools); err != nil || !deeper {
			return err
		}
	}
}

func withoutPools(o *Outline, gone map[int]bool) selection {
	s := all(o)
	left := o.below(gone)
	s.pools = make([]bool, len(o.Pools))
	for i := range s.pools {
		s.pools[i] = !left[i]
	}
	s.operations = make([]bool, len(o.Operations))
	for i, op := range o.Operations {
		s.operations[i] = !slices.ContainsFunc(op.Pools, func(p core.PoolID) bool { return left[p] })
	}
	return s
}

// dropOperations removes operations with their jobs.
func (r *reducer) dropOperations(ctx context.Context) error {
	pinned := r.pinned()
	var list []int
	for i, op := range r.now.outline.Operations {
		if !pinned.operations[core.OperationID(i)] {
			list = append(list, op.Origin)
		}
	}
	return r.drop(ctx, "operations", list, func(o *Outline, gone map[int]bool) selection {
		s := all(o)
		s.operations = make([]bool, len(o.Operations))
		for i, op := range o.Operations {
			s.operations[i] = !gone[op.Origin]
		}
		return s
	})
}

// dropNodes removes nodes with the jobs on them.
func (r *reducer) dropNodes(ctx context.Context) error {
	pinned := r.pinned()
	var list []int
	for i, n := range r.now.outline.Nodes {
		if !pinned.nodes[core.NodeID(i)] {
			list = append(list, n.Origin)
		}
	}
	return r.drop(ctx, "nodes", list, func(o *Outline, gone map[int]bool) selection {
		s := all(o)
		s.nodes = make([]bool, len(o.Nodes))
		for i, n := range o.Nodes {
			s.nodes[i] = !gone[n.Origin]
		}
		return s
	})
}

// pins are the elements that the finding is about: without them there is none.
type pins struct {
	pools      map[core.PoolID]bool
	operations map[core.OperationID]bool
	nodes      map[core.NodeID]bool
}

func (r *reducer) pinned() pins {
	o, t := r.now.outline, r.options.Target
	p := pins{operations: map[core.OperationID]bool{}, nodes: map[core.NodeID]bool{}}
	if o.Subject.Operation >= 0 {
		p.operations[o.Subject.Operation] = true
	}
	if o.Subject.Node >= 0 {
		p.nodes[o.Subject.Node] = true
	}
	for i := range o.Operations {
		if t.Kind == "operation" && o.Operations[i].ID == t.Subject {
			p.operations[core.OperationID(i)] = true
		}
	}
	for i := range o.Nodes {
		if t.Kind == "node" && o.Nodes[i].Address == t.Subject {
			p.nodes[core.NodeID(i)] = true
		}
	}
	var pools []core.PoolID
	for i := range o.Pools {
		path := t.Subject[strings.LastIndex(t.Subject, "/")+1:]
		if t.Kind == "pool" && o.Pools[i].Tree == t.Tree && (o.Pools[i].Name == t.Subject || o.Pools[i].Name == path) {
			pools = append(pools, core.PoolID(i))
		}
	}
	for op := range p.operations {
		pools = append(pools, o.Operations[op].Pools...)
	}
	p.pools = o.above(pools)
	return p
}
