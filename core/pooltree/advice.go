package pooltree

import (
	"cmp"
	"fmt"
	"slices"

	"poolproof/core/resource"
)

// Advise returns the likely mistakes in a legal set of explicit pools, by the rules of
// core/spec/invariants.md §2 that no component enforces. Errors come in the order of the pools,
// after those of the tree.
func Advise(p Profile, tree *TreeConfig, pools []Definition, of Cluster) []*RuleError {
	s := newPoolSet(p, tree, pools)
	s.checkNames()
	s.errs = nil
	a := adviser{profile: p, tree: tree, pools: pools, of: of, counts: sumCounts(s)}
	a.adviseTree(s, of.Total)
	for i := range pools {
		a.advisePool(i)
	}
	return a.errs
}

// A Cluster is what is known of the cluster of a tree beside the tree's own configuration.
type Cluster struct {
	Total        *resource.Vector // what the nodes of the tree have; nil if that is not known
	UpdatePeriod Milliseconds     // between two updates of fair shares; 0 if it is not known
	Units        *resource.Units  // of the amounts that errors print; nil for the usual ones
}

// units are those of the amounts that errors print.
func (c *Cluster) units() *resource.Units { return cmp.Or(c.Units, &resource.UsualUnits) }

type adviser struct {
	profile Profile
	tree    *TreeConfig
	pools   []Definition
	of      Cluster
	counts  [][2]float64 // per pool: the limits of its children's operations, summed
	errs    []*RuleError
}

func (a *adviser) advise(r Rule, pool, option, format string, args ...any) {
	a.errs = append(a.errs, &RuleError{Rule: r, Pool: pool, Option: option, Detail: fmt.Sprintf(format, args...)})
}

func (a *adviser) adviseTree(s *poolSet, total *resource.Vector) {
	if interrupt, _ := a.tree.InterruptTimeout(a.profile); a.tree.WaitingJobTimeout.Set && a.tree.WaitingJobTimeout.Value < interrupt {
		a.advise(WaitingTimeout, "", "waiting_job_timeout", "%d ms below %d ms", a.tree.WaitingJobTimeout.Value, interrupt)
	}
	if parent := a.tree.DefaultParentPool; parent != "" && parent != RootName {
		if _, found := s.index[parent]; !found {
			a.advise(NoDefaultParent, "", "default_parent_pool", "%s", parent)
		}
	}
	for _, o := range ignored(a.tree, treeOptions, a.profile) {
		a.advise(IgnoredOption, "", o.name, "")
	}
	for i := range a.tree.Presets {
		preset := &a.tree.Presets[i]
		for _, o := range ignored(&preset.Config, poolOptions, a.profile) {
			a.advise(IgnoredOption, "", "pool_config_presets", "%s in preset %s", o.name, preset.Name)
		}
	}
	if total != nil {
		a.adviseTotal(s, total)
	}
}

// adviseTotal compares the strong guarantees of the top-level pools with what
// there is, 2 % more allowed (CFG-09).
func (a *adviser) adviseTotal(s *poolSet, total *resource.Vector) {
	const slack = 1.02
	var sum [resource.Kinds]float64
	for i := range a.pools {
		if strong := &a.pools[i].Config.StrongGuarantee; s.parent[i] < 0 {
			for k := range sum {
				sum[k] += float64(strong.Amounts[k])
			}
		}
	}
	for k := range sum {
		kind := resource.Kind(k)
		if there := float64(total[k]); sum[k] > there*slack {
			units := a.of.units()
			a.advise(GuaranteeAboveTotal, "", strongName, "%s: %g of %g", kind, sum[k]/units[k], there/units[k])
		}
	}
}

