package joblog

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A job is a row of jobs to be.
type job struct {
	start, finish core.Time // finish is core.Unknown if it is not known
	limits        trace.Resources
	row           int64
	operation     core.OperationID
	node          core.NodeID
	burst         int32
	end           core.EndKind
}

// collectJobs gathers the tree's jobs in the order of their start, those of one
// instant in the order of operations and of their nodes.
func (t *treeWriter) collectJobs() error {
	total := 0
	for _, id := range t.survey.operations[t.tree] {
		total += int(t.survey.jobs[id])
	}
	t.jobs = make([]job, 0, total)
	for _, id := range t.survey.operations[t.tree] {
		burst := int32(0)
		t.log.Operations.Bursts(int(id), func(b *Burst) {
			if b.Started {
				for _, g := range b.Grants {
					t.jobs = append(t.jobs, job{
						start: b.Start, finish: b.Finish.Or(core.Unknown), limits: g.Limits, row: b.Row,
						operation: id, node: g.Node, burst: burst, end: b.End,
					})
				}
			}
			burst++
		})
	}
	slices.SortFunc(t.jobs, func(a, b job) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.operation, b.operation),
			cmp.Compare(a.burst, b.burst), cmp.Compare(a.node, b.node))
	})
	return nil
}

func (t *treeWriter) jobRows() error {
	var o Operation
	for i := range t.jobs {
		j := &t.jobs[i]
		t.log.Operations.Describe(int(j.operation), &o)
		row := trace.Job{
			Stamp: t.stamp(j.start), Job: t.firstJob + core.JobID(i), ID: t.jobName(&o, j),
			Op: j.operation, Pool: core.Some(o.Pool), Node: j.node, Limits: j.limits,
			StartedLogged: true,
			FinishTime:    core.Optional[core.Time]{Value: j.finish, Set: j.finish != core.Unknown},
			EndKind:       endKinds[j.end],
			SourceStart:   core.Some(j.row),
		}
		if row.FinishTime.Set {
			row.SourceFinish = core.Some(j.row)
		} else {
			row.FinishTime.Value = 0
		}
		t.reason(&row, j)
		if err := t.out.Add(&row); err != nil {
			return err
		}
	}
	return nil
}

// reason adds the log's word for why the job ended.
func (t *treeWriter) reason(row *trace.Job, j *job) {
	if j.end != core.EndAborted && j.end != core.EndCompleted {
		return
	}
	burst := int32(0)
	t.log.Operations.Bursts(int(j.operation), func(b *Burst) {
		if burst == j.burst {
			if j.end == core.EndAborted {
				row.AbortReason = text(b.Reason)
			} else {
				row.InterruptionReason = text(b.Reason)
			}
		}
		burst++
	})
}

var endKinds = map[core.EndKind]string{
	core.EndUnknown: "unknown", core.EndRunning: "running", core.EndCompleted: "completed",
	core.EndFailed: "failed", core.EndAborted: "aborted",
}
