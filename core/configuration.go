package core

import (
	"poolproof/core/fairshare"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A configuration is what a tree goes by: the settings in force, and the versions of them
// and of pools that did not take effect, as configure.go says when they do.
type configuration struct {
	config  TreeConfig
	cluster ClusterConfig // what is set above all trees

	pending         []pooltree.Change    // versions of pools that did not take effect yet
	wanted          Optional[TreeConfig] // that of the tree, likewise
	fresh           bool                 // some were not tried yet
	poolsConfigured bool                 // the log holds pool configurations

	configurations  int64 // how many took effect
	configured      bool  // one did, and when the first
	firstConfigured Time
	reconfigured    Time // when one replaced another last
	treeConfigured  Time // when a version of the tree's own settings, or of those above it that concern it, took effect last
}

// Config returns the tree's settings in force.
func (c *configuration) Config() *TreeConfig { return &c.config }

// Cluster returns the settings above all trees that are in force: none where the
// log states none. They are the Tree's own.
func (c *configuration) Cluster() *ClusterConfig { return &c.cluster }

// Configurations counts the configurations that took effect, so that a reader
// sees a new one.
func (c *configuration) Configurations() int64 { return c.configurations }

// Reconfigured returns when a configuration replaced another last, Never if none did.
func (c *configuration) Reconfigured() Time { return c.reconfigured }

// IsConfiguredBefore reports whether a configuration took effect before an instant.
func (c *configuration) IsConfiguredBefore(at Time) bool {
	return c.configured && c.firstConfigured < at
}

// PoolsConfigured reports whether the log holds configurations of pools.
func (c *configuration) PoolsConfigured() bool { return c.poolsConfigured }

// RelaxedMultiplier is relaxed_share_multiplier_limit of a relaxed pool: how many
// times its flow it may be given at once.
func (c *configuration) RelaxedMultiplier(p *Pool) float64 {
	return p.Config.Integral.RelaxedLimit.Or(c.config.Integral.RelaxedLimit.Or(fairshare.DefaultMultiplierLimit))
}

// SaturationPeriod is how long a flow takes to fill the volume that a pool may
// accumulate: pool_capacity_saturation_period.
func (c *configuration) SaturationPeriod() Time {
	return Time(c.config.Integral.SaturationPeriod.Or(fairshare.DefaultSaturationPeriod/1000)) * 1000
}

// MainResource returns the resource that guarantees are inferred from.
func (c *configuration) MainResource() resource.Kind { return c.config.MainResource.Or(resource.CPU) }

// bestAllocationPeriod is how long a best allocation stands.
func (c *configuration) bestAllocationPeriod() Time {
	const byDefault = 60_000
	return Time(c.config.BestAllocationPeriod.Or(byDefault)) * 1000
}

// ModuleReset is after what time of unsatisfied demand an operation is given
// another module (core/spec/scheduling.md §12).
func (c *configuration) ModuleReset() Time {
	return Time(c.config.Segments.ResetTimeout.Or(defaultReset)) * Second / 1000
}

// RebalanceTimeout is how long a segment has too little before it is given nodes,
// and InitializationTimeout how long none is given after the scheduler's start
// (core/spec/scheduling.md §12).
func (c *configuration) RebalanceTimeout() Time {
	return Time(c.config.Segments.RebalanceTimeout.Or(defaultRebalance)) * Second / 1000
}

// InitializationTimeout: see RebalanceTimeout.
func (c *configuration) InitializationTimeout() Time {
	return Time(c.config.Segments.InitializationTimeout.Or(defaultInitial)) * Second / 1000
}

// moduleName is the module of a node: its data center or InfiniBand cluster, as
// the tree has it, and the one that is known where it has none.
func (c *configuration) moduleName(n *Node) string {
	if c.config.Segments.ByInfiniband || n.Module == "" {
		return n.Network
	}
	return n.Module
}
