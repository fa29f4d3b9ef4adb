package scheduling

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"poolproof/core/resource"
)

// checkEndToEnd lets a cluster run until it settles, step by step.
func checkEndToEnd(t *testing.T, p Profile, c object) {
	g := c.object("given")
	scheduler := object{}
	for key, value := range g.object("scheduler_config") {
		scheduler[key] = value
	}
	// The nodes of the cases have no memory to spare.
	scheduler["min_spare_job_resources_on_node"] = map[string]any{"user_slots": 1.0, "cpu": 1.0}
	if g.has("min_spare") {
		scheduler["min_spare_job_resources_on_node"] = g["min_spare"]
	}
	r := &run{
		cluster: newCluster(t, p, g.object("tree_config"), scheduler), profile: p, tree: g.object("tree_config"), scheduler: scheduler,
		tags: map[Node][]any{}, settings: map[string]object{}, lost: map[string][]string{},
	}
	for _, n := range items(g.list("nodes")) {
		r.addNode(n.text("id"), n.vector("resource_limits"))
		r.tags[r.nodeOf[n.text("id")]] = n.list("tags")
	}
	r.applySSD()
	for _, pool := range items(g.list("pools")) {
		r.settings[pool.text("name")] = pool.object("config")
		r.addPool(pool.text("name"), pool.text("parent"), pool.object("config"))
	}
	r.cluster.tree.SetAdmission(func(e Element, n Node) bool {
		op := r.ownerOf(e)
		filter := op.spec.text("scheduling_tag_filter")
		if op.kinds[0].ssd { // only these nodes have the medium
			filter = r.tree.object("ssd_priority_preemption").text("node_tag_filter")
		}
		return filter == "" || slices.Contains(r.tags[n], any(filter))
	})
	for _, step := range items(c.list("steps")) {
		r.step(step)
	}
}

// A run is a cluster in motion.
type run struct {
	*cluster
	profile         Profile
	tree, scheduler object
	tags            map[Node][]any
	settings        map[string]object   // configurations of pools
	lost            map[string][]string // by operation: why its jobs were taken
	lastLost        []string            // jobs taken in the last settling, oldest first
	newest          map[string]string   // by operation: the job started last before it
}

func (r *run) step(step object) {
	switch step.text("do") {
	case "start":
		r.start(step)
	case "settle":
		r.settle(step.object("expect"))
	case "set_tree_config":
		for key, value := range step.object("config") {
			r.tree[key] = value
		}
		r.cluster.tree.SetOptions(treeOptions(r.profile, r.tree, r.scheduler))
		r.applySSD()
	case "set_pool_config":
		config := r.settings[step.text("pool")]
		for key, value := range step.object("config") {
			config[key] = value
		}
		shares, pool := poolOf(config)
		r.shares.SetPool(r.byName[step.text("pool")], shares)
		r.cluster.tree.SetPool(r.byName[step.text("pool")], pool)
	case "set_operation_options":
		op := r.operation(step.text("operation"))
		op.shares.ResourceLimits = step.partial("resource_limits")
		o := r.cluster.tree.elements[op.element].operation.Operation
		o.ResourceLimits = op.shares.ResourceLimits
		r.cluster.tree.SetOperation(op.element, o)
	case "set_node_limits":
		r.setNode(step.text("node"), step.vector("resource_limits"))
	case "move_pool":
		above := Root
		if step.has("parent") {
			above = r.byName[step.text("parent")]
		}
		r.shares.Move(r.byName[step.text("pool")], above)
		r.cluster.tree.Move(r.byName[step.text("pool")], above)
	case "finish":
		r.finishOperation(step.text("operation"))
	case "restart_scheduler":
		for _, op := range r.operations {
			r.cluster.tree.ResetStarvation(op.element)
		}
	case "advance":
		r.now += seconds(step.number("seconds", 0))
	case "assume":
	default:
		r.t.Fatalf("unknown step %q", step.text("do"))
	}
}

// applySSD marks the nodes of SSD priority.
func (r *run) applySSD() {
	ssd := r.tree.object("ssd_priority_preemption")
	for _, n := range r.nodeOf {
		s := r.cluster.tree.nodes[n].NodeSettings
		s.SSD = ssd.flag("enable", false) && slices.Contains(r.tags[n], any(ssd.text("node_tag_filter")))
		r.cluster.tree.SetNode(n, s)
	}
}

