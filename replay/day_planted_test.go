package replay_test

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// A planted fault bends decisions of a day in one way, and is to be found by the
// rules named: violated, and nothing else that counts.
type plantedFault struct {
	name  string
	bend  func(d *day, n core.NodeID, decided *core.Decision) bool // whether it did
	rules string
	also  string // rules that the same fault may break
}

// victimOn returns a job on a node that wanted accepts.
func (d *day) victimOn(n core.NodeID, wanted func(j scheduling.Job, info *scheduling.JobInfo) bool) (core.JobID, *scheduling.JobInfo) {
	s := d.tree.Scheduling()
	slot, ok := d.tree.NodeOf(n)
	found := core.JobID(core.Unknown)
	var of scheduling.JobInfo
	if !ok {
		return found, &of
	}
	s.NodeJobs(scheduling.Node(slot), func(j scheduling.Job) {
		info := s.Job(j)
		if slot, live := d.tree.JobBehind(j); live && found == core.Unknown && wanted(j, &info) {
			found, of = d.tree.Job(slot).ID, info
		}
	})
	return found, &of
}

// replace takes another job in place of the first one that a decision takes for
// a started job in a stage.
func replace(d *day, n core.NodeID, decided *core.Decision, wanted func(j scheduling.Job, info *scheduling.JobInfo) bool) bool {
	for i := range decided.Preempted {
		p := &decided.Preempted[i]
		if p.Preemptor < 0 || p.Reason != scheduling.ForPreemption || len(decided.Preempted) > 1 {
			continue
		}
		job, info := d.victimOn(n, wanted)
		if job == core.Unknown || job == p.Job || !info.Usage.FitsIn(d.jobSize(job)) {
			continue
		}
		p.Job, p.Operation = job, d.jobs[job].operation
		return true
	}
	return false
}

func (d *day) jobSize(job core.JobID) resource.Vector { return d.jobs[job].size }

