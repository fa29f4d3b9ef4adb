package scheduling

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"poolproof/core/pooltree"
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
		tags: map[Node]pooltree.Tags{}, settings: map[string]object{}, lost: map[string][]string{},
	}
	for _, n := range items(g.list("nodes")) {
		r.addNode(n.text("id"), n.vector("resource_limits"))
		var tags []string
		for _, tag := range n.list("tags") {
			tags = append(tags, tag.(string))
		}
		r.tags[r.nodeOf[n.text("id")]] = pooltree.NewTags(tags...)
	}
	r.applySSD()
	for _, pool := range items(g.list("pools")) {
		r.settings[pool.text("name")] = pool.object("config")
		r.addPool(pool.text("name"), pool.text("parent"), pool.object("config"))
	}
	r.cluster.tree.SetAdmission(r.admits)
	for _, step := range items(c.list("steps")) {
		r.step(step)
	}
}

// A run is a cluster in motion.
type run struct {
	*cluster
	profile         Profile
	tree, scheduler object
	tags            map[Node]pooltree.Tags
	settings        map[string]object   // configurations of pools
	lost            map[string][]string // by operation: why its jobs were taken
	lastLost        []string            // jobs taken in the last settling, oldest first
	before          map[string][]string // by operation: its jobs before it, in the order of their start
}

// admits reports whether the tag filters of an operation and all its pools match a
// node, and whether the node has the medium it asks for: only SSD nodes have one.
func (r *run) admits(e Element, n Node) bool {
	op := r.ownerOf(e)
	if op.kinds[0].ssd && !r.matches(n, r.tree.object("ssd_priority_preemption").text("node_tag_filter")) || !r.matches(n, tagFilterOf(op.spec)) {
		return false
	}
	for p := r.cluster.tree.elements[e].parent; p != Root; p = r.cluster.tree.elements[p].parent {
		if !r.matches(n, tagFilterOf(r.settings[r.names[p]])) {
			return false
		}
	}
	return true
}

func tagFilterOf(c object) string { return c.text("scheduling_tag_filter") + c.text("scheduling_tag") }

func (r *run) matches(n Node, filter string) bool {
	f, err := pooltree.ParseFormula(filter)
	if err != nil {
		r.t.Fatal(err)
	}
	return f.Match(r.tags[n])
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
		r.shares.SetOptions(shareOptions(r.profile, r.tree))
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
		r.setOperation(r.operation(step.text("operation")), step)
	case "set_node_limits":
		r.setLimits(step.text("node"), step.vector("resource_limits"))
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
		s.SSD = ssd.flag("enable", false) && r.matches(n, ssd.text("node_tag_filter"))
		r.cluster.tree.SetNode(n, s)
	}
}

// pool returns the pool of the name; one that is not configured is ephemeral.
func (r *run) pool(name string) Element {
	if _, known := r.byName[name]; !known {
		r.settings[name] = object{}
		parent := r.tree.text("default_parent_pool")
		if _, known := r.byName[parent]; !known {
			parent = ""
		}
		r.addPool(name, parent, nil)
	}
	return r.byName[name]
}

func (r *run) start(step object) {
	pool := cmp.Or(step.text("pool"), step.text("user"), "root")
	r.pool(pool)
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

// setOperation changes what a step names of an operation's options.
func (r *run) setOperation(op *testOperation, step object) {
	if op.runtime == nil {
		op.runtime = object{}
	}
	for key, value := range step {
		if key != "do" && key != "operation" && key != "pool" {
			op.runtime[key] = value
		}
	}
	merged := op.options()
	op.shares.Settings = shareSettings(merged)
	o := operationOf(merged)
	o.RequestsSSD = r.cluster.tree.elements[op.element].operation.RequestsSSD
	r.cluster.tree.SetOperation(op.element, o)
	if pool := step.text("pool"); pool != "" {
		to := r.pool(pool)
		r.shares.Move(op.element, to)
		r.cluster.tree.Move(op.element, to)
	}
}

// setLimits resizes a node. One without user slots is as if it had nothing, and
// loses all its jobs at once (core/spec/scheduling.md §9.1).
func (r *run) setLimits(node string, limits resource.Vector) {
	if limits[resource.UserSlots] == 0 {
		limits = resource.Vector{}
		for _, job := range slices.Clone(r.jobs) {
			if job.node == node {
				r.lost[job.op.id] = append(r.lost[job.op.id], "node_with_disabled_jobs")
				r.finish(job, true)
			}
		}
	}
	r.setNode(node, limits)
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
	r.before, r.lastLost = map[string][]string{}, nil
	for _, job := range r.jobs {
		r.before[job.op.id] = append(r.before[job.op.id], job.id)
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
			if v.PreemptorJob != NoJob {
				r.lost[job.op.id+" for "+r.names[v.Preemptor]] = nil
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
				same(what, n.starvation.Status().String(), x)
			case "starving_for":
				w, _ := x.(string)
				same(what, n.starvation.For().String(), any(w))
			case "aggressive_preemption_allowed":
				same(what, n.own.AllowsAggressivePreemption, x)
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
			case "preemptible_job_count":
				same(what, r.countOf(id, Preemptible), x)
			case "aggressively_preemptible_job_count":
				same(what, r.countOf(id, AggressivelyPreemptible), x)
			case "preempted": // one job, below
			default:
				r.t.Fatalf("unknown expectation %s", key)
			}
		}
		switch key {
		case "preemption_reason":
			same("somebody loses a job", len(r.lost) > 0, true)
			for id, reasons := range r.lost {
				for _, reason := range reasons {
					same("reason for "+id, reason, value)
				}
			}
		case "preempted":
			same("job preempted first", append(r.lastLost, "none")[0], any(r.jobOfWords(want.object(key))))
		}
	}
	return problems
}

// countOf is how many jobs of an operation are on a list.
func (r *run) countOf(id string, l List) (n float64) {
	for _, job := range r.jobs {
		if job.op.id == id && r.cluster.tree.List(job.job) == l {
			n++
		}
	}
	return n
}

// jobOfWords is the job that a case means by its operation and its place among the jobs
// that this had before the last settling.
func (r *run) jobOfWords(preempted object) string {
	jobs := r.before[preempted.text("operation")]
	if len(jobs) == 0 {
		return "a job of " + preempted.text("operation")
	}
	switch preempted.text("which") {
	case "latest started job":
		return jobs[len(jobs)-1]
	case "earliest started job":
		return jobs[0]
	}
	r.t.Fatalf("unknown job: %v", preempted)
	return ""
}
