package audit

import (
	"slices"
	"testing"
	"time"
)

// The hours of an SLA part a stretch; without one nothing does.
func TestHoursOfAnSLAPartAStretch(t *testing.T) {
	t.Parallel()
	clock := func(day, hour int) time.Time { return time.Date(2026, 5, day, hour, 0, 0, 0, time.UTC) } // the 1st is a Friday
	holds := func(days, hours string) *sla { return &sla{hours: hoursOf(t, days, hours)} }
	for name, c := range map[string]struct {
		sla  *sla
		want []stretch
	}{
		"none":          {nil, []stretch{{clock(1, 6), clock(3, 12)}}},
		"days":          {holds("mon-fri", ""), []stretch{{clock(1, 6), clock(2, 0)}}},
		"hours":         {holds("mon-fri", "08:00-20:00"), []stretch{{clock(1, 8), clock(1, 20)}}},
		"over midnight": {holds("mon-fri", "22:00-07:00"), []stretch{{clock(1, 6), clock(1, 7)}, {clock(1, 22), clock(2, 7)}}},
		"two spans":     {holds("mon-fri", "20:00-21:00,08:00-09:00"), []stretch{{clock(1, 8), clock(1, 9)}, {clock(1, 20), clock(1, 21)}}},
		"in a zone":     {holds("fri,sat", "22:00-07:00 Asia/Tokyo"), []stretch{{clock(1, 13), clock(1, 22)}, {clock(2, 13), clock(2, 22)}}},
		"no such day":   {holds("mon", ""), nil},
	} {
		if got := c.sla.within(stretch{clock(1, 6), clock(3, 12)}); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What was excused is told with its time, in which what overlaps counts once and only
// the promise's own time counts, and with what excused it.
func TestExcusesAreToldWithTheirTime(t *testing.T) {
	t.Parallel()
	minute := func(m int) *time.Time {
		at := time.Date(2026, 5, 1, 0, m, 0, 0, time.UTC)
		return &at
	}
	excused := func(from, to int, excuse string) charge {
		return charge{Finding: &Finding{From: minute(from), To: minute(to), Excuse: excuse}, verdict: Excused}
	}
	room := excused(10, 22, "preemption could have made room at no time")
	broken := room
	broken.verdict = Violated
	term := promiseTerm{}
	for want, charges := range map[string][]charge{
		"It was not kept for 12 min 00 s (1 finding), which is excused: preemption could have made room at no time.":                      {room, broken},
		"It was not kept for 20 min 00 s (2 findings), which is excused: preemption could have made room at no time, and 1 other excuse.": {room, excused(15, 30, "one heartbeat")},
		"It was not kept (1 finding), which is excused.":                                                                                  {excused(3, 3, "")},
		"It was not kept for 1 h 05 min (1 finding), which is excused: the limit came down.":                                              {excused(0, 65, "the limit came down")},
	} {
		if got := term.excusedText(charges, nil); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	term.From, term.To = minute(12), minute(15)
	if got := union(term.stretchesOf([]charge{room, excused(30, 40, "")})); got != 3*time.Minute {
		t.Errorf("%v lie in the promise's time", got)
	}
}
