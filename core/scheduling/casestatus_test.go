package scheduling

import (
	"fmt"
	"math"
	"testing"

	"poolproof/core/fairshare"
	"poolproof/core/resource"
)

func checkLists(t *testing.T, p Profile, c object) {
	g := c.object("given")
	tree := object{
		"preemption_satisfaction_threshold":            g["preemption_satisfaction_threshold"],
		"aggressive_preemption_satisfaction_threshold": g["aggressive_preemption_satisfaction_threshold"],
		"non_preemptible_resource_usage_threshold":     g["threshold"],
	}
	cl := newCluster(t, p, tree, nil)
	op := cl.addOperation("op", "", 0, nil, nil, nil)
	cl.addNode("n", resource.Vector{})
	cl.tree.total = g.vector("total_resources")
	cl.tree.inherit(Root)
	cl.tree.inherit(op.element)
	s := &cl.tree.elements[op.element].seen
	s.fair, s.demand = justBelow(g.share("fair_share")), justBelow(g.share("demand_share"))
	for _, group := range items(g.list("job_groups")) {
		for i := range int(group.number("count", 0)) {
			cl.addJob(fmt.Sprintf("%s%d", group.text("prefix"), i), op, "n", group.vector("usage"), group.vector("usage"), int64(i), -1)
		}
	}
	check := func(want object) {
		counts := map[List]int{}
		for _, job := range cl.jobs {
			counts[cl.tree.List(job.job)]++
		}
		for l, name := range listNames {
			equal(t, name, float64(counts[List(l)]), want.number(name, -1))
		}
		fair, demand, total := s.fair, s.demand, cl.tree.total
		s.fair, s.demand, cl.tree.total = resource.Share{}, resource.Share{}, resource.Vector{}
		aggressively, preemptible := cl.tree.ListsBy(op.element, fair, demand, total) // whatever the last update said
		s.fair, s.demand, cl.tree.total = fair, demand, total
		equal(t, "aggressively preemptible by other shares", float64(aggressively), float64(counts[AggressivelyPreemptible]))
		equal(t, "preemptible by other shares", float64(preemptible), float64(counts[Preemptible]))
	}
	check(c.object("expect"))
	for _, step := range items(c.list("steps")) {
		cl.tree.SetJobUsage(cl.jobNamed[step.text("job")].job, step.vector("usage"))
		check(step.object("expect"))
	}
}

// justBelow makes of a bound that a decimal equals one that does not exceed it: in
// the cases differences up to 1e-12 are none.
func justBelow(s resource.Share) resource.Share { return s.Scale(1 - Equal/10) }

func checkStatus(t *testing.T, p Profile, c object) {
	g, want := c.object("given"), c.object("expect")
	cl := newCluster(t, p, nil, nil)
	e := Element(0)
	if g.text("element") == "operation" {
		e = cl.addOperation("x", "", 0, nil, nil, nil).element
	} else {
		cl.addPool("x", "", nil)
		e = cl.byName["x"]
	}
	n := &cl.tree.elements[e]
	n.own.Tolerance = g.number("effective_tolerance", 0.8)
	n.seen = seen{
		fair: g.share("fair_share"), demand: g.share("demand_share"), usage: g.share("usage_share"),
		guarantee: g.share("strong_guarantee_share"), schedulable: !g.has("unschedulable_reason"),
	}
	n.seen.usage = n.seen.usage.Plus(Equal) // as in the cases, where differences up to it are none
	equal(t, "below_fair_share", cl.tree.BelowFairShare(e), want["below_fair_share"])
	cl.tree.starve(e, 1) // the clocks date from the tick that finds it below
	equal(t, "fair-share clock", n.starvation.FairShare.Since != Never, want["below_fair_share"])
	if want.has("below_min_share") {
		equal(t, "below_min_share", n.starvation.MinShare.Since != Never, want["below_min_share"])
	}
}

func checkSatisfaction(t *testing.T, _ Profile, c object) {
	g := c.object("given")
	got := fairshare.LocalSatisfaction(g.share("fair_share"), g.share("demand_share"), g.share("usage_share"))
	want := c.object("expect").number("local_satisfaction", -1)
	if math.Abs(got-want) > 1e-9*max(1, want) {
		t.Errorf("local satisfaction = %v, want %v", got, want)
	}
}

func checkComposite(t *testing.T, p Profile, c object) {
	cl := newCluster(t, p, c.object("given").object("tree_config"), nil)
	for _, pool := range items(c.object("given").list("pools")) {
		cl.addPool(pool.text("name"), pool.text("parent"), pool)
		for _, id := range sortedKeys(pool.object("children")) {
			op := cl.addOperation(id, pool.text("name"), 0, nil, nil, nil)
			cl.satisfied(op.element, pool.object("children").number(id, 0))
		}
	}
	cl.tree.sortElements()
	for _, e := range cl.tree.order {
		cl.tree.inherit(e)
	}
	for _, pool := range items(c.object("given").list("pools")) {
		if pool.has("local_satisfaction") {
			cl.satisfied(cl.byName[pool.text("name")], pool.number("local_satisfaction", 0))
		}
	}
	cl.tree.makeLists()
	cl.tree.choose(everyone, cl.tree.lists.schedulable)
	for name, want := range c.object("expect") {
		e := cl.byName[name]
		got := cl.tree.localSatisfaction(e)
		if n := &cl.tree.kept[everyone].nodes[e]; n.present && n.active {
			got = n.satisfaction
		}
		equal(t, name, got, want)
	}
}

