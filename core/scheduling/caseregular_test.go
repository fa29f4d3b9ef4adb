package scheduling

import (
	"fmt"
	"slices"
	"testing"

	"poolproof/core/resource"
)

func checkOrder(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, g.object("tree_config"), nil)
	cl.addNode("n", resource.Vector{10, 1000})
	for _, pool := range items(g.list("pools")) {
		cl.addPool(pool.text("name"), pool.text("parent"), pool)
	}
	var ids []string
	for _, o := range items(g.list("operations")) {
		ids = append(ids, o.text("id"))
	}
	slices.Sort(ids) // what is equal otherwise stands by id
	for _, o := range items(g.list("operations")) {
		kinds := []kind{{resource.Vector{1, 100}, int64(o.number("pending_job_count", 1)), false}}
		op := cl.addOperation(o.text("id"), o.text("pool"), seconds(o.number("start_time", 0)), kinds, nil, object{"weight": o["weight"]})
		op.shares.ID = int64(slices.Index(ids, op.id))
	}
	if err := cl.update(); err != nil {
		t.Fatal(err)
	}
	for _, o := range slices.Concat(items(g.list("operations")), items(g.list("pools"))) {
		if id := o.text("id") + o.text("name"); o.has("local_satisfaction") {
			cl.satisfied(cl.byName[id], o.number("local_satisfaction", 0))
		}
	}
	order := []any{}
	for _, e := range cl.walk() {
		order = append(order, cl.names[e])
	}
	if want.has("order") {
		equal(t, "order", fmt.Sprint(order), fmt.Sprint(want["order"]))
	}
	for _, pair := range want.list("before") {
		pair := pair.([]any)
		first, second := slices.Index(order, pair[0]), slices.Index(order, pair[1])
		if first < 0 || first > second {
			t.Errorf("%v does not come before %v in %v", pair[0], pair[1], order)
		}
	}
}

// walk picks operations one after the other without starting jobs.
func (c *cluster) walk() (order []Element) {
	c.tree.forgetLists()
	c.tree.makeLists()
	all := c.tree.choose(everyone, c.tree.lists.schedulable)
	for e := all.next(); e != None; e = all.next() {
		order = append(order, e)
		all.deactivate(e)
	}
	return order
}

func checkGuarantee(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, g, nil)
	for _, o := range items(g.list("operations")) {
		e := cl.addOperation(o.text("id"), "", 0, nil, nil, nil).element
		cl.tree.elements[e].seen = seen{
			fair: o.share("fair_share"), demand: o.share("demand_share"), usage: o.share("usage_share"),
			promised: o.share("promised_guarantee_share"), schedulable: true,
		}
		for class, in := range map[string]bool{"high": cl.tree.HasGuaranteePriority(e), "medium": !cl.tree.HasGuaranteePriority(e)} {
			equal(t, o.text("id")+" "+class, in, slices.Contains(want.list(class), any(o.text("id"))))
		}
	}
}

// checkFIFOLimit gives the operations of a FIFO queue jobs of such sizes that
// those of fair share zero get nothing.
func checkFIFOLimit(t *testing.T, p Profile, c object) {
	g := c.object("given")
	cl := newCluster(t, p, g, nil)
	cl.addNode("n", resource.Vector{2, 200})
	cl.addPool("queue", "", object{"mode": "fifo", "fifo_sort_parameters": []any{"start_time"}})
	for i, o := range items(g.list("operations")) {
		op := cl.addOperation(o.text("id"), "queue", int64(i), []kind{{resource.Vector{1, 100}, 1 + int64(i), false}}, nil, nil)
		op.blocked = o.flag("suspended", false)
	}
	for _, step := range items(c.list("steps")) {
		if step.text("do") == "resume" {
			cl.operation(step.text("operation")).blocked = false
		}
		if err := cl.update(); err != nil {
			t.Fatal(err)
		}
		for id := range step.object("expect") {
			equal(t, id, cl.tree.elements[cl.byName[id]].operation.reason.String(), step.object("expect").text(id))
		}
	}
}

func checkStart(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, nil, nil)
	total := g.partial("tree_total").Or(resource.Unlimited)
	chain := items(g.list("chain"))
	for i := len(chain) - 1; i >= 0; i-- {
		config, parent := object{"resource_limits": chain[i]["specified_limits"]}, ""
		if i < len(chain)-1 {
			parent = chain[i+1].text("id")
		}
		if i == 0 {
			cl.addOperation(chain[i].text("id"), parent, 0, nil, nil, config)
		} else {
			cl.addPool(chain[i].text("id"), parent, config)
		}
		n := &cl.tree.elements[cl.byName[chain[i].text("id")]]
		// Precommitted amounts are usage that no job holds yet.
		n.usage = chain[i].vector("usage").Add(chain[i].vector("precommit"))
		n.discount = chain[i].vector("unconditional_discount")
		n.seen.limits = chain[i].partial("specified_limits").Or(resource.Unlimited)
		if chain[i].has("max_share_ratio") {
			n.seen.limits = n.seen.limits.Min(total.Times(chain[i].number("max_share_ratio", 1)))
		}
		n.seen.demandAmount = resource.Unlimited
		if i == 0 && g.has("operation") {
			n.seen.demandAmount = g.object("operation").partial("demand").Or(resource.Unlimited)
		}
	}
	cl.addNode("n", resource.Unlimited)
	op := &cl.tree.elements[cl.byName[chain[0].text("id")]].operation
	(*op).least = g.vector("min_needed")
	(*op).smallest = []resource.Vector{(*op).least}
	result, full := cl.tree.refuse(cl.byName[chain[0].text("id")])
	name := result.String()
	if result == NoObstacle {
		name = "start"
	}
	equal(t, "result", name, want["result"])
	equal(t, "element", cl.named(full), want["element"])
}

