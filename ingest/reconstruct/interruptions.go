package reconstruct

import (
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A Tenant is a recorded job on a node.
type Tenant struct {
	Job, For      string // For is the job that it was taken away for; "" if the log names none
	Start, Finish core.Time
	Within        core.Time // how much later it may have started
	Limits        trace.Resources
	// Quiet says that the log would record the same end if the job had been interrupted to make
	// room and had ended in time.
	Quiet bool
}

// Interruptions finds the jobs that may have been interrupted to make room although the log does
// not record it: an interrupted job that ends within its timeout is completed, and nothing else
// (ingest/trace/FORMAT.md §1.3, §4.4). It held its resources until it was gone, and to the
// scheduler they were free from the start of the job that it made room for. So where a job starts
// that finds no room, those of its node that were completed soon after may have given way. So may
// they where the log names one that did: a job is taken that makes too little room even if a later
// one would have sufficed (core/spec/scheduling.md §10.5).
//
// Jobs come in the order of their start.
type Interruptions struct {
	patience core.Time
	nodes    map[core.NodeID][]Tenant // jobs that hold resources; Finish is when they cease to
	early    map[string]core.Time
}

// NewInterruptions returns a search in which the end of an interrupted job is recorded within
// patience.
func NewInterruptions(patience core.Time) *Interruptions {
	return &Interruptions{patience: patience, nodes: map[core.NodeID][]Tenant{}, early: map[string]core.Time{}}
}

// Start adds the start of a job on a node with that capacity.
func (i *Interruptions) Start(node core.NodeID, limit trace.Resources, j Tenant) {
	jobs := i.nodes[node]
	used, gaveWay := j.Limits, trace.Resources{}
	jobs = slices.DeleteFunc(jobs, func(t Tenant) bool {
		if t.Finish > j.Start && t.For == j.Job {
			gaveWay = Plus(gaveWay, t.Limits, 1)
		}
		return t.Finish <= j.Start || t.For == j.Job
	})
	for _, t := range jobs {
		used = Plus(used, t.Limits, 1)
	}
	if full := !Fits(used, limit); full || gaveWay != (trace.Resources{}) {
		before := Plus(used, gaveWay, 1)
		jobs = slices.DeleteFunc(jobs, func(t Tenant) bool {
			if !t.Quiet || t.Finish > j.Start+j.Within+i.patience || !full && Fits(Plus(before, t.Limits, -1), limit) {
				return false
			}
			i.early[t.Job] = max(i.early[t.Job], t.Finish-j.Start)
			return full // else it may still be there
		})
	}
	i.nodes[node] = append(jobs, j)
}

// Early returns the time before its end at which a job may have released its resources;
// zero if nothing suggests that it released them early.
func (i *Interruptions) Early(job string) core.Time { return i.early[job] }

// Fits reports whether each resource is within its limit.
func Fits(a, limit trace.Resources) bool {
	return a.UserSlots <= limit.UserSlots && a.CPUMilli <= limit.CPUMilli && a.GPU <= limit.GPU && a.Memory <= limit.Memory && a.Network <= limit.Network
}
