package judge_test

import (
	"fmt"

	"poolproof/core/judge"
	"poolproof/core/scheduling"
)

// An operation started running at 100 s below a pool that already ran as many
// as it may. Its limit had been lowered at 97 s, so that the scheduler may not
// have known yet.
func Example() {
	slacks := judge.DefaultSlacks()
	step := judge.CountStep{
		Context: judge.Context{Evidence: judge.Recomputed, Slacks: &slacks},
		At:      100_000_000,
		Chain: []judge.PoolCount{
			{Count: 1, Limit: 10, Held: scheduling.Never},
			{Count: 5, Limit: 5, Held: scheduling.Never},
		},
	}
	ruling := step.JudgeActivation(nil)[0]
	fmt.Println(ruling.Sentence())

	step.Chain[1].Changes = []judge.CountChange{{At: 97_000_000, Why: judge.LimitLowered, Old: 8}}
	ruling = step.JudgeActivation(nil)[0]
	fmt.Println(ruling.Sentence())
	// Output:
	// CNT-02 violated: an operation starts running only where every pool above has room; running operations of a pool: 5, at most 5
	// CNT-02 suspect: an operation starts running only where every pool above has room; running operations of a pool: 5, at most 5; the rule holds in another state that the log allows
}
