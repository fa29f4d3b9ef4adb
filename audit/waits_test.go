package audit

import (
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/replay/tables"
)

// TestQueueWaits: one operation that ran at once, one that waited twice, one that was
// there before the window, one that was aborted in the queue, one that waits still, one
// that ran before the window and one that was never there.
func TestQueueWaits(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole("operation_states", "placed"))
	op := func(id core.OperationID, start, running, finish int, state string) tables.Operation {
		o := tables.Operation{Operation: id, User: "u", StartTime: at(start), State: state}
		if running > -1000 {
			o.RunningTime = core.Some(at(running))
		}
		if finish > 0 {
			o.FinishTime = core.Some(at(finish))
		}
		return o
	}
	const never = -1000
	put(r, "a", op(0, 10, 10, 50, "completed"), op(1, 10, 15, 90, "failed"), op(2, -40, 20, 0, "running"))
	wait := func(id core.OperationID, from, to int, held int64) tables.PendingEpisode {
		return tables.PendingEpisode{Operation: id, FromTime: at(from), ToTime: at(to), Held: held * 1e6}
	}
	put(r, "a", wait(1, 10, 15, 4), wait(1, 60, 70, 0))
	r.addTree("b", whole("operation_states", "assumed"))
	put(r, "b", op(0, 30, never, 70, "aborted"), op(1, 86000, never, 0, "pending"))
	r.addTree("c", whole())
	put(r, "c", op(0, -40, -40, 0, "running"), op(1, 5, never, 5, "rejected"), op(2, 5, 6, 0, "running"))
	r.makeDatabase()
	got := r.queryAsIs(`SELECT string_agg(concat_ws(' ', tree, operation, user_name, wait_s, outcome, clipped_from, pending_s, held_s, states), chr(10) ORDER BY tree, operation) FROM queue_waits`)
	want := "a op-a u 0.0 running false 0.0 0.0 placed\na op-b u 5.0 running false 15.0 4.0 placed\na op-c u 20.0 running true 0.0 0.0 placed\n" +
		"b op-a u 40.0 aborted false 0.0 0.0 assumed\nb op-b u 400.0 pending false 0.0 0.0 assumed\nc op-c u 1.0 running false 0.0 0.0 recorded"
	if got = strings.Trim(got, `"`); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
