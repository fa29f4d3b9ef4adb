package survey

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"poolproof/core"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A Survey is the one pass over all trees of a log: it finds what needs all of
// them at once and no shares, namely which set of trees is in force, which trees
// claim a node, and which trees an operation has. Trees are replayed after it,
// each for itself, and only read it. What one operation does in several trees
// with the help of their pools is joined by the audits.
type Survey struct {
	Sets     []tables.TreeSet
	Refusals []Refusal
	Shared   [][]tables.SharedNode // by tree, as the two below

	choices [][]tables.TreeChoice
	rulings [][]tables.TreeCheck
	Windows []env.Window // in which the set of trees excuses, in the order of their beginnings

	Slacks     judge.Slacks   // at the end
	Index      map[string]int // of the trees
	Neighbours []Neighbourhood
}

// A Refusal is a span in which the stored set of trees was not taken over.
type Refusal struct {
	core.Span
	Mended bool // it ended before the survey did
	Why    *pooltree.TreeSetError
}

// SameFor reports whether two surveys of the same trees say the same to the replay of one of them.
func (s *Survey) SameFor(other *Survey, tree int) bool {
	return slices.Equal(s.Windows, other.Windows) && s.Neighbours[tree] == other.Neighbours[tree]
}

// surveyor makes a Survey.
type surveyor struct {
	dims    *core.Dimensions
	names   []string
	window  core.Span
	excuses env.ExcuseWindows
	slacks  judge.Slacks
	log     *env.Log
	now     core.Time
	result  *Survey

	updated core.Time // until when the trees are being updated
	away    core.Time // when the scheduler was last known to be away

	cluster    *core.ClusterConfig // as it is stored; nil if the log holds none
	configs    []*core.TreeConfig  // of the trees, likewise
	pools      []*core.Tree        // of the trees: what is configured of them, and no more
	sets       treeSets
	nodes      nodeClaims
	operations clusterOperations
}

// Surveyed are the kinds of events that a survey follows. The first two are recorded in every
// tree, and those of the first tree count.
func Surveyed() []core.Kind {
	return []core.Kind{
		core.ProcessChanged, core.ClusterConfigured, core.TreeConfigured, core.PoolConfigured, core.NodeChanged, core.OperationChanged,
	}
}

// NewSurvey surveys a log until the end of the window. Trees are all that it has,
// whichever are to be replayed. Strays are the changes of nodes while they belong
// to no tree or to several, nil if there are none.
func New(ctx context.Context, dims *core.Dimensions, trees []env.Tree, strays iter.Seq2[*core.Event, error], log *env.Log) (*Survey, error) {
	slacks := log.SlacksOf(&core.ClusterConfig{})
	s := &surveyor{dims: dims, window: log.Window, excuses: env.ExcuseWindows{Reconnect: core.Time(slacks.Reconnect)},
		slacks: slacks, log: log, now: -1, configs: make([]*core.TreeConfig, len(trees)), result: &Survey{
			Shared: make([][]tables.SharedNode, len(trees)), choices: make([][]tables.TreeChoice, len(trees)),
			rulings: make([][]tables.TreeCheck, len(trees)), Index: map[string]int{},
		}}
	sequences := make([]iter.Seq2[*core.Event, error], 0, len(trees)+1)
	for i, t := range trees {
		s.names = append(s.names, t.Name)
		s.result.Index[t.Name] = i
		s.pools = append(s.pools, core.New(dims, log.Profile))
		sequences = append(sequences, t.Events)
	}
	if strays != nil {
		sequences = append(sequences, strays)
	}
	s.open(log.Facts)
	if err := eachInOrder(ctx, sequences, log.Window.To, s.step); err != nil {
		return nil, fmt.Errorf("survey the trees: %w", err)
	}
	s.endInstant()
	s.finish()
	s.result.Slacks = s.slacks
	return s.result, nil
}

// pollEvery is the number of events between two checks of the context.
const pollEvery = 1 << 16

// eachInOrder calls use with the events before a time of all sequences in the
// order of (time, kind, sequence).
func eachInOrder(ctx context.Context, sequences []iter.Seq2[*core.Event, error], to core.Time, use func(from int, e *core.Event)) error {
	type head struct {
		from  int
		event *core.Event
		next  func() (*core.Event, error, bool)
	}
	var heads []*head
	advance := func(h *head) (bool, error) {
		e, err, more := h.next()
		h.event = e
		return more && err == nil && e.Time < to, err
	}
	for i, sequence := range sequences {
		next, stop := iter.Pull2(sequence)
		defer stop()
		h := &head{from: i, next: next}
		if more, err := advance(h); err != nil {
			return err
		} else if more {
			heads = append(heads, h)
		}
	}
	for n := 0; len(heads) > 0; n++ {
		if n%pollEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := slices.MinFunc(heads, func(a, b *head) int {
			return cmp.Or(cmp.Compare(a.event.Time, b.event.Time), cmp.Compare(a.event.Kind, b.event.Kind), cmp.Compare(a.from, b.from))
		})
		use(first.from, first.event)
		if more, err := advance(first); err != nil {
			return err
		} else if !more {
			heads = slices.DeleteFunc(heads, func(h *head) bool { return h == first })
		}
	}
	return nil
}

