package audit

import (
	"fmt"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

func TestFIFOOrderInverted(t *testing.T) {
	t.Parallel()
	overtook := func(op, other core.OperationID, s int, fits core.Optional[bool]) tables.Job {
		return tables.Job{Job: fmt.Sprint("job-", s), Operation: op, Pool: 1, StartTime: at(s), InOrder: true, Overtook: core.Some(other), OvertookFits: fits}
	}
	yes, no, unknown := core.Some(true), core.Some(false), core.Optional[bool]{}
	r := newTestRun(t)
	r.addTree("a", whole())
	put(r, "a", tables.Pool{Pool: 1, Mode: core.FIFO}, tables.Pool{Pool: 0})
	put(r, "a", overtook(1, 0, 10, no), overtook(1, 0, 20, yes), overtook(1, 0, 30, yes), overtook(1, 0, 40, unknown),
		overtook(2, 0, 50, unknown), overtook(2, 1, 60, no), tables.Job{Job: "other", Pool: 0, StartTime: at(1)},
		overtook(1, 0, 65, yes))
	// Two declines explain it: what starts at once or within a backoff takes no third.
	r.addTree("declined", whole())
	put(r, "declined", tables.Pool{Pool: 1, Mode: core.FIFO})
	soon := overtook(2, 0, 31, yes)
	soon.StartTime = at(30) + 90*core.Second/1000
	put(r, "declined", overtook(1, 0, 20, yes), overtook(1, 0, 30, yes), overtook(2, 0, 30, yes), soon)
	r.addTree("free", whole()) // a FIFO pool that nothing says to schedule in order
	put(r, "free", tables.Pool{Pool: 1, Mode: core.FIFO})
	put(r, "free", tables.Job{Job: "x", Pool: 1, StartTime: at(1)})
	r.addTree("kept", whole())
	put(r, "kept", tables.Job{Job: "x", Pool: 1, StartTime: at(1), InOrder: true}, tables.Job{Job: "warm-up", Pool: 1, StartTime: at(-1), InOrder: true})
	v := r.judge("fifo_order_inverted")
	if got := v.found("fifo_order_inverted"); got != "violated a operation op-b op-a 3 jobs\n"+
		"suspect declined operation op-b op-a 2 jobs\nsuspect declined operation op-c op-a 2 jobs\nsuspect a operation op-c op-a 1 jobs" {
		t.Error(got)
	}
	if o := v.outcome("fifo_order_inverted", "a"); o.Seen != 7 {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("fifo_order_inverted", "free"); o.Verdict != Undecidable || o.Reason != "no job started in a FIFO pool that is known to schedule in order" {
		t.Errorf("%+v", o)
	}
	if o := v.outcome("fifo_order_inverted", "kept"); o.Verdict != OK || o.Seen != 1 {
		t.Errorf("%+v", o)
	}
}
