package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"poolproof/core/quantity"
)

// A Cause is the reason why a pool or an operation lacked share, from the ledger of a run (table
// share_debts). A Remedy removes it.
type Cause struct {
	Tree            string
	Pool, Operation string // who lacked it; Operation is empty for a pool
	Kind, Obstacle  string // words of the columns cause and obstacle
	Holder          string // pool
	HolderOperation string
	Resource        string // that a limit limits, or that was lacking
}

// A Remedy is a single change that takes a cause away, of several sizes.
type Remedy struct {
	Sentence string   // what is changed, from which value in force
	Sizes    []string // how far, the least first; what ends the sentence, empty where there is one way
	Edits    []string // files of edits, one for each size
}

// Settings say what is in force: the value of an option of a pool or an operation by its path in a
// file of edits, as resource_limits.cpu; false if it is not set.
type Settings func(kind, name, option string) (float64, bool)

// Remedies are the changes that would take a cause away, the most direct first; none if no edit
// does. Node is one of the tree, as which more could be added.
func (c *Cause) Remedies(in Settings, node string) []Remedy {
	switch c.Kind {
	case "own_limit":
		if c.Operation != "" {
			return c.raisedOwn(in, "resource_limits."+c.Resource)
		}
		return c.lessLimited(in, c.Pool)
	case "ancestor_limit":
		return c.lessLimited(in, c.Holder)
	case "operation_count":
		return c.raised(in, c.Holder, "max_running_operation_count")
	case "excluded_nodes":
		pool := c.Pool
		if c.Holder != "" {
			pool = c.Holder
		}
		return []Remedy{c.option(pool, "scheduling_tag_filter", "null", "is taken away", "")}
	case "fragmentation", "lost_nodes":
		return c.moreNodes(node)
	case "zero_weight":
		return []Remedy{c.weighed()}
	case "spent_volume":
		return c.raised(in, c.Holder, "integral_guarantees.resource_flow."+c.Resource)
	case "fair_shares_of_others":
		if c.Operation != "" {
			return c.raisedOwn(in, "weight")
		}
		return c.raised(in, c.Pool, "weight")
	case "others_over_fair_share":
		return c.reclaims(in)
	}
	return nil
}

// reclaims returns the changes that would have let preemption take the share back, and the removal of its
// holder.
func (c *Cause) reclaims(in Settings) (all []Remedy) {
	switch c.Obstacle {
	case "non_preemptible":
		all = append(all, c.option(c.Holder, "non_preemptible_resource_usage_threshold", "null", "is taken away", ""))
	case "aggressive_preemption_forbidden":
		all = append(all, c.option(c.Holder, "allow_aggressive_preemption", "true", "is on", ""))
	case "normal_preemption_forbidden":
		all = append(all, c.option(c.Holder, "allow_normal_preemption", "true", "is on", ""))
	case "aggressive_only":
		all = append(all, c.option(c.Pool, "enable_aggressive_starvation", "true", "is on", ""))
	case "not_starving":
		const option = "fair_share_starvation_tolerance"
		raised := "is raised"
		if now, set := in("pool", c.Pool, option); set {
			raised += " from " + inForce(option, now)
		}
		all = append(all, c.option(c.Pool, option, "1", raised, "to 1"))
	case "timeout_not_over":
		all = append(all, c.sooner(in))
	}
	if c.HolderOperation != "" {
		all = append(all, Remedy{
			Sentence: fmt.Sprintf("operation %s of pool %s is not there", c.HolderOperation, c.Holder),
			Sizes:    []string{""}, Edits: []string{fmt.Sprintf("operations: {%q: {remove: true}}\n", c.HolderOperation)},
		})
	}
	return all
}

// lessLimited is that a pool has a greater limit: the one that is set.
func (c *Cause) lessLimited(in Settings, pool string) []Remedy {
	if all := c.raised(in, pool, "resource_limits."+c.Resource); all != nil {
		return all
	}
	return c.raised(in, pool, "max_share_ratio")
}

// weighed is that who has weight 0 has weight 1.
func (c *Cause) weighed() Remedy {
	if c.Holder != "" {
		return c.option(c.Holder, "weight", "1", "is raised from 0", "to 1")
	}
	return Remedy{
		Sentence: fmt.Sprintf("weight of operation %s is raised from 0", c.Operation),
		Sizes:    []string{"to 1"}, Edits: []string{fmt.Sprintf("operations: {%q: {weight: 1}}\n", c.Operation)},
	}
}

