package judge

import (
	"testing"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/scheduling"
)

// auditPreemption judges what a heartbeat of a case took away.
func auditPreemption(t *testing.T, p scheduling.Profile, g object) []Ruling {
	slacks := DefaultSlacks()
	options := optionsOf(p, g.object("tree_config"))
	h, node := g.object("heartbeat"), g.object("node")
	b := &Batch{Decision: Decision{Context: Context{Slacks: &slacks}, At: seconds(h.number("t", 0))}, From: scheduling.Never}
	b.States = []State{{Options: &options, Total: g.partial("total_resources").Amounts}}
	b.Node = Node{
		Limits: node.partial("resource_limits").Or(resource.Unlimited), SSD: node.flag("is_ssd", false), SSDSince: scheduling.Never,
		Overcommitted: since(node, "overcommitted_since"), LastPreemptive: since(h, "previous_preemptive_t"),
	}
	index := map[string]int32{"<Root>": -1}
	for _, e := range g.objects("elements") {
		b.States[0].Elements = append(b.States[0].Elements, elementOf(e, index, &b.States[0]))
		index[e.text("id")] = int32(len(b.States[0].Elements)) - 1
	}
	jobs := addJobs(b, g, h.text("node"), index)
	started := map[string]int32{}
	for i, s := range h.objects("started_by_preemption") {
		b.Started = append(b.Started, Started{Operation: index[s.text("operation")], Usage: s.partial("usage").Amounts})
		started[s.text("id")] = int32(i)
	}
	for _, v := range h.objects("preempted") {
		taken := Taken{Job: jobs[v.text("job")], Reason: reasonOf(t, v.text("reason")), Preemptor: NoPreemptor}
		if v.has("preempted_for") {
			known := false
			if taken.Preemptor, known = started[v.text("preempted_for")]; !known {
				taken.Preemptor = PreemptorElsewhere
			}
		}
		b.Taken = append(b.Taken, taken)
	}
	return b.Judge(nil)
}

func since(o object, key string) int64 {
	if o.has(key) {
		return seconds(o.number(key, 0))
	}
	return scheduling.Never
}

func elementOf(e object, index map[string]int32, s *State) Element {
	for _, settings := range []string{"config", "spec"} { // in either place
		for key, value := range e.object(settings) {
			e[key] = value
		}
	}
	x := Element{Handle: scheduling.Element(len(s.Elements) + 1), Above: index[e.text("parent")]}
	x.Operation = e.text("type") == "operation"
	x.Fair, x.Usage, x.Demand = e.share("fair_share"), e.share("usage_share"), e.share("demand_share")
	x.Guarantee = e.share("strong_guarantee_share")
	x.Amount = resource.Unlimited.Min(s.Total.TimesShare(x.Usage))
	x.Starvation = scheduling.Starvation{FairShare: scheduling.NewClock(), MinShare: scheduling.NewClock()}
	x.Starvation.FairShare.Since, x.Starvation.FairShare.Status = since(e, "below_since"), statusOf(e.text("starvation_status"))
	if e.text("starving_for") == scheduling.MinShare.String() {
		x.Starvation.FairShare, x.Starvation.MinShare = x.Starvation.MinShare, x.Starvation.FairShare
	}
	o := s.Options
	x.Timeouts = scheduling.Timeouts{Starving: o.Root.Timeout, Aggressive: o.AggressiveStarvationTimeout, AggressiveEnabled: o.Root.AggressiveStarvation}
	x.MinShare, x.Schedulable = o.Root.MinShareTimeout, !e.has("unschedulable_reason")
	x.AggressivePreemption = e.flag("allow_aggressive_preemption", e.flag("aggressive_preemption_allowed", true))
	x.NormalForbidden = !e.flag("allow_normal_preemption", true)
	x.Graceful, x.Gang = e.text("preemption_mode") == "graceful", e.flag("is_gang", false)
	if x.Above >= 0 {
		above := &s.Elements[x.Above]
		x.NormalForbidden = x.NormalForbidden || above.NormalForbidden
		if !e.has("allow_aggressive_preemption") && !e.has("aggressive_preemption_allowed") {
			x.AggressivePreemption = above.AggressivePreemption
		}
	}
	if x.Gang && !o.AggressiveForGangs {
		x.AggressivePreemption = false
	}
	if !o.Root.NonPreemptible.IsEmpty() {
		x.Threshold = o.Root.NonPreemptible.Or(resource.Unlimited)
	}
	x.RequestsSSD = len(e.list("requested_media")) > 0
	x.Specified = e.partial("resource_limits")
	x.Limits = x.Specified.Or(resource.Unlimited)
	return x
}

