package pooltree

import (
	"encoding/json"
	"slices"
	"testing"

	"poolproof/core/resource"
)

// A nodeWorld is a scenario of node assignment while its steps run.
type nodeWorld struct {
	*Assignment
	wanted   TreeSet
	rejected error // why the last set was
	nodes    map[string]Node
	limits   map[string]resource.Vector
	jobs     []struct{ ID, Node string }
}

func checkNodeAssignment(t *testing.T, s *scenario) {
	w := newNodeWorld(t, s)
	for _, data := range s.Steps {
		var step struct {
			Do, Name, Node string
			Filter         string `json:"nodes_filter"`
			Tags           []string
			Expect         map[string]json.RawMessage
		}
		decode(t, data, &step)
		var moves []NodeMove
		var err error
		switch step.Do {
		case "add_tree":
			w.wanted.Trees = append(w.wanted.Trees, TreeFilter{step.Name, formula(t, step.Filter)})
		case "remove_tree":
			w.wanted.Trees = slices.DeleteFunc(w.wanted.Trees, func(f TreeFilter) bool { return f.Name == step.Name })
		case "set_filter":
			i := slices.IndexFunc(w.wanted.Trees, func(f TreeFilter) bool { return f.Name == step.Name })
			w.wanted.Trees[i].Nodes = formula(t, step.Filter)
		case "set_default_tree":
			w.wanted.Default = step.Name
		case "set_tags":
			w.SetNode(step.Node, NewTags(step.Tags...))
		case "poll":
			moves, err = w.Update(w.wanted)
			w.rejected = err
		case "node_heartbeat":
			if m, moved := w.Process(w.nodes[step.Node]); moved {
				moves = append(moves, m)
			}
		default:
			t.Fatalf("unknown step %s", data)
		}
		w.check(t, step.Expect, moves, err)
	}
}

func newNodeWorld(t *testing.T, s *scenario) *nodeWorld {
	w := &nodeWorld{Assignment: NewAssignment(), nodes: map[string]Node{}, limits: map[string]resource.Vector{}}
	var trees []struct {
		Name   string
		Filter string `json:"nodes_filter"`
	}
	var nodes []struct {
		ID     string
		Tags   []string
		Limits Attributes `json:"resource_limits"`
	}
	decode(t, s.Given["trees"], &trees)
	decode(t, s.Given["nodes"], &nodes)
	decodeOptional(t, s.Given["default_tree"], &w.wanted.Default)
	decodeOptional(t, s.Given["jobs"], &w.jobs)
	for _, tree := range trees {
		w.wanted.Trees = append(w.wanted.Trees, TreeFilter{tree.Name, formula(t, tree.Filter)})
	}
	for _, n := range nodes {
		w.limits[n.ID] = vector(t, n.Limits).Amounts
		w.nodes[n.ID] = w.SetNode(n.ID, NewTags(n.Tags...))
	}
	if _, err := w.Update(w.wanted); err != nil {
		t.Fatal(err)
	}
	return w
}

func formula(t *testing.T, text string) Formula {
	f, err := ParseFormula(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (w *nodeWorld) check(t *testing.T, expect map[string]json.RawMessage, moves []NodeMove, err error) {
	t.Helper()
	for name, data := range expect {
		switch name {
		case "accepted":
			if (err == nil) != (string(data) == "true") {
				t.Errorf("update: %v, want accepted %s", err, data)
			}
		case "trees":
			var want, got []string
			decode(t, data, &want)
			for _, f := range w.Trees().Trees {
				got = append(got, f.Name)
			}
			checkNames(t, data, name, got, want)
		case "assignment":
			w.checkAssignment(t, data)
		case "cluster_totals":
			var want Attributes
			decode(t, data, &want)
			if got := w.total(); got != vector(t, want).Amounts {
				t.Errorf("cluster total %v, want %s", got, data)
			}
		case "offline":
			var want, got []string
			decode(t, data, &want)
			for id, n := range w.nodes {
				if w.tree(n) == Conflict {
					got = append(got, id)
				}
			}
			checkNames(t, data, name, got, want)
		case "alert":
			up := map[string]bool{`"update_pools"`: w.rejected != nil, `"nodes_in_several_trees"`: w.has(Conflict), `"nodes_without_pool_tree"`: w.has(NoTree)}
			if string(data) != "null" && !up[string(data)] {
				t.Errorf("alert %s is not up: %v", data, up)
			}
		case "aborted_jobs":
			w.checkAborted(t, data, expect["abort_reason"], moves)
		case "abort_reason":
		default:
			t.Fatalf("unknown expectation %s", name)
		}
	}
}

func (w *nodeWorld) checkAssignment(t *testing.T, data json.RawMessage) {
	t.Helper()
	var want map[string]*string
	decode(t, data, &want)
	for id, tree := range want {
		expected := NoTree
		if tree != nil {
			expected = *tree
		}
		if expected == "conflict" {
			expected = Conflict
		}
		if got := w.tree(w.nodes[id]); got != expected {
			t.Errorf("node %s is in %q, want %q", id, got, expected)
		}
	}
}

func (w *nodeWorld) checkAborted(t *testing.T, data, reason json.RawMessage, moves []NodeMove) {
	t.Helper()
	var want, got []string
	var why string
	decode(t, data, &want)
	decodeOptional(t, reason, &why)
	for _, m := range moves {
		for _, job := range w.jobs {
			if w.nodes[job.Node] != m.Node || abortReason(m) == "" {
				continue
			}
			got = append(got, job.ID)
			if why != "" && abortReason(m) != why {
				t.Errorf("job %s is aborted by %s", job.ID, abortReason(m))
			}
		}
	}
	checkNames(t, data, "aborted jobs", got, want)
}

func (w *nodeWorld) tree(n Node) string { return w.Assignment.nodes[n].tree }

// has reports whether a node serves a tree, NoTree or Conflict.
func (w *nodeWorld) has(tree string) bool {
	return slices.ContainsFunc(w.Assignment.nodes, func(n node) bool { return n.tree == tree })
}

// total is what the nodes have that no two trees claim.
func (w *nodeWorld) total() (sum resource.Vector) {
	for id, n := range w.nodes {
		if w.tree(n) != Conflict {
			sum = sum.Add(w.limits[id])
		}
	}
	return sum
}

// abortReason says why the jobs of a node that moved are aborted, "" if it
// ran none (core/spec/scheduling.md §2.3).
func abortReason(m NodeMove) string {
	switch {
	case m.From == NoTree || m.From == Conflict:
		return ""
	case m.To == Conflict:
		return "node_offline"
	}
	return "node_fair_share_tree_changed"
}
