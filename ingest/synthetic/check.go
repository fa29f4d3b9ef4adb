package synthetic

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"poolproof/core/pooltree"
	"poolproof/core/spelling"
)

// A placed error is of one part of a description.
type placed struct {
	path string // of the part in the file
	err  error
}

func (e *placed) Error() string { return e.err.Error() }
func (e *placed) Unwrap() error { return e.err }

func at(err error, path string, index ...any) error {
	if err == nil {
		return nil
	}
	return &placed{fmt.Sprintf(path, index...), err}
}

// spot is the file with the line where the part of an error begins, if it is one
// of a part.
func spot(file, text string, err error) string {
	var of *placed
	if !errors.As(err, &of) {
		return file
	}
	path, failed := yaml.PathString(of.path)
	if failed != nil {
		return file
	}
	node, failed := path.ReadNode(strings.NewReader(text))
	if failed != nil || node.GetToken() == nil {
		return file
	}
	return fmt.Sprintf("%s:%d", file, node.GetToken().Position.Line)
}

// The words that a description may use (ingest/trace/FORMAT.md §1.3, §3.4).
var (
	operationTypes  = []string{"map", "merge", "erase", "sort", "reduce", "map_reduce", "remote_copy", "join_reduce", "vanilla"}
	operationEvents = []string{"suspended", "resumed", "aborted", "failed", "pool_changed", "params_changed", "erased_from_tree", "revived"}
	processEvents   = []string{"scheduler_started", "master_connected", "master_disconnected", "alert_raised", "alert_cleared"}
)

// oneOf returns an error if a word is unknown.
func oneOf(what, word string, words []string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%s %q is unknown: %s", what, word, spelling.Meant(word, words))
}

func (a *Arrivals) check() error {
	if !(a.PerHour > 0) || math.IsInf(a.PerHour, 0) {
		return fmt.Errorf("arrivals per_hour: %v must be above zero", a.PerHour)
	}
	return nil
}

func (k *Kind) check() error {
	for _, p := range []struct {
		name  string
		value float64
	}{{"job_failures", k.JobFailures}, {"aborts", k.Aborts}} {
		if !(p.value >= 0 && p.value <= 1) {
			return fmt.Errorf("%s: invalid probability %v (want 0 to 1)", p.name, p.value)
		}
	}
	return oneOf("type", k.Type, operationTypes)
}

// checkTrees refuses tentative trees that a spec may not ask for
// (core/spec/scheduling.md §2.4).
func (k *Kind) checkTrees() error {
	if len(k.Tentative) == 0 {
		return nil
	}
	if k.unnamed {
		return errors.New("tentative_pool_trees: name its other trees, too")
	}
	spec, errs := pooltree.ParseTreeSpec(pooltree.Documented, k.Type, k.treeSpec())
	if len(errs) > 0 {
		return errs[0]
	}
	_, err := pooltree.SelectTrees(&spec, &pooltree.KnownTrees{Names: slices.Concat(k.Trees, k.Tentative)})
	return err
}

// within is an error if a moment is not in the window.
func (s *Spec) within(at Duration) error {
	if at < 0 || at >= s.Length {
		return fmt.Errorf("at: %v is not within the length of %v", at, s.Length)
	}
	return nil
}

// checkNodes refuses groups of one name, and trees that no node serves.
func (s *Spec) checkNodes() error {
	names := map[string]bool{}
	moves := slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Tags != nil })
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Name == "" || n.Count < 1 {
			return at(fmt.Errorf("nodes %q: a group needs a name and a count of at least 1", n.Name), "$.nodes[%d]", i)
		}
		if names[n.Name] {
			return at(fmt.Errorf("nodes %q: another group has this name, and their nodes would, too", n.Name), "$.nodes[%d]", i)
		}
		names[n.Name] = true
	}
	for i := range s.trees {
		filter, err := s.trees[i].filter()
		if err != nil {
			return fmt.Errorf("tree %s: nodes_filter: %w", s.trees[i].name, err)
		}
		if !moves && len(s.groups(filter)) == 0 {
			return fmt.Errorf("tree %s: its nodes_filter matches the tags of no node, so that no job can run in it", s.trees[i].name)
		}
	}
	return nil
}

