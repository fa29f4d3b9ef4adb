package pooltree

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// A configStep is an action on the configuration, and whether it is legal.
type configStep struct {
	Do, Tree, Name, Pool, Attribute, Option, As string
	Parent                                      *string
	NewName                                     string `json:"new_name"`
	IgnoreExisting                              bool   `json:"ignore_existing"`
	Config                                      Attributes
	Value                                       any
	OK                                          bool
	Rule                                        Rule
}

func checkConfigActions(t *testing.T, s *scenario) {
	store := NewStore(s.profile(t))
	for i, data := range s.Steps {
		step := configStep{OK: true}
		decode(t, data, &step)
		err := step.do(t, store, data)
		var broken *RuleError
		switch {
		case step.OK && err != nil:
			t.Errorf("step %d %s: %v", i, data, err)
		case step.OK:
		case !errors.As(err, &broken):
			t.Errorf("step %d %s: must be refused, got %v", i, data, err)
		case broken.Rule != step.Rule:
			t.Errorf("step %d %s: refused by %s (%v)", i, data, broken.Rule, err)
		}
	}
}

func (c *configStep) parent() string {
	if c.Parent == nil || *c.Parent == RootName {
		return ""
	}
	return *c.Parent
}

func (c *configStep) do(t *testing.T, s *Store, data json.RawMessage) error {
	role := Administrator
	if c.As == "user" {
		role = User
	}
	pool := c.Pool
	if pool == "" {
		pool = c.Name
	}
	switch c.Do {
	case "create_tree":
		return s.CreateTree(c.Name, c.Config)
	case "remove_tree":
		return s.RemoveTree(c.Name)
	case "set_tree_config":
		return s.SetTreeOption(c.Tree, c.Attribute, c.Value)
	case "remove_tree_config":
		return s.RemoveTreeOption(c.Tree, c.Attribute)
	case "set_tree_attribute":
		return s.SetTreeAttribute(c.Tree, c.Attribute, c.Value)
	case "create_pool":
		if tree := s.Tree(c.Tree); c.IgnoreExisting && tree != nil && tree.find(c.Name) >= 0 {
			return nil
		}
		return s.CreatePool(c.Tree, c.Name, c.parent(), c.Config, role)
	case "remove_pool":
		return s.RemovePool(c.Tree, pool)
	case "move_pool", "rename_pool":
		parent := c.parent()
		if tree := s.Tree(c.Tree); c.Do == "rename_pool" && tree != nil && tree.find(pool) >= 0 {
			parent = tree.Pools[tree.find(pool)].Parent
		}
		return s.MovePool(c.Tree, pool, parent, c.NewName, role)
	case "set":
		return s.Set(c.Tree, pool, c.Attribute, c.Value)
	case "remove_attribute":
		return s.Remove(c.Tree, pool, c.Attribute)
	case "get":
		if got := s.Get(c.Tree, pool, c.Attribute); !reflect.DeepEqual(got, c.Value) {
			t.Errorf("%s: got %v", data, got)
		}
		return nil
	case "set_cluster_option":
		if c.Option == "max_scheduler_pool_subtree_size" {
			size, _ := whole(c.Value)
			s.MaxSubtreeSize = int(size)
			return nil
		}
	}
	t.Fatalf("unknown action: %s", data)
	return nil
}
