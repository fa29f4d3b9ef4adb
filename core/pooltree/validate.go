package pooltree

import (
	"fmt"

	"poolproof/core/resource"
)

// A Definition is an explicit pool of a configuration.
type Definition struct {
	Name   string
	Parent string // "" under the root
	Config PoolConfig
}

// Bounds of the shape of a tree (core/spec/scheduling.md §4.1).
const (
	maxDepth              = 30
	DefaultMaxSubtreeSize = 1000 // max_scheduler_pool_subtree_size
)

// Validate returns everything that is illegal in a set of explicit pools, by
// the rules of core/spec/scheduling.md §4 that concern more than one option of one
// pool; ParsePool and ParseTree check the others. Errors come in the order of
// the pools, then of the rules.
func Validate(p Profile, tree *TreeConfig, pools []Definition, maxSubtreeSize int) []*RuleError {
	s := newPoolSet(p, tree, pools)
	s.checkNames()
	if s.errs != nil && s.broken {
		return s.errs // what follows needs a tree
	}
	sizes := make([]int, len(pools))
	for i := range pools {
		depth, top := s.climb(i)
		sizes[top]++
		if depth > maxDepth {
			s.refuse(i, Depth, fmt.Sprintf("level %d", depth))
		}
		if sizes[top] == maxSubtreeSize+1 {
			s.refuse(top, SubtreeSize, fmt.Sprintf("more than %d", maxSubtreeSize))
		}
		s.addGuarantees(i)
	}
	for i := range pools {
		s.checkPool(i)
	}
	return s.errs
}

// poolSet is a set of definitions while it is being validated.
type poolSet struct {
	profile Profile
	tree    *TreeConfig
	pools   []Definition
	index   map[string]int
	parent  []int                // index of the parent, -1 under the root
	sums    [][3]resource.Vector // per pool and guarantee: what its children ask for
	errs    []*RuleError
	broken  bool // the pools form no tree
}

func newPoolSet(p Profile, tree *TreeConfig, pools []Definition) *poolSet {
	s := &poolSet{profile: p, tree: tree, pools: pools, index: make(map[string]int, len(pools))}
	s.parent = make([]int, len(pools))
	s.sums = make([][3]resource.Vector, len(pools))
	return s
}

func (s *poolSet) refuse(i int, r Rule, detail string) { s.refuseOption(i, r, "", detail) }

func (s *poolSet) refuseOption(i int, r Rule, option, detail string) {
	s.errs = append(s.errs, &RuleError{Rule: r, Pool: s.pools[i].Name, Option: option, Detail: detail})
}

// checkNames checks names and parents, and that no pool stands below itself.
func (s *poolSet) checkNames() {
	for i := range s.pools {
		name := s.pools[i].Name
		if rule := checkName(s.profile, name, Administrator); rule != "" {
			s.refuse(i, rule, "")
		}
		if _, taken := s.index[name]; taken {
			s.refuse(i, DuplicateName, "")
			s.broken = true
			continue
		}
		s.index[name] = i
	}
	for i := range s.pools {
		s.parent[i] = -1
		if parent := s.pools[i].Parent; parent != "" {
			j, found := s.index[parent]
			if !found {
				s.refuse(i, NoSuchParent, parent)
				s.broken = true
				continue
			}
			s.parent[i] = j
		}
	}
	for i := range s.pools {
		steps := 0
		for j := s.parent[i]; j >= 0 && steps <= len(s.pools); j = s.parent[j] {
			steps++
		}
		if steps > len(s.pools) {
			s.refuse(i, MoveIntoDescendant, "")
			s.broken = true
			return
		}
	}
}

// climb returns the level of a pool, 1 under the root, and its top-level pool.
func (s *poolSet) climb(i int) (depth, top int) {
	for depth, top = 1, i; s.parent[top] >= 0; top = s.parent[top] {
		depth++
	}
	return depth, top
}

// checkPool checks a pool against its parent and its tree.
func (s *poolSet) checkPool(i int) {
	c := &s.pools[i].Config
	if up := s.parent[i]; up >= 0 && s.pools[up].Config.mode() == FIFO {
		s.refuse(i, FIFOWithChildren, "its parent "+s.pools[up].Name+" is one")
	}
	for _, name := range c.Presets {
		if _, ok := s.tree.preset(name); !ok {
			s.refuseOption(i, UnknownPreset, "config_preset", name)
		}
	}
	s.checkGuarantees(i)
	if main, has := s.profile.mainResource(s.tree); has && !c.StrongGuarantee.IsEmpty() && !c.StrongGuarantee.Set[main] {
		s.refuseOption(i, MainResource, strongName, "no "+main.String())
	}
	if !c.Integral.Flow.IsEmpty() || !c.Integral.Burst.IsEmpty() {
		for up := s.parent[i]; up >= 0; up = s.parent[up] {
			if s.pools[up].Config.Integral.Type != NoIntegral {
				s.refuseOption(i, IntegralUnderIntegral, integralName, "below "+s.pools[up].Name)
				break
			}
		}
	}
}

var guaranteeOptions = [3]string{strongName, "burst_guarantee_resources", "resource_flow"}

func (c *PoolConfig) guarantees() [3]*resource.Partial {
	return [3]*resource.Partial{&c.StrongGuarantee, &c.Integral.Burst, &c.Integral.Flow}
}

// addGuarantees adds what a pool asks of its parent, of each component that the
// parent guarantees at all.
func (s *poolSet) addGuarantees(i int) {
	up := s.parent[i]
	if up < 0 {
		return
	}
	const most = 1 << 62 // more than any pool is guaranteed, and a sum with another still fits
	own, parents := s.pools[i].Config.guarantees(), s.pools[up].Config.guarantees()
	for g := range own {
		for k, set := range own[g].Set {
			if sum := &s.sums[up][g][k]; set && parents[g].Set[k] {
				*sum = min(*sum+own[g].Amounts[k], most)
			}
		}
	}
}

// checkGuarantees checks that the parent of a pool guarantees each component
// that the pool sets, and that the pool's children together stay within what
// it has (core/spec/scheduling.md §4.3). Nothing is checked against the root.
func (s *poolSet) checkGuarantees(i int) {
	own := s.pools[i].Config.guarantees()
	for g := range own {
		sum := &s.sums[i][g]
		for k := range own[g].Set {
			kind := resource.Kind(k)
			if up := s.parent[i]; up >= 0 && own[g].Set[k] && !s.pools[up].Config.guarantees()[g].Set[k] {
				s.refuseOption(i, GuaranteeWithoutParent, guaranteeOptions[g], kind.String())
			}
			if sum[k] > own[g].Amounts[k] {
				s.refuseOption(i, GuaranteeSum, guaranteeOptions[g],
					fmt.Sprintf("%s: %g of %g", kind, sum.Real(kind), own[g].Amounts.Real(kind)))
			}
		}
	}
}
