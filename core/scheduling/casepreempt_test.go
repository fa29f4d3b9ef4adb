package scheduling

import (
	"fmt"
	"slices"
	"testing"

	"poolproof/core/resource"
)

// addElements adds elements with their statuses, parents first.
func (c *cluster) addElements(list []any) {
	for _, e := range items(list) {
		parent := e.text("parent")
		if parent == "<Root>" {
			parent = ""
		}
		if e.text("type") == "operation" {
			op := c.addOperation(e.text("id"), parent, 0, nil, nil, nil)
			c.tree.elements[op.element].operation.RequestsSSD = slices.Contains(e.list("requested_media"), any("ssd_slots"))
		} else {
			c.addPool(e.text("id"), parent, nil)
		}
		c.tree.elements[c.byName[e.text("id")]].seen.schedulable = !e.has("unschedulable_reason")
		c.starve(c.byName[e.text("id")], statusOf(e.text("starvation_status")))
	}
}

func checkPriority(t *testing.T, p Profile, c object) {
	cl := newCluster(t, p, nil, nil)
	cl.addElements(c.object("given").list("elements"))
	plainNode, ssdNode := cl.tree.AddNode(NodeSettings{}), cl.tree.AddNode(NodeSettings{SSD: true})
	for _, k := range items(c.list("cases")) {
		scope, node := OperationAndAncestors, plainNode
		if k.text("scope") == "operation_only" {
			scope = OperationOnly
		}
		if k.flag("node_is_ssd", false) {
			node = ssdNode
		}
		equal(t, k.text("operation"), cl.tree.PriorityIn(cl.byName[k.text("operation")], node, scope).String(), k["expect"])
	}
}

func checkLowest(t *testing.T, p Profile, c object) {
	cl := newCluster(t, p, nil, nil)
	cl.addElements(c.object("given").list("elements"))
	for id, x := range c.object("expect") {
		n, want := &cl.tree.elements[cl.byName[id]], object(x.(map[string]any))
		equal(t, id+" starving", cl.named(n.lowestStarving), want["lowest_starving"])
		equal(t, id+" aggressively", cl.named(n.lowestAggressive), want["lowest_aggressively_starving"])
	}
}

func checkLevel(t *testing.T, _ Profile, c object) {
	for i, k := range items(c.list("cases")) {
		got := LevelOf(listOf(k.text("list")), k.flag("aggressive_allowed", false), k.flag("ssd_job_on_ssd_node", false))
		equal(t, fmt.Sprint("case ", i), got.String(), k["expect"])
	}
}

func checkStageLevel(t *testing.T, _ Profile, c object) {
	for _, k := range items(c.list("cases")) {
		for l, name := range levelNames {
			may := Level(l) >= stageOf(k.text("stage")).Target().LeastLevel()
			equal(t, k.text("stage")+" "+name, may, slices.Contains(k.list("may_take"), any(name)))
		}
	}
}

func checkPlan(t *testing.T, _ Profile, c object) {
	g := c.object("given")
	var counts [priorities]int
	for name, n := range g.object("operation_count_by_priority") {
		counts[priorityOf(name)] = int(n.(float64))
	}
	var got []any
	for s := PreemptiveSSDAggressive; s <= PreemptiveNormal; s++ {
		if s.Enters(&counts, g.flag("node_is_ssd", false)) {
			got = append(got, s.Target().String())
			if s.Target().String() == g.text("stage_that_starts_a_job") {
				break
			}
		}
	}
	equal(t, "stages", fmt.Sprint(got), fmt.Sprint(c.object("expect")["executed_preemptive_stages"]))
}

func checkBackoff(t *testing.T, p Profile, c object) {
	tree := object{"preemptive_scheduling_backoff": c.object("given").number("preemptive_scheduling_backoff", 0) * 1000}
	cl := newCluster(t, p, tree, nil)
	for _, h := range items(c.list("heartbeats")) {
		if _, known := cl.nodeOf[h.text("node")]; !known {
			cl.addNode(h.text("node"), resource.Vector{1, 100})
		}
		cl.now = seconds(h.number("t", 0))
		equal(t, fmt.Sprintf("%s at %v", h.text("node"), h["t"]), cl.heartbeat(h.text("node"), false).Preemptive, h["preemptive"])
	}
}

