package coretest

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// steps are the lines that state a step of an operation.
var steps = map[string]core.Step{
	"start": core.StepStarted, "running": core.StepRunning, "pending": core.StepPending,
	"suspend": core.StepSuspended, "resume": core.StepResumed, "move": core.StepPoolChanged,
	"set": core.StepParamsChanged, "reject": core.StepRejected, "erase": core.StepErased,
	"ban": core.StepBanned, "starves": core.StepStarvationStarted, "recovers": core.StepStarvationFinished,
	"materialize": core.StepMaterialized, "revive": core.StepRevived, "complete": core.StepCompleted, "fail": core.StepFailed, "abort": core.StepAborted,
}

// fill turns a line into its event.
func (s *Scenario) fill(e *core.Event, what, name string, o *settings) error {
	if step, ok := steps[what]; ok {
		s.fillStep(e, step, name, o)
		return nil
	}
	switch what {
	case "scheduler":
		e.Kind, e.Process, e.Alert = core.ProcessChanged, name, o.text("alert")
	case "snapshot", "sees_pool", "sees", "accumulates":
		s.fillRecord(e, what, name, o)
	case "cluster":
		e.Kind, e.Cluster = core.ClusterConfigured, clusterConfig(o)
	case "tree":
		e.Kind, e.Tree = core.TreeConfigured, treeConfig(o)
	case "pool":
		e.Kind, e.Pool, e.Config = core.PoolConfigured, s.pool(name), s.poolConfig(o)
		if e.Pool != core.RootPool && !e.Config.Ephemeral {
			s.Dimensions.Pools[e.Pool].Ephemeral = false
		}
	case "remove":
		e.Kind, e.Pool, e.Config = core.PoolConfigured, s.pool(name), &core.PoolConfig{Parent: core.RootPool, Deleted: true}
	case "node", "offline":
		e.Kind, e.Node, e.Online = core.NodeChanged, s.node(name), what == "node"
		e.Limits, e.Undescribed = o.amounts("").Amounts, o.flag("undescribed").Value
		if tags := o.text("tags"); tags != "" {
			e.Tags = pooltree.NewTags(strings.Split(tags, ",")...)
		}
		e.Segment, e.Module, e.Network = o.text("segment"), o.text("module"), o.text("network")
	case "heartbeat":
		e.Kind, e.Node, e.Usage = core.HeartbeatReceived, s.node(name), o.amounts("").Amounts
		e.Preemptive, e.Skipped = o.flag("preemptive"), o.flag("skipped")
	case "demand":
		e.Kind, e.Operation = core.DemandChanged, s.operation(name)
		e.PendingJobs = o.count("jobs").Or(-1)
		e.MinNeeded = o.amounts("min.").Amounts
		e.Needed = o.amounts("").Amounts
	case "job":
		s.fillJob(e, name, o)
	case "news":
		n, ok := s.jobs[name]
		if !ok {
			return fmt.Errorf("no job %q was started", name)
		}
		e.Kind, e.Job = core.JobReported, core.JobID(n)
		e.State, e.Timeout = o.text("state"), core.Time(o.number("timeout").Value*1e6)
		usage := o.amounts("")
		e.Usage, e.Uses = usage.Amounts, !usage.IsEmpty()
	case "finish", "preempt":
		return s.fillEnd(e, what, name, o)
	default:
		return fmt.Errorf("unknown event %q", what)
	}
	return nil
}

// fillEnd turns the line of a job that ends into its event.
func (s *Scenario) fillEnd(e *core.Event, what, name string, o *settings) error {
	n, ok := s.jobs[name]
	if !ok {
		return fmt.Errorf("no job %q was started", name)
	}
	e.Kind, e.Job, e.End = core.JobFinished, core.JobID(n), core.EndCompleted
	if what == "preempt" {
		e.Kind, e.End = core.JobPreempted, core.EndPreempted
		e.Untimed = o.flag("untimed").Value
	}
	end := o.text("end")
	if end == "aborted" {
		e.End = core.EndAborted
	}
	e.Reason = o.text("reason")
	e.Finish = o.instant("until")
	if r := (core.PreemptionRecord{Reason: o.text("code"), Mode: o.text("mode"), EndReason: o.text("why")}); r != (core.PreemptionRecord{}) {
		if r.EndReason != "" {
			r.End = core.EndAborted
		}
		if end == "running" {
			r.End = core.EndRunning
		}
		e.Preemption = &r
	}
	if beneficiary := o.text("for"); beneficiary != "" {
		e.Preemptor = s.operation(beneficiary)
	}
	e.PreemptorJob = o.text("for_job")
	return nil
}

