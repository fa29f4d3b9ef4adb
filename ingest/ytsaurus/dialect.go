package ytsaurus

import "poolproof/core"

// A mark is a spelling by which a log shows its age (ingest/trace/FORMAT.md §1.9).
type mark uint8

const (
	ratioShares mark = iota
	vectorShares
	treelessJobs
	treeJobs
	singleSnapshots
	batchedSnapshots
	anonymousChanges
	namedChanges
	endsOfOperations
	allocationIDs
	lightweightCounts
	starvationRows
	optionsOfToday
	markCount
)

var markTexts = [markCount]string{
	ratioShares: "shares as ratios, before September 2020", vectorShares: "shares as vectors, since September 2020",
	treelessJobs: "jobs without a tree, before November 2020", treeJobs: "jobs with their tree, since October 2020",
	singleSnapshots: "snapshots of one row, before October 2021", batchedSnapshots: "snapshots in batches, since October 2021",
	anonymousChanges: "changed parameters of unnamed operations, before January 2022", namedChanges: "changed parameters of named operations, since January 2022",
	endsOfOperations: "ends of jobs that ended with their operation, since January 2022",
	allocationIDs:    "allocations of preemptors, since 2024", lightweightCounts: "lightweight operations, since 2024",
	starvationRows: "starvation of operations, since 2025", optionsOfToday: "options of 2024 and later in the export",
}

// A dialect says when each mark was seen last; 0 for never. It does not count: rows
// may come twice.
type dialect [markCount]core.Time

func (d *dialect) saw(m mark, at core.Time) { d[m] = max(d[m], at) }

// texts are the marks that were seen, for the manifest.
func (d *dialect) texts() (all []string) {
	for m, at := range d {
		if at != 0 {
			all = append(all, markTexts[m])
		}
	}
	return all
}

// profile is the scheduler's age as far as the rows record it, at the end of a log that
// saw an update: logs with ratios are those of 2020 and before, and so, where no snapshot
// tells shares, are those whose jobs name no tree. What the user
// documentation promises is not what a cluster of an age does.
func (d *dialect) profile() string {
	switch {
	case d[ratioShares] > d[vectorShares], d[vectorShares] == 0 && d[treelessJobs] > d[treeJobs]:
		return "legacy"
	case d[lightweightCounts] > 0, d[optionsOfToday] > 0:
		return "current"
	}
	return "baseline"
}
