package configuration

import (
	"poolproof/core"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

// A Configuration records the settings of a tree and its pools over time, and the rules that they
// break (core/spec/invariants.md §2).
type Configuration struct {
	*env.Env
	pools               env.Table[tables.Pool]
	poolVersions        env.Batch[tables.PoolVersion]
	treeVersions        env.Table[tables.TreeVersion]
	configurationFaults env.Batch[tables.ConfigurationFault]
	// Changed is called when settings may have changed, with the pools, by slot, of which a version
	// begins or ends.
	Changed func(moved []bool, now core.Time)

	versions    versions
	treeVersion treeVersions
	faults      configFaults
}

// New returns the configuration recorder of a tree.
func New(e *env.Env) *Configuration {
	return &Configuration{
		Env: e, pools: env.Open[tables.Pool](e.Out), poolVersions: env.OpenBatch(e.Out, compareVersions),
		treeVersions: env.Open[tables.TreeVersion](e.Out), configurationFaults: env.OpenBatch(e.Out, compareFaults),
	}
}

// EndInstant records the configurations at the end of an instant.
func (c *Configuration) EndInstant(now core.Time) {
	c.settleFaults(now)
	c.settleVersions(now)
	c.settleTreeVersion(now)
}

// BeginWindow clips open rows at the window's start.
func (c *Configuration) BeginWindow(from core.Time) {
	c.clipFaults(from)
	c.clipVersions(from)
	c.clipTreeVersion(from)
}

// Finish closes open rows at the window's end.
func (c *Configuration) Finish(to core.Time) {
	c.finishFaults(to)
	c.finishVersions(to)
	c.closeTreeVersion(to, true)
}

// Flush writes the rows of the last instant, and those of all pools.
func (c *Configuration) Flush() {
	c.configurationFaults.Flush()
	c.poolVersions.Flush()
	c.addPools()
}