func (a *adviser) advisePool(i int) {
	c, name := &a.pools[i].Config, a.pools[i].Name
	if !c.Listed {
		for _, o := range ignored(c, poolOptions, a.profile) {
			a.advise(IgnoredOption, name, o.name, "")
		}
	}
	for k, set := range c.ResourceLimits.Set {
		if limit, strong := c.ResourceLimits.Amounts, c.StrongGuarantee; set && strong.Set[k] && limit[k] < strong.Amounts[k] {
			kind := resource.Kind(k)
			units := a.of.units()
			a.advise(LimitBelowGuarantee, name, "resource_limits", "%s: %g below %g", kind, float64(limit[k])/units[k], float64(strong.Amounts[k])/units[k])
		}
	}
	if c.Integral.Type != NoIntegral && c.Integral.Flow.IsEmpty() {
		a.advise(IncompleteIntegral, name, integralName, "%s without resource_flow", guaranteeNames[c.Integral.Type])
	}
	if c.Integral.Type == Burst && c.Integral.Burst.IsEmpty() {
		a.advise(IncompleteIntegral, name, integralName, "burst without burst_guarantee_resources")
	}
	a.adviseFlow(name, &c.Integral)
	a.adviseCounts(i)
}

// adviseFlow tells of a flow of which rounding leaves nothing (CFG-18). The flow of a pool is one
// ratio for all resources. The volume of cpu grows at each update by whole hundredths of a
// core·second, and the capacity of every resource is a whole amount times the saturation period
// (core/spec/fair-share.md §1.6, §6.2): 10 cores × 0.2 s × a flow ratio of 0.001 is 0.002 and
// rounds to 0. A flow of a resource whose total is not known tells nothing.
func (a *adviser) adviseFlow(pool string, i *IntegralConfig) {
	if a.of.Total == nil || i.Type == NoIntegral || i.Flow.IsEmpty() {
		return
	}
	total := *a.of.Total
	for k, set := range i.Flow.Set {
		if set && total[k] >= resource.Unlimited[k] {
			return
		}
	}
	flow := i.Flow.Amounts.MaxRatio(total)
	if flow <= 0 {
		return
	}
	capacity := total.Times(flow)
	for k := range total {
		if kind := resource.Kind(k); total[k] > 0 && total[k] < resource.Unlimited[k] && capacity[k] == 0 {
			a.advise(FlowRoundsToZero, pool, integralName, "%s: %.4g of %g", kind, flow*total.Real(kind), total.Real(kind))
		}
	}
	seconds := float64(a.of.UpdatePeriod) / 1e3
	known := seconds > 0 && total[resource.CPU] > 0 && total[resource.CPU] < resource.Unlimited[resource.CPU]
	if known && capacity[resource.CPU] > 0 && !a.passesOnVolume() && total.Over(seconds).Times(flow)[resource.CPU] == 0 {
		a.advise(FlowRoundsToZero, pool, integralName, "cpu: %.4g below %.4g", flow*total.Real(resource.CPU), 0.005/seconds)
	}
}

// passesOnVolume reports whether a pool may get volume that others leave over.
func (a *adviser) passesOnVolume() bool {
	return a.tree.DistributeFreeVolume.Or(false) || slices.ContainsFunc(a.pools, func(d Definition) bool {
		return d.Config.Integral.DistributeFreeVolume.Or(false)
	})
}

// adviseCounts compares what a pool says of its operations with what its
// children say together (CFG-13).
func (a *adviser) adviseCounts(i int) {
	c := &a.pools[i].Config
	for n, own := range c.counts() {
		if sum := a.counts[i][n]; own.Set && sum > float64(own.Value) {
			a.advise(Oversubscribed, a.pools[i].Name, countOptions[n], "%.0f of %d", sum, own.Value)
		}
	}
}

var countOptions = [2]string{"max_running_operation_count", "max_operation_count"}

func (c *PoolConfig) counts() [2]Optional[int64] {
	return [2]Optional[int64]{c.MaxRunningOperationCount, c.MaxOperationCount}
}

// sumCounts adds up what the children of every pool say.
func sumCounts(s *poolSet) [][2]float64 {
	sums := make([][2]float64, len(s.pools))
	for i := range s.pools {
		if up := s.parent[i]; up >= 0 {
			for n, count := range s.pools[i].Config.counts() {
				sums[up][n] += float64(count.Or(0))
			}
		}
	}
	return sums
}
