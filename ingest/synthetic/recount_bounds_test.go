package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/trace"
)

func init() {
	covered := func(r *trace.SnapOp) bool { // all eight of the twenty cores that it wants
		return r.FairTotal.Value.CPU > 0.399 && r.DemandShare.Value.CPU < 0.401
	}
	for kind, is := range map[string]func(w *world) bool{
		"covered_operation_preemptible": func(w *world) bool {
			return w.anyOp("a", func(r *trace.SnapOp) bool { return covered(r) && r.PreemptibleJobs.Value > 0 })
		},
		"legal_covered_operation": func(w *world) bool {
			return w.anyOp("a", func(r *trace.SnapOp) bool {
				return covered(r) && r.PreemptibleJobs.Value == 0 && r.AggressivePreemptible.Value == 4
			})
		},
		// What b leaves to v is not quite 14 of 20 cores.
		"victims_beyond_share": func(w *world) bool { return w.atOnce("v", 6) && w.least("v") < 1300 },
		// And here 14 of 20.
		"legal_victims_to_the_share": func(w *world) bool { return w.atOnce("v", 6) && w.least("v") == 1400 },
		"guarantee_taken": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Preemptor == w.names["b"] && e.Operation == w.names["v"] &&
					w.poolUsage(w.pools["owner"])[resource.CPU] <= 600
			})
		},
		"legal_taken_to_the_guarantee": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(150) && w.poolUsage(w.pools["owner"])[resource.CPU] == 800
			})
		},
		"legal_taken_where_nobody_checks": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Kind == core.JobPreempted && e.Preemptor == w.names["b"] && e.Operation == w.names["v"] &&
					w.poolUsage(w.pools["owner"])[resource.CPU] <= 800
			})
		},
		"pool_stays_over_limit": func(w *world) bool {
			return w.any(func(e *core.Event) bool {
				return e.Time > w.at(180) && w.poolUsage(w.pools["limited"])[resource.CPU] == 600
			})
		},
		"max_share_exceeded": func(w *world) bool { return w.soft() > 60*core.Second },
		// Its share is an eighth of twenty cores, and it waits for ten jobs of one.
		"max_share_of_operation": func(w *world) bool {
			taken := 0
			return w.any(func(e *core.Event) bool {
				if e.Kind == core.JobPreempted && w.jobs[e.Job].Operation == w.names["a"] && e.Preemptor < 0 {
					taken++
				}
				return taken > 5 && e.Kind == core.JobStarted && e.Operation == w.names["a"]
			})
		},
		"legal_max_share_briefly": func(w *world) bool {
			return w.soft() > 20*core.Second && w.soft() < 60*core.Second
		},
		// In pool rich c gets nothing, and b not quite two of the sixteen cores, then more.
		"beneficiary_of_starving_pool": func(w *world) bool { return w.inPlace("b") > 2 },
		"legal_scope_of_operations":    func(w *world) bool { return w.inPlace("b") == 2 },
	} {
		recounts[kind] = is
	}
}

// atOnce reports whether an operation lost so many jobs at one moment.
func (w *world) atOnce(name string, jobs int) bool {
	lost := map[core.Time]int{}
	return w.any(func(e *core.Event) bool {
		if e.Kind == core.JobPreempted && e.Operation == w.names[name] {
			lost[e.Time]++
		}
		return lost[e.Time] == jobs
	})
}

// least is the least cpu that an operation had after it lost a job.
func (w *world) least(name string) int64 {
	least := int64(1 << 62)
	w.any(func(e *core.Event) bool {
		if e.Kind == core.JobPreempted && e.Operation == w.names[name] {
			least = min(least, w.operationUsage(e.Operation)[resource.CPU]-w.jobs[e.Job].Limits[resource.CPU])
		}
		return false
	})
	return least
}

// soft is how long pool soft used more than a quarter of the twenty cores.
func (w *world) soft() (lasted core.Time) {
	since := core.Time(0)
	w.any(func(e *core.Event) bool {
		switch {
		case w.poolUsage(w.pools["soft"])[resource.CPU] <= 500:
			since = 0
		case since == 0:
			since = e.Time
		default:
			lasted = max(lasted, e.Time-since)
		}
		return false
	})
	return lasted
}

// inPlace is how many jobs of an operation were started with preemption.
func (w *world) inPlace(name string) (n int) {
	w.jobRows(func(r *trace.Job) {
		if r.Op == w.names[name] && strings.HasPrefix(r.SchedulingStage.Value, "preemptive") {
			n++
		}
	})
	return n
}
