package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

func TestAnnouncements(t *testing.T) {
	legal := Announcement{
		Context: plainContext(), At: 100 * second, Status: scheduling.Starving, MinShareTimeout: 15 * second,
		Timeouts: scheduling.Timeouts{Starving: 30 * second, Aggressive: 60 * second, AggressiveEnabled: true},
		Since:    69 * second, MinShareSince: scheduling.Never,
		Until: scheduling.Never, From: scheduling.Never,
	}
	for name, c := range map[string]struct {
		change    func(a *Announcement)
		invariant Invariant
		verdict   Verdict
	}{
		"once its timeout has passed":          {func(*Announcement) {}, STV01, OK},
		"a tick early":                         {func(a *Announcement) { a.Since = 71 * second }, STV01, OK},
		"two ticks early":                      {func(a *Announcement) { a.Since = 72 * second }, STV01, Violated},
		"ten seconds early":                    {func(a *Announcement) { a.Since = 80 * second }, STV01, Violated},
		"by the other kind":                    {func(a *Announcement) { a.Since, a.MinShareSince = 80*second, 80*second }, STV12, OK},
		"early by the other kind":              {func(a *Announcement) { a.Since, a.MinShareSince = scheduling.Never, 90*second }, STV12, Violated},
		"early by both, one of them nearer":    {func(a *Announcement) { a.Since, a.MinShareSince = 90*second, 95*second }, STV12, Violated},
		"early by both, the fair share nearer": {func(a *Announcement) { a.Since, a.MinShareSince = 75*second, 95*second }, STV01, Violated},
		"who is not below":                     {func(a *Announcement) { a.Since = scheduling.Never }, STV01, Violated},
		"who is below no more":                 {func(a *Announcement) { a.Since, a.Until = scheduling.Never, 98*second }, STV01, OK},
		"who has long recovered":               {func(a *Announcement) { a.Since, a.Until = scheduling.Never, 97*second }, STV01, Violated},
		"aggressively, who starves no more so": {func(a *Announcement) {
			a.Status, a.Since, a.Until = scheduling.AggressivelyStarving, scheduling.Never, 99*second
		}, STV04, OK},
		"aggressively too early": {func(a *Announcement) { a.Status = scheduling.AggressivelyStarving }, STV04, Violated},
		"aggressively in time":   {func(a *Announcement) { a.Status, a.Since = scheduling.AggressivelyStarving, 39*second }, STV04, OK},
		"aggressively where that is off": {func(a *Announcement) {
			a.Status, a.Since, a.Timeouts.AggressiveEnabled = scheduling.AggressivelyStarving, 0, false
		}, STV04, Violated},
		"no longer, who is not below":               {func(a *Announcement) { a.Status, a.Since = scheduling.NonStarving, scheduling.Never }, STV02, OK},
		"no longer, who is below since a moment":    {func(a *Announcement) { a.Status, a.Since = scheduling.NonStarving, 90*second }, STV02, OK},
		"no longer, who has been below for so long": {func(a *Announcement) { a.Status, a.Since = scheduling.NonStarving, 60*second }, STV02, Violated},
		"early, for all the log tells that begins":  {func(a *Announcement) { a.Since, a.From = 80*second, 80*second }, STV01, Undecidable},
		"early, below since the log began":          {func(a *Announcement) { a.Since, a.From = 80*second, 78*second }, STV01, Violated},
		"aggressively too early, for all the log tells that begins": {func(a *Announcement) {
			a.Status, a.From = scheduling.AggressivelyStarving, 69*second
		}, STV04, Undecidable},
		"no longer, who has been below for so long by rows from before the log": {func(a *Announcement) {
			a.Status, a.Since, a.From = scheduling.NonStarving, 60*second, 80*second
		}, STV02, Undecidable},
		"no longer, who has been below for so long within the log": {func(a *Announcement) {
			a.Status, a.Since, a.From = scheduling.NonStarving, 60*second, 67*second
		}, STV02, Violated},
	} {
		t.Run(name, func(t *testing.T) {
			a := legal
			c.change(&a)
			expect(t, a.Judge(nil), c.invariant, c.verdict)
		})
	}
}

// Records that are further apart than usual excuse nothing: what only they allow is undecidable.
func TestAnnouncementsBetweenRecords(t *testing.T) {
	for since, want := range map[int64]Verdict{69: OK, 71: OK, 75: Undecidable, 88: Undecidable, 95: Undecidable} {
		c := plainContext()
		slacks := *c.Slacks
		slacks.Record = 60 * second
		c.Slacks = &slacks
		a := Announcement{
			Context: c, At: 100 * second, Status: scheduling.Starving, MinShareTimeout: 15 * second,
			Timeouts: scheduling.Timeouts{Starving: 30 * second}, Since: since * second, MinShareSince: scheduling.Never,
			Until: scheduling.Never, From: scheduling.Never,
		}
		expect(t, a.Judge(nil), STV01, want)
	}
}

// A row that says that starvation began is late by its own time, however far records are apart.
func TestLateStarts(t *testing.T) {
	const never = scheduling.Never
	for name, c := range map[string]struct {
		since, surely, minShare, surelyMinShare int64 // in seconds
		record                                  int64
		want                                    Verdict
	}{
		"in time":                                    {69, 69, never, never, 60, OK},
		"two ticks late":                             {68, 68, never, never, 60, OK},
		"three ticks late":                           {66, 66, never, never, 60, Violated},
		"late by a minute":                           {10, 10, never, never, 60, Violated},
		"late, and the records begin later":          {10, 60, never, never, 60, Violated},
		"late, and the records do not show it":       {10, 80, never, never, 60, Undecidable},
		"late, of no records":                        {10, never, never, never, 60, Undecidable},
		"late, of no records where these were dense": {10, never, never, never, 1, Suspect},
		"late for its guarantee":                     {80, 80, 75, 75, 60, Violated},
		"in time for its guarantee":                  {80, 80, 84, 84, 60, OK},
		"not below":                                  {never, never, never, never, 60, OK},
	} {
		in := func(at int64) int64 {
			if at == never {
				return never
			}
			return at * second
		}
		context := plainContext()
		slacks := *context.Slacks
		slacks.Record = c.record * second
		context.Slacks = &slacks
		l := LateStart{Context: context, At: 100 * second, Timeout: 30 * second, MinShareTimeout: 15 * second,
			Since: in(c.since), SurelySince: in(c.surely), MinShareSince: in(c.minShare), SurelyMinShareSince: in(c.surelyMinShare)}
		if got := l.Judge(); got.Verdict != c.want || got.Invariant != STV02 {
			t.Errorf("%s: %v of %v, want %v", name, got.Verdict, got.Invariant, c.want)
		}
	}
}