// addJobs adds the jobs of the heartbeat's node, placed among those of their
// operations on all nodes.
func addJobs(b *Batch, g object, node string, index map[string]int32) map[string]int32 {
	handles, ahead, previous := map[string]int32{}, map[string]resource.Vector{}, map[string]resource.Vector{}
	for i, j := range g.objects("jobs") {
		op, usage := j.text("operation"), j.partial("usage").Amounts
		job := Job{
			Handle: scheduling.Job(i), Operation: index[op], Usage: usage, Granted: usage, Start: seconds(j.number("start_time", 0)),
			SSD: j.flag("ssd", false), Forced: j.flag("forced", false), Interrupted: j.flag("interrupted", false),
			Placed: true, Ahead: ahead[op], Previous: previous[op],
		}
		if j.has("limits") {
			job.Granted = j.partial("limits").Amounts
		}
		s := &b.States[0]
		job.List = scheduling.ListAfter(job.Ahead, s.Total, &s.Elements[job.Operation].ElementInfo, s.Options)
		ahead[op], previous[op] = ahead[op].Add(usage), usage
		if j.text("node") == node {
			handles[j.text("id")] = int32(len(b.Jobs))
			b.Jobs = append(b.Jobs, job)
		}
	}
	return handles
}

func optionsOf(p scheduling.Profile, c object) scheduling.Options {
	o := scheduling.DefaultOptions(p)
	ms := func(key string, fallback int64) int64 {
		return int64(c.number(key, float64(fallback)/1000) * 1000)
	}
	o.Root.Timeout = ms("fair_share_starvation_timeout", o.Root.Timeout)
	o.AggressiveStarvationTimeout = ms("fair_share_aggressive_starvation_timeout", o.AggressiveStarvationTimeout)
	o.Root.MinShareTimeout = ms("min_share_preemption_timeout", o.Root.MinShareTimeout)
	o.PreemptiveBackoff = ms("preemptive_scheduling_backoff", o.PreemptiveBackoff)
	o.OvercommitDuration = ms("allowed_node_resources_overcommit_duration", o.OvercommitDuration)
	o.SatisfactionThreshold = c.number("preemption_satisfaction_threshold", o.SatisfactionThreshold)
	if c.has("aggressive_preemption_satisfaction_threshold") {
		o.AggressiveSatisfactionThreshold = pooltree.Some(c.number("aggressive_preemption_satisfaction_threshold", 0))
	}
	o.Root.NonPreemptible = c.partial("non_preemptible_resource_usage_threshold")
	o.Root.AggressiveStarvation = c.flag("enable_aggressive_starvation", o.Root.AggressiveStarvation)
	o.CheckStarvation = c.flag("preemption_check_starvation", o.CheckStarvation)
	o.CheckSatisfaction = c.flag("preemption_check_satisfaction", o.CheckSatisfaction)
	o.ConditionalPreemption = c.flag("enable_conditional_preemption", o.ConditionalPreemption)
	o.AggressiveForGangs = c.flag("allow_aggressive_preemption_for_gang_operations", o.AggressiveForGangs)
	if c.text("scheduling_preemption_priority_scope") == "operation_only" {
		o.Scope = scheduling.OperationOnly
	}
	return o
}

func reasonOf(t *testing.T, code string) scheduling.Reason {
	for r := scheduling.NoReason; r <= scheduling.ForViolatedLimits; r++ {
		if r.String() == code {
			return r
		}
	}
	t.Fatalf("unknown reason %q", code)
	return 0
}
