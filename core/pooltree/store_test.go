package pooltree

import (
	"maps"
	"slices"
)

// A Store holds the configuration of a cluster's trees as its users write it:
// object by object, each action checked by all rules of core/spec/scheduling.md §4
// and refused as a whole if it breaks one. The first rule broken is the error.
// It tells what a user may write, not what the scheduler then does with it
// (Tree.Apply).
type Store struct {
	Profile        Profile
	MaxSubtreeSize int // 0 stands for DefaultMaxSubtreeSize

	trees map[string]*StoredTree
}

// NewStore returns a store without trees.
func NewStore(p Profile) *Store { return &Store{Profile: p, trees: map[string]*StoredTree{}} }

// Tree returns a tree, nil if there is none of that name.
func (s *Store) Tree(name string) *StoredTree { return s.trees[name] }

// CreateTree adds a tree.
func (s *Store) CreateTree(name string, options Attributes) error {
	if rule := checkName(Baseline, name, Administrator); rule != "" {
		return &RuleError{Rule: rule, Tree: name}
	}
	if s.trees[name] != nil {
		return &RuleError{Rule: DuplicateTree, Tree: name}
	}
	return s.commit(name, &StoredTree{Options: clone(options)})
}

// RemoveTree removes a tree with its pools.
func (s *Store) RemoveTree(name string) error {
	if s.trees[name] == nil {
		return &RuleError{Rule: NoSuchTree, Tree: name}
	}
	delete(s.trees, name)
	return nil
}

// SetTreeOption sets an option in a tree's @config.
func (s *Store) SetTreeOption(tree, option string, value any) error {
	return s.change(tree, func(t *StoredTree) error {
		t.Options = clone(t.Options)
		t.Options[option] = value
		return nil
	})
}

// RemoveTreeOption removes an option from a tree's @config.
func (s *Store) RemoveTreeOption(tree, option string) error {
	return s.change(tree, func(t *StoredTree) error {
		t.Options = clone(t.Options)
		delete(t.Options, option)
		return nil
	})
}

// SetTreeAttribute sets an attribute of the tree object itself. Older layouts
// keep options there; an attribute of pools is refused
// (core/spec/scheduling.md §2.1).
func (s *Store) SetTreeAttribute(tree, attribute string, value any) error {
	if !IsTreeOption(attribute) && isPoolOption(attribute) {
		return &RuleError{Rule: NotATreeAttribute, Tree: tree, Option: attribute}
	}
	return s.SetTreeOption(tree, attribute, value)
}

// CreatePool adds a pool under a parent, "" for the root.
func (s *Store) CreatePool(tree, name, parent string, attributes Attributes, as Role) error {
	return s.change(tree, func(t *StoredTree) error {
		if rule := checkName(Baseline, name, as); rule != "" {
			return &RuleError{Rule: rule, Tree: tree, Pool: name}
		}
		stored := Attributes{}
		for _, attribute := range sortedNames(attributes) {
			if err := setAttribute(stored, attribute, attributes[attribute]); err != nil {
				return err
			}
		}
		t.Pools = append(slices.Clip(t.Pools), StoredPool{name, parent, stored})
		return nil
	})
}

// Set sets an attribute of a pool.
func (s *Store) Set(tree, pool, attribute string, value any) error {
	return s.changePool(tree, pool, func(p *StoredPool) error {
		p.Attributes = clone(p.Attributes)
		return setAttribute(p.Attributes, attribute, value)
	})
}

// Remove removes an attribute of a pool.
func (s *Store) Remove(tree, pool, attribute string) error {
	return s.changePool(tree, pool, func(p *StoredPool) error {
		p.Attributes = clone(p.Attributes)
		delete(p.Attributes, storedName(attribute))
		return nil
	})
}

// Get returns an attribute of a pool, nil if it is not set.
func (s *Store) Get(tree, pool, attribute string) any {
	if t := s.trees[tree]; t != nil {
		if i := t.find(pool); i >= 0 {
			return t.Pools[i].Attributes[storedName(attribute)]
		}
	}
	return nil
}

