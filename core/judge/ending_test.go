package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

func TestEndings(t *testing.T) {
	legal := Ending{
		Context: plainContext(), Preempted: 100 * second, Deadline: 110 * second, Reason: scheduling.ForPreemption, Interruptible: Yes,
		Ended: 110 * second, Aborted: Yes, Until: 1000 * second,
	}
	for name, c := range map[string]struct {
		change    func(e *Ending)
		invariant Invariant
		verdict   Verdict
	}{
		"is gone in time":               {func(*Ending) {}, PRE21, OK},
		"is there a minute later":       {func(e *Ending) { e.Ended = 160 * second }, PRE21, Violated},
		"is there until its node beats": {func(e *Ending) { e.Ended, e.Interval = 130*second, 30*second }, PRE21, OK},
		"is there though its node beat": {func(e *Ending) { e.Ended, e.Interval = 141*second, 30*second }, PRE21, Violated},
		"is there when a told deadline is over, until its node beats": {func(e *Ending) {
			e.Deadline, e.DeadlineRecorded, e.Ended, e.Interval = 120*second, true, 150*second, 30*second
		}, PRE21, OK},
		"went at an unknown time":               {func(e *Ending) { e.Ended, e.Untimed = 160*second, true }, PRE21, Undecidable},
		"is there to the end of the log":        {func(e *Ending) { e.Ended = scheduling.Never }, PRE21, Violated},
		"is there as the log ends":              {func(e *Ending) { e.Ended, e.Until = scheduling.Never, 105*second }, PRE21, OK},
		"is lost with its node":                 {func(e *Ending) { e.Ended, e.NodeLost = 160*second, true }, PRE21, Excused},
		"is let run to its deadline":            {func(*Ending) {}, PRE22, OK},
		"is aborted at once":                    {func(e *Ending) { e.Ended = 101 * second }, PRE22, Violated},
		"is aborted, how is not recorded":       {func(e *Ending) { e.Ended, e.Interruptible = 101*second, Unknown }, PRE22, Undecidable},
		"is aborted, perhaps unstarted":         {func(e *Ending) { e.Ended, e.PerhapsIdle = 101*second, true }, PRE22, Suspect},
		"is aborted a moment early":             {func(e *Ending) { e.Ended = 109 * second }, PRE22, OK},
		"ends early, how is not recorded":       {func(e *Ending) { e.Ended, e.Aborted = 101*second, Unknown }, PRE22, Undecidable},
		"ends in time, how is not recorded":     {func(e *Ending) { e.Aborted = Unknown }, PRE22, OK},
		"puts its work away":                    {func(e *Ending) { e.Ended, e.Aborted = 101*second, No }, PRE22, OK},
		"is lost before its deadline":           {func(e *Ending) { e.Ended, e.NodeLost = 101*second, true }, PRE22, Excused},
		"goes with its operation":               {func(e *Ending) { e.Ended, e.OperationOver = 101*second, true }, PRE22, Excused},
		"is aborted on an overfull node":        {func(e *Ending) { e.Ended, e.NodeOverfull = 101*second, true }, PRE22, Excused},
		"may have been asked gracefully before": {func(e *Ending) { e.Ended, e.Soonest = 101*second, 101*second }, PRE22, Suspect},
		"cannot have been asked long before":    {func(e *Ending) { e.Ended, e.Soonest = 101*second, 103*second }, PRE22, Violated},
		"is asked gracefully": {func(e *Ending) {
			e.Reason, e.Deadline, e.Ended = scheduling.ForGracefulPreemption, 160*second, 160*second
		}, GRC02, OK},
		"is asked gracefully and aborted": {func(e *Ending) { e.Reason, e.Deadline = scheduling.ForGracefulPreemption, 160*second }, GRC02, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			e := legal
			c.change(&e)
			expect(t, e.Judge(nil), c.invariant, c.verdict)
		})
	}
}

func TestTheUninterruptibleAreAbortedAtOnce(t *testing.T) {
	e := Ending{Context: plainContext(), Preempted: 100 * second, Deadline: 110 * second, Interruptible: No, Ended: 101 * second, Aborted: Yes, Until: 1000 * second}
	if _, judged := Worst(e.Judge(nil), PRE22); judged {
		t.Error("PRE-22 is about jobs that can be interrupted")
	}
}

func TestArrivals(t *testing.T) {
	legal := Arrival{Context: plainContext(), Granted: 100 * second, Last: 116 * second, Until: 1000 * second, Running: 111 * second}
	for name, c := range map[string]struct {
		change  func(a *Arrival)
		verdict Verdict
	}{
		"comes to run":              {func(*Arrival) {}, OK},
		"comes to run at the last":  {func(a *Arrival) { a.Running = a.Last }, OK},
		"comes to run right after":  {func(a *Arrival) { a.Running = a.Last + 1 }, Violated},
		"has until the log ends":    {func(a *Arrival) { a.Running, a.Until = scheduling.Never, a.Last }, OK},
		"has no longer than that":   {func(a *Arrival) { a.Running, a.Until = scheduling.Never, a.Last+1 }, Violated},
		"never comes to run":        {func(a *Arrival) { a.Running = scheduling.Never }, Violated},
		"comes to run too late":     {func(a *Arrival) { a.Running = 117 * second }, Violated},
		"waits as the log ends":     {func(a *Arrival) { a.Running, a.Until = scheduling.Never, 110*second }, OK},
		"is gone before":            {func(a *Arrival) { a.Running, a.Gone = scheduling.Never, true }, Excused},
		"is lost with its node":     {func(a *Arrival) { a.Running, a.NodeLost = scheduling.Never, true }, Excused},
		"was not waited for enough": {func(a *Arrival) { a.Running, a.WaitingTimeout = scheduling.Never, true }, Excused},
	} {
		t.Run(name, func(t *testing.T) {
			a := legal
			c.change(&a)
			expect(t, a.Judge(nil), PRE23, c.verdict)
		})
	}
}
