package whatif

import (
	"fmt"
	"strings"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/simulate"
)

// A Refusal is a rule that a configuration breaks, so that the scheduler keeps the one before, if
// there is one.
type Refusal struct {
	At   core.Time
	Rule *pooltree.RuleError // with its tree
}

// Refusals are those that the edits bring about: of the edited plan and not of the plan. They
// are found as the scheduler finds them, by a core that follows the configurations alone.
func Refusals(plan, edited *simulate.Plan) (all []Refusal) {
	known := map[string]bool{}
	for _, r := range refusals(plan) {
		known[r.Rule.Error()] = true
	}
	for _, r := range refusals(edited) {
		if text := r.Rule.Error(); !known[text] {
			known[text] = true
			all = append(all, r)
		}
	}
	return all
}

func refusals(p *simulate.Plan) (all []Refusal) {
	for i := range p.Trees {
		var at core.Time
		t := core.New(p.Dimensions, p.Profile)
		look := func() {
			for _, e := range t.Changes().Refused {
				own := *e
				own.Tree = p.Trees[i].Name
				all = append(all, Refusal{at, &own})
			}
			t.ClearChanges()
		}
		for j := range p.Trees[i].Facts {
			f := &p.Trees[i].Facts[j]
			switch f.Kind {
			case core.ClusterConfigured, core.TreeConfigured, core.PoolConfigured:
			default:
				continue
			}
			if f.Time != at { // what comes at one instant is one configuration
				look()
			}
			at = f.Time
			t.Step(f)
		}
		look()
	}
	return all
}

// Refused is the error of edits that bring refusals about; nil without one.
func (e *Edits) Refused(all []Refusal) error {
	if len(all) == 0 {
		return nil
	}
	var rules []string
	for _, r := range all {
		rules = append(rules, r.Rule.Error())
	}
	line := 1
	if len(e.patches) > 0 {
		line = e.patches[0].Line
	}
	return &Error{e.file, line, fmt.Sprintf(
		"the scheduler refuses the configuration with these edits, from %s on: %s; change the edits so that the rules hold",
		timeText(all[0].At), strings.Join(rules, "; "))}
}