func checkFilter(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, g.object("tree_config"), nil)
	chain := items(g.list("victim_chain"))
	for i := len(chain) - 1; i >= 0; i-- {
		config, parent := chain[i], ""
		if i < len(chain)-1 {
			parent = chain[i+1].text("id")
		}
		if i == 0 {
			cl.addOperation(config.text("id"), parent, 0, nil, config, nil)
		} else {
			cl.addPool(config.text("id"), parent, config)
		}
	}
	cl.tree.sortElements()
	for _, e := range cl.tree.order {
		cl.tree.inherit(e)
	}
	for i := len(chain) - 1; i >= 0; i-- {
		e := cl.byName[chain[i].text("id")]
		cl.satisfied(e, chain[i].number("local_satisfaction", 1))
		cl.starve(e, statusOf(chain[i].text("starvation_status")))
		own := &cl.tree.elements[e].own
		own.AllowsAggressivePreemption = chain[i].flag("aggressive_preemption_allowed", own.AllowsAggressivePreemption)
	}
	job := g.object("job")
	n := cl.tree.AddNode(NodeSettings{SSD: job.flag("ssd_job_on_ssd_node", false)})
	op := cl.operation(chain[0].text("id"))
	j := cl.tree.AddJob(op.element, n, resource.Vector{}, resource.Vector{}, 0, job.flag("ssd_job_on_ssd_node", false))
	cl.setList(j, listOf(job.text("list")))
	if job.flag("forced", false) {
		cl.tree.options.Segments = true
		cl.tree.nodes[n].Segment = LargeGPU
	}
	candidacy, blocker := cl.tree.Candidacy(j, stageOf(g.text("stage")).Target())
	equal(t, "candidate", candidacy.String(), want["candidate"])
	equal(t, "blocker", cl.named(blocker), want["blocker"])
}

// setList puts a job into a list whatever its operation's shares say.
func (c *cluster) setList(j Job, l List) {
	c.tree.place(j, 0, l == NonPreemptible)
	c.tree.place(j, 1, l != Preemptible)
}

func checkDiscount(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, nil, nil)
	target := stageOf(g.text("stage")).Target()
	n := cl.tree.AddNode(NodeSettings{SSD: target.forSSD()})
	for _, o := range items(g.list("operations")) {
		parent := ""
		for _, pool := range slices.Backward(o.list("chain")) { // from below, as all chains
			if _, known := cl.byName[pool.(string)]; !known {
				cl.addPool(pool.(string), parent, nil)
			}
			parent = pool.(string)
		}
		op := cl.addOperation(o.text("id"), parent, 0, nil, nil, nil)
		cl.tree.elements[op.element].seen.schedulable = true
		switch o.text("priority") {
		case "normal", "ssd_normal":
			cl.starve(op.element, Starving)
		case "aggressive", "ssd_aggressive":
			cl.starve(op.element, AggressivelyStarving)
		}
		cl.tree.elements[op.element].operation.RequestsSSD = priorityOf(o.text("priority")).forSSD()
	}
	for _, j := range items(g.list("conditional_jobs")) {
		op := cl.operation(j.text("operation"))
		job := cl.tree.AddJob(op.element, n, j.vector("usage"), j.vector("usage"), 0, false)
		cl.tree.stage.attached = append(cl.tree.stage.attached, candidate{job: job, operation: op.element, blocker: cl.byName[j.text("blocker")]})
	}
	cl.tree.makeLists()
	cl.tree.stage.Node = n
	cl.tree.prepareDiscounts(stageOf(g.text("stage")))
	for id, amounts := range want.object("discounts") {
		var got resource.Vector // nothing for whom the stage does not serve
		if cl.tree.PriorityIn(cl.byName[id], n, OperationAndAncestors) == target {
			got = cl.tree.credit(cl.byName[id])
		}
		equal(t, id, got, partialOf(amounts.(map[string]any)).Amounts)
	}
	equal(t, "greatest", cl.tree.stage.maxDiscount, want.vector("max_conditional_discount"))
}

func checkProper(t *testing.T, _ Profile, c object) {
	for i, k := range items(c.list("cases")) {
		equal(t, fmt.Sprint("case ", i), ProperlyStarving(stageOf(k.text("stage")).Target(), priorityOf(k.text("own_priority"))), k["expect"])
	}
}

