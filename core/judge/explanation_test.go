package judge

import (
	"slices"
	"testing"

	"poolproof/core/scheduling"
)

// What the scheduler says in words goes with its codes, or does not.
func TestContradictions(t *testing.T) {
	const said = `Preempted to start job 1-2-3-4 of operation a-b-c-d; this job had status "preemptible" and level "aggressively_preemptible", preemptor operation local priority was "normal", and scheduling stage target priority was "aggressive"`
	codes := Codes{
		Job: "1-2-3-4", Operation: "A-b-c-d", Level: "AggressivelyPreemptible", PreemptorPriority: "normal", TargetPriority: "aggressive",
		Reason: scheduling.ForAggressivePreemption, ConditionalKnown: true,
	}
	for _, c := range []struct {
		name string
		text string
		do   func(*Codes)
		want []string
	}{
		{"all alike", said, func(*Codes) {}, nil},
		{"codes that the log leaves out", said, func(c *Codes) { *c = Codes{} }, nil},
		{"newer words", "Preempted to start allocation 1-2-3-4 of operation a-b-c-d", func(*Codes) {}, nil},
		{"a text of another kind", "gone", func(*Codes) {}, nil},
		{"another job", said, func(c *Codes) { c.Job = "9-9-9-9" }, []string{"preempted_for_job_id"}},
		{"another operation", said, func(c *Codes) { c.Operation = "x" }, []string{"preempted_for_op_ix"}},
		{"another level", said, func(c *Codes) { c.Level = "preemptible" }, []string{"job_preemption_level"}},
		{"another priority of its own", said, func(c *Codes) { c.PreemptorPriority = "none" }, []string{"preemptor_priority"}},
		{"another stage", said, func(c *Codes) { c.TargetPriority = "normal" }, []string{"target_priority"}},
		{"another reason", said, func(c *Codes) { c.Reason = scheduling.ForPreemption }, []string{"preempt_reason"}},
		{"no condition told", said, func(c *Codes) { c.Conditional = true }, []string{"conditional"}},
		{"a condition told", said + "; this job was conditionally preemptible", func(*Codes) {}, []string{"conditional"}},
		{"limits", "Node resource limits violated", func(*Codes) {}, []string{"preempted_for"}},
		{"limits, for nobody", "Node resource limits violated", func(c *Codes) { c.Job, c.Operation = "", "" }, nil},
	} {
		own := codes
		c.do(&own)
		if got := Contradictions(c.text, &own); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
