package foreign

import (
	"cmp"
	"maps"
	"slices"
)

// Edits of logs whose scheduler starts, takes and places jobs otherwise than its rules say. Those of the long logs
// have several hundred preemptions each.
var editsOfDecisions = []edit{
	{name: "jobs are taken for one that ran before", log: "backoff", violated: "PRE-21", suspect: "PRE-01", settings: map[string]string{kept: fiveSeconds}, all: takeForOthers},
	{name: "jobs are taken for operations that do not starve", log: "ordinary", violated: "PRE-14 PRE-21", suspect: "PRE-04", all: takeForOthers},
	{ // the job and the operation that a row names contradict each other: which of them is wrong is unknown
		name: "rows name another operation than that of the job", log: "ordinary", problem: "preempted_for_differs",
		row: func(event string, row object) {
			if p, ok := row["preempted_for"].(object); ok {
				p["operation_id"] = row["operation_id"]
			}
		},
	},
	{name: "older jobs are taken", log: "ordinary", violated: "PRE-06 PRE-11", all: takeOlder},
	{name: "older jobs are taken, also aggressively", log: "protected", violated: "PRE-06 PRE-11 PRE-12", all: takeOlder},
	{
		name: "aggressive preemption takes jobs where it is forbidden", log: "protected", violated: "PRE-06 PRE-09 PRE-10 PRE-17",
		settings: map[string]string{`"usual"=<`: `"usual"=<allow_aggressive_preemption=%false;`},
		row: func(event string, row object) {
			configure("usual", "allow_aggressive_preemption", false)(event, row)
			elements(event, row, "pools", func(name string, e object) {
				if name == "usual" {
					e["aggressive_preemption_allowed"], e["effective_aggressive_preemption_allowed"] = false, false
				}
			})
			elements(event, row, "operations", func(_ string, e object) {
				if e["pool"] == "usual" {
					e["effective_aggressive_preemption_allowed"] = false
				}
			})
		},
	},
	{
		name: "normal preemption takes jobs of a busy pool where it is forbidden", log: "protected", violated: "PRE-26",
		settings: map[string]string{`"usual"=<`: `"usual"=<allow_normal_preemption=%false;`},
		row:      configure("usual", "allow_normal_preemption", false),
	},
	{name: "operations starve before the tree's timeout", log: "ordinary", violated: "PRE-04 STV-01", settings: slower, row: recordTimeout(30000)},
	{name: "jobs are taken before the tree's timeout", log: "ordinary", violated: "PRE-04 STV-01", settings: slower, row: recordTimeout(30000)},
	{
		name: "an operation has another timeout than its pool", log: "backoff", violated: "STV-05", settings: map[string]string{kept: fiveSeconds},
		row: func(event string, row object) {
			elements(event, row, "operations", func(_ string, e object) {
				if e["pool"] == "b" {
					e["effective_fair_share_starvation_timeout"] = 9000
				}
			})
		},
	},
	{
		name: "operations run beyond the limit of their pool", log: "protected", violated: "CNT-02 CNT-04",
		settings: map[string]string{`"usual"=<`: `"usual"=<max_running_operation_count=2;`},
		row:      configure("usual", "max_running_operation_count", 2),
	},
	{ // the log does not record whether the controller of the pool with the guarantee declined every offer
		name: "a guarantee is ignored while demand waits", log: "backoff", suspect: "HB-05",
		settings: map[string]string{kept: fiveSeconds}, all: func(rows []object) { leaveWaiting(rows, "starving") },
	},
	{
		name: "a guarantee is not served, and nobody starves", log: "backoff", violated: "GUA-02 STV-02",
		settings: map[string]string{kept: fiveSeconds}, all: func(rows []object) { leaveWaiting(rows, "non_starving") },
	},
	{
		name: "operations stand in another order than the sort parameters say", log: "ties-of-fifo-order", violated: "FIFO-01",
		settings: map[string]string{`["pending_job_count"]`: `["start_time"]`}, row: configure("queue", "fifo_sort_parameters", []any{"start_time"}),
	},
	{
		name: "a heavier operation stands behind lighter ones", log: "ordinary", violated: "FIFO-01",
		row: func(event string, row object) {
			if spec, ok := row["spec"].(object); ok && row["pool"] == "reports" && row["operation_id"].(string) > "8" {
				spec["weight"] = 5.0
			}
			elements(event, row, "operations", func(id string, e object) {
				if e["pool"] == "reports" && id > "8" {
					e["weight"] = 5.0
				}
			})
		},
	},
	{
		name: "a burst guarantee is not granted", log: "relaxed", violated: "GUA-04 GUA-09",
		row: func(event string, row object) {
			elements(event, row, "pools", func(name string, e object) {
				if name == "burst-e" {
					d := e["detailed_fair_share"].(object)
					total, integral := d["total"].(object), d["integral_guarantee"].(object)
					for k := range total {
						total[k], integral[k] = number(total[k])-number(integral[k]), 0.0
					}
				}
			})
		},
	},
	{name: "jobs run on nodes that have no room for them", log: "ordinary", violated: "HB-01", all: moveJobs},
	{
		name: "jobs run on a node of another tree", log: "ordinary", violated: "TREE-03 TREE-08",
		row: func(event string, row object) {
			if event == "nodes_info" {
				row["nodes"].(object)["node3"].(object)["tree"] = "other"
			}
		},
	},
}

