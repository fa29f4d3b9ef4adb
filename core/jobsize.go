package core

import "poolproof/core/resource"

// smallestJob returns the operation's smallest pending job: the recorded one, else the average of
// the pending jobs, else zero.
func (o *Operation) smallestJob() resource.Vector {
	least := o.MinNeeded
	if least.IsZero() && o.PendingJobs > 0 {
		for k, needed := range o.Needed {
			least[k] = needed / o.PendingJobs
		}
	}
	return least
}

// JobSize returns the size of a pending job; ok is false if it is unknown. The log records for each
// resource the least that any pending job takes (core/spec/scheduling.md §9.7), so that no single
// job may be so small:
//
//	jobs        (1 cpu, 8 GB), (4 cpu, 2 GB)
//	min_needed  (1 cpu, 2 GB)
//
// A job of that size exists if the whole need is a multiple of it, or if a job no larger has
// started since it was recorded.
func (o *Operation) JobSize() (size resource.Vector, ok bool) {
	if o.MinNeeded.IsZero() {
		return o.smallestJob(), o.PendingJobs == 1
	}
	if o.startedLeast {
		return o.MinNeeded, true
	}
	jobs := o.PendingJobs
	if jobs < 0 {
		jobs = o.jobsBySlots()
	}
	for k, needed := range o.Needed {
		if needed != jobs*o.MinNeeded[k] {
			return o.MinNeeded, false
		}
	}
	return o.MinNeeded, true
}

// jobsBySlots returns the number of pending jobs by user slots, one per job
// (core/spec/invariants.md LOG-06); 0 if the log records no slots.
func (o *Operation) jobsBySlots() int64 {
	if o.MinNeeded[resource.UserSlots] != 1 {
		return 0
	}
	return o.Needed[resource.UserSlots]
}
