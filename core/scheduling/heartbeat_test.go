package scheduling

import (
	"fmt"
	"reflect"
	"slices"

	"poolproof/core/resource"
)

// Offer is the controller of every operation: the first kind in list order that
// is waited for and fits.
func (c *cluster) Offer(e Element, _ Node, room resource.Vector) Answer {
	op := c.ownerOf(e)
	op.calls++
	refusal := NothingPending
	for i := range op.kinds {
		k := &op.kinds[i]
		if k.count <= 0 {
			continue
		}
		if k.resources.FitsIn(room) {
			k.count--
			return Answer{Resources: k.resources, SSD: k.ssd}
		}
		refusal = NotEnoughResources
	}
	op.failed++
	return Answer{Refusal: refusal}
}

// kindOf finds the kind that a job was started from.
func (op *testOperation) kindOf(r resource.Vector) int {
	for i, k := range op.kinds {
		if k.resources == r {
			return i
		}
	}
	return -1
}

// heartbeat runs one heartbeat and registers what it started.
func (c *cluster) heartbeat(node string, skip bool) *Outcome {
	for _, op := range c.operations {
		op.calls, op.failed = 0, 0
	}
	out := c.tree.Decide(Heartbeat{Node: c.nodeOf[node], Now: c.now, Skip: skip, Explain: true}, c)
	for _, s := range out.Started {
		op := c.ownerOf(s.Operation)
		c.register(fmt.Sprintf("h%d_%s_%d", c.updates, node, c.created+1), op, node, s.Job, op.kindOf(s.Resources))
	}
	return out
}

// settleHeartbeat lets the preempted jobs go.
func (c *cluster) settleHeartbeat(out *Outcome, giveBack bool) {
	for _, p := range out.Preempted {
		if job := c.jobOf[p.Job]; job != nil {
			c.finish(job, giveBack)
		}
	}
}

// ask asks what a heartbeat would decide; that must leave no trace.
func (c *cluster) ask(node string, skip bool) (answer string, problems []string) {
	before := c.state()
	counts := map[*kind]int64{}
	for _, op := range c.operations {
		for i := range op.kinds {
			counts[&op.kinds[i]] = op.kinds[i].count
		}
	}
	out := c.tree.Ask(Heartbeat{Node: c.nodeOf[node], Now: c.now, Skip: skip}, c)
	answer = c.summary(out)
	for k, count := range counts {
		k.count = count
	}
	problems = append(problems, c.prove(out)...)
	if after := c.state(); after != before {
		problems = append(problems, fmt.Sprintf("asking changed the state from %s to %s", before, after))
	}
	return answer, problems
}

// prove checks that what the tree would take, the tree proves fair.
func (c *cluster) prove(out *Outcome) (problems []string) {
	for i, v := range out.Preempted {
		if v.PreemptorJob == NoJob || i > 0 || len(out.Started) > 1 {
			continue // not taken in the state that was asked
		}
		target := Priority(slices.Index(reasonNames[:], v.Reason.String()))
		p := c.tree.Prove(v.Job, target, v.Preemptor)
		if p.Priority != target || p.Rank != 0 || p.Candidacy == NoCandidate || p.Level < target.LeastLevel() || p.Graceful {
			problems = append(problems, fmt.Sprintf("%s: %+v", c.jobOf[v.Job].id, p))
		}
	}
	return problems
}

// summary is what a heartbeat decides, without the handles of what it starts.
func (c *cluster) summary(out *Outcome) string {
	var list []any
	for _, s := range out.Started {
		list = append(list, c.names[s.Operation], s.Resources, s.Stage)
	}
	for _, p := range out.Preempted {
		list = append(list, c.jobOf[p.Job].id, p.Reason, p.List, p.Conditional, p.Proper, p.Preemptor)
	}
	return fmt.Sprint(list)
}

// state is all that a heartbeat may change.
func (c *cluster) state() string {
	var list []any
	for _, n := range c.tree.nodes {
		list = append(list, n.usage, n.lastPreemptive, n.overcommitted, n.jobs)
	}
	for _, e := range c.tree.order {
		n := &c.tree.elements[e]
		list = append(list, n.usage, n.discount)
		if n.operation != nil {
			list = append(list, n.operation.failed, n.operation.list)
		}
	}
	for _, job := range c.jobs {
		j := &c.tree.jobs[job.job]
		list = append(list, j.usage, j.within, j.preempted, j.interrupted)
	}
	return fmt.Sprint(list)
}

