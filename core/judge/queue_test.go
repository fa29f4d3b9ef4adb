package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

func TestQueues(t *testing.T) {
	base := Overtaking{
		Context: plainContext(), At: 100 * second, Queued: true, Since: 20 * second,
		Oldest: 10 * second, Ran: scheduling.Never, Room: scheduling.Never,
	}
	for name, c := range map[string]struct {
		change    func(o *Overtaking)
		invariant Invariant
		verdict   Verdict
	}{
		"overtakes":                           {func(*Overtaking) {}, PEND02, Violated},
		"overtakes nobody":                    {func(o *Overtaking) { o.Oldest = scheduling.Never }, PEND02, OK},
		"came first":                          {func(o *Overtaking) { o.Since = 5 * second }, PEND02, OK},
		"came at the same time":               {func(o *Overtaking) { o.Since = 10 * second }, PEND02, OK},
		"overtakes one that runs at a rescan": {func(o *Overtaking) { o.Ran = o.At + o.Slacks.Rescan }, PEND02, Suspect},
		"overtakes one that runs after it":    {func(o *Overtaking) { o.Ran = o.At + o.Slacks.Rescan + 1 }, PEND02, Violated},
		"overtakes one that runs soon":        {func(o *Overtaking) { o.Ran = 110 * second }, PEND02, Suspect},
		"overtakes one that another held up":  {func(o *Overtaking) { o.Moved = true }, PEND02, Suspect},
		"overtakes one that was moved":        {func(o *Overtaking) { o.Requeued = true }, PEND02, Excused},
		"is new and overtakes":                {func(o *Overtaking) { o.Queued = false }, PEND03, Violated},
		"is new and one runs soon":            {func(o *Overtaking) { o.Queued, o.Ran = false, o.At+o.Slacks.Release }, PEND03, Suspect},
		"is new and overtakes nobody":         {func(o *Overtaking) { o.Queued, o.Oldest = false, scheduling.Never }, PEND03, OK},
		"is new and finds unannounced room":   {func(o *Overtaking) { o.Queued, o.Room = false, 60*second }, PEND03, Excused},
		"is new and finds room of long ago":   {func(o *Overtaking) { o.Queued, o.Room = false, 30*second }, PEND03, Violated},
		"is new and room is made afterwards":  {func(o *Overtaking) { o.Queued, o.Room = false, 130*second }, PEND03, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			o := base
			c.change(&o)
			rulings := o.Judge(nil)
			expect(t, rulings, c.invariant, c.verdict)
			doubt := NothingMissing
			switch {
			case c.verdict == Suspect && o.Moved:
				doubt = QueueMoves
			case c.verdict == Suspect:
				doubt = QueueScans
			}
			if rulings[0].Missing != doubt {
				t.Errorf("the log lacks %q, want %q", rulings[0].Missing, doubt)
			}
		})
	}
}