// The tree of ordinary has a timeout of 15 s.
var slower = map[string]string{`"fair_share_starvation_timeout"=15000`: `"fair_share_starvation_timeout"=30000`}

// recordTimeout has records tell another timeout of the tree.
func recordTimeout(ms int) func(string, object) {
	return func(event string, row object) {
		for _, of := range []string{"pools", "operations"} {
			elements(event, row, of, func(_ string, e object) { e["effective_fair_share_starvation_timeout"] = ms })
		}
	}
}

// A lifetime is what the rows of a job say.
type lifetime struct{ start, end object }

func (l *lifetime) operation() any { return l.start["operation_id"] }
func (l *lifetime) node() any      { return l.start["node_address"] }

// runsAt reports whether the job ran before a moment and after it. Times of one form compare as texts.
func (l *lifetime) runsAt(at string) bool {
	return l.start["timestamp"].(string) < at && l.end["timestamp"].(string) > at
}

// lifetimes are the jobs of a log whose ends it has, by id.
func lifetimes(rows []object) map[string]*lifetime {
	jobs := map[string]*lifetime{}
	for _, row := range rows {
		switch row["event_type"] {
		case "job_started":
			jobs[row["job_id"].(string)] = &lifetime{start: row}
		case "job_completed", "job_aborted":
			jobs[row["job_id"].(string)].end = row
		}
	}
	maps.DeleteFunc(jobs, func(_ string, j *lifetime) bool { return j.end == nil })
	return jobs
}

// byStart are the ids of jobs in the order of their starts.
func byStart(jobs map[string]*lifetime) []string {
	return slices.SortedFunc(maps.Keys(jobs), func(a, b string) int {
		return cmp.Or(cmp.Compare(jobs[a].start["timestamp"].(string), jobs[b].start["timestamp"].(string)), cmp.Compare(a, b))
	})
}

// takeForOthers has jobs be preempted for the job that started last on their node before.
func takeForOthers(rows []object) {
	jobs := lifetimes(rows)
	ids := byStart(jobs)
	slices.Reverse(ids)
	for _, row := range rows {
		p, ok := row["preempted_for"].(object)
		if !ok {
			continue
		}
		for _, id := range ids {
			j := jobs[id]
			if j.node() == row["node_address"] && j.operation() != p["operation_id"] && j.runsAt(row["timestamp"].(string)) {
				p["job_id"], p["operation_id"] = id, j.operation()
				break
			}
		}
	}
}

