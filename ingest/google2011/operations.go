package google2011

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"poolproof/core"
	"poolproof/ingest/joblog"
)

// assignPools puts every operation into its pools.
func (l *lives) assignPools(forest *joblog.Forest, by string) {
	tree := forest.Tree(treeName)
	for i := range l.all {
		o := &l.all[i]
		o.pool = l.poolOf(forest, tree, by, o.class, o.user)
		for t := o.firstTurn; t < o.pastTurn; t++ {
			if x := &l.turns[t]; x.step == core.StepPoolChanged {
				x.pool = l.poolOf(forest, tree, by, x.class, o.user)
			}
		}
	}
}

func (l *lives) poolOf(forest *joblog.Forest, tree int, by string, class, user int32) core.PoolID {
	name := l.words[user]
	if by == byUser {
		if name == "" {
			name = "unknown"
		}
		return forest.Pool(tree, "user-"+name)
	}
	pool := forest.Pool(tree, className(class))
	if name == "" {
		return pool
	}
	return forest.UserPool(pool, name)
}

func className(class int32) string {
	if class == unknownClass {
		return "class-unknown"
	}
	return "class-" + strconv.Itoa(int(class))
}

// endWords are the ends in the log's words, endSteps in those of the trace.
var (
	endWords = map[kind]string{evict: "evict", fail: "fail", finish: "finish", kill: "kill", lost: "lost"}
	endSteps = map[kind]core.Step{
		evict: core.StepAborted, fail: core.StepFailed, finish: core.StepCompleted, kill: core.StepAborted, lost: core.StepAborted,
	}
	endStates = map[kind]string{evict: "aborted", fail: "failed", finish: "completed", kill: "aborted", lost: "aborted"}
)

// Len, Describe, Annotations and Bursts answer for the operations, as joblog
// asks.

func (l *lives) Len() int { return len(l.all) }

func (l *lives) Describe(i int, o *joblog.Operation) {
	x := &l.all[i]
	turns := o.Turns[:0]
	pool := x.pool
	for _, t := range l.turns[x.firstTurn:x.pastTurn] {
		if t.step == core.StepPoolChanged {
			if t.pool == pool {
				continue // the class is not the pool
			}
			pool = t.pool
		}
		turns = append(turns, joblog.Turn{Time: t.time, Step: t.step, Pool: t.pool, Row: t.row})
	}
	*o = joblog.Operation{
		ID: x.id(), Type: "job", User: l.words[x.user], Pool: x.pool, Submit: x.submitted, Undated: x.undated,
		End: x.end, Row: x.row, EndRow: x.endRow, Turns: turns,
	}
	if x.end.Set {
		o.Step, o.FinalState = endSteps[x.how], endStates[x.how]
	}
}

func (o *life) id() string {
	id := strconv.FormatInt(o.job, 10)
	if o.copies > 0 {
		id += "#" + strconv.Itoa(int(o.copies)+1)
	}
	return id
}

func (l *lives) Annotations(i int) string {
	x := &l.all[i]
	var b strings.Builder
	fmt.Fprintf(&b, `{"scheduling_class":%d`, x.class)
	if logical := l.words[x.logical]; logical != "" {
		b.WriteString(`,"logical_job":` + quoted(logical))
	}
	if x.end.Set {
		fmt.Fprintf(&b, `,"end":%q`, endWords[x.how])
		if x.missing >= 0 {
			fmt.Fprintf(&b, `,"end_missing_info":%d`, x.missing)
		}
	}
	return b.String() + "}"
}

// quoted writes a text as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// Bursts yields nothing: there are no tasks and no amounts.
func (l *lives) Bursts(int, func(*joblog.Burst)) {}
