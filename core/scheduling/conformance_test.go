package scheduling

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"poolproof/core/resource"
)

// A corpusLine is a small cluster with what happens at each step.
type corpusLine struct {
	ID, Family   string
	Fragile      bool
	Input        corpusInput
	Expected     corpusOutput
	Alternatives []corpusOutput
}

type corpusInput struct {
	Start     int64  `json:"start_time_us"`
	Tree      object `json:"tree_config"`
	Scheduler object `json:"scheduler_config"`
	Total     object `json:"total_resource_limits"`
	Nodes     []struct {
		ID        string
		Resources object
	}
	Pools []struct {
		ID, Parent string
		Config     object
	}
	Operations  []corpusOperation
	Allocations []struct {
		ID, Operation, Node string
		Resources, Usage    object
		Start               int64 `json:"start_time_us"`
		Kind                *int
	}
	Steps []object
}

type corpusOperation struct {
	ID, Pool string
	Start    int64 `json:"start_time_us"`
	Pending  []struct {
		Resources object
		Count     int64
	}
	Spec          object
	Runtime       object `json:"runtime_parameters"`
	Unschedulable bool
}

type corpusOutput struct {
	Status string
	Steps  []object
}

func (in *corpusInput) build(t *testing.T) *cluster {
	c := newCluster(t, Baseline, in.Tree, in.Scheduler)
	c.now = in.Start
	c.total = partialOf(in.Total).Amounts
	for _, n := range in.Nodes {
		c.addNode(n.ID, partialOf(n.Resources).Amounts)
	}
	for _, p := range in.Pools {
		c.addPool(p.ID, p.Parent, p.Config)
	}
	for _, o := range in.Operations {
		c.addCorpusOperation(&o)
	}
	for _, a := range in.Allocations {
		kind, usage := -1, a.Resources
		if a.Kind != nil {
			kind = *a.Kind
		}
		if a.Usage != nil {
			usage = a.Usage
		}
		c.addJob(a.ID, c.operation(a.Operation), a.Node, partialOf(a.Resources).Amounts, partialOf(usage).Amounts, a.Start, kind)
	}
	return c
}

func (c *cluster) addCorpusOperation(o *corpusOperation) {
	var kinds []kind
	for _, p := range o.Pending {
		kinds = append(kinds, kind{partialOf(p.Resources).Amounts, p.Count, false})
	}
	c.addOperation(o.ID, o.Pool, o.Start, kinds, o.Spec, o.Runtime).blocked = o.Unschedulable
}

// runStep runs one step and compares what it says.
func (c *cluster) runStep(step, want object) []string {
	switch step.text("type") {
	case "update":
		return c.compareUpdate(want)
	case "heartbeat":
		return c.compareHeartbeat(step, want)
	case "add_allocation":
		k := int(step.number("kind", -1))
		usage := step.vector("resources")
		if step.has("usage") {
			usage = step.vector("usage")
		}
		c.addJob(step.text("id"), c.operation(step.text("operation")), step.text("node"), step.vector("resources"), usage,
			int64(step.number("start_time_us", float64(c.now))), k)
	case "finish_allocation":
		if job := c.jobNamed[step.text("id")]; job != nil {
			c.finish(job, step.flag("return_to_pending", false))
		}
	case "set_pending":
		c.operation(step.text("operation")).kinds[int(step.number("kind", 0))].count = int64(step.number("count", 0))
	case "set_usage":
		if job := c.jobNamed[step.text("id")]; job != nil {
			c.tree.SetJobUsage(job.job, step.vector("usage"))
		}
	case "add_operation":
		var o corpusOperation
		remarshal(c.t, step, &o)
		c.addCorpusOperation(&o)
	case "set_unschedulable":
		c.operation(step.text("operation")).blocked = step.flag("value", false)
	case "set_node_resources":
		c.setNode(step.text("node"), step.vector("resources"))
	default:
		return []string{"unknown step"}
	}
	if len(want) > 0 {
		return []string{fmt.Sprintf("it says nothing, want %v", want)}
	}
	return nil
}

