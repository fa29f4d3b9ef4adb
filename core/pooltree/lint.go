package pooltree

import (
	"fmt"
	"slices"
	"strings"
)

// A StoredTree is the configuration of a tree as it is written.
type StoredTree struct {
	Options   Attributes
	OldLayout bool // options are attributes of the tree object, beside those that the cluster keeps
	Pools     []StoredPool
}

// A StoredPool is an explicit pool of one.
type StoredPool struct {
	Name       string
	Parent     string // "" under the root
	Attributes Attributes
}

// Lint returns all that is wrong with a tree as it is written, and the advice
// on it: what ParseTree, ParsePool, Validate and Advise say, in that order. Of
// two pools of one name the first is judged on; a pool without its parent is
// told of and left out with its subtree.
func Lint(p Profile, t *StoredTree, of Cluster) []*RuleError {
	config, errs := ParseTree(p, t.Options)
	for _, name := range sortedNames(t.Options) {
		if t.Options[name] != nil && !IsTreeOption(name) && isPoolOption(name) {
			errs = append(errs, &RuleError{Rule: NotATreeAttribute, Option: name})
		}
	}
	errs = append(errs, UnknownTreeOptions(t.Options, t.OldLayout)...)
	var pools []Definition
	seen := map[string]bool{}
	for i := range t.Pools {
		pool := &t.Pools[i]
		if seen[pool.Name] {
			errs = append(errs, &RuleError{Rule: DuplicateName, Pool: pool.Name})
			continue
		}
		seen[pool.Name] = true
		c, wrong := ParsePool(p, pool.Attributes)
		wrong = append(wrong, UnknownPoolOptions(pool.Attributes)...)
		for _, e := range wrong {
			e.Pool = pool.Name
		}
		errs = append(errs, wrong...)
		pools = append(pools, Definition{pool.Name, pool.Parent, c})
	}
	pools, lost := withoutOrphans(pools, seen)
	errs = append(errs, lost...)
	errs = append(errs, Validate(p, &config, pools, DefaultMaxSubtreeSize)...)
	errs = append(errs, Advise(p, &config, pools, of)...)
	// A fault in one preset takes the others along: they are not unknown.
	presets, _ := attributeMap(t.Options["pool_config_presets"])
	return slices.DeleteFunc(errs, func(e *RuleError) bool {
		return e.Rule == UnknownPreset && presets[e.Detail] != nil
	})
}

// withoutOrphans drops the pools whose parent is not among the names, and what
// stands below them.
func withoutOrphans(pools []Definition, names map[string]bool) ([]Definition, []*RuleError) {
	var errs []*RuleError
	orphans := map[string]bool{}
	for i := range pools {
		if parent := pools[i].Parent; parent != "" && !names[parent] {
			errs = append(errs, &RuleError{Rule: NoSuchParent, Pool: pools[i].Name, Detail: parent})
			orphans[pools[i].Name] = true
		}
	}
	return withoutSubtrees(pools, orphans), errs
}

// CheckTreeName returns the rule that the name of a tree breaks, "" if none.
func CheckTreeName(p Profile, name string) Rule { return checkName(p, name, Administrator) }

// A TaggedNode is a node with its tags.
type TaggedNode struct {
	Name string
	Tags Tags
}

// LintTrees returns what is wrong with a set of trees and the nodes that are
// known: a default tree that does not exist, and nodes that several trees
// claim, one error for all nodes that the same trees claim, in the order of the
// nodes (core/spec/scheduling.md §2.3).
func LintTrees(s *TreeSet, nodes []TaggedNode) []*RuleError {
	var errs []*RuleError
	if s.Default != "" && !slices.ContainsFunc(s.Trees, func(t TreeFilter) bool { return t.Name == s.Default }) {
		errs = append(errs, &RuleError{Rule: NoDefaultTree, Option: "default_tree", Detail: s.Default})
	}
	type claim struct {
		node  string
		trees []string
		more  int
	}
	var claims []*claim
	for i := range nodes {
		trees := s.matching(nodes[i].Tags)
		if len(trees) < 2 {
			continue
		}
		same := slices.IndexFunc(claims, func(c *claim) bool { return slices.Equal(c.trees, trees) })
		if same < 0 {
			claims = append(claims, &claim{nodes[i].Name, trees, 0})
		} else {
			claims[same].more++
		}
	}
	for _, c := range claims {
		found := fmt.Sprintf("%s matches %s", c.node, strings.Join(c.trees, " and "))
		if c.more > 0 {
			found = fmt.Sprintf("%s, and %d more", found, c.more)
		}
		errs = append(errs, &RuleError{Rule: OverlappingFilters, Tree: c.trees[0], Option: "nodes_filter", Detail: found})
	}
	return errs
}
