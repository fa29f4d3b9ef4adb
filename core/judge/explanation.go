package judge

import (
	"strings"

	"poolproof/core/scheduling"
)

// Codes holds the columns of a preemption that the scheduler's explanation also states in words.
// Strings are the source's, "" if not recorded.
type Codes struct {
	Job, Operation    string // the preemptor's
	Level             string // job_preemption_level
	PreemptorPriority string // of the preemptor itself
	TargetPriority    string // of the stage
	Reason            scheduling.Reason

	Conditional, ConditionalKnown bool
}

// Contradictions returns the columns that contradict an explanation (PRE-25). The scheduler writes
// one of two sentences (core/spec/scheduling.md §10.5): that a job was preempted to start another
// of some operation, with level, priorities, and whether it was conditionally preemptible; or that
// resource limits of the node were violated, without a preemptor. A text of another form
// contradicts nothing.
func Contradictions(text string, c *Codes) (columns []string) {
	text = strings.ToLower(text)
	if strings.Contains(text, "resource limits violated") {
		if c.Job != "" || c.Operation != "" {
			columns = append(columns, "preempted_for")
		}
		return columns
	}
	job, isJob := strings.CutPrefix(text, "preempted to start job ")
	if !isJob {
		if job, isJob = strings.CutPrefix(text, "preempted to start allocation "); !isJob {
			return nil
		}
	}
	differ := func(column, said, code string) {
		if said != "" && code != "" && plainWord(said) != plainWord(code) {
			columns = append(columns, column)
		}
	}
	differ("preempted_for_job_id", wordAfter(job, ""), c.Job)
	differ("preempted_for_op_ix", wordAfter(text, " of operation "), c.Operation)
	differ("job_preemption_level", wordAfter(text, " level "), c.Level)
	differ("preemptor_priority", wordAfter(text, "local priority was "), c.PreemptorPriority)
	target := wordAfter(text, "target priority was ")
	differ("target_priority", target, c.TargetPriority)
	for p := scheduling.Normal; p <= scheduling.SSDAggressive && c.Reason.IsOfStage(); p++ {
		if c.Reason == p.Reason() {
			differ("preempt_reason", target, p.String())
		}
	}
	if says := strings.Contains(text, "conditionally preemptible"); c.ConditionalKnown && says != c.Conditional {
		columns = append(columns, "conditional")
	}
	return columns
}

// wordAfter returns the word that follows a text, without quotes, or "".
func wordAfter(text, before string) string {
	_, rest, found := strings.Cut(text, before)
	if !found {
		return ""
	}
	if end := strings.IndexAny(rest, " ,;()"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Trim(rest, `"'.`)
}

// plainWord normalizes the spelling of a word: aggressively_preemptible equals
// AggressivelyPreemptible.
func plainWord(word string) string { return strings.ToLower(strings.ReplaceAll(word, "_", "")) }