// setAttribute stores an attribute under its own name or alias; the strong
// guarantee has one value under both (core/spec/scheduling.md §4.2).
func setAttribute(a Attributes, name string, value any) error {
	switch name {
	case "pool_tree", "tree":
		return &RuleError{Rule: MoveBetweenTrees, Option: name}
	}
	a[storedName(name)] = value
	return nil
}

func storedName(attribute string) string {
	if attribute == "min_share_resources" {
		return strongName
	}
	return attribute
}

// MovePool moves a pool under another parent and renames it, "" to keep its
// name.
func (s *Store) MovePool(tree, name, parent, newName string, as Role) error {
	return s.changePool(tree, name, func(p *StoredPool) error {
		p.Parent = parent
		if newName != "" && newName != name {
			if rule := checkName(Baseline, newName, as); rule != "" {
				return &RuleError{Rule: rule, Tree: tree, Pool: newName}
			}
			p.Name = newName
		}
		return nil
	})
}

// RemovePool removes a pool and everything below it.
func (s *Store) RemovePool(tree, name string) error {
	return s.change(tree, func(t *StoredTree) error {
		if t.find(name) < 0 {
			return &RuleError{Rule: NoSuchPool, Tree: tree, Pool: name}
		}
		gone := map[string]bool{name: true}
		for grown := true; grown; {
			grown = false
			for _, p := range t.Pools {
				if gone[p.Parent] && !gone[p.Name] {
					gone[p.Name], grown = true, true
				}
			}
		}
		t.Pools = slices.DeleteFunc(slices.Clone(t.Pools), func(p StoredPool) bool { return gone[p.Name] })
		return nil
	})
}

func (t *StoredTree) find(pool string) int {
	return slices.IndexFunc(t.Pools, func(p StoredPool) bool { return p.Name == pool })
}

// change puts a changed copy of a tree in its place, if it is legal.
func (s *Store) change(tree string, do func(*StoredTree) error) error {
	t := s.trees[tree]
	if t == nil {
		return &RuleError{Rule: NoSuchTree, Tree: tree}
	}
	candidate := *t
	if err := do(&candidate); err != nil {
		return err
	}
	return s.commit(tree, &candidate)
}

// changePool changes one pool of a tree. A new name is its children's parent.
func (s *Store) changePool(tree, pool string, do func(*StoredPool) error) error {
	return s.change(tree, func(t *StoredTree) error {
		i := t.find(pool)
		if i < 0 {
			return &RuleError{Rule: NoSuchPool, Tree: tree, Pool: pool}
		}
		t.Pools = slices.Clone(t.Pools)
		if err := do(&t.Pools[i]); err != nil {
			return err
		}
		for j := range t.Pools {
			if t.Pools[j].Parent == pool && t.Pools[i].Name != pool {
				t.Pools[j].Parent = t.Pools[i].Name
			}
		}
		return nil
	})
}

// commit checks a tree as a whole and puts it in place if it is legal.
func (s *Store) commit(name string, t *StoredTree) error {
	if errs := s.check(t); len(errs) > 0 {
		errs[0].Tree = name
		return errs[0]
	}
	s.trees[name] = t
	return nil
}

func (s *Store) check(t *StoredTree) []*RuleError {
	config, errs := ParseTree(s.Profile, t.Options)
	pools := make([]Definition, len(t.Pools))
	for i, p := range t.Pools {
		c, wrong := ParsePool(s.Profile, p.Attributes)
		for _, e := range wrong {
			e.Pool = p.Name
		}
		pools[i] = Definition{p.Name, p.Parent, c}
		errs = append(errs, wrong...)
	}
	size := s.MaxSubtreeSize
	if size == 0 {
		size = DefaultMaxSubtreeSize
	}
	found := Validate(s.Profile, &config, pools, size)
	return append(errs, slices.DeleteFunc(found, func(e *RuleError) bool {
		return e.Rule == UnknownPreset // the store lets it pass: the scheduler refuses (§4.4)
	})...)
}

func clone(a Attributes) Attributes {
	if a == nil {
		return Attributes{}
	}
	return maps.Clone(a)
}
