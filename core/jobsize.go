package core

import "poolproof/core/resource"

// smallestJob is the smallest job that an operation waits for: recorded, else
// the average of those it waits for, else anything.
func (o *Operation) smallestJob() resource.Vector {
	least := o.MinNeeded
	if least.IsZero() && o.PendingJobs > 0 {
		for k, needed := range o.Needed {
			least[k] = needed / o.PendingJobs
		}
	}
	return least
}

// JobSize is the size of a job that the operation waits for; ok is false if the log
// does not tell one. What it records is the least of each resource that any of its jobs
// takes (core/spec/scheduling.md §9.7), and where these differ none may be so small. One is
// where all that is needed comes to so many jobs of that size, or where one no larger
// has started since that was recorded.
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

// jobsBySlots is how many jobs an operation waits for, since each takes one slot
// (core/spec/invariants.md LOG-06); 0 if the log counts no slots.
func (o *Operation) jobsBySlots() int64 {
	if o.MinNeeded[resource.UserSlots] != 1 {
		return 0
	}
	return o.Needed[resource.UserSlots]
}