func (s *Scenario) fillStep(e *core.Event, step core.Step, name string, o *settings) {
	e.Kind, e.Step, e.Operation = core.OperationChanged, step, s.operation(name)
	if pool := o.text("pool"); pool != "" {
		e.Pool = s.pool(pool)
	}
	s.describe(name, o)
	e.ErrorCode, e.Status = int32(o.count("code").Value), o.text("status")
	e.Spec, e.Role = s.spec(name, o), roles[o.text("role")]
	if pool := o.text("asks"); pool != "" {
		if e.Spec == nil {
			e.Spec = &core.OperationSpec{}
		}
		if pool != "nothing" {
			e.Spec.Pool = pool
		}
	}
	p := core.OperationParams{
		OperationSettings: pooltree.OperationSettings{
			Weight: o.number("weight"), MaxShareRatio: o.number("max_share_ratio"),
			MaxUnpreemptibleJobs: o.count("max_unpreemptible"), LimitingAncestorCheck: o.flag("ancestor_check"),
			FairShareStarvationTimeout: o.duration("timeout"), FairShareStarvationTolerance: o.number("tolerance"),
			SeveralJobs: o.flag("several_jobs"),
		},
		Graceful: o.flag("graceful"), Gang: o.flag("gang"), RequestsSSD: o.flag("ssd"), ApplyLimitsToDemand: o.flag("capped"),
	}
	if filter := o.formula("filter"); !filter.IsEmpty() {
		p.TagFilter = &filter
	}
	if segment := o.text("segment"); segment != "" {
		p.Segment = core.Some(pooltree.Segment(slices.Index([]string{"default", "large_gpu"}, segment)))
	}
	if modules := o.text("modules"); modules != "" {
		list := strings.Split(modules, ",")
		p.Modules = &list
	}
	if media := o.text("media"); media != "" {
		list := strings.Split(media, ",")
		p.Media = &pooltree.Media{Some: list, Every: list, Kinds: 1}
	}
	if strong := o.amounts("strong."); !strong.IsEmpty() {
		p.StrongGuarantee = core.Some(strong)
	}
	if limits := o.amounts("limit."); !limits.IsEmpty() {
		p.ResourceLimits = core.Some(limits)
	}
	if p != (core.OperationParams{}) {
		e.Params = &p
	}
}

// roles maps the words of a scenario to roles of trees.
var roles = map[string]core.Role{
	"regular": core.RoleRegular, "tentative": core.RoleTentative, "probing": core.RoleProbing, "offloading": core.RoleOffloading,
}

// spec returns what an operation's line says about the trees in its spec, or nil.
func (s *Scenario) spec(operation string, o *settings) *core.OperationSpec {
	trees, none := o.list("trees"), o.flag("no_trees").Value
	single, erases, tentative := o.flag("single_tree").Value, o.flag("erases").Value, o.list("tentative")
	sampled := o.count("sample")
	if len(trees) == 0 && !none {
		return nil
	}
	spec := &core.OperationSpec{}
	spec.EraseViolatedTrees = erases
	spec.Trees = pooltree.TreeSpec{Type: s.Dimensions.Operations[s.operation(operation)].Type, SingleTree: single, Tentative: tentative}
	spec.Trees.Eligibility.SampleJobs = sampled
	if len(trees) > 0 {
		spec.Trees.PoolTrees = core.Some(trees)
	}
	return spec
}

// describe takes over what an operation's line says of it beyond the step.
func (s *Scenario) describe(operation string, o *settings) {
	info := &s.Dimensions.Operations[s.operation(operation)]
	if user := o.text("user"); user != "" {
		info.User = user
	}
	if kind := o.text("type"); kind != "" {
		info.Type = kind
	}
	if began := o.number("began"); began.Set {
		info.Start = core.Some(core.Time(began.Value * 1e6))
	}
}

