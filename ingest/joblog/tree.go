package joblog

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A treeWriter writes the tables of one tree, one after the other. Rows of one
// instant and table are ordered by seq, rows of different tables by the kind of
// what they tell, so each table simply continues the numbers of the one before.
type treeWriter struct {
	log      *Log
	survey   *survey
	tree     int
	out      *trace.TreeWriter
	firstJob core.JobID
	jobs     []job // in the order of their start
}

func (t *treeWriter) write(ctx context.Context) error {
	steps := []func() error{t.configs, t.nodeStates, t.operationEvents, t.demand, t.collectJobs, t.heartbeats, t.jobRows}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (t *treeWriter) stamp(time core.Time) trace.Stamp {
	return trace.Stamp{Time: time, Seq: t.out.NextSeq()}
}

// A wish is a row of demand to be.
type wish struct {
	time      core.Time
	needed    trace.Resources
	operation core.OperationID
	burst     int32
}

// demand writes what each burst waits for, from the moment it waits. The start
// of its jobs, or the operation's end, takes it away.
func (t *treeWriter) demand() error {
	wishes := make([]wish, 0, len(t.survey.operations[t.tree]))
	var o Operation
	for _, id := range t.survey.operations[t.tree] {
		t.log.Operations.Describe(int(id), &o)
		burst := int32(0)
		t.log.Operations.Bursts(int(id), func(b *Burst) {
			if !o.End.Set || o.End.Value > b.Wanted { // it waits for some time
				wishes = append(wishes, wish{b.Wanted, b.Needed, id, burst})
			}
			burst++
		})
	}
	slices.SortFunc(wishes, func(a, b wish) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.operation, b.operation), cmp.Compare(a.burst, b.burst))
	})
	for _, w := range wishes {
		row := trace.Demand{
			Stamp: t.stamp(w.time), Op: w.operation, Needed: w.needed,
			PendingJobs: core.Some(w.needed.UserSlots), Source: "derived",
		}
		if w.needed.UserSlots == 1 {
			row.MinNeeded = core.Some(w.needed)
		}
		if err := t.out.Add(&row); err != nil {
			return err
		}
	}
	return nil
}

// jobName names a job for people: its operation, which burst if not the first,
// and the node.
func (t *treeWriter) jobName(o *Operation, j *job) string {
	name := o.ID
	if j.burst > 0 {
		name += "." + strconv.Itoa(int(j.burst)+1)
	}
	if j.node >= 0 {
		name += "@" + t.log.Nodes[j.node].Address
	}
	return name
}