func (c *cluster) compareUpdate(want object) (problems []string) {
	if err := c.updateShares(); err != nil {
		c.refused = true
		return []string{err.Error()}
	}
	problems = append(c.compareUpdated(want), c.compareShares(want)...)
	c.tree.Tick(c.now)
	for _, w := range wanted(want, "elements") {
		got := c.published(w.text("id"))
		problems = append(problems, untold(got, w)...)
		for key, value := range w {
			if g, known := got[key]; !known {
				problems = append(problems, "unknown "+key)
			} else if d := difference(key, g, value); d != "" {
				problems = append(problems, fmt.Sprintf("%s: %s %s", w.text("id"), key, d))
			}
		}
	}
	return append(problems, c.compareLists(want)...)
}

// compareUpdated compares when an update was, what it complains of, and of which
// elements it tells.
func (c *cluster) compareUpdated(want object) (problems []string) {
	messages := []any{}
	for _, e := range c.shares.Errors() {
		messages = append(messages, e.Message)
	}
	if listed := want.list("errors"); !alike(messages, append([]any{}, listed...)) {
		problems = append(problems, fmt.Sprintf("errors %v, want %v", messages, listed))
	}
	if now := any(float64(c.now)); now != want["now_us"] {
		problems = append(problems, fmt.Sprintf("now %v, want %v", now, want["now_us"]))
	}
	listed := map[Element]bool{}
	for _, w := range wanted(want, "elements") {
		e, known := c.byName[w.text("id")]
		if !known || listed[e] {
			problems = append(problems, fmt.Sprintf("no other element %q", w.text("id")))
		}
		listed[e] = true
	}
	if all := 1 + len(c.pools) + len(c.operations); len(listed) != all {
		problems = append(problems, fmt.Sprintf("%d elements, want %d", all, len(listed)))
	}
	return problems
}

// untold complains of what has no expectation: nothing is left out of those.
func untold(got, want object) (problems []string) {
	for _, key := range sortedKeys(got) {
		if _, told := want[key]; !told {
			problems = append(problems, "nothing is expected of "+key)
		}
	}
	return problems
}

// wanted returns the objects of a list that is expected; what is none is empty.
func wanted(want object, key string) (list []object) {
	for _, x := range want.list(key) {
		o, _ := x.(map[string]any)
		list = append(list, object(o))
	}
	return list
}

// compareShares compares the shares of an update.
func (c *cluster) compareShares(want object) (problems []string) {
	for _, w := range wanted(want, "elements") {
		r := c.shares.Result(c.byName[w.text("id")])
		for key, share := range map[string]*resource.Share{
			"usage_share": &r.UsageShare, "demand_share": &r.DemandShare, "fair_share": &r.FairShare.Total,
		} {
			if d := difference(key, *share, w[key]); d != "" {
				problems = append(problems, fmt.Sprintf("%s: %s %s", w.text("id"), key, d))
			} else if c.exact {
				for k, s := range w.list(key) {
					share[k] = s.(float64)
				}
			}
			if key == "fair_share" && c.noise != nil {
				move(share, c.noise)
			}
		}
	}
	return problems
}

func (c *cluster) compareLists(want object) (problems []string) {
	lists := want.object("allocations")
	if len(lists) != len(c.jobs) {
		problems = append(problems, fmt.Sprintf("%d jobs, want %d", len(c.jobs), len(lists)))
	}
	for _, job := range c.jobs {
		if got := c.tree.List(job.job).String()[:1]; letters[got] != lists.text(job.id) {
			problems = append(problems, fmt.Sprintf("job %s is %s, want %s", job.id, letters[got], lists.text(job.id)))
		}
	}
	return problems
}

var letters = map[string]string{"n": "N", "a": "A", "p": "P"}

