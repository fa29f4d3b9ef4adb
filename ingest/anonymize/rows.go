package anonymize

import (
	"strings"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// An editor replaces the names in the rows of a trace, or collects them.
type editor struct {
	names      names
	operations int                   // how many there are
	jobs       int64                 // one more than the greatest number of one
	ids        hashes                // of the jobs' rows
	referred   map[string]core.JobID // ids that stand elsewhere than in the one row of their job, and the first job that has each
	listed     map[string]int64      // rows of problems, by code
	collecting bool
}

// What is numbered, and has its number for a name.
const (
	operationWord  = "operation"
	jobWord        = "job"
	allocationWord = "allocation"
)

// word keeps a word of the format, or several after commas; others are names: sources may have
// words of their own.
func (e *editor) word(text *string) {
	list := strings.Split(*text, ",")
	for i, word := range list {
		if !words[word] {
			list[i] = e.names.replace(wordName, word)
		}
	}
	*text = strings.Join(list, ",")
}

func (e *editor) wordIf(text *core.Optional[string]) {
	if text.Set {
		e.word(&text.Value)
	}
}

func (e *editor) nameIf(k kind, text *core.Optional[string]) {
	if text.Set {
		text.Value = e.names.replace(k, text.Value)
	}
}

func (e *editor) formulaIf(text *core.Optional[string]) {
	if text.Set {
		text.Value = e.names.formula(tagName, text.Value)
	}
}

// without is a text that is left out.
func without(texts ...*core.Optional[string]) {
	for _, text := range texts {
		*text = core.Optional[string]{}
	}
}

func (e *editor) Operation(r *trace.Operation) bool {
	r.ID = numbered(operationWord, int(r.Op), e.operations)
	r.User = e.names.replace(userName, r.User)
	e.word(&r.Type)
	e.wordIf(&r.FinalState)
	without(&r.Title, &r.Alias, &r.ErrorMessage, &r.AnnotationsJSON)
	if r.SpecJSON.Set {
		r.SpecJSON.Value = e.names.json(r.SpecJSON.Value, options)
	}
	if e.collecting {
		e.operations++
	}
	return true
}

func (e *editor) Pool(r *trace.Pool) bool {
	r.Tree, r.Name = e.names.replace(treeName, r.Tree), e.names.pool(r.Name)
	return true
}

func (e *editor) Node(r *trace.Node) bool {
	r.Address = e.names.replace(nodeName, r.Address)
	return true
}

func (e *editor) ClusterConfig(r *trace.ClusterConfig) bool {
	e.nameIf(treeName, &r.DefaultTree)
	r.Trees = e.names.list(treeName, r.Trees)
	r.ConfigJSON = e.names.json(r.ConfigJSON, options)
	return true
}

func (e *editor) ProcessEvent(r *trace.ProcessEvent) bool {
	e.word(&r.Event)
	e.nameIf(nodeName, &r.Address)
	e.wordIf(&r.Alert)
	return true
}

func (e *editor) Problem(r *trace.Problem) bool {
	r.Source = e.names.replace(sourceName, r.Source)
	if e.collecting {
		e.listed[r.Code]++
	}
	e.word(&r.Code)
	e.wordIf(&r.Column)
	without(&r.Value)
	return true
}

func (e *editor) NodeState(_ string, r *trace.NodeState) bool {
	r.Tags = e.names.list(tagName, r.Tags)
	e.nameIf(moduleName, &r.DataCenter)
	e.nameIf(moduleName, &r.InfinibandCluster)
	e.wordIf(&r.SchedulingSegment)
	e.word(&r.Source)
	return true
}

func (e *editor) TreeConfig(_ string, r *trace.TreeConfig) bool {
	e.word(&r.Source)
	e.formulaIf(&r.NodesFilter)
	if r.DefaultParentPool.Set {
		r.DefaultParentPool.Value = e.names.pool(r.DefaultParentPool.Value)
	}
	e.wordIf(&r.MainResource)
	r.ConfigJSON = e.names.json(r.ConfigJSON, options)
	return true
}

func (e *editor) PoolConfig(_ string, r *trace.PoolConfig) bool {
	e.wordIf(&r.Source)
	e.word(&r.Mode)
	e.word(&r.IntegralType)
	e.wordIf(&r.FIFOSortParameters)
	e.wordIf(&r.FIFOPoolSchedulingOrder)
	if r.EphemeralSubpoolJSON.Set {
		r.EphemeralSubpoolJSON.Value = e.names.json(r.EphemeralSubpoolJSON.Value, options)
	}
	e.formulaIf(&r.SchedulingTagFilter)
	e.nameIf(presetName, &r.Preset)
	e.nameIf(accountName, &r.ABC)
	r.ConfigJSON = e.names.json(r.ConfigJSON, options)
	return true
}

func (e *editor) Heartbeat(_ string, r *trace.Heartbeat) bool {
	e.word(&r.Kind)
	return true
}

func (e *editor) Job(_ string, r *trace.Job) bool {
	if e.collecting {
		e.jobs = max(e.jobs, int64(r.Job)+1)
		e.ids.add(r.ID)
	}
	r.ID = numbered(jobWord, int(e.numberOf(r)), int(e.jobs))
	if r.AllocationID.Set {
		r.AllocationID.Value = numbered(allocationWord, int(r.Job), int(e.jobs))
	}
	for _, other := range []*core.Optional[string]{&r.PreemptedForJob, &r.PredecessorJob} {
		if other.Set && other.Value != "" {
			other.Value = e.job(other.Value)
		}
	}
	for _, word := range []*core.Optional[string]{
		&r.Type, &r.AbortReason, &r.InterruptionReason, &r.PreemptReason, &r.PreemptMode, &r.TargetPriority, &r.PreemptorPriority,
		&r.PreemptionLevel, &r.SchedulingStage, &r.PredecessorType, &r.Competition,
	} {
		e.wordIf(word)
	}
	e.word(&r.EndKind)
	without(&r.Explanation)
	return true
}

// numberOf is the number of a job: that of the first with its id, should a log tell of several.
func (e *editor) numberOf(r *trace.Job) core.JobID {
	if first, named := e.referred[r.ID]; named && first >= 0 {
		return first
	}
	return r.Job
}

// job replaces the id of a job in a row of another.
func (e *editor) job(id string) string {
	switch at, known := e.referred[id]; {
	case !known:
		e.referred[id] = core.Unknown
	case at >= 0:
		return numbered(jobWord, int(at), int(e.jobs))
	}
	if e.collecting {
		return id
	}
	return e.names.replace(jobName, id)
}

func (e *editor) Allocation(_ string, r *trace.Allocation) bool {
	e.word(&r.Action)
	e.wordIf(&r.State)
	e.wordIf(&r.Reason)
	return true
}

func (e *editor) OpEvent(_ string, r *trace.OpEvent) bool {
	e.word(&r.Event)
	e.formulaIf(&r.SchedulingTagFilter)
	e.wordIf(&r.PreemptionMode)
	e.wordIf(&r.StarvationStatus)
	e.nameIf(userName, &r.Who)
	return true
}

func (e *editor) Demand(_ string, r *trace.Demand) bool {
	e.word(&r.Source)
	return true
}

func (e *editor) SnapTree(_ string, r *trace.SnapTree) bool {
	r.Snapshot = e.names.replace(snapshotName, r.Snapshot)
	return true
}

func (e *editor) SnapPool(_ string, r *trace.SnapPool) bool {
	r.Snapshot = e.names.replace(snapshotName, r.Snapshot)
	e.word(&r.Mode)
	e.wordIf(&r.IntegralType)
	e.shares(&r.SnapShares)
	return true
}

func (e *editor) SnapOp(_ string, r *trace.SnapOp) bool {
	r.Snapshot = e.names.replace(snapshotName, r.Snapshot)
	e.wordIf(&r.UnschedulableReason)
	e.shares(&r.SnapShares)
	return true
}

func (e *editor) shares(r *trace.SnapShares) {
	e.word(&r.Dominant)
	e.word(&r.StarvationStatus)
}

func (e *editor) Accumulated(string, *trace.Accumulated) bool { return true }