// takeOlder has the oldest like job of its operation and node be taken in the place of each of up to 40 victims.
func takeOlder(rows []object) {
	jobs := lifetimes(rows)
	ids := byStart(jobs)
	changed, used := 0, map[string]bool{}
	for _, id := range ids {
		young := jobs[id]
		if young.end["preempted_for"] == nil || used[id] {
			continue
		}
		for _, other := range ids {
			old := jobs[other]
			if !used[other] && old.operation() == young.operation() && old.node() == young.node() && likely(old.start["resource_limits"], young.start["resource_limits"]) &&
				old.start["timestamp"].(string) < young.start["timestamp"].(string) && old.runsAt(young.end["timestamp"].(string)) {
				used[id], used[other] = true, true
				for _, key := range []string{"job_id", "start_time"} {
					young.end[key], old.end[key] = old.end[key], young.end[key]
				}
				young.end, old.end = old.end, young.end
				changed++
				break
			}
		}
		if changed == 40 {
			return
		}
	}
}

func likely(a, b any) bool { return maps.Equal(a.(object), b.(object)) }

// moveJobs has every 50th job run on the next node.
func moveJobs(rows []object) {
	jobs := lifetimes(rows)
	nodes := map[string]bool{}
	for _, j := range jobs {
		nodes[j.node().(string)] = true
	}
	names := slices.Sorted(maps.Keys(nodes))
	for i, id := range slices.Sorted(maps.Keys(jobs)) {
		if i%50 == 0 {
			j := jobs[id]
			at, _ := slices.BinarySearch(names, j.node().(string))
			next := names[(at+1)%len(names)]
			j.start["node_address"], j.end["node_address"] = next, next
		}
	}
}

// leaveWaiting has no job start for the pool b, which has a guarantee, and gives it and its operation a status of
// starvation once its timeout is over. Jobs that were taken for it run on.
func leaveWaiting(rows []object, status string) {
	for _, row := range rows {
		if p, ok := row["preempted_for"].(object); ok && p != nil {
			row["event_type"] = "job_completed"
			delete(row, "preempted_for")
			delete(row, "reason")
		}
		if row["job_id"] != nil && row["resource_limits"] != nil && ownerOf(rows, row["operation_id"]) == "b" {
			clear(row)
			continue
		}
		if row["timestamp"].(string) > "2023-11-01T00:00:46" { // all jobs of b had started
			clear(row)
			continue
		}
		event, _ := row["event_type"].(string)
		idle := func(e object) {
			for _, key := range []string{"resource_usage", "usage_share"} {
				for k := range e[key].(object) {
					e[key].(object)[k] = 0.0
				}
			}
			for _, key := range []string{"usage_ratio", "dominant_usage_share", "preemptible_job_count", "aggressively_preemptible_job_count"} {
				e[key] = 0.0
			}
			if e["schedulable"] == true && row["timestamp"].(string) > "2023-11-01T00:00:13" {
				e["scheduling_status"], e["starvation_status"] = "below_fair_share", status
			} else {
				e["starvation_status"] = "non_starving"
			}
		}
		elements(event, row, "pools", func(name string, e object) {
			if name == "b" {
				idle(e)
			}
		})
		elements(event, row, "operations", func(_ string, e object) {
			if e["pool"] == "b" {
				e["starving_since"] = nil
				idle(e)
			}
		})
	}
}

// ownerOf is the pool in which an operation starts.
func ownerOf(rows []object, operation any) any {
	i := slices.IndexFunc(rows, func(row object) bool {
		return row["event_type"] == "operation_started" && row["operation_id"] == operation
	})
	if i < 0 {
		return nil
	}
	return rows[i]["pool"]
}

// number is a number of a row, which may have come as an integer.
func number(x any) float64 {
	switch x := x.(type) {
	case int64:
		return float64(x)
	case float64:
		return x
	}
	return 0
}