var plantedFaults = []plantedFault{
	{"a protected job goes", func(d *day, n core.NodeID, decided *core.Decision) bool {
		return replace(d, n, decided, func(j scheduling.Job, info *scheduling.JobInfo) bool {
			operation := d.tree.Scheduling().Describe(info.Operation)
			return d.tree.Scheduling().List(j) == scheduling.NonPreemptible && !operation.Graceful && info.Usage[resource.CPU] >= 400
		})
	}, "PRE-06", "PRE-08 PRE-09 PRE-10 PRE-11 PRE-12 PRE-02 PRE-16 LST-03 LST-05 GUA-07 HB-01"},
	{"a graceful job goes", func(d *day, n core.NodeID, decided *core.Decision) bool {
		return replace(d, n, decided, func(_ scheduling.Job, info *scheduling.JobInfo) bool {
			return d.tree.Scheduling().Describe(info.Operation).Graceful
		})
	}, "PRE-07", "PRE-02 PRE-06 PRE-08 PRE-09 PRE-11 PRE-12 PRE-16 LST-03 LST-05 GUA-07 PRE-26 HB-01"},
	{"a job too many goes", func(d *day, n core.NodeID, decided *core.Decision) bool {
		for _, p := range decided.Preempted {
			if p.Preemptor < 0 || p.Reason != scheduling.ForPreemption {
				continue
			}
			job, _ := d.victimOn(n, func(j scheduling.Job, info *scheduling.JobInfo) bool {
				slot, _ := d.tree.JobBehind(j)
				for _, other := range decided.Preempted {
					if other.Job == d.tree.Job(slot).ID {
						return false
					}
				}
				return !d.tree.Scheduling().Describe(info.Operation).Graceful
			})
			if job != core.Unknown {
				p.Job, p.Operation = job, d.jobs[job].operation
				decided.Preempted = append(decided.Preempted, p)
				return true
			}
		}
		return false
	}, "PRE-12", "PRE-06 PRE-08 PRE-09 PRE-10 PRE-11 PRE-16 LST-03 LST-05 GUA-07"},
	{"a job goes for nobody", func(d *day, n core.NodeID, decided *core.Decision) bool {
		if len(decided.Preempted) > 0 || len(decided.Started) > 0 {
			return false
		}
		job, _ := d.victimOn(n, func(_ scheduling.Job, info *scheduling.JobInfo) bool {
			return !d.tree.Scheduling().Describe(info.Operation).Graceful
		})
		if job == core.Unknown {
			return false
		}
		decided.Preempted = append(decided.Preempted, core.DecidedPreemption{
			Job: job, Operation: d.jobs[job].operation, Reason: scheduling.ForPreemption, Preemptor: -1,
		})
		decided.Preemptive = true
		return true
	}, "PRE-01 PRE-12", "PRE-06 PRE-08 PRE-09 PRE-10 PRE-11 PRE-14 PRE-16 LST-03 LST-05 GUA-07 PRE-26"},
	{"a job goes where there was room", func(d *day, n core.NodeID, decided *core.Decision) bool {
		slot, _ := d.tree.NodeOf(n)
		node, spare := d.tree.Node(slot), d.tree.Scheduling().Options().MinSpare
		if len(decided.Preempted) > 0 || len(decided.Started) != 1 || !node.Usage.Add(spare).FitsIn(node.Limits) {
			return false
		}
		job, _ := d.victimOn(n, func(j scheduling.Job, info *scheduling.JobInfo) bool {
			return d.tree.Scheduling().List(j) == scheduling.Preemptible && !d.tree.Scheduling().Describe(info.Operation).Graceful
		})
		if job == core.Unknown {
			return false
		}
		decided.Started[0].Stage, decided.Preemptive = scheduling.PreemptiveNormal, true
		decided.Preempted = append(decided.Preempted, core.DecidedPreemption{
			Job: job, Operation: d.jobs[job].operation, Reason: scheduling.ForPreemption, Preemptor: 0,
		})
		return true
	}, "PRE-12 PRE-24", "PRE-03 PRE-04 PRE-08 PRE-09 PRE-10 PRE-11 PRE-14 PRE-16 LST-03 LST-05 GUA-07 PRE-26"},
	{"a job starts over the node's size", func(d *day, n core.NodeID, decided *core.Decision) bool {
		if len(decided.Preempted) > 0 || len(decided.Started) != 1 {
			return false
		}
		slot, _ := d.tree.NodeOf(n)
		node := d.tree.Node(slot)
		for o := range d.work {
			w := &d.work[o]
			if operation, ok := d.tree.OperationOf(core.OperationID(o)); ok && w.left > 2 && d.tree.Operation(operation).Running &&
				core.OperationID(o) != decided.Started[0].Operation &&
				!node.Usage.Add(decided.Started[0].Resources).Add(w.size).FitsIn(node.Limits) {
				decided.Started = append(decided.Started, core.DecidedStart{Operation: core.OperationID(o), Resources: w.size, Stage: scheduling.RegularMedium})
				return true
			}
		}
		return false
	}, "HB-01", "HB-03 HB-04 HB-06 HB-07 HB-08 LIM-01 LIM-03 OVC-01 SEG-01 SEG-02"},
	{"a job starts over a limit", func(d *day, _ core.NodeID, decided *core.Decision) bool {
		for _, s := range decided.Started {
			slot, _ := d.tree.OperationOf(s.Operation)
			limits := d.tree.Operation(slot).Params.ResourceLimits.Value
			if w := &d.work[s.Operation]; limits.Set[resource.CPU] && w.left > 10 && len(decided.Preempted) == 0 {
				for range 1 + int(limits.Amounts[resource.CPU]/w.size[resource.CPU]) {
					decided.Started = append(decided.Started, core.DecidedStart{Operation: s.Operation, Resources: w.size, Stage: scheduling.RegularMedium})
				}
				return true
			}
		}
		return false
	}, "LIM-01", "LIM-03 HB-01 HB-03 HB-04 HB-06 HB-07 OVC-01"},
}

// TestPlantedFaultsAreFound plants a fault a few times in a day and has the log
// judged: what is alleged is the fault, and nothing before it.
func TestPlantedFaultsAreFound(t *testing.T) {
	const seconds = 150
	for _, fault := range plantedFaults {
		t.Run(strings.ReplaceAll(fault.name, " ", "_"), func(t *testing.T) {
			planted := 0
			for seed := uint64(20); planted == 0 && seed < 60; seed++ {
				d := newDay(core.Documented, seed)
				at := core.Time(0)
				d.bend = func(n core.NodeID, decided *core.Decision) {
					settled := (d.now/core.Second+1)%40 > 6 // no configuration has just changed
					if planted == 0 && d.now > 20*core.Second && settled && fault.bend(d, n, decided) {
						planted, at = planted+1, d.now
					}
				}
				d.run(seconds)
				if planted > 0 {
					t.Logf("seed %d, second %.1f", seed, float64(at)/1e6)
					found := map[string]bool{}
					dir := d.judge(t, core.Documented, seconds)
					rows := show(t, dir, "decisions", []string{"invariant", "verdict", "severity", "time", "sentence"})
					for line := range strings.Lines(rows) {
						if words := strings.Fields(line); words[1] == "violated" && words[2] != "info" {
							found[words[0]] = true
							if !strings.Contains(fault.rules+" "+fault.also, words[0]) {
								t.Errorf("not what was planted: %s", line)
							}
						}
					}
					for _, rule := range strings.Fields(fault.rules) {
						if !found[rule] {
							t.Errorf("%s is not violated in\n%s", rule, rows)
						}
					}
				}
			}
			if planted == 0 {
				t.Error("nothing could be planted")
			}
		})
	}
}