// step takes an event over. All events of one instant are applied before anything
// is made of them.
func (s *surveyor) step(tree int, e *core.Event) {
	if e.Time > s.now {
		s.endInstant()
		s.now = e.Time
	}
	switch e.Kind {
	case core.ClusterConfigured, core.TreeConfigured, core.PoolConfigured:
		if tree < len(s.pools) { // else of no tree's own
			s.pools[tree].ClearChanges() // the survey does not read them
			s.pools[tree].Step(e)
		}
	}
	switch e.Kind {
	case core.ProcessChanged:
		if tree == 0 {
			s.excuses.ApplyEvent(e)
		}
	case core.ClusterConfigured:
		if tree == 0 {
			s.slacks = s.log.SlacksOf(e.Cluster)
			s.cluster = s.settings(e.Cluster)
			s.sets.stored, s.sets.changed = true, true
		}
	case core.TreeConfigured:
		s.configure(tree, e.Tree)
	case core.NodeChanged:
		s.nodes.change(tree, e)
	case core.OperationChanged:
		s.operations.applyEvent(tree, e)
	}
}

// settings are those of a version above all trees. One that names no trees leaves
// them as they are.
func (s *surveyor) settings(c *core.ClusterConfig) *core.ClusterConfig {
	if len(c.Trees) > 0 || s.cluster == nil {
		return c
	}
	own := *c
	own.Trees, own.Default = s.cluster.Trees, s.cluster.Default
	return &own
}

// configure takes over a version of a tree's settings. A filter that was unknown before has not
// changed.
func (s *surveyor) configure(tree int, c *core.TreeConfig) {
	before := s.configs[tree]
	s.configs[tree] = c
	known := before != nil && !before.Assumed && !c.Assumed
	refiltered := before == nil || before.NodesFilter.String() != c.NodesFilter.String()
	s.sets.filtered = s.sets.filtered || known && refiltered
	s.sets.changed = s.sets.changed || refiltered || before.Assumed != c.Assumed || !slices.Equal(before.NonTentativeTypes, c.NonTentativeTypes)
}

// excuseAt returns what excuses what happens now or later, as far as is known by now.
// All that is judged here honours such windows.
func (s *surveyor) excuseAt(at core.Time) judge.Excuse {
	switch e := s.excuses.ExcuseAt(at); {
	case e != judge.NoExcuse:
		return e
	case s.sets.refused:
		return judge.PoolsAlert
	case at < s.updated:
		return judge.TreesUpdating
	}
	return judge.NoExcuse
}

// endInstant makes something of an instant.
func (s *surveyor) endInstant() {
	if s.now < 0 {
		return
	}
	if s.excuses.ExcuseAt(s.now) == judge.Reconnecting {
		s.away = s.now
	}
	s.settleTrees()
	s.settleOperations()
}

func (s *surveyor) open(facts []env.Fact) {
	s.nodes.open(len(s.dims.Nodes))
	s.operations.open(facts)
}

func (s *surveyor) finish() {
	if s.sets.refused {
		s.endRefusal(s.window.To, false)
	}
	s.closeSet(s.window.To, true)
	s.result.Windows = inOrder(s.result.Windows)
	s.finishNodes()
	s.finishOperations()
	for i := range s.names {
		s.result.Neighbours = append(s.result.Neighbours, s.neighbours(i))
		slices.SortStableFunc(s.result.Shared[i], func(a, b tables.SharedNode) int {
			return cmp.Or(cmp.Compare(a.ToTime, b.ToTime), cmp.Compare(a.Node, b.Node), cmp.Compare(a.By, b.By))
		})
		slices.SortStableFunc(s.result.rulings[i], func(a, b tables.TreeCheck) int { return cmp.Compare(a.Time, b.Time) })
	}
}

// nowhere is the filter of a tree whose own is not known: it claims no node.
var nowhere, _ = pooltree.ParseFormula("%false")

// inOrder returns windows in the order of time, of two that overlap the later one
// without what they share.
func inOrder(windows []env.Window) (apart []env.Window) {
	slices.SortStableFunc(windows, func(a, b env.Window) int { return cmp.Compare(a.From, b.From) })
	to := core.Time(0)
	for _, w := range windows {
		if w.From = max(w.From, to); w.From < w.To {
			apart = append(apart, w)
			to = w.To
		}
	}
	return apart
}

// Write writes what the survey found of the trees that are replayed. The set of trees does not
// belong to one tree, but a run has a file of every table for every tree.
func (s *Survey) Write(dir string, d *tables.Dictionaries, trees []string) (files []tables.File, err error) {
	note := func(file tables.File, failed error) {
		files, err = append(files, file), cmp.Or(err, failed)
	}
	note(env.WriteTable(dir, "", d, s.Sets))
	for _, tree := range trees {
		i, known := s.Index[tree]
		if !known {
			return nil, fmt.Errorf("tree %s is not among those of the cluster", tree)
		}
		note(env.WriteTable[tables.TreeSet](dir, tree, d, nil))
		note(env.WriteTable(dir, tree, d, s.Shared[i]))
		note(env.WriteTable(dir, tree, d, s.choices[i]))
		note(env.WriteTable(dir, tree, d, s.rulings[i]))
	}
	return files, err
}