func checkInterruption(t *testing.T, _ Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	var requests []Interruption
	for _, r := range items(g.list("requests")) {
		requests = append(requests, Interruption{seconds(r.number("t", 0)), seconds(r.number("timeout", 0))})
	}
	finishes := int64(-1)
	if g.has("finishes_after_request") {
		finishes = seconds(g.number("finishes_after_request", 0))
	}
	got := Interrupt(g.flag("interruptible", false), g.flag("running", false), requests, finishes)
	state, reason := "aborted", "preemption"
	if got.Completed {
		state, reason = "completed", ""
	}
	equal(t, "state", state, want.text("state"))
	equal(t, "abort reason", reason, want.text("abort_reason"))
	equal(t, "at", got.At, seconds(want.number("at", -1)))
}

func checkWaiting(t *testing.T, _ Profile, c object) {
	for i, k := range items(c.list("cases")) {
		request := []Interruption{{Timeout: seconds(k.number("job_interrupt_timeout", 0))}}
		victim := Interrupt(true, true, request, seconds(k.number("victim_stops_after", 0)))
		at, runs := Waits(seconds(k.number("waiting_job_timeout", -1)), victim.At)
		want := k.object("expect")
		equal(t, fmt.Sprint("case ", i), map[bool]string{true: "runs", false: "aborted"}[runs], want.text("beneficiary"))
		equal(t, fmt.Sprint("case ", i, " at"), at, seconds(want.number("at", -1)))
	}
}

func checkGraceful(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, object{"job_graceful_interrupt_timeout": g.number("job_graceful_interrupt_timeout", 60) * 1000}, nil)
	cl.addNode("n", resource.Unlimited)
	op := cl.addOperation("op", "", 0, nil, g.object("operation"), nil)
	for i, j := range items(g.list("jobs")) {
		job := cl.addJob(j.text("id"), op, "n", resource.Vector{}, resource.Vector{}, int64(i), -1).job
		cl.tree.jobs[job].interrupted = j.flag("interrupted", false)
	}
	for _, j := range items(g.list("jobs")) {
		cl.setList(cl.jobNamed[j.text("id")].job, listOf(j.text("list")))
	}
	got := []any{}
	for range 2 { // asked at most once
		out := cl.tree.Decide(Heartbeat{Node: cl.nodeOf["n"], Skip: true}, cl)
		for _, v := range out.Preempted {
			got = append(got, cl.jobOf[v.Job].id)
			equal(t, "timeout", v.Timeout, seconds(want.number("timeout", 0)))
			equal(t, "reason", v.Reason.String(), want["reason"])
		}
	}
	equal(t, "interrupted", fmt.Sprint(got), fmt.Sprint(want["interrupted"]))
}

func checkGracefulStart(t *testing.T, p Profile, c object) {
	for _, k := range items(c.list("cases")) {
		cl := newCluster(t, p, nil, nil)
		cl.addNode("n", resource.Unlimited)
		op := cl.addOperation("op", "", 0, nil, object{"preemption_mode": "graceful"}, nil)
		cl.tree.inherit(Root)
		cl.tree.inherit(op.element)
		s := &cl.tree.elements[op.element].seen
		*s = seen{fair: resource.Uniform(0.5), demand: resource.Uniform(1), usage: resource.Uniform(0.5), schedulable: true}
		if k.flag("below_fair_share", false) {
			s.usage = resource.Share{}
		}
		equal(t, "may start", cl.tree.exclusion(op.element) == NoObstacle, k["expect"])
	}
}

func checkSegment(t *testing.T, _ Profile, c object) {
	for i, k := range items(c.list("cases")) {
		got := SegmentOf(resource.Vector{0, 0, int64(k.number("min_needed_gpu", 0))}, k.flag("is_gang", false),
			k.flag("allow_only_gang_operations_in_large_segment", false)).String()
		if k.has("specified") {
			got = k.text("specified")
		}
		equal(t, fmt.Sprint("case ", i), got, k["expect"])
	}
}

func checkCompatibility(t *testing.T, _ Profile, c object) {
	modules := map[string]int32{"": 0}
	module := func(name string) int32 {
		if _, known := modules[name]; !known {
			modules[name] = int32(len(modules))
		}
		return modules[name]
	}
	for i, k := range items(c.list("cases")) {
		op, node := k.object("operation"), k.object("node")
		got := SegmentsAgree(Segment(slices.Index(segmentNames[:], op.text("segment"))), module(op.text("module")),
			Segment(slices.Index(segmentNames[:], node.text("segment"))), module(node.text("module")))
		equal(t, fmt.Sprint("case ", i), got, k["expect"])
	}
}
