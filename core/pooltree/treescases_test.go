package pooltree

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"poolproof/core/resource"
)

func checkTreeSelection(t *testing.T, s *scenario) {
	var known KnownTrees
	decode(t, s.Given["trees"], &known.Names)
	decodeOptional(t, s.Given["default_tree"], &known.Default)
	decodeOptional(t, s.Given["default_tentative_pool_trees"], &known.DefaultTentative)
	decodeOptional(t, s.Given["non_tentative_operation_types"], &known.NonTentative)
	for _, data := range s.Cases {
		var c struct {
			Type   string
			Spec   Attributes
			Expect struct {
				Regular, Tentative []string
				Probing            string
				Error              any
			}
		}
		decode(t, data, &c)
		spec, errs := ParseTreeSpec(s.profile(t), c.Type, c.Spec)
		if len(errs) > 0 {
			t.Fatal(errs[0])
		}
		choice, err := SelectTrees(&spec, &known)
		if c.Expect.Error != nil {
			checkSelectionError(t, data, err, c.Expect.Error)
			continue
		}
		if err != nil || !slices.Equal(choice.Regular, sorted(c.Expect.Regular)) ||
			c.Expect.Tentative != nil && !slices.Equal(choice.Tentative, sorted(c.Expect.Tentative)) ||
			c.Expect.Probing != "" && choice.Probing != c.Expect.Probing {
			t.Errorf("%s: %+v, %v", data, choice, err)
		}
	}
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return names
}

func checkSelectionError(t *testing.T, data json.RawMessage, err error, want any) {
	t.Helper()
	var refused *Refusal
	if !errors.As(err, &refused) {
		t.Errorf("%s: must be refused, got %v", data, err)
		return
	}
	if code, numeric := want.(float64); numeric {
		if refused.Code() != int(code) {
			t.Errorf("%s: code %d (%v)", data, refused.Code(), err)
		}
	} else if string(refused.Reason) != want {
		t.Errorf("%s: refused as %s (%v)", data, refused.Reason, err)
	}
}

func checkSingleTree(t *testing.T, s *scenario) {
	s.variants(t, func(given, expect map[string]json.RawMessage) {
		var trees []struct {
			Name      string
			Total     Attributes
			Guarantee map[string]float64 `json:"pool_guarantee_share"`
			Demand    map[string]float64 `json:"pool_demand_share"`
			Running   bool               `json:"operation_running"`
		}
		decode(t, given["trees"], &trees)
		var demand Attributes
		decode(t, given["operation_demand"], &demand)
		var consider bool
		decodeOptional(t, given["consider_guarantees_for_single_tree"], &consider)
		var estimates []TreeEstimate
		for _, tree := range trees {
			estimates = append(estimates, TreeEstimate{
				vector(t, tree.Total).Amounts, share(tree.Guarantee), share(tree.Demand), tree.Running,
			})
		}
		got, err := ChooseSingleTree(estimates, vector(t, demand).Amounts, consider, Baseline)
		var want, wantError string
		decodeOptional(t, expect["tree"], &want)
		decodeOptional(t, expect["error"], &wantError)
		switch {
		case wantError != "":
			checkSelectionError(t, expect["error"], err, wantError)
		case err != nil || trees[got].Name != want:
			t.Errorf("tree %d, %v; want %s", got, err, want)
		}
	})
}

// vector reads amounts.
func vector(t *testing.T, a Attributes) resource.Partial {
	t.Helper()
	if a == nil {
		return resource.Partial{}
	}
	p, wrong := readAmounts(a)
	if wrong != nil {
		t.Fatalf("%v: %s", a, wrong.detail)
	}
	return p
}

func share(m map[string]float64) (s resource.Share) {
	for name, x := range m {
		if kind, ok := resource.ParseKind(name); ok {
			s[kind] = x
		}
	}
	return s
}

func checkOffloading(t *testing.T, s *scenario) {
	profile := s.profile(t)
	tree := newCaseTree(t, profile, s.Given)
	known := KnownTrees{Default: "default"}
	decode(t, s.Given["trees"], &known.Names)
	decodeOptional(t, s.Given["default_tree"], &known.Default)
	for _, data := range s.Cases {
		var c struct {
			User   string
			Spec   Attributes
			Expect map[string]string
		}
		decode(t, data, &c)
		spec, errs := ParseTreeSpec(profile, "map", c.Spec)
		choice, err := SelectTrees(&spec, &known)
		if len(errs) > 0 || err != nil {
			t.Fatalf("%s: %v %v", data, errs, err)
		}
		requested, _ := c.Spec["pool"].(string)
		at, err := tree.Place(c.User, requested)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, name := range choice.Regular {
			got[name] = at.Name
		}
		for _, o := range tree.Offloads(at, &spec, choice.Regular, &known) {
			got[o.Tree] = o.Pool
		}
		if !maps.Equal(got, c.Expect) {
			t.Errorf("%s: %v", data, got)
		}
	}
}

func checkTreeRemoval(t *testing.T, s *scenario) {
	var operations map[string][]string
	decode(t, s.Given["operations"], &operations)
	roster := NewRoster[string]()
	for id, trees := range operations {
		roster.Add(id, trees)
	}
	for _, data := range s.Steps {
		var step struct {
			Do, Name string
			Expect   struct {
				Aborted []string
				Trees   map[string][]string
			}
		}
		decode(t, data, &step)
		if step.Do != "remove_tree" {
			t.Fatalf("unknown step %s", data)
		}
		aborted, _ := roster.RemoveTree(step.Name)
		left := map[string][]string{}
		for id := range operations {
			if trees := roster.Trees(id); trees != nil {
				left[id] = trees
			}
		}
		if !slices.Equal(aborted, sorted(step.Expect.Aborted)) || !reflect.DeepEqual(left, step.Expect.Trees) {
			t.Errorf("%s: aborted %v, left %v", data, aborted, left)
		}
	}
}