// option is that an option of a pool has one other value.
func (c *Cause) option(pool, name, value, what, size string) Remedy {
	return Remedy{
		Sentence: fmt.Sprintf("%s of pool %s %s", name, pool, what),
		Sizes:    []string{size}, Edits: []string{c.edit(pool, name, value)},
	}
}

// edit is a file of edits that sets one option of a pool.
func (c *Cause) edit(pool, option, value string) string {
	return fmt.Sprintf("trees: {%q: {pools: {%q: %s}}}\n", c.Tree, pool, nested(option, value))
}

// nested is an option that may be a part of another, with its value.
func nested(option, value string) string {
	keys := strings.Split(option, ".")
	return "{" + strings.Join(keys, ": {") + ": " + value + strings.Repeat("}", len(keys))
}

// factors are the factors by which an option is raised.
var factors = []float64{1.1, 1.25, 1.5, 2, 3, 4, 8, 16}

// raised is that an option is greater.
func (c *Cause) raised(in Settings, pool, option string) []Remedy {
	now, set := in("pool", pool, option)
	switch {
	case !set && option == "weight":
		now = 1
	case !set:
		return nil
	}
	r := Remedy{Sentence: fmt.Sprintf("%s of pool %s is raised from %s", option, pool, inForce(option, now))}
	for _, factor := range factors {
		value := now * factor
		switch {
		case option == "max_share_ratio":
			value = min(value, 1)
		case option == "max_running_operation_count":
			value = math.Floor(max(value, now+1))
		case strings.HasSuffix(option, ".memory"):
			value = math.Ceil(value)
		}
		r.add("to "+inForce(option, value), c.edit(pool, option, number(value)))
	}
	return []Remedy{r}
}

// sooner is that the pool starves, and preempts, after a shorter time.
func (c *Cause) sooner(in Settings) Remedy {
	const option = "fair_share_starvation_timeout"
	now, set := in("pool", c.Pool, option)
	if !set {
		now = 30_000
	}
	r := Remedy{Sentence: fmt.Sprintf("%s of pool %s is lowered from %s", option, c.Pool, inForce(option, now))}
	for _, part := range []float64{0.5, 0.25, 0} {
		value := math.Floor(now * part)
		r.add("to "+inForce(option, value), c.edit(c.Pool, option, number(value)))
	}
	return r
}

// raisedOwn is that an option of the operation is greater.
func (c *Cause) raisedOwn(in Settings, option string) []Remedy {
	now, set := in("operation", c.Operation, option)
	switch {
	case !set && option == "weight":
		now = 1
	case !set:
		return nil
	}
	r := Remedy{Sentence: fmt.Sprintf("%s of operation %s is raised from %s", option, c.Operation, inForce(option, now))}
	for _, factor := range factors {
		value := now * factor
		if strings.HasSuffix(option, ".memory") {
			value = math.Ceil(value)
		}
		r.add("to "+inForce(option, value), fmt.Sprintf("operations: {%q: %s}\n", c.Operation, nested(option, number(value))))
	}
	return []Remedy{r}
}

// moreNodes is that the tree has more nodes, as one of its own.
func (c *Cause) moreNodes(node string) []Remedy {
	if node == "" {
		return nil
	}
	r := Remedy{Sentence: fmt.Sprintf("tree %s is enlarged", c.Tree)}
	for count := 1; count <= 64; count *= 2 {
		r.add(fmt.Sprintf("by %s like %s", quantity.Of(float64(count), "nodes"), node),
			fmt.Sprintf("nodes: {poolproof-spare: {like: %q, count: %d}}\n", node, count))
	}
	return []Remedy{r}
}

// add adds a size, unless another has its edits.
func (r *Remedy) add(size, edits string) {
	if !slices.Contains(r.Edits, edits) {
		r.Sizes, r.Edits = append(r.Sizes, size), append(r.Edits, edits)
	}
}

// inForce writes a value of an option with its unit.
func inForce(option string, x float64) string {
	kind, isAmount := strings.CutPrefix(option, "resource_limits.")
	if !isAmount {
		kind, isAmount = strings.CutPrefix(option, "integral_guarantees.resource_flow.")
	}
	switch {
	case isAmount:
		return quantity.Amount(kind, x)
	case option == "max_running_operation_count":
		return quantity.Of(x, "operations")
	case option == "fair_share_starvation_timeout":
		return quantity.Seconds(x / 1000)
	}
	return quantity.Ratio(x)
}

// number writes a number as short as YAML reads it back.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e15 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}
