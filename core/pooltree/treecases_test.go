package pooltree

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A casePool is a pool of a scenario.
type casePool struct {
	Name   string
	Parent *string
	Config Attributes
}

func (p *casePool) definition(t *testing.T, profile Profile) Definition {
	c, errs := ParsePool(profile, p.Config)
	if len(errs) > 0 {
		t.Fatalf("pool %s: %v", p.Name, errs[0])
	}
	return Definition{p.Name, rootless(p.Parent), c}
}

// rootless returns a pool's name, "" for the root.
func rootless(name *string) string {
	if name == nil || *name == RootName {
		return ""
	}
	return *name
}

// caseTree is a tree of a scenario while its steps run.
type caseTree struct {
	*Tree
	attributes map[string]Attributes // of explicit pools, which steps patch
	operations map[string]Operation
}

// newCaseTree builds the tree that a scenario gives.
func newCaseTree(t *testing.T, profile Profile, given map[string]json.RawMessage) *caseTree {
	tree := &caseTree{NewTree("tree", profile), map[string]Attributes{}, map[string]Operation{}}
	var config Attributes
	decodeOptional(t, given["tree_config"], &config)
	c, errs := ParseTree(profile, config)
	if errs = append(errs, tree.SetConfig(c)...); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	var parents map[string]string
	decodeOptional(t, given["user_to_default_parent_pool"], &parents)
	tree.SetUserParents(parents)
	var pools []casePool
	decodeOptional(t, given["pools"], &pools)
	var changes []Change
	for _, p := range pools {
		tree.attributes[p.Name] = clone(p.Config)
		changes = append(changes, Change{Definition: p.definition(t, profile)})
	}
	tree.apply(t, changes...)
	return tree
}

func (tree *caseTree) apply(t *testing.T, changes ...Change) {
	t.Helper()
	if errs := tree.Apply(changes...); len(errs) > 0 {
		t.Fatal(errs[0])
	}
}

// patch sets attributes of an explicit pool, and its parent if one is given.
func (tree *caseTree) patch(t *testing.T, name string, config Attributes, parent *string, move bool) {
	t.Helper()
	if tree.attributes[name] == nil {
		tree.attributes[name] = Attributes{}
	}
	for k, v := range config {
		tree.attributes[name][k] = v
	}
	p := casePool{Name: name, Parent: parent, Config: tree.attributes[name]}
	if at, exists := tree.Find(name); exists && !move {
		up := tree.PoolName(tree.Parent(at))
		p.Parent = &up
	}
	tree.apply(t, Change{Definition: p.definition(t, tree.profile)})
}

// reason returns the symbolic name of a refusal.
func reason(t *testing.T, err error) Reason {
	var refused *Refusal
	if !errors.As(err, &refused) {
		t.Fatalf("not a refusal: %v", err)
	}
	return refused.Reason
}

func checkPlacement(t *testing.T, s *scenario) {
	tree := newCaseTree(t, s.profile(t), s.Given)
	for _, data := range s.Cases {
		var c struct {
			User, Pool, Type string
			Expect           struct {
				Pool, Parent string
				Created      *bool
				Error        Reason
			}
			ExpectConfig Attributes `json:"expect_config"`
		}
		decode(t, data, &c)
		at, err := tree.Place(c.User, c.Pool)
		o := NoOperation
		if err == nil {
			o, err = tree.Start(Request{User: c.User, Pool: c.Pool, Vanilla: c.Type == "vanilla"})
		}
		if (err != nil) != (c.Expect.Error != "") || err != nil && reason(t, err) != c.Expect.Error {
			t.Errorf("%s: %v", data, err)
		}
		if err != nil {
			continue
		}
		p := tree.OperationPool(o)
		if got := tree.PoolName(p); got != c.Expect.Pool || at.Name != got {
			t.Errorf("%s: in pool %s, placed in %s", data, got, at.Name)
		}
		if got := tree.PoolName(tree.Parent(p)); c.Expect.Parent != "" && got != c.Expect.Parent {
			t.Errorf("%s: parent %s", data, got)
		}
		if c.Expect.Created != nil && at.Create != *c.Expect.Created {
			t.Errorf("%s: created %v", data, at.Create)
		}
		if c.ExpectConfig != nil {
			want, _ := ParsePool(s.profile(t), c.ExpectConfig)
			if got := tree.PoolConfig(p); !reflect.DeepEqual(*got, want) {
				t.Errorf("%s: settings %+v", data, got)
			}
		}
	}
}

