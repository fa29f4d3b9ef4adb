package coretest

import (
	"fmt"
	"strings"

	"poolproof/core"
)

// Admit replays a scenario and returns what the policy says of every step of admission, and which
// configurations it refuses.
func (s *Scenario) Admit(p core.Profile) string {
	tree := core.New(&s.Dimensions, p)
	var b strings.Builder
	for i := range s.Events {
		e := &s.Events[i]
		tree.Step(e)
		if i+1 < len(s.Events) && s.Events[i+1].Time == e.Time && s.Events[i+1].Kind == core.PoolConfigured {
			continue // pools of one instant are one set
		}
		c := tree.Changes()
		for _, refused := range c.Refused {
			fmt.Fprintf(&b, "%gs configuration refused: %s\n", float64(e.Time)/1e6, refused)
		}
		for k := range c.Admissions {
			s.writeAdmission(&b, &c.Admissions[k])
		}
		tree.ClearChanges()
	}
	return b.String()
}

func (s *Scenario) writeAdmission(b *strings.Builder, a *core.Admission) {
	fmt.Fprintf(b, "%gs %s %s in %s:", float64(a.Time)/1e6, word(a.Step), s.Dimensions.Operations[a.Operation].ID, s.poolName(a.Pool))
	var says []string
	say := func(format string, args ...any) { says = append(says, fmt.Sprintf(format, args...)) }
	if a.Placed != "" {
		say("the policy puts it in %s", a.Placed)
	}
	if a.Barred != nil {
		say("barred: %s", a.Barred)
	}
	if a.OutsideFIFO {
		say("a gang outside FIFO pools")
	}
	if a.Refusal != nil {
		say("refused: %s", a.Refusal)
	}
	if a.Full != core.Unknown {
		say("%s is full, %d of %d", s.poolName(a.Full), a.Count, a.Limit)
	}
	if a.Overtook != core.Unknown {
		say("overtakes %s", s.Dimensions.Operations[a.Overtook].ID)
	}
	if a.Lightweight {
		say("lightweight")
	}
	if a.Revived {
		say("nothing is checked after a restart")
	}
	if len(says) == 0 {
		say("allowed")
	}
	b.WriteString(" " + strings.Join(says, "; ") + "\n")
}

// word is the word of a scenario for a step.
func word(step core.Step) string {
	for _, w := range []string{"start", "running", "pending", "move", "reject", "materialize", "revive"} {
		if steps[w] == step {
			return w
		}
	}
	return "step"
}

func (s *Scenario) poolName(id core.PoolID) string {
	switch id {
	case core.Unknown:
		return "an unknown pool"
	case core.RootPool:
		return "<Root>"
	}
	return s.Dimensions.Pools[id].Name
}