func checkTimeline(t *testing.T, p Profile, c object) {
	g := c.object("given")
	tree := object{
		"fair_share_starvation_timeout":            g.number("effective_timeout", 30) * 1000,
		"fair_share_aggressive_starvation_timeout": g.number("aggressive_timeout", 120) * 1000,
		"min_share_preemption_timeout":             g.number("effective_min_share_timeout", 15) * 1000,
		"enable_aggressive_starvation":             g["aggressive_enabled"],
		"enable_pool_starvation":                   g["enable_pool_starvation"],
		"job_count_preemption_timeout_coefficient": g.number("job_count_preemption_timeout_coefficient", 1),
	}
	cl := newCluster(t, p, tree, nil)
	var e Element
	if g.text("element") == "operation" {
		e = cl.addOperation("x", "", 0, nil, nil, nil).element
	} else {
		cl.addPool("x", "", nil)
		e = cl.byName["x"]
	}
	for _, tick := range items(c.list("ticks")) {
		cl.timelineTick(e, tick)
		n := &cl.tree.elements[e]
		want := tick.object("expect")
		at := fmt.Sprintf("t=%v ", tick["t"])
		equal(t, at+"status", n.starvation.Status().String(), want["starvation_status"])
		for key, clock := range map[string]*Clock{
			"below_since": &n.starvation.FairShare, "below_fair_share_since": &n.starvation.FairShare, "below_min_share_since": &n.starvation.MinShare,
		} {
			if _, asked := want[key]; !asked {
				continue
			}
			since := Never
			if want.has(key) {
				since = seconds(want.number(key, 0))
			}
			equal(t, at+key, clock.Since, since)
		}
		if _, asked := want["starving_for"]; asked {
			equal(t, at+"starving_for", n.starvation.For().String(), want.text("starving_for"))
		}
	}
}

// timelineTick runs one tick of the starvation machine.
func (c *cluster) timelineTick(e Element, tick object) {
	o := &c.tree.options
	set := tick.object("set")
	if set.has("effective_timeout") {
		o.Root.Timeout = seconds(set.number("effective_timeout", 0))
	}
	if set.has("effective_min_share_timeout") {
		o.Root.MinShareTimeout = seconds(set.number("effective_min_share_timeout", 0))
	}
	o.JobCountCoefficient = set.number("job_count_preemption_timeout_coefficient", o.JobCountCoefficient)
	if set.has("aggressive_timeout") {
		o.AggressiveStarvationTimeout = seconds(set.number("aggressive_timeout", 0))
	}
	o.Root.AggressiveStarvation = set.flag("aggressive_enabled", o.Root.AggressiveStarvation)
	o.PoolStarvation = set.flag("enable_pool_starvation", o.PoolStarvation)
	if tick.text("event") == "re_enabled" {
		c.tree.ResetStarvation(e)
	}
	n := &c.tree.elements[e]
	n.seen = seen{fair: resource.Uniform(0.5), demand: resource.Uniform(1), usage: resource.Uniform(0.45), schedulable: true}
	if tick.flag("below", tick.flag("below_fair_share", false)) {
		n.seen.usage = resource.Uniform(0.1)
	}
	if tick.flag("below_min_share", false) {
		n.seen.guarantee = n.seen.usage.Plus(0.01)
	}
	if n.operation != nil {
		n.operation.pending = int64(tick.number("pending_jobs", 1e6))
	}
	c.tree.inherit(Root)
	c.tree.inherit(e)
	c.tree.starve(e, seconds(tick.number("t", 0)))
}

func checkLegacyStatus(t *testing.T, _ Profile, c object) {
	for i, k := range items(c.list("cases")) {
		got := LegacyStatus(k.number("usage", 0), k.number("fair_share", 0), k.number("demand", 0), k.number("min_share", 0), k.number("tolerance", 0))
		equal(t, fmt.Sprint("case ", i), []string{"normal", "below_min_share", "below_fair_share"}[got], k.text("expect"))
	}
}

func checkLegacyTimeline(t *testing.T, _ Profile, c object) {
	g, h := c.object("given"), newStarvation()
	for _, tick := range items(c.list("ticks")) {
		kind := map[string]Kind{"normal": Nothing, "below_min_share": MinShare, "below_fair_share": FairShare}[tick.text("status")]
		h.TickLegacy(seconds(tick.number("t", 0)), kind, seconds(g.number("fair_share_preemption_timeout", 0)), seconds(g.number("min_share_preemption_timeout", 0)))
		equal(t, fmt.Sprintf("t=%v", tick["t"]), h.Status() != NonStarving, tick.object("expect")["starving"])
	}
}