// checkMultiTree runs a scenario of operations in several trees.
func checkMultiTree(t *testing.T, s *scenario) {
	var given []struct {
		Name   string
		Pools  json.RawMessage
		Config json.RawMessage `json:"tree_config"`
	}
	decode(t, s.Given["trees"], &given)
	trees := map[string]*Tree{}
	for _, c := range given {
		tree := newCaseTree(t, s.profile(t), map[string]json.RawMessage{"pools": c.Pools, "tree_config": c.Config})
		tree.name = c.Name
		trees[c.Name] = tree.Tree
	}
	started := map[string]map[string]Operation{}
	for _, data := range s.Steps {
		var step multiStep
		decode(t, data, &step)
		switch step.Do {
		case "start":
			step.start(t, data, trees, started)
		case "finish":
			for _, name := range slices.Sorted(maps.Keys(started[step.Operation])) {
				trees[name].Finish(started[step.Operation][name])
			}
			delete(started, step.Operation)
			var want map[string][]string
			decodeOptional(t, step.Expect["running_in"], &want)
			for id, names := range want {
				checkNames(t, data, "running in", runningIn(trees, started[id], true), names)
			}
		default:
			t.Fatalf("unknown step %s", data)
		}
		for _, tree := range trees {
			checkInvariants(t, tree)
		}
	}
}

// A multiStep is a step of a scenario with several trees.
type multiStep struct {
	Do, Operation, Pool, User, Type string
	Trees                           []string
	Tentative                       []string `json:"tentative_trees"`
	Erase                           bool     `json:"erase_trees_with_pool_limit_violations"`
	Expect                          map[string]json.RawMessage
}

func (step *multiStep) start(t *testing.T, data json.RawMessage, trees map[string]*Tree, started map[string]map[string]Operation) {
	var entries []entry
	for _, name := range step.Trees {
		entries = append(entries, entry{Tree: trees[name], Pool: step.Pool})
	}
	for _, name := range step.Tentative {
		entries = append(entries, entry{Tree: trees[name], Pool: step.Pool, Tentative: true})
	}
	a, err := startInTrees(entries, step.User, step.Type == "vanilla", step.Erase)
	var result, message string
	var code int
	decode(t, step.Expect["result"], &result)
	decodeOptional(t, step.Expect["error_code"], &code)
	decodeOptional(t, step.Expect["message"], &message)
	if result == "rejected" {
		var refused *Refusal
		if !errors.As(err, &refused) || code != 0 && refused.Code() != code {
			t.Fatalf("%s: must be rejected, got %v", data, err)
		}
		for _, word := range strings.Fields(message) { // the gist of it
			if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(word)) {
				t.Errorf("%s: rejected with %v", data, err)
			}
		}
		return
	}
	if err != nil || result != "ok" {
		t.Fatalf("%s: %v", data, err)
	}
	in, kept, erased := map[string]Operation{}, []string{}, []string{}
	for i, e := range entries {
		if a.Operations[i] != NoOperation {
			in[e.Tree.Name()] = a.Operations[i]
			kept = append(kept, e.Tree.Name())
		}
		if a.Erased[i] {
			erased = append(erased, e.Tree.Name())
		}
	}
	started[step.Operation] = in
	for name, got := range map[string][]string{"trees": kept, "erased_trees": erased,
		"running_in": runningIn(trees, in, true), "pending_in": runningIn(trees, in, false)} {
		if expected := step.Expect[name]; expected != nil {
			var want []string
			decode(t, expected, &want)
			checkNames(t, data, name, got, want)
		}
	}
}

// runningIn returns the trees in which an operation runs, or does not.
func runningIn(trees map[string]*Tree, in map[string]Operation, running bool) (names []string) {
	for name, o := range in {
		if trees[name].IsRunning(o) == running {
			names = append(names, name)
		}
	}
	return names
}

func checkNames(t *testing.T, data json.RawMessage, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%s: %s %v, want %v", data, what, got, want)
	}
}

// An entry asks for one tree of an operation that starts in several.
type entry struct {
	Tree      *Tree
	Pool      string // requested in this tree, "" for none
	Tentative bool
}

// A multiAdmission is how an operation started in several trees, by entry.
type multiAdmission struct {
	Operations []Operation // NoOperation in a tree that was erased
	Erased     []bool      // regular trees whose limits were violated: erased_trees
}

// startInTrees starts an operation in all its trees, or in none, as KeepTrees says.
// Each tree is on its own: the operation may run in one and wait in another
// (core/spec/scheduling.md §2.4, §5.3).
func startInTrees(entries []entry, user string, vanilla, erase bool) (multiAdmission, error) {
	places := make([]Placement, len(entries))
	refused, tentative := make([]*Refusal, len(entries)), make([]bool, len(entries))
	for i, e := range entries {
		at, err := e.Tree.Place(user, e.Pool)
		if err != nil {
			return multiAdmission{}, err
		}
		places[i], refused[i], tentative[i] = at, e.Tree.CheckStart(at, user), e.Tentative
	}
	kept, err := KeepTrees(refused, tentative, erase)
	if err != nil {
		return multiAdmission{}, err
	}
	a := multiAdmission{Operations: make([]Operation, len(entries)), Erased: make([]bool, len(entries))}
	for i, e := range entries {
		if kept[i] {
			a.Operations[i] = e.Tree.Register(places[i], Request{user, e.Pool, vanilla})
		} else {
			a.Operations[i], a.Erased[i] = NoOperation, !e.Tentative
		}
	}
	return a, nil
}
