package env

import (
	"poolproof/core"
	"poolproof/core/fairshare"
	"poolproof/core/judge"
	"poolproof/core/scheduling"
)

// An Env is what all who follow a tree's replay share.
type Env struct {
	Core    *core.Tree
	Dims    *core.Dimensions
	Log     *Log
	Out     *Output
	Excuses *ExcuseWindows

	// How far the replay is, as the run and its recorder set it.
	Begun     bool      // what held at the start of the window is recorded
	Now       core.Time // the instant that is settled
	Stale     bool      // the last share update was refused
	KnownFrom int64     // since when clocks are known, as a rule when the log begins; scheduling.Never if nothing was there before

	PoolsKnown bool // the log records the configurations of pools, or that there are none
}

// New returns what those share who follow a tree's replay, given the windows in which the
// set of trees excuses.
func New(t *core.Tree, dims *core.Dimensions, log *Log, out *Output, windows []Window) *Env {
	e := &Env{Core: t, Dims: dims, Log: log, Out: out, Excuses: &ExcuseWindows{windows: windows}}
	e.Excuses.Reconnect = core.Time(e.Slacks().Reconnect)
	e.Excuses.Single = log.Records("pool_config", "single")
	e.PoolsKnown = knowsPools(log.State("pool_config"))
	return e
}

// Slacks are those in force now.
func (e *Env) Slacks() judge.Slacks { return e.Log.SlacksOf(e.Core.Cluster()) }

// Unconfigured reports whether the log records neither configurations of pools nor that there are
// none.
func (e *Env) Unconfigured() bool {
	return !e.PoolsKnown && !e.Core.PoolsConfigured()
}

// Handle is the handle of a node in the scheduling core, none if the log does not name the node.
func Handle(node int32) scheduling.Node {
	if node < 0 {
		return scheduling.NoNode
	}
	return scheduling.Node(node)
}

// Published returns the shares of the last update; nil for what takes no part.
func (e *Env) Published(o *core.Operation) *fairshare.Result {
	if !o.Enabled() {
		return nil
	}
	return e.Core.Shares(o.Element)
}

// EndWords name how an operation ended in the table's final_state.
var EndWords = map[core.Step]string{
	core.StepCompleted: "completed",
	core.StepFailed:    "failed",
	core.StepAborted:   "aborted",
	core.StepRejected:  "rejected",
	core.StepErased:    "erased",
	core.StepBanned:    "banned",
}