func (s *Scenario) fillJob(e *core.Event, name string, o *settings) {
	e.Kind, e.Job, e.Name = core.JobStarted, core.JobID(id(s.jobs, name)), []byte(name)
	e.Operation, e.Node = s.operation(o.text("op")), s.node(o.text("node"))
	if pool := o.text("pool"); pool != "" {
		e.Pool = s.pool(pool)
	}
	e.End, e.Finish = core.EndCompleted, o.instant("until")
	if o.text("end") == "unknown" {
		e.End, e.Finish = core.EndUnknown, core.Optional[core.Time]{}
	}
	e.Stage, e.SSD = o.text("stage"), o.flag("ssd").Value
	if again := o.text("again"); again != "" {
		e.Predecessor = []byte(again)
	}
	e.StartsWithin = core.Time(o.number("within").Value * 1e6)
	e.ReleasesWithin = core.Time(o.number("early").Value * 1e6)
	e.Competes, e.Untimed = o.flag("competes").Value, o.flag("untimed").Value
	e.Limits = o.amounts("").Amounts
	if e.Limits[resource.UserSlots] == 0 {
		e.Limits[resource.UserSlots] = 1
	}
}

var integralKinds = []string{"none", "burst", "relaxed"}

func treeConfig(o *settings) *core.TreeConfig {
	words := core.TreeConfig{
		MaxRunningOperationCountPerPool: o.count("max_running_per_pool"),
		MaxOperationCountPerPool:        o.count("max_operations_per_pool"),
		MaxRunningOperationCount:        o.count("max_running"), DefaultParentPool: o.text("default_parent"),
		FairShareStarvationTimeout:   o.duration("timeout"),
		AggressiveStarvationTimeout:  o.duration("aggressive_timeout"),
		MinSharePreemptionTimeout:    o.duration("min_share_timeout"),
		FairShareStarvationTolerance: o.number("tolerance"),
		EnableAggressiveStarvation:   o.flag("aggressive"),
		EnablePoolStarvation:         o.flag("pool_starvation"),
		MaxEphemeralPoolsPerUser:     o.count("max_ephemeral"),
		NodesFilter:                  o.formula("nodes"),
		WaitingJobTimeout:            o.duration("waiting_timeout"),
		Assumed:                      o.flag("unknown").Value,
		Dated:                        o.flag("dated").Value,
	}
	c := o.treeOptions()
	override(&c, &words)
	return &c
}

func (s *Scenario) poolConfig(o *settings) *core.PoolConfig {
	parent, ephemeral, dated := s.pool(o.text("parent")), o.flag("ephemeral").Value, o.flag("dated").Value
	words := pooltree.PoolConfig{
		Weight: o.number("weight"), MaxShareRatio: o.number("max_share_ratio"),
		StrongGuarantee: o.amounts("strong."), ResourceLimits: o.amounts("limit."),
		MaxRunningOperationCount: o.count("max_running"), MaxOperationCount: o.count("max_operations"),
		FairShareStarvationTimeout: o.duration("timeout"), MinSharePreemptionTimeout: o.duration("min_share_timeout"),
		FairShareStarvationTolerance: o.number("tolerance"), EnableAggressiveStarvation: o.flag("aggressive"),
		ForbidImmediate: o.flag("forbid").Value, CreateSubpools: o.flag("hub").Value, TagFilter: o.formula("filter"),
	}
	if kind := slices.Index(integralKinds, o.text("integral")); kind > 0 {
		words.Integral.Type = core.GuaranteeType(kind)
	}
	words.Integral.Flow, words.Integral.Burst = o.amounts("flow."), o.amounts("burst.")
	if o.text("mode") == "fifo" {
		words.Mode = core.Some(core.FIFO)
	}
	if o.text("lightweight") != "" {
		words.LightweightOps = core.Some(true)
	}
	switch o.text("sort") {
	case "start":
		words.FIFOSort = []core.FIFOKey{core.ByStartTime}
	case "pending":
		words.FIFOSort = []core.FIFOKey{core.ByPendingJobs}
	}
	c := o.poolOptions()
	override(&c, &words)
	return &core.PoolConfig{PoolConfig: c, Parent: parent, Ephemeral: ephemeral, Dated: dated}
}
