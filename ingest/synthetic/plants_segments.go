package synthetic

import (
	"strings"

	"poolproof/core"
	"poolproof/core/scheduling"
	"poolproof/core/simulate"
)

// segmented is a tree whose nodes are parted: two for everybody, and one of eight
// devices in each of two modules. The jobs of big take eight, so that those of one
// module are for it, and of its three jobs one runs.
const segmented = `
trees:
  TREE:
    nodes_filter: TREE
    scheduling_segments: {mode: large_gpu}
    pools: {free: {}, other: {}}
nodes:
  - {name: TREE-d, count: 2, tags: [TREE], resources: {user_slots: 32, cpu: 16, gpu: 8, memory: 64GiB, network: 10}, data_center: west, scheduling_segment: default}
  - {name: TREE-w, count: 1, tags: [TREE], resources: {user_slots: 32, cpu: 16, gpu: 8, memory: 64GiB, network: 10}, data_center: west, scheduling_segment: large_gpu}
  - {name: TREE-e, count: 1, tags: [TREE], resources: {user_slots: 32, cpu: 16, gpu: 8, memory: 64GiB, network: 10}, data_center: east, scheduling_segment: large_gpu}
operations:
  - {name: TREE-big, at: 5s, pool: free, trees: [TREE], scheduling_segment_modules: [west], tasks: [{jobs: [3, 3], resources: {cpu: 1, gpu: 8}, seconds: [3000, 0]}]}
`

// fastNodes is a tree of which one node of two has SSDs, and pool strict wants
// those kept for jobs that ask for them.
const fastNodes = `
trees:
  TREE:
    nodes_filter: TREE
    ssd_priority_preemption: {enable: true, node_tag_filter: TREE-ssd, medium_names: [ssd_blobs]}
    pools: {strict: {allow_regular_jobs_on_ssd_nodes: false}, other: {}}
nodes:
  - {name: TREE-d, count: 1, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
  - {name: TREE-s, count: 1, tags: [TREE, TREE-ssd], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-v, at: 5s, pool: strict, trees: [TREE], tasks: [{jobs: [20, 20], resources: {cpu: 1}, seconds: [3000, 0]}]}
  - {name: TREE-s, at: 6s, pool: strict, trees: [TREE], tasks: [{jobs: [4, 4], resources: {cpu: 1}, seconds: [3000, 0], medium: ssd_blobs}]}
`

// crampedOnSSD is the cramped tree with SSDs on all its nodes.
const crampedOnSSD = `
trees:
  TREE:
    nodes_filter: TREE
    min_share_preemption_timeout: 60000
    ssd_priority_preemption: {enable: true, node_tag_filter: TREE, medium_names: [ssd_blobs]}
    pools: {rich: {strong_guarantee_resources: {cpu: 10}}, poor: {}}
nodes:
  - {name: TREE, count: 4, tags: [TREE], resources: {user_slots: 20, cpu: 10, memory: 40GiB, network: 10}}
operations:
  - {name: TREE-v, at: 5s, pool: poor, trees: [TREE], tasks: [{jobs: [24, 24], resources: {cpu: 1.7}, seconds: [3000, 0]VICTIM}]}
  - {name: TREE-b, at: 60s, pool: rich, trees: [TREE], tasks: [{jobs: [1, 1], resources: {cpu: 2}, seconds: [3000, 0]BENEFICIARY}]}
`

