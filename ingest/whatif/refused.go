package whatif

import (
	"fmt"
	"slices"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/resource"
	"poolproof/core/simulate"
	"poolproof/ingest/input"
)

// A Refusal is a rule that a configuration breaks, so that a cluster does not take it: the scheduler
// keeps the one before, if there is one, or the store of the configuration refuses the write
// (core/spec/scheduling.md §4.3, §4.5).
type Refusal struct {
	At   core.Time
	Rule *pooltree.RuleError // with its tree
}

// String is the rule, with its id if it has one.
func (r Refusal) String() string {
	if id := r.Rule.Rule.Invariant(); id != "" {
		return id + ": " + r.Rule.Error()
	}
	return r.Rule.Error()
}

// Checked lists the findings of validate in the configurations of an edited plan that those of the plan do
// not have.
type Checked struct {
	Refused       []Refusal
	Overcommitted []Refusal // guarantees above what the tree has: legal, and scaled down (CFG-09)
}

// Check judges the configurations that edits lead to as validate does: a core that follows them alone
// says what the scheduler refuses, and pooltree.Validate the rest. Sized are the resources whose
// capacity the trace records.
func Check(plan, edited *simulate.Plan, e *Edits, sized [resource.Kinds]bool) (new Checked) {
	at := e.At.Or(plan.Window.From)
	was, is := check(plan, at, sized), check(edited, at, sized)
	return Checked{added(is.Refused, was.Refused), added(is.Overcommitted, was.Overcommitted)}
}

// added are those of a list that another does not have, each once.
func added(list, others []Refusal) (own []Refusal) {
	known := map[string]bool{}
	for _, r := range others {
		known[r.Rule.Error()] = true
	}
	for _, r := range list {
		if text := r.Rule.Error(); !known[text] {
			known[text] = true
			own = append(own, r)
		}
	}
	return own
}

func check(p *simulate.Plan, at core.Time, sized [resource.Kinds]bool) (all Checked) {
	for i := range p.Trees {
		c := checker{
			plan: p, name: p.Trees[i].Name, core: core.New(p.Dimensions, p.Profile), sized: sized,
			limits: map[core.NodeID]resource.Vector{}, found: &all,
		}
		c.checkFacts(p.Trees[i].Facts, at)
	}
	return all
}

// A checker follows the configurations of a tree, and what its nodes have.
type checker struct {
	plan  *simulate.Plan
	name  string
	core  *core.Tree
	at    core.Time // of the configuration at hand
	sized [resource.Kinds]bool

	limits      map[core.NodeID]resource.Vector
	total, most resource.Vector // now, and the most since the configuration came
	found       *Checked
}

// checkFacts judges each configuration once the next one comes: the changes of one instant are one
// configuration. The moment of the edits counts as one, since it may change nodes alone.
func (c *checker) checkFacts(facts []core.Event, edited core.Time) {
	for i := range facts {
		f := &facts[i]
		configures := f.Kind == core.ClusterConfigured || f.Kind == core.TreeConfigured || f.Kind == core.PoolConfigured
		if f.Time > c.at && (configures || c.at < edited && f.Time >= edited) {
			c.judge()
			c.at, c.most = f.Time, c.total
		}
		switch {
		case configures:
			c.core.Step(f)
		case f.Kind == core.NodeChanged:
			c.changeNode(f)
		}
	}
	c.judge()
}

func (c *checker) changeNode(f *core.Event) {
	c.total = c.total.Sub(c.limits[f.Node])
	c.limits[f.Node] = resource.Vector{}
	if f.Online {
		c.limits[f.Node] = f.Limits
	}
	c.total = c.total.Add(c.limits[f.Node])
	c.most = c.most.Max(c.total)
}

// judge judges the configuration that is in force: a node that is away for a while breaks no promise.
func (c *checker) judge() {
	for _, e := range c.core.Changes().Refused {
		c.refuse(e)
	}
	c.core.ClearChanges()
	config, pools := c.core.Config(), c.core.Definitions()
	for _, e := range pooltree.Validate(c.plan.Profile, config, pools, pooltree.DefaultMaxSubtreeSize) {
		c.refuse(e)
	}
	total := resource.Partial{Amounts: c.most, Set: c.sized}.Or(resource.Unlimited)
	for _, e := range pooltree.Advise(c.plan.Profile, config, pools, pooltree.Cluster{Total: &total}) {
		if e.Rule == pooltree.GuaranteeAboveTotal {
			c.found.Overcommitted = append(c.found.Overcommitted, c.refusal(e))
		}
	}
}

func (c *checker) refuse(e *pooltree.RuleError) {
	c.found.Refused = append(c.found.Refused, c.refusal(e))
}

func (c *checker) refusal(e *pooltree.RuleError) Refusal {
	own := *e
	own.Tree = c.name
	return Refusal{c.at, &own}
}

// RefusalTexts are the rules that refusals name.
func RefusalTexts(all []Refusal) (texts []string) {
	for _, r := range all {
		texts = append(texts, r.String())
	}
	return slices.Compact(texts)
}

// Refused is the error of edits that bring refusals about; nil without one.
func (e *Edits) Refused(all []Refusal) error {
	if len(all) == 0 {
		return nil
	}
	line := 1
	if len(e.patches) > 0 {
		line = e.patches[0].Line
	}
	who := "a cluster"
	if slices.ContainsFunc(all, func(r Refusal) bool { return r.Rule.Rule.StopsUpdate() }) {
		who = "the scheduler"
	}
	return input.At(e.file, line,
		"%s refuses the configuration with these edits, from %s on: %s; change the edits so that the rules hold",
		who, timeText(all[0].At), strings.Join(RefusalTexts(all), "; "))
}

// Notes are sentences about what is legal and hardly meant so.
func (c *Checked) Notes() (sentences []string) {
	for _, r := range c.Overcommitted {
		sentences = append(sentences, fmt.Sprintf(
			"With the edits, the guarantees of the top-level pools of tree %s exceed what it has (%s), "+
				"which is legal: the scheduler scales them down (%s).",
			r.Rule.Tree, r.Rule.Detail, r.Rule.Rule.Invariant()))
	}
	return sentences
}
