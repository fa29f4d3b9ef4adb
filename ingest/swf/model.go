package swf

import (
	"encoding/json"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// A model is a log as joblog reads it.
type model struct {
	*log
	all   []operation
	nodes map[int32]core.NodeID
	// scratch of Bursts
	burst  joblog.Burst
	grants []joblog.Grant
}

func (m *model) Len() int { return len(m.all) }

func (m *model) Describe(i int, to *joblog.Operation) {
	o := &m.all[i]
	r := &m.records[o.lead]
	*to = joblog.Operation{
		ID: o.id, Type: "job", User: o.user, Pool: o.pool,
		Submit: r.submit, Row: r.row,
	}
	status := r.status
	if n := len(o.executions); n > 0 {
		last := o.executions[n-1]
		to.End = last.finish
		// The summary's word counts; without it that of the last execution.
		if r.isExecution() {
			status = m.records[last.record].status
		}
	} else if r.neverStarted() {
		to.End = core.Some(r.submit + r.wait)
	} else {
		to.End = r.finish(r.submit + r.wait)
	}
	to.Step = core.StepCompleted
	switch status {
	case completed, lastCompleted:
		to.FinalState = "completed"
	case failed, lastFailed:
		to.Step, to.FinalState = core.StepFailed, "failed"
	case cancelled:
		to.Step, to.FinalState = core.StepAborted, "aborted"
	case toBeContinued:
		to.End = core.Optional[core.Time]{} // beyond the log
	}
}

func (m *model) Bursts(i int, yield func(*joblog.Burst)) {
	o := &m.all[i]
	for _, e := range o.executions {
		m.fill(&m.records[e.record], e.wanted, e.start, e.finish)
		yield(&m.burst)
	}
	if n := len(o.executions); n > 0 {
		if last := o.executions[n-1]; m.continued(o) {
			// It waits for an execution that the log does not reach.
			m.fill(&m.records[last.record], last.finish.Value, 0, last.finish)
			m.burst.Started = false
			yield(&m.burst)
		}
		return
	}
	r := &m.records[o.lead]
	start := r.submit + r.wait
	m.fill(r, r.submit, start, r.finish(start))
	yield(&m.burst)
}

// continued reports whether a job goes on beyond the log.
func (m *model) continued(o *operation) bool {
	last := o.executions[len(o.executions)-1]
	return last.finish.Set && m.records[last.record].status == toBeContinued && m.records[o.lead].isExecution()
}

// fill makes the burst of a record.
func (m *model) fill(r *record, wanted, start core.Time, finish core.Optional[core.Time]) {
	n, memory := r.processors(), m.memory(r)
	m.grants = m.grants[:0]
	from := int64(0)
	for _, p := range r.placement {
		to := from + int64(p.processors)
		m.grants = append(m.grants, joblog.Grant{
			Node:   m.nodes[p.node],
			Limits: resources(1, int64(p.processors), part(memory, from, to, n)),
		})
		from = to
	}
	if len(m.grants) == 0 {
		m.grants = append(m.grants, joblog.Grant{Node: core.Unknown, Limits: resources(1, n, memory)})
	}
	m.burst = joblog.Burst{
		Wanted: wanted, Needed: resources(int64(len(m.grants)), n, memory),
		Started: !r.neverStarted(), Start: start, Finish: finish, Grants: m.grants, Row: r.row,
	}
	if !finish.Set {
		m.burst.End = core.EndUnknown
		return
	}
	m.burst.End = core.EndCompleted
	switch r.status {
	case failed, lastFailed:
		m.burst.End = core.EndFailed
	case cancelled:
		m.burst.End, m.burst.Reason = core.EndAborted, "cancelled"
	case toBeContinued:
		m.burst.Reason = "checkpointed" // its work is kept
	}
}

const milliPerProcessor = 1000

func resources(jobs, processors, memory int64) trace.Resources {
	return trace.Resources{UserSlots: jobs, CPUMilli: processors * milliPerProcessor, Memory: memory}
}

// annotations are the fields that have no column of their own.
type annotations struct {
	Group         json.Number `json:"group,omitempty"`
	Executable    json.Number `json:"executable,omitempty"`
	Queue         json.Number `json:"queue,omitempty"`
	Partition     json.Number `json:"partition,omitempty"`
	RequestedTime json.Number `json:"requested_time_s,omitempty"`
	CPUTime       json.Number `json:"average_cpu_time_s,omitempty"`
	PrecedingJob  json.Number `json:"preceding_job,omitempty"`
	ThinkTime     json.Number `json:"think_time_s,omitempty"`
	Request       string      `json:"resource_request,omitempty"`
}

func (m *model) Annotations(i int) string {
	r := &m.records[m.all[i].lead]
	b, err := json.Marshal(annotations{
		Group: whole(r.group), Executable: whole(r.executable),
		Queue: whole(r.queue), Partition: whole(r.partition),
		RequestedTime: seconds(r.requestedTime), CPUTime: seconds(r.cpuTime),
		PrecedingJob: whole(r.preceding), ThinkTime: seconds(r.thinkTime),
		Request: r.request,
	})
	if err != nil {
		panic(err) // numbers and valid text
	}
	if string(b) == "{}" {
		return ""
	}
	return string(b)
}

func whole(n int64) json.Number {
	if n == missing {
		return ""
	}
	return json.Number(strconv.FormatInt(n, 10))
}

func seconds(t core.Time) json.Number {
	if t == missing {
		return ""
	}
	return json.Number(strconv.FormatFloat(float64(t)/float64(core.Second), 'f', -1, 64))
}