func checkPoolSetChange(t *testing.T, s *scenario) {
	tree := newCaseTree(t, s.profile(t), s.Given)
	var operations []struct{ ID, Pool, User, Type string }
	decodeOptional(t, s.Given["operations"], &operations)
	for _, o := range operations {
		p := tree.Ensure(o.Pool, o.User)
		tree.operations[o.ID] = tree.Add(p, o.User, o.Type == "vanilla")
		tree.SetRunning(tree.operations[o.ID], true)
	}
	for _, data := range s.Steps {
		var step struct {
			Do, Name, Pool, Operation string
			Parent                    *string
			Config                    Attributes
			Map                       map[string]string
			Attribute                 string
			Value                     any
			Expect                    map[string]json.RawMessage
		}
		decode(t, data, &step)
		if step.Name == "" {
			step.Name = step.Pool
		}
		switch step.Do {
		case "remove_pool":
			tree.apply(t, Change{Definition: Definition{Name: step.Name}, Removed: true})
			delete(tree.attributes, step.Name)
		case "create_pool", "move_pool":
			tree.patch(t, step.Name, step.Config, step.Parent, true)
		case "set_pool_config":
			tree.patch(t, step.Name, step.Config, nil, false)
		case "set_user_map":
			tree.SetUserParents(step.Map)
		case "set_tree_config":
			tree.setTreeConfig(t, s, step.Config, step.Attribute, step.Value)
		case "finish":
			tree.Finish(tree.operations[step.Operation])
			delete(tree.operations, step.Operation)
		default:
			t.Fatalf("unknown step %s", data)
		}
		tree.checkPools(t, step.Expect)
	}
}

// setTreeConfig patches the options that the scenario gave the tree.
func (tree *caseTree) setTreeConfig(t *testing.T, s *scenario, patch Attributes, attribute string, value any) {
	t.Helper()
	config := Attributes{}
	decodeOptional(t, s.Given["tree_config"], &config)
	for k, v := range patch {
		config[k] = v
	}
	if attribute != "" {
		config[attribute] = value
	}
	c, errs := ParseTree(tree.profile, config)
	if errs = append(errs, tree.SetConfig(c)...); len(errs) > 0 {
		t.Fatal(errs[0])
	}
	s.Given["tree_config"], _ = json.Marshal(config)
}

// checkPools compares pools, pools of operations and ephemeral pools of users.
func (tree *caseTree) checkPools(t *testing.T, expect map[string]json.RawMessage) {
	t.Helper()
	for name, data := range expect {
		switch name {
		case "operation_pool":
			var want map[string]string
			decode(t, data, &want)
			for o, pool := range want {
				if got := tree.PoolName(tree.OperationPool(tree.operations[o])); got != pool {
					t.Errorf("operation %s is in pool %s, want %s", o, got, pool)
				}
			}
		case "ephemeral_pools_of":
			var want map[string][]string
			decode(t, data, &want)
			for user, pools := range want {
				if got := tree.EphemeralPools(user); !slices.Equal(got, pools) {
					t.Errorf("ephemeral pools of %s: %q, want %q", user, got, pools)
				}
			}
		default:
			tree.checkPool(t, name, data)
		}
	}
}

func (tree *caseTree) checkPool(t *testing.T, name string, data json.RawMessage) {
	t.Helper()
	var want *struct {
		Parent     string
		Ephemeral  *bool
		MaxAll     *int64 `json:"max_operation_count"`
		MaxRunning *int64 `json:"max_running_operation_count"`
		Mode       string
	}
	decode(t, data, &want)
	p, exists := tree.Find(name)
	if exists != (want != nil) {
		t.Errorf("pool %s exists: %v", name, exists)
	}
	if want == nil || !exists {
		return
	}
	if got := tree.PoolName(tree.Parent(p)); want.Parent != "" && got != want.Parent {
		t.Errorf("pool %s is under %s, want %s", name, got, want.Parent)
	}
	if want.Ephemeral != nil && tree.IsEphemeral(p) != *want.Ephemeral {
		t.Errorf("pool %s ephemeral: %v", name, tree.IsEphemeral(p))
	}
	running, all := tree.Limits(p)
	if want.MaxAll != nil && all.Value != *want.MaxAll || want.MaxRunning != nil && running.Value != *want.MaxRunning {
		t.Errorf("pool %s: limits %d and %d, want %s", name, all.Value, running.Value, strings.TrimSpace(string(data)))
	}
	if got := tree.PoolConfig(p).mode().String(); want.Mode != "" && got != want.Mode {
		t.Errorf("pool %s: mode %s", name, got)
	}
}
