package pooltree

import "slices"

// A TreeSpec is what an operation's spec says about its trees
// (core/spec/scheduling.md §2.4, §3.3).
type TreeSpec struct {
	Type                string // of the operation: map, vanilla, ...
	PoolTrees           Optional[[]string]
	Tentative           []string // tentative_pool_trees
	UseDefaultTentative bool     // use_default_tentative_pool_trees
	Eligibility         Eligibility
	Probing             string  // probing_pool_tree
	SingleTree          bool    // schedule_in_single_tree
	TagFilter           Formula // scheduling_tag_filter
}

var treeSpecOptions = []option[TreeSpec]{
	optional("pool_trees", func(s *TreeSpec) *Optional[[]string] { return &s.PoolTrees }, texts).says("trees of the operation"),
	plainOption("tentative_pool_trees", func(s *TreeSpec) *[]string { return &s.Tentative }, texts).says("trees in which the operation may be banned"),
	flagOption("use_default_tentative_pool_trees", func(s *TreeSpec) *bool { return &s.UseDefaultTentative }).says("whether the operation starts in the tentative trees of the cluster as well"),
	plainOption("tentative_tree_eligibility", func(s *TreeSpec) *Eligibility { return &s.Eligibility }, mapOf(eligibilityOptions)).says("how the operation is judged in tentative trees"),
	plainOption("probing_pool_tree", func(s *TreeSpec) *string { return &s.Probing }, text).says("tree in which the operation tries out a few jobs"),
	flagOption("schedule_in_single_tree", func(s *TreeSpec) *bool { return &s.SingleTree }).says("whether the operation keeps one tree of those that it names"),
	plainOption("scheduling_tag_filter", func(s *TreeSpec) *Formula { return &s.TagFilter }, tagFilter).also("scheduling_tag"),
}

// ParseTreeSpec reads what an operation's spec says about its trees.
func ParseTreeSpec(p Profile, operationType string, spec Attributes) (TreeSpec, []*RuleError) {
	s := TreeSpec{Type: operationType}
	return s, parseAttributes(&s, treeSpecOptions, spec, p)
}

// KnownTrees are the trees that a cluster has when an operation starts.
type KnownTrees struct {
	Names            []string
	Default          string   // "": none
	DefaultTentative []string // default_tentative_pool_trees
	// NonTentative are the types that a tree never takes tentatively, by tree
	// (non_tentative_operation_types); without an entry sort, map_reduce and
	// remote_copy are.
	NonTentative map[string][]string
}

func (k *KnownTrees) has(tree string) bool { return slices.Contains(k.Names, tree) }

// neverTentative are the types that no tree takes tentatively which names none itself.
var neverTentative = []string{"sort", "map_reduce", "remote_copy"}

// takes reports whether a tree may be tentative for operations of the type.
func (k *KnownTrees) takes(tree, operationType string) bool {
	types, set := k.NonTentative[tree]
	if !set {
		types = neverTentative
	}
	return !slices.Contains(types, operationType)
}

// TakesTentatively reports whether the tree may be tentative for operations of the type
// (core/spec/scheduling.md §2.4).
func (c *TreeConfig) TakesTentatively(operationType string) bool {
	types := c.NonTentativeTypes
	if len(types) == 0 {
		types = neverTentative
	}
	return !slices.Contains(types, operationType)
}

// A TreeChoice are the trees that an operation starts in, sorted.
type TreeChoice struct {
	Regular, Tentative []string
	Probing            string
}

// SelectTrees resolves the trees of an operation at its start; the error is a
// *Refusal (core/spec/scheduling.md §2.4).
func SelectTrees(s *TreeSpec, known *KnownTrees) (TreeChoice, error) {
	var c TreeChoice
	switch {
	case s.PoolTrees.Set:
		c.Regular = slices.Clone(s.PoolTrees.Value)
	case len(s.Tentative) > 0:
		return c, &Refusal{Reason: TentativeNoRegular}
	case known.Default != "":
		c.Regular = []string{known.Default}
	}
	if len(c.Regular) == 0 {
		return c, &Refusal{Reason: TreesUnspecified}
	}
	slices.Sort(c.Regular)
	c.Regular = slices.Compact(c.Regular)
	for _, tree := range c.Regular {
		if !known.has(tree) {
			return c, &Refusal{Reason: TreeNotFound, Tree: tree}
		}
	}
	if err := c.selectTentative(s, known); err != nil {
		return c, err
	}
	return c, c.selectProbing(s, known)
}

func (c *TreeChoice) selectTentative(s *TreeSpec, known *KnownTrees) error {
	c.Tentative = []string{}
	for _, tree := range s.Tentative {
		switch {
		case slices.Contains(c.Regular, tree):
			return &Refusal{Reason: TentativeRegular, Tree: tree}
		case known.has(tree):
			c.Tentative = append(c.Tentative, tree)
		case !s.Eligibility.IgnoreMissing:
			return &Refusal{Reason: TreeNotFound, Tree: tree}
		}
	}
	if s.UseDefaultTentative {
		for _, tree := range known.DefaultTentative {
			if known.has(tree) && !slices.Contains(c.Regular, tree) {
				c.Tentative = append(c.Tentative, tree)
			}
		}
	}
	if s.SingleTree && len(c.Tentative) > 0 {
		return &Refusal{Reason: SingleTreeTentative}
	}
	c.Tentative = slices.DeleteFunc(c.Tentative, func(tree string) bool { return !known.takes(tree, s.Type) })
	slices.Sort(c.Tentative)
	c.Tentative = slices.Compact(c.Tentative)
	return nil
}

func (c *TreeChoice) selectProbing(s *TreeSpec, known *KnownTrees) error {
	trees := len(c.Regular) + len(c.Tentative)
	if tree := s.Probing; tree != "" {
		switch {
		case !known.has(tree):
			return &Refusal{Reason: TreeNotFound, Tree: tree}
		case slices.Contains(c.Regular, tree) || slices.Contains(c.Tentative, tree):
			return &Refusal{Reason: ProbingOverlaps, Tree: tree}
		}
		c.Probing = tree
		trees++
	}
	if !s.TagFilter.IsEmpty() && trees > 1 {
		return &Refusal{Reason: TagFilterWithSeveral}
	}
	return nil
}
