package joblog

import (
	"cmp"
	"slices"

	"poolproof/core"
	"poolproof/ingest/trace"
)

// A step is a row of op_events to be.
type step struct {
	time      core.Time
	operation core.OperationID
	pool      core.PoolID // of started and pool_changed
	step      core.Step
	leaves    bool  // it makes room, and was there before this instant
	place     int32 // among the steps of its operation
	row       int64
}

// operationEvents writes the steps of operations. Of one instant, ends come first, so that starts
// find the room.
func (t *treeWriter) operationEvents() error {
	steps := make([]step, 0, 3*len(t.survey.operations[t.tree]))
	var o Operation
	for _, id := range t.survey.operations[t.tree] {
		t.log.Operations.Describe(int(id), &o)
		steps = t.appendSteps(steps, id, &o)
	}
	slices.SortFunc(steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(a.time, b.time), compareBool(b.leaves, a.leaves), cmp.Compare(a.operation, b.operation), cmp.Compare(a.place, b.place))
	})
	for i := range steps {
		if err := t.operationEvent(&steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// appendSteps adds the steps of an operation, in their order.
func (t *treeWriter) appendSteps(steps []step, id core.OperationID, o *Operation) []step {
	first := len(steps)
	add := func(s step) {
		s.operation, s.place = id, int32(len(steps)-first)
		steps = append(steps, s)
	}
	add(step{time: o.Submit, pool: o.Pool, step: core.StepStarted, row: o.Row})
	if !t.log.Turns {
		add(step{time: o.Submit, step: core.StepRunning, row: o.Row})
	}
	last, running := o.Submit, !t.log.Turns
	for _, turn := range o.Turns {
		leaves := turn.Step == core.StepPending && running && turn.Time > last
		add(step{time: turn.Time, pool: turn.Pool, step: turn.Step, leaves: leaves, row: turn.Row})
		last = turn.Time
		if turn.Step != core.StepPoolChanged {
			running = turn.Step == core.StepRunning
		}
	}
	if o.End.Set {
		row := o.Row
		if t.log.Turns {
			row = o.EndRow
		}
		add(step{time: o.End.Value, step: o.Step, leaves: o.End.Value > last, row: row})
	}
	return steps
}

func (t *treeWriter) operationEvent(s *step) error {
	row := trace.OpEvent{Stamp: t.stamp(s.time), Op: s.operation, Event: stepNames[s.step], Source: core.Some(s.row)}
	switch s.step {
	case core.StepStarted:
		var o Operation
		t.log.Operations.Describe(int(s.operation), &o)
		row.Pool, row.SchedulingTagFilter = core.Some(s.pool), text(o.TagFilter)
	case core.StepPoolChanged:
		row.Pool = core.Some(s.pool)
	}
	return t.out.Add(&row)
}

var stepNames = map[core.Step]string{
	core.StepStarted: "started", core.StepPending: "pending", core.StepRunning: "running", core.StepPoolChanged: "pool_changed",
	core.StepCompleted: "completed", core.StepFailed: "failed", core.StepAborted: "aborted",
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// nodeStates writes the nodes as they are from the log's first row on, and when
// they went offline.
func (t *treeWriter) nodeStates() error {
	type leave struct {
		time core.Time
		node core.NodeID
	}
	var leaves []leave
	for i, n := range t.log.Nodes {
		if !slices.Contains(n.Trees, t.tree) {
			continue
		}
		for _, at := range n.Left {
			leaves = append(leaves, leave{at, core.NodeID(i)})
		}
		if err := t.nodeState(core.NodeID(i), t.survey.began, true); err != nil {
			return err
		}
	}
	slices.SortFunc(leaves, func(a, b leave) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.node, b.node)) })
	for _, l := range leaves {
		if err := t.nodeState(l.node, l.time, false); err != nil {
			return err
		}
	}
	return nil
}

func (t *treeWriter) nodeState(id core.NodeID, at core.Time, online bool) error {
	n := &t.log.Nodes[id]
	return t.out.Add(&trace.NodeState{Stamp: t.stamp(at), Node: id, Online: online, Limit: n.Limit, Tags: n.Tags, Source: "export"})
}
