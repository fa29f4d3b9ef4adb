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