func (c *cluster) compareHeartbeat(step, want object) []string {
	node := step.text("node")
	n := c.nodeOf[node]
	if step.has("overcommit_since_us") {
		c.tree.SetOvercommitted(n, int64(step.number("overcommit_since_us", 0)))
	}
	got := object{"now_us": float64(c.now), "usage_before": c.tree.NodeUsage(n)}
	asked, problems := c.ask(node, step.flag("skip_schedule", false))
	out := c.heartbeat(node, step.flag("skip_schedule", false))
	if !step.flag("distinct_start_times", true) {
		for _, s := range out.Started {
			c.tree.jobs[s.Job].start = c.now
		}
	}
	c.describe(got, out)
	if decided := c.summary(out); decided != asked {
		problems = append(problems, fmt.Sprintf("asked: %s, decided: %s", asked, decided))
	}
	if want.has("allocations") || len(out.Started)+len(out.Preempted) > 0 { // told where anything changed
		problems = append(problems, c.compareLists(want)...)
	}
	if step.flag("finish_preempted", true) {
		c.settleHeartbeat(out, step.flag("return_preempted_to_pending", true))
	}
	got["usage_after"] = reals(c.tree.NodeUsage(n))
	problems = append(problems, untold(got, want)...)
	for _, key := range sortedKeys(want) {
		if key == "allocations" {
			continue
		}
		if g, w := plain(c.t, got[key]), want[key]; !alike(g, w) {
			problems = append(problems, fmt.Sprintf("%s = %v, want %v", key, g, w))
		}
	}
	return problems
}

// describe writes an outcome in the words of the corpus.
func (c *cluster) describe(got object, out *Outcome) {
	started, preempted, stages := []object{}, []object{}, []object{}
	for _, s := range out.Started {
		started = append(started, object{
			"id": c.jobOf[s.Job].id, "operation": c.names[s.Operation], "resources": reals(s.Resources),
			"stage": s.Stage.String(), "scheduling_index": c.tree.SchedulingIndex(s.Operation),
		})
	}
	for _, p := range out.Preempted {
		o := object{
			"id": c.jobOf[p.Job].id, "operation": c.names[p.Operation], "reason": p.Reason.String(), "resources": reals(p.Resources),
			"interrupt_timeout_us": p.Timeout, "preempted_for": nil, "conditional": p.Conditional,
		}
		if p.PreemptorJob != NoJob {
			o["preempted_for"] = object{"allocation": c.jobOf[p.PreemptorJob].id, "operation": c.names[p.Preemptor]}
			o["preempted_for_properly_starving_operation"] = p.Proper
			o["status_at_preemption"] = p.List.String()
		}
		preempted = append(preempted, o)
	}
	for i, s := range out.Stages {
		discounts := object{}
		for _, d := range s.Discounts {
			discounts[c.names[d.Operation]] = reals(d.Resources)
		}
		stage := object{"stage": s.Stage.String(), "unconditional_discount": reals(s.Unconditional), "conditional_discounts": discounts}
		if i == len(out.Stages)-1 {
			stage["unconditionally_preemptible_count"], stage["conditionally_preemptible_count"] = s.Candidates, s.Conditional
		}
		stages = append(stages, stage)
	}
	priorities, calls := object{}, object{}
	for p, count := range out.Priorities {
		if count > 0 {
			priorities[Priority(p).String()] = count
		}
	}
	for _, op := range c.operations {
		if op.calls > 0 {
			calls[op.id] = []int{op.calls, op.failed}
		}
	}
	got["started"], got["preempted"], got["preemptive_stages"] = started, preempted, stages
	got["schedule_with_preemption"], got["scheduled_during_preemption"] = out.Preemptive, out.StartedPreemptively
	got["operation_count_by_preemption_priority"], got["controller_calls"] = priorities, calls
	got["usage_before"] = reals(got["usage_before"].(resource.Vector))
}

// alike compares JSON values as the corpus means them: a scheduling index of
// null depends on an unspecified order.
func alike(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for key, value := range w {
			if !(key == "scheduling_index" && value == nil) && !alike(g[key], value) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !alike(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(got, want)
}