// groups are the groups of nodes whose tags match all filters.
func (s *Spec) groups(filters ...pooltree.Formula) (list []*NodeGroup) {
	for i := range s.Nodes {
		tags := s.Nodes[i].tagSet()
		if !slices.ContainsFunc(filters, func(f pooltree.Formula) bool { return !f.Match(tags) }) {
			list = append(list, &s.Nodes[i])
		}
	}
	return list
}

// checkRoom refuses jobs that no node of their operation's trees can hold, as the
// nodes are at the start; it says nothing where they change.
func (s *Spec) checkRoom(k *Kind) error {
	if slices.ContainsFunc(s.Changes, func(c Change) bool { return c.Tags != nil || c.Size != nil }) {
		return nil
	}
	own, err := pooltree.ParseTagFilter(k.TagFilter)
	if err != nil {
		return err
	}
	var nodes []*NodeGroup
	for i := range s.trees {
		if filter, err := s.trees[i].filter(); err == nil && slices.Contains(slices.Concat(k.Trees, k.Tentative), s.trees[i].name) {
			nodes = append(nodes, s.groups(filter, own)...)
		}
	}
	for i := range k.Tasks {
		size := k.Tasks[i].Resources.vector()
		if !slices.ContainsFunc(nodes, func(n *NodeGroup) bool { return size.FitsIn(n.Resources.vector()) }) {
			return fmt.Errorf("a job of task %d fits no node that it may run on, not even an empty one (every job takes one of a node's user_slots, and a core if it names no cpu)", i)
		}
	}
	return nil
}

// checkChanges refuses changes of what there is not.
func (s *Spec) checkChanges(operations map[string]bool) error {
	known := s.knownPools()
	for i := range s.Changes {
		c := &s.Changes[i]
		err := s.checkChange(c, operations, known)
		if err == nil {
			err = s.within(c.At)
		}
		if err != nil {
			return at(fmt.Errorf("a change at %v: %w", c.At, err), "$.changes[%d]", i)
		}
	}
	return nil
}

func (s *Spec) checkChange(c *Change, operations map[string]bool, known map[string]bool) error {
	switch {
	case c.Process != "":
		return oneOf("process", c.Process, processEvents)
	case c.Operation != "":
		if !operations[c.Operation] {
			return fmt.Errorf("no operation is named %q", c.Operation)
		}
		return oneOf("event", c.Event, operationEvents)
	case c.Node != "":
		if !s.hasNode(c.Node) {
			return fmt.Errorf("unknown node %q (want the name of a group with -0, -1, …)", c.Node)
		}
	case (c.NoDefault || c.MaxOperations != nil) && c.Tree == "":
	case !s.hasTree(c.Tree):
		return fmt.Errorf("unknown tree %q", c.Tree)
	case c.Pool != "" && !known[c.Tree+"/"+c.Pool]:
		return fmt.Errorf("tree %s has no pool %q", c.Tree, c.Pool)
	}
	return nil
}

// knownPools are those that are described, as tree/pool.
func (s *Spec) knownPools() map[string]bool {
	known := map[string]bool{}
	for _, t := range s.trees {
		for _, pool := range t.file.Pools(t.name) {
			known[t.name+"/"+pool] = true
		}
	}
	return known
}

func (s *Spec) hasNode(address string) bool {
	for i := range s.Nodes {
		rest, own := strings.CutPrefix(address, s.Nodes[i].Name+"-")
		var n int
		if _, err := fmt.Sscanf(rest, "%d", &n); own && err == nil && n >= 0 && n < s.Nodes[i].Count && fmt.Sprint(n) == rest {
			return true
		}
	}
	return false
}
