package ytsaurus

import (
	"poolproof/core"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/reconstruct"
	"poolproof/ingest/trace"
)

// reportLag is within what time a node reports the end of a job
// (ingest/trace/FORMAT.md §4.3).
const reportLag = 6 * core.Second

// patience is how long after its interruption a job may end, and its end be recorded: by the
// longest timeout that an export or a record of an operation names, else the default of the cluster's age.
func (a *assembly) patience() core.Time {
	if a.longestTimeout.Set {
		return a.longestTimeout.Value
	}
	longest := core.Optional[int64]{}
	if a.exporting != nil {
		for _, v := range a.exporting.versions {
			for i := range v.document.Trees {
				row, _ := poolconf.TreeRow(v.document.Trees[i].Attributes)
				if t := row.PreemptTimeoutMS; t.Set {
					longest = core.Some(max(longest.Value, t.Value))
				}
			}
		}
	}
	profile, _ := core.ParseProfile(a.profile())
	_, usual := profile.InterruptTimeouts()
	timeout := core.Time(max(longest.Or(int64(usual)), a.longestInterrupt)) * 1000
	a.longestTimeout = core.Some(timeout + reportLag)
	return a.longestTimeout.Value
}

// isQuiet reports whether a job may have been interrupted without a record of it.
func (p *placedJob) isQuiet() bool { return p.finish.Set && p.end == endWords[jobCompleted] }

// findInterruptions finds the jobs of the tree that may have been.
func (t *treeAssembly) findInterruptions() error {
	t.quiet = reconstruct.NewInterruptions(t.patience())
	jobs := t.readJobs()
	for jobs.next(); jobs.ok; jobs.next() {
		j := &jobs.job
		node := t.nodes[j.address]
		if node == nil || len(node.states) == 0 {
			continue
		}
		tenant := reconstruct.Tenant{
			Job: j.job.String(), Start: j.start, Finish: j.finish.Or(never), Within: j.startsWithin, Limits: j.limits, Quiet: j.isQuiet(),
		}
		if j.forJob != (guid{}) {
			tenant.For = j.forJob.String()
		}
		t.quiet.Start(node.number, node.limitsAt(j.start), tenant)
	}
	return jobs.scan.Err()
}

// limitsAt is what a node that was sampled has at a moment.
func (n *node) limitsAt(at core.Time) (limits trace.Resources) {
	for i := range n.states {
		if i > 0 && n.states[i].time > at {
			break
		}
		limits = n.states[i].limits
	}
	return limits
}
