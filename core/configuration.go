package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A configuration holds the settings in force, and the versions of the tree and of pools that have
// not taken effect; configure.go applies them.
type configuration struct {
	config  TreeConfig
	cluster ClusterConfig // settings above all trees

	pending         []pooltree.Change    // versions of pools that have not taken effect yet
	pendingTree     Optional[TreeConfig] // version of the tree, likewise
	untried         bool                 // some have not been tried yet
	poolsConfigured bool                 // the log holds pool configurations

	configurations int64    // how many took effect
	unmodelled     struct { // what options change that is not modelled, after so many
		of      int64
		changes pooltree.Unmodelled
	}
	configured      bool // one took effect, the first at firstConfigured
	firstConfigured Time
	reconfigured    Time // when one last replaced another
	treeConfigured  Time // when a version of the settings of the tree, or of those above it that affect it, last took effect
}

// Config returns the tree's settings in force.
func (c *configuration) Config() *TreeConfig { return &c.config }

// Cluster returns the settings above all trees that are in force; zero if the log states none. They
// belong to the Tree.
func (c *configuration) Cluster() *ClusterConfig { return &c.cluster }

// Configurations counts the configurations that took effect, so that a reader notices a new one.
func (c *configuration) Configurations() int64 { return c.configurations }

// Reconfigured returns the time when a configuration last replaced another, or Never.
func (c *configuration) Reconfigured() Time { return c.reconfigured }

// IsConfiguredBefore reports whether a configuration took effect before an instant.
func (c *configuration) IsConfiguredBefore(at Time) bool {
	return c.configured && c.firstConfigured < at
}

// PoolsConfigured reports whether the log holds configurations of pools.
func (c *configuration) PoolsConfigured() bool { return c.poolsConfigured }

// RelaxedMultiplier returns relaxed_share_multiplier_limit of a relaxed pool: the most that it may
// get at once, as a multiple of its flow.
func (c *configuration) RelaxedMultiplier(p *Pool) float64 {
	return p.Config.Integral.RelaxedLimit.Or(c.config.Integral.RelaxedLimit.Or(fairshare.DefaultMultiplierLimit))
}

// SaturationPeriod returns the time in which a flow fills the volume that a pool may accumulate:
// pool_capacity_saturation_period.
func (c *configuration) SaturationPeriod() Time {
	return Time(c.config.Integral.SaturationPeriod.Or(fairshare.DefaultSaturationPeriod/1000)) * 1000
}

// MainResource returns the resource that guarantees are inferred from.
func (c *configuration) MainResource() resource.Kind { return c.config.MainResource.Or(resource.CPU) }

// bestAllocationPeriod returns the time between two computations of a best allocation.
func (c *configuration) bestAllocationPeriod() Time {
	const byDefault = 60_000
	return Time(c.config.BestAllocationPeriod.Or(byDefault)) * 1000
}

// ModuleReset returns the time of unsatisfied demand after which an operation is assigned another
// module (core/spec/scheduling.md §12).
func (c *configuration) ModuleReset() Time {
	return Time(c.config.Segments.ResetTimeout.Or(defaultReset)) * Second / 1000
}

// RebalanceTimeout returns the time after which a segment with too few devices gets nodes
// (core/spec/scheduling.md §12).
func (c *configuration) RebalanceTimeout() Time {
	return Time(c.config.Segments.RebalanceTimeout.Or(defaultRebalance)) * Second / 1000
}

// InitializationTimeout returns the time after the scheduler's start in which segments get no nodes
// (core/spec/scheduling.md §12).
func (c *configuration) InitializationTimeout() Time {
	return Time(c.config.Segments.InitializationTimeout.Or(defaultInitial)) * Second / 1000
}

// moduleName returns the module of a node: its data center or InfiniBand cluster, as the tree
// selects, or the one that is known if the tree does not select.
func (c *configuration) moduleName(n *Node) string {
	if c.config.Segments.ByInfiniband || n.Module == "" {
		return n.Network
	}
	return n.Module
}