// candidateNode builds a node with the candidates of a case.
func (c *cluster) candidateNode(g object, jobs []any) Node {
	n := c.tree.AddNode(NodeSettings{Limits: partialOf(g.object("node_limits")).Or(resource.Unlimited)})
	for id, amounts := range g.object("pool_limits") {
		c.addPool(id, "", object{"resource_limits": amounts.(map[string]any)["limits"]})
	}
	chains := g.object("operation_ancestors")
	addOperation := func(id string, chain []any) {
		if _, known := c.byName[id]; known {
			return
		}
		parent := ""
		for i := len(chain) - 1; i >= 0; i-- {
			if _, known := c.byName[chain[i].(string)]; !known {
				c.addPool(chain[i].(string), parent, nil)
			}
			parent = chain[i].(string)
		}
		op := c.addOperation(id, parent, 0, nil, nil, nil)
		c.tree.elements[op.element].seen.limits = resource.Unlimited
	}
	if b := g.object("beneficiary"); b != nil {
		addOperation(b.text("operation"), b.list("ancestors"))
	}
	for _, j := range items(jobs) {
		addOperation(j.text("operation"), chains.list(j.text("operation")))
		op := c.operation(j.text("operation"))
		granted := j.vector("usage")
		if j.has("limits") {
			granted = j.vector("limits")
		}
		job := c.tree.AddJob(op.element, n, granted, j.vector("usage"), int64(j.number("start_time", 0)), false)
		c.setList(job, listOf(j.text("list")))
		c.register(j.text("id"), op, "", job, -1)
		blocker := None
		if j.has("blocker") {
			if _, known := c.byName[j.text("blocker")]; !known {
				c.addPool(j.text("blocker"), "", nil)
			}
			blocker = c.byName[j.text("blocker")]
		}
		own := &c.tree.jobs[job]
		cand := candidate{job: job, operation: op.element, list: own.list(), unusedCPU: own.hasUnusedCPU(), start: own.start, blocker: blocker}
		if cand.conditional = j.text("kind") == "conditional"; cand.conditional {
			c.tree.stage.attached = append(c.tree.stage.attached, cand)
		} else {
			c.tree.stage.candidates = append(c.tree.stage.candidates, cand)
		}
	}
	for id, x := range g.object("operation_limits") {
		limits := object(x.(map[string]any))
		e := &c.tree.elements[c.byName[id]]
		e.seen.limits, e.usage = limits.partial("limits").Or(resource.Unlimited), limits.vector("usage")
	}
	for id, x := range g.object("pool_limits") {
		c.tree.elements[c.byName[id]].usage = object(x.(map[string]any)).vector("usage")
	}
	c.tree.stage.Node, c.tree.stage.jobs = n, len(c.tree.nodes[n].jobs)
	return n
}

func checkBatch(t *testing.T, p Profile, c object) {
	g := c.object("given")
	cl := newCluster(t, p, nil, nil)
	n := cl.candidateNode(g, g.list("candidates"))
	beneficiary := Start{Job: NoJob, Operation: None}
	if b := g.object("beneficiary"); b != nil {
		op := cl.operation(b.text("operation"))
		beneficiary = Start{Job: cl.tree.AddJob(op.element, NoNode, resource.Vector{}, resource.Vector{}, 0, false), Operation: op.element}
	}
	cl.tree.nodes[n].usage = g.vector("node_usage")
	cl.tree.takeVictims(stageOf(g.text("stage")).Target(), beneficiary)
	got := []string{}
	for _, v := range cl.tree.out.Preempted {
		got = append(got, cl.jobOf[v.Job].id+" "+v.Reason.String())
	}
	want := []string{}
	for _, v := range items(c.object("expect").list("preempted")) {
		want = append(want, v.text("job")+" "+v.text("reason"))
	}
	equal(t, "preempted", fmt.Sprint(got), fmt.Sprint(want))
}

func checkOvercommit(t *testing.T, p Profile, c object) {
	g := c.object("given")
	cl := newCluster(t, p, nil, object{"allowed_node_resources_overcommit_duration": g.number("allowed_node_resources_overcommit_duration", 15) * 1000})
	n := cl.candidateNode(g, g.list("jobs"))
	cl.tree.stage.Now = seconds(1000)
	cl.tree.SetOvercommitted(n, seconds(1000)-seconds(g.number("overcommitted_for", 0)))
	if cl.tree.overcommitted() {
		cl.tree.preemptOvercommit()
	}
	got := []any{}
	for _, v := range cl.tree.out.Preempted {
		equal(t, "reason", v.Reason, ForOvercommit)
		got = append(got, cl.jobOf[v.Job].id)
	}
	equal(t, "preempted", fmt.Sprint(got), fmt.Sprint(c.object("expect")["preempted"]))
}
