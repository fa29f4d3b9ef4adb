package judge_test

import (
	"fmt"

	"poolproof/core/judge"
	"poolproof/core/resource"
)

// An operation started running at 100 s below a pool that already ran as many
// as it may. If a configuration had taken effect just before, the scheduler may not have
// known it yet.
func Example() {
	slacks := judge.DefaultSlacks()
	step := judge.CountStep{
		Context: judge.Context{Evidence: judge.Recomputed, Slacks: &slacks},
		At:      100_000_000,
		Chain: []judge.PoolCount{
			{Count: 1, Limit: 10},
			{Count: 5, Limit: 5},
		},
	}
	ruling := step.JudgeActivation(nil)[0]
	fmt.Println(ruling.Sentence(&resource.UsualUnits))

	step.Reconfigured = true
	ruling = step.JudgeActivation(nil)[0]
	fmt.Println(ruling.Sentence(&resource.UsualUnits))
	// Output:
	// CNT-02 violated: an operation starts running only where every pool above has room; running operations of a pool: 5, at most 5
	// CNT-02 suspect: an operation starts running only where every pool above has room; running operations of a pool: 5, at most 5; the rule holds in another state that the log allows
}