var segmentPlants = []Plant{
	{
		Kind: "start_in_other_segment", Severity: "major", About: "operation", Subject: "big", From: 40 * second, To: 70 * second,
		Sentence:   "A job of an operation for nodes of eight devices is started on one for everybody.",
		Invariants: []string{"SEG-01"}, Consequences: []string{"SEG-02", "HB-05"},
		spec: segmented,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool { return f.startBig(h, d, "-d-0", "-d-1") })
		},
	},
	{
		Kind: "start_in_other_module", Severity: "major", About: "operation", Subject: "big", From: 40 * second, To: 70 * second,
		Sentence:   "A job is started in a module that its operation's spec does not name.",
		Invariants: []string{"SEG-01"}, Consequences: []string{"SEG-02", "HB-05"},
		spec: segmented,
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool { return f.startBig(h, d, "-e-0") })
		},
	},
	{
		Kind: "jobs_in_two_modules", Severity: "minor", About: "operation", Subject: "big", From: 40 * second, To: 70 * second,
		Sentence:   "An operation that runs in one module is started in another one.",
		Invariants: []string{"SEG-02"}, Consequences: []string{"HB-05"},
		spec: inAnyModule(segmented),
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool { return f.startBig(h, d, "-e-0", "-w-0") })
		},
	},
	{
		Kind: "node_moved_without_need", Severity: "minor", About: "node", Subject: "-d-1", From: 90 * second, To: 120 * second,
		Sentence:   "A node is given to the segment for eight devices, which has all it wants.",
		Invariants: []string{"SEG-03"},
		spec: `
trees:
  TREE:
    nodes_filter: TREE
    scheduling_segments: {mode: large_gpu}
    pools: {free: {}}
nodes:
  - {name: TREE-d, count: 2, tags: [TREE], resources: {user_slots: 32, cpu: 16, gpu: 8, memory: 64GiB, network: 10}, data_center: west, scheduling_segment: default}
  - {name: TREE-w, count: 1, tags: [TREE], resources: {user_slots: 32, cpu: 16, gpu: 8, memory: 64GiB, network: 10}, data_center: west, scheduling_segment: large_gpu}
operations:
  - {name: TREE-a, at: 5s, pool: free, trees: [TREE], tasks: [{jobs: [8, 8], resources: {cpu: 1, gpu: 1}, seconds: [3000, 0]}]}
`,
		configure: func(f *field) {
			r := f.nodeRow(f.node("-d-1"))
			r.SchedulingSegment = text("large_gpu")
			f.add(f.tree, f.from, core.NodeChanged, &r)
		},
	},
	{
		Kind: "regular_job_on_ssd_node", Severity: "major", About: "operation", Subject: "v", From: 40 * second, To: 70 * second,
		Sentence:   "A job that asks for no SSD is started on an SSD-priority node, which its pool forbids.",
		Invariants: []string{"HB-08"}, Consequences: []string{"HB-05"},
		spec: fastNodes,
		fault: func(f *field) {
			v := f.operation("v")
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				if f.nodes[h.Node].address != f.plant.treeName()+"-s-0" || len(d.Started) > 0 || !f.size(v).FitsIn(h.Free()) {
					return false
				}
				f.start(d, v)
				return true
			})
		},
	},
	{
		Kind: "ssd_job_taken_normally", Severity: "major", About: "operation", Subject: "v", From: 62 * second, To: 140 * second,
		Sentence:   "A protected job that holds SSD is taken for one that asks for none.",
		Invariants: []string{"PRE-20"}, Consequences: []string{"PRE-06", "PRE-09", "PRE-16"},
		spec: onSSD("ssd_blobs", ""),
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving &&
					takeForB(f, h, d, scheduling.NonPreemptible, scheduling.ForPreemption, scheduling.PreemptiveNormal)
			})
		},
	},
	{
		Kind: "ssd_stage_for_regular_job", Severity: "critical", About: "operation", Subject: "v", From: 62 * second, To: 140 * second,
		Sentence:   "A job is taken in a stage for SSDs for an operation that asks for none.",
		Invariants: []string{"PRE-19"}, Consequences: []string{"PRE-03", "PRE-05"},
		spec: onSSD("", ""),
		fault: func(f *field) {
			f.once(func(h *simulate.Heartbeat, d *core.Decision) bool {
				return d.Preemptive && f.starving(h, f.operation("b")) != scheduling.NonStarving &&
					takeForB(f, h, d, scheduling.NonPreemptible, scheduling.ForSSDPreemption, scheduling.PreemptiveSSDNormal)
			})
		},
	},
}

// startBig starts a job of big on one of some nodes that has room for it and no
// job of big yet, once one runs elsewhere.
func (f *field) startBig(h *simulate.Heartbeat, d *core.Decision, nodes ...string) bool {
	big := f.operation("big")
	jobs := h.OperationJobs(big)
	if len(jobs) == 0 || len(here(h, jobs)) > 0 || len(d.Started) > 0 || !wanted(h, big) || !f.size(big).FitsIn(h.Free()) {
		return false
	}
	for _, name := range nodes {
		if f.nodes[h.Node].address == f.plant.treeName()+name {
			f.start(d, big)
			return true
		}
	}
	return false
}

// inAnyModule lets big run in whatever module.
func inAnyModule(ground string) string {
	return strings.ReplaceAll(ground, "scheduling_segment_modules: [west], ", "")
}

// onSSD says on which medium victim and beneficiary of the cramped tree ask for
// quotas.
func onSSD(victim, beneficiary string) string {
	asks := func(medium string) string {
		if medium == "" {
			return ""
		}
		return ", medium: " + medium
	}
	return strings.NewReplacer("VICTIM", asks(victim), "BENEFICIARY", asks(beneficiary)).Replace(crampedOnSSD)
}

func linesWithout(ground, name string) string {
	var kept strings.Builder
	for line := range strings.Lines(ground) {
		if !strings.Contains(line, name) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}
