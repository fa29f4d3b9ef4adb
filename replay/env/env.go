package env

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
)

// Env is the state that all recorders of a tree share.
type Env struct {
	Core    *core.Tree
	Dims    *core.Dimensions
	Log     *Log
	Out     *Output
	Excuses *ExcuseWindows

	// Progress of the replay, set by the run and its recorder.
	Begun     bool      // the state at the start of the window has been recorded
	Now       core.Time // the current instant
	Stale     bool      // the last share update was refused
	KnownFrom int64     // since when clocks are known, usually the start of the log; scheduling.Never if nothing existed before

	PoolsKnown bool // the log records the configurations of pools, or that no pool is configured
}

// New returns the shared state of a tree's replay, given the excuse windows of the set of trees.
func New(t *core.Tree, dims *core.Dimensions, log *Log, out *Output, windows []Window) *Env {
	e := &Env{Core: t, Dims: dims, Log: log, Out: out, Excuses: &ExcuseWindows{windows: windows}}
	e.Excuses.Reconnect = core.Time(e.Slacks().Reconnect)
	e.Excuses.Single = log.Records("pool_config", "single")
	e.PoolsKnown = knowsPools(log.State("pool_config"))
	return e
}

// Slacks returns the slacks in force now.
func (e *Env) Slacks() judge.Slacks { return e.Log.SlacksOf(e.Core.Cluster()) }

// Unconfigured reports whether the log records neither configurations of pools nor that no pool is
// configured.
func (e *Env) Unconfigured() bool {
	return !e.PoolsKnown && !e.Core.PoolsConfigured()
}

// Handle returns the handle of a node in the scheduling core, NoNode if the log does not name the
// node.
func Handle(node int32) scheduling.Node {
	if node < 0 {
		return scheduling.NoNode
	}
	return scheduling.Node(node)
}

// Published returns the shares of the last update, nil if the operation does not take part.
func (e *Env) Published(o *core.Operation) *fairshare.Result {
	if !o.Enabled() {
		return nil
	}
	return e.Core.Shares(o.Element)
}

// EndWords maps the last step of an operation to final_state in the tables.
var EndWords = map[core.Step]string{
	core.StepCompleted: "completed",
	core.StepFailed:    "failed",
	core.StepAborted:   "aborted",
	core.StepRejected:  "rejected",
	core.StepErased:    "erased",
	core.StepBanned:    "banned",
}