// published is what an update says of an element, in the words of the corpus.
func (c *cluster) published(id string) object {
	e := c.byName[id]
	n, r := &c.tree.elements[e], c.shares.Result(e)
	o := object{
		"id": id, "kind": "pool", "usage_share": r.UsageShare, "demand_share": r.DemandShare, "fair_share": r.FairShare.Total,
		"dominant_resource": r.Dominant.String(), "resource_usage": reals(r.Usage), "resource_demand": reals(r.Demand),
		"resource_limits": reals(r.Limits), "satisfaction_ratio": r.Satisfaction,
		"local_satisfaction_ratio": r.LocalSatisfaction, "schedulable": r.Schedulable,
		"status": "normal", "effective_tolerance": n.own.Tolerance, "effective_timeout_us": n.own.Timeout,
		"effective_aggressive_starvation_enabled": n.own.AggressiveStarvation, "effective_aggressive_preemption_allowed": n.own.AllowsAggressivePreemption,
		"starvation_status": n.starvation.Status().String(), "below_fair_share_since_us": nil,
		"lowest_starving_ancestor": c.named(n.lowestStarving), "lowest_aggressively_starving_ancestor": c.named(n.lowestAggressive),
	}
	if e == Root {
		o["kind"], o["schedulable"] = "root", true // the reference asks no further there
		for _, none := range []string{"starvation_status", "below_fair_share_since_us", "lowest_starving_ancestor", "lowest_aggressively_starving_ancestor"} {
			delete(o, none) // it never starves
		}
	}
	if c.tree.BelowFairShare(e) {
		o["status"] = "below_fair_share"
	}
	if since := n.starvation.FairShare.Since; since != Never && e != Root {
		o["below_fair_share_since_us"] = since
	}
	if op := n.operation; op != nil {
		timeouts, _ := c.tree.OperationTimeouts(e)
		o["kind"] = "operation"
		o["pending_job_count"], o["starvation_timeout_us"], o["aggressive_starvation_timeout_us"] = op.pending, timeouts.Starving, timeouts.Aggressive
		o["preemptible"] = !preemptionOff(n.seen.fair, n.seen.demand)
		o["non_preemptible_threshold"] = thresholdOf(op.limit)
		o["scheduling_index"], o["scheduling_priority"] = c.tree.SchedulingIndex(e), "medium"
		if c.tree.HasGuaranteePriority(e) {
			o["scheduling_priority"] = "high"
		}
	}
	return o
}

func thresholdOf(limit resource.Vector) object {
	o := reals(limit)
	for k := range limit {
		if limit[k] == resource.Unlimited[k] {
			delete(o, resource.Kind(k).String())
		}
	}
	return o
}

func (c *cluster) named(e Element) any {
	if e == None {
		return nil
	}
	return c.names[e]
}

// shareTolerance is how far shares and ratios may be from those of the corpus.
const shareTolerance = 1e-7

// difference describes how a value differs from the expected one.
func difference(key string, got, want any) string {
	if key == "scheduling_index" && want == nil {
		return "" // depends on an unspecified order
	}
	same := false
	switch g := got.(type) {
	case float64:
		w, ok := want.(float64)
		same = ok && math.Abs(g-w) <= shareTolerance*max(1, math.Abs(w))
	case int64:
		same = want == any(float64(g))
	case int32:
		same = want == any(float64(g))
	case resource.Share:
		list, _ := want.([]any)
		same = len(list) == len(g)
		for k, x := range list {
			w, ok := x.(float64)
			same = same && ok && math.Abs(g[k]-w) <= shareTolerance
		}
	case object:
		w, _ := want.(map[string]any)
		same = len(g) == 0 && len(w) == 0 || reflect.DeepEqual(map[string]any(g), w)
	default:
		same = got == want
	}
	if same {
		return ""
	}
	return fmt.Sprintf("= %v, want %v", got, want)
}
