package openb

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

var podColumns = []string{
	"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "qos", "pod_phase",
	"creation_time", "deletion_time", "scheduled_time",
}

// A pod is a row of the table of pods.
type pod struct {
	name, gpuSpec      string
	phase              string
	row                int64
	pool               core.PoolID
	created            core.Time
	scheduled, deleted core.Optional[core.Time]
	request            trace.Resources
}

// pods are the pods of a log, in the order of their creation, as joblog reads
// them.
type pods struct {
	all    []pod
	copies map[string]int // of each name
	last   core.Time      // the latest time in the log
}

// unique returns a name that no pod has yet: the name, or with a number behind it.
func (p *pods) unique(name string) string {
	p.copies[name]++
	for n := p.copies[name]; n > 1; n++ {
		if with := name + "#" + strconv.Itoa(n); p.copies[with] == 0 {
			p.copies[name], p.copies[with] = n, 1
			return with
		}
	}
	return name
}

// readPods reads the table of pods.
func readPods(ctx context.Context, o *Options, forest *joblog.Forest, problems *joblog.Problems) (*pods, trace.Source, error) {
	p := &pods{last: o.Epoch, copies: map[string]int{}}
	tree := forest.Tree(treeName)
	source, err := joblog.ReadTable(o.Pods, "openb pods", podColumns, problems, func(t *joblog.Table) error {
		if rows := t.Source.Rows; rows%progressRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(rows)
			}
		}
		q := readPod(t, o.Epoch)
		if t.Bad() {
			return nil
		}
		if name := p.unique(q.name); name != q.name {
			t.Note("name", codeDuplicatePod, q.name)
			q.name = name
		}
		if !t.Is("pod_phase", "Running", "Succeeded", "Failed", "Pending") {
			t.Note("pod_phase", codeUnknownPhase, q.phase)
		}
		q.pool = forest.Pool(tree, cmp.Or(t.Text("qos"), "qos-unknown"))
		p.last = max(p.last, q.created, q.scheduled.Value, q.deleted.Value)
		p.all = append(p.all, q)
		return nil
	})
	slices.SortStableFunc(p.all, func(a, b pod) int { return cmp.Compare(a.created, b.created) })
	return p, source, err
}

func readPod(t *joblog.Table, epoch core.Time) pod {
	q := pod{
		name: t.Text("name"), gpuSpec: t.Text("gpu_spec"), phase: t.Text("pod_phase"), row: t.Row(),
		scheduled: timeOf(t, "scheduled_time", epoch),
		deleted:   timeOf(t, "deletion_time", epoch),
		request: trace.Resources{
			UserSlots: 1,
			CPUMilli:  t.Amount("cpu_milli", maxMilliCPU),
			Memory:    t.Amount("memory_mib", maxMiB) << 20,
			GPU:       milliGPU(t),
		},
	}
	if q.name == "" {
		t.Quarantine("name", joblog.CodeMissing, "")
	}
	created := timeOf(t, "creation_time", epoch)
	if !created.Set {
		t.Quarantine("creation_time", joblog.CodeMissing, "")
	}
	q.created = created.Value
	if q.scheduled.Set && q.scheduled.Value < q.created {
		t.Quarantine("scheduled_time", codeTimeOrder, t.Text("scheduled_time"))
	}
	if q.deleted.Set && q.deleted.Value < max(q.created, q.scheduled.Or(q.created)) {
		t.Quarantine("deletion_time", codeTimeOrder, t.Text("deletion_time"))
	}
	return q
}

// milliGPU returns what a pod requests of GPUs: num_gpu of them, and of each
// gpu_milli thousandths, which are all of it unless said otherwise.
func milliGPU(t *joblog.Table) int32 {
	devices := t.Amount("num_gpu", maxGPUs)
	if devices == 0 {
		return 0
	}
	part := int64(MilliGPU)
	if t.Text("gpu_milli") != "" {
		part = t.Amount("gpu_milli", MilliGPU)
	}
	if t.Bad() {
		return 0
	}
	return int32(devices * part)
}

func (p *pods) Len() int { return len(p.all) }

func (p *pods) Describe(i int, o *joblog.Operation) {
	q := &p.all[i]
	end := q.end(p.last)
	*o = joblog.Operation{
		ID: q.name, Type: "pod", Pool: q.pool, Submit: q.created, End: end,
		TagFilter: q.gpuSpec, Row: q.row,
	}
	switch {
	case q.phase == "Succeeded":
		o.Step, o.FinalState = core.StepCompleted, "completed"
	case q.phase == "Failed":
		o.Step, o.FinalState = core.StepFailed, "failed"
	case !q.stays() && q.scheduled.Set:
		o.Step = core.StepCompleted // of unknown outcome
	default:
		o.Step = core.StepAborted
		if end.Set {
			o.FinalState = "aborted"
		}
	}
}

// end returns when a pod ended. A pod that stays until it is deleted, and whose
// deletion is the end of the log, was cut off there.
func (q *pod) end(last core.Time) core.Optional[core.Time] {
	switch {
	case !q.deleted.Set || q.stays() && q.deleted.Value == last:
		return core.Optional[core.Time]{}
	case q.scheduled.Set:
		return core.Some(max(q.deleted.Value, q.scheduled.Value+joblog.Moment))
	}
	return q.deleted
}

func (q *pod) stays() bool { return q.phase == "Running" || q.phase == "Pending" }

func (p *pods) Annotations(int) string { return "" }

func (p *pods) Bursts(i int, yield func(*joblog.Burst)) {
	q := &p.all[i]
	b := joblog.Burst{Wanted: q.created, Needed: q.request, Row: q.row}
	if !q.scheduled.Set {
		yield(&b)
		return
	}
	end := q.end(p.last)
	b.Started, b.Start, b.Finish = true, q.scheduled.Value, end
	b.Grants = []joblog.Grant{{Node: core.Unknown, Limits: q.request}}
	b.End = core.EndCompleted
	switch {
	case !end.Set && q.stays():
		b.End = core.EndRunning
	case !end.Set:
		b.End = core.EndUnknown
	case q.phase == "Failed":
		b.End = core.EndFailed
	case q.phase == "Running":
		b.End, b.Reason = core.EndAborted, "deleted"
	}
	yield(&b)
}