func (r *run) start(step object) {
	pool := step.text("pool")
	if _, known := r.byName[pool]; !known {
		r.settings[pool] = object{}
		r.addPool(pool, "", nil) // ephemeral
	}
	job := partialOf(step.object("job"))
	if r.profile == Documented {
		job.Amounts[resource.UserSlots] = 1
		if !job.Set[resource.CPU] {
			job.Amounts[resource.CPU] = resource.CentsPerCore
		}
	}
	ssd := len(step.list("disk_media")) > 0
	kinds := []kind{{job.Amounts, int64(step.number("job_count", 0)), ssd}}
	op := r.addOperation(step.text("operation"), pool, r.now, kinds, step.object("spec"), nil)
	r.cluster.tree.elements[op.element].operation.RequestsSSD = ssd
}

func (r *run) finishOperation(id string) {
	op := r.operation(id)
	for _, job := range slices.Clone(r.jobs) {
		if job.op == op {
			r.finish(job, false)
		}
	}
	r.cluster.tree.Remove(op.element)
	r.shares.Remove(op.element)
	r.operations = slices.DeleteFunc(r.operations, func(o *testOperation) bool { return o == op })
}

// settle lets ticks and heartbeats run for longer than every timeout; jobs last
// as long as the run. Where two elements take from each other in turn nothing
// settles, and what is expected must come about again and again.
func (r *run) settle(want object) {
	r.newest, r.lastLost = map[string]string{}, nil
	for _, job := range r.jobs {
		r.newest[job.op.id] = job.id
	}
	last := 0 // round with a decision
	var problems []string
	for round := range 800 {
		if r.round() {
			last = round
		}
		if problems = r.compare(want); round > 400 && (len(problems) == 0 || last < 200) {
			break
		}
	}
	for _, p := range problems {
		r.t.Error(p)
	}
}

// round runs a tick and a heartbeat of every node, and reports whether anything
// was decided.
func (r *run) round() (decided bool) {
	r.now += 500_000
	if err := r.update(); err != nil {
		r.t.Fatal(err)
	}
	for _, n := range r.nodes {
		r.now += 1000
		out := r.heartbeat(n, false)
		for _, v := range out.Preempted {
			job := r.jobOf[v.Job]
			r.lost[job.op.id] = append(r.lost[job.op.id], v.Reason.String())
			r.lastLost = append(r.lastLost, job.id)
			if v.For != NoJob {
				r.lost[job.op.id+" for "+r.names[v.ForOperation]] = nil
			}
		}
		decided = decided || len(out.Started)+len(out.Preempted) > 0
		r.settleHeartbeat(out, true)
	}
	return decided
}

// compare checks what is expected once the cluster has settled.
func (r *run) compare(want object) (problems []string) {
	same := func(what string, got, want any) {
		if got != want {
			problems = append(problems, fmt.Sprintf("%s = %v, want %v", what, got, want))
		}
	}
	near := func(what string, got float64, want any) {
		if w := want.(float64); math.Abs(got-w) > 1e-2*math.Max(1e-9, w) {
			problems = append(problems, fmt.Sprintf("%s = %v, want %v", what, got, w))
		}
	}
	for key, value := range want {
		entries, _ := value.(map[string]any)
		for id, x := range entries {
			e, what := r.byName[id], key+" of "+id
			n := &r.cluster.tree.elements[e]
			switch key {
			case "cpu_usage", "pool_cpu_usage":
				near(what, n.usage.Real(resource.CPU), x)
			case "fair_share":
				near(what, n.seen.fair[resource.CPU], x)
			case "satisfaction":
				near(what, r.cluster.tree.localSatisfaction(e), x)
			case "starvation":
				same(what, n.hunger.Status().String(), x)
			case "starving_for":
				w, _ := x.(string)
				same(what, n.hunger.For().String(), any(w))
			case "aggressive_preemption_allowed":
				same(what, n.own.aggressivePreempted, x)
			case "preempted_for":
				_, ok := r.lost[id+" for "+x.(string)]
				same(what+" for "+x.(string), ok, true)
			case "aborted":
				near(what, float64(len(r.lost[id])), x)
			case "job_nodes":
				nodes := []any{}
				for _, job := range r.jobs {
					if job.op.id == id && !slices.Contains(nodes, any(job.node)) {
						nodes = append(nodes, job.node)
					}
				}
				same(what, fmt.Sprint(nodes), any(fmt.Sprint(x)))
			case "operation_count_by_preemption_priority":
				near(what, float64(r.cluster.tree.out.Priorities[priorityOf(id)]), x)
			case "preempted":
				// the latest started job of the operation that is named
			default:
				r.t.Fatalf("unknown expectation %s", key)
			}
		}
		switch key {
		case "preemption_reason":
			for id, reasons := range r.lost {
				for _, reason := range reasons {
					same("reason for "+id, reason, value)
				}
			}
		case "preempted":
			same("first job lost", append(r.lastLost, "none")[0], any(r.newest[want.object(key).text("operation")]))
		}
	}
	return problems
}
