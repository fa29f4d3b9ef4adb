package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// hoursOf are the hours that a policy says.
func hoursOf(t *testing.T, days, hours string) slaHours {
	t.Helper()
	h := always()
	if days != "" {
		if err := h.readDays(days); err != nil {
			t.Fatal(err)
		}
	}
	if hours != "" {
		if err := h.readHours(hours); err != nil {
			t.Fatal(err)
		}
	}
	h.describe(days, hours)
	return h
}

// holds reports whether the clock of the zone shows one of the hours at t.
func (h *slaHours) holds(t time.Time) bool {
	t = t.In(h.zone)
	second := t.Hour()*3600 + t.Minute()*60 + t.Second()
	today := (int(t.Weekday()) + 6) % 7
	return slices.ContainsFunc(h.spans, func(s daySpan) bool {
		return h.days[today] && s.from <= second && second < s.to || h.days[(today+6)%7] && second+daySeconds < s.to
	})
}

// clocks are days and hours, and the begin of ten days that have what is special of them.
var clocks = []struct{ days, hours, begin string }{
	{"mon-sun", "00:00-24:00", "2026-05-01T03:20:00Z"},
	{"", "", "2026-05-01T03:20:00Z"},
	{"mon-fri", "", "2026-05-01T03:20:00Z"},
	{"mon-fri", "08:00-20:00", "2026-05-01T03:20:00Z"},
	{"sun", "22:00-06:00", "2026-05-01T03:20:00Z"},
	{"sat,mon", "23:30-23:45", "2026-05-01T03:20:00Z"},
	{"tue", "12:00-11:00", "2026-05-01T03:20:00Z"},
	{"", "20:00-21:00,08:00-09:00", "2026-05-01T03:20:00Z"},
	{"fri-mon", "08:00-12:00, 11:00-13:00 ,22:00-02:00 +05:30", "2026-05-01T03:20:00Z"},
	{"mon-fri", "08:00-20:00 Europe/Berlin", "2026-03-25T03:20:00Z"}, // from +01:00 to +02:00 on the 29th
	{"", "22:00-06:00 Europe/Berlin", "2026-03-25T03:20:00Z"},
	{"sun", "02:15-02:45 Europe/Berlin", "2026-03-25T03:20:00Z"}, // the clock never shows it on the 29th
	{"sun", "02:15-02:45 Europe/Berlin", "2026-10-20T03:20:00Z"}, // twice on the 25th
	{"sun", "00:00-24:00 Europe/Berlin", "2026-10-20T03:20:00Z"}, // 25 hours
	{"sat,sun", "01:00-03:00 America/New_York", "2026-10-28T03:20:00Z"},
	{"", "01:30-02:15 Australia/Lord_Howe", "2026-04-01T03:20:00Z"}, // half an hour back on the 5th
	{"", "12:00-13:00 Pacific/Apia", "2011-12-26T03:20:00Z"},        // the 30th of December was left out
	{"wed", "09:00-17:00 -11:00", "2026-05-01T03:20:00Z"},
}

// TestHoursByTheClock: the windows of an SLA and the seconds that the macro counts against
// what the clock of its zone shows, minute by minute over ten days.
func TestHoursByTheClock(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	r.addTree("a", whole())
	r.makeDatabase()
	for _, c := range clocks {
		h := hoursOf(t, c.days, c.hours)
		begin, err := time.Parse(time.RFC3339, c.begin)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range 850 {
			n := 0
			for m := range 17 {
				if h.holds(begin.Add(time.Duration(17*i+m) * time.Minute)) {
					n += 60
				}
			}
			want = append(want, fmt.Sprint(n))
		}
		end := begin.Add(850 * 17 * time.Minute)
		windows := "NULL"
		if h.text != "" {
			var list []string
			for _, w := range h.windows(begin, end) {
				list = append(list, fmt.Sprintf("{'from_time': TIMESTAMP '%s', 'to_time': TIMESTAMP '%s'}", w.from.UTC().Format(time.DateTime), w.to.UTC().Format(time.DateTime)))
			}
			windows = "[" + strings.Join(list, ", ") + "]"
		}
		got := r.query(fmt.Sprintf(`SELECT string_agg(internal.sla_seconds(TIMESTAMP '%[1]s' + INTERVAL 17 MINUTE * i, TIMESTAMP '%[1]s' + INTERVAL 17 MINUTE * (i + 1), %[2]s)::BIGINT, ' ' ORDER BY i)
			FROM range(850) AS r(i)`, begin.Format(time.DateTime), windows))
		if d := cmp.Diff(strings.Join(want, " "), got); d != "" {
			t.Errorf("%v: %s", c, d)
		}
		s := &sla{hours: h}
		for i, n := range want {
			from := begin.Add(time.Duration(17*i) * time.Minute)
			to := from.Add(17 * time.Minute)
			seconds := 0.0
			for _, part := range s.within(stretch{from, to}) {
				seconds += part.long().Seconds()
			}
			if s.overlaps(from, &to) != (n != "0") || fmt.Sprint(seconds) != n {
				t.Errorf("%v: from %v on %v s lie within, by the clock %s", c, from, seconds, n)
			}
			if s.overlaps(from, &from) != h.holds(from) {
				t.Errorf("%v: an instant at %v: overlaps is %v", c, from, !h.holds(from))
			}
		}
	}
}

// TestWindowsAreApart: however spans overlap, windows are in order with gaps between them.
func TestWindowsAreApart(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	begin := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	for range 200 {
		var spans []string
		for range 1 + rng.IntN(4) {
			from := rng.IntN(96)
			to := (from + 1 + rng.IntN(95)) % 96
			spans = append(spans, fmt.Sprintf("%02d:%02d-%02d:%02d", from/4, from%4*15, to/4, to%4*15))
		}
		h := hoursOf(t, weekdays[rng.IntN(7)]+","+weekdays[rng.IntN(7)], strings.Join(spans, ",")+[]string{"", " Europe/Berlin", " America/St_Johns", " +13:00"}[rng.IntN(4)])
		end := begin.AddDate(0, 0, 20)
		windows := h.windows(begin, end)
		for i, w := range windows {
			if !w.to.After(w.from) || i > 0 && !w.from.After(windows[i-1].to) {
				t.Fatalf("%s: window %d of %v", h.text, i, windows)
			}
			if !h.holds(w.from) || w.to.Before(end) && h.holds(w.to) {
				t.Fatalf("%s: window %v: it holds at its begin: %v, at its end: %v", h.text, w, h.holds(w.from), h.holds(w.to))
			}
		}
	}
}

// TestHoursAreReadWhole: what is not understood is refused, with its place.
func TestHoursAreReadWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"8-20":                                   `0 invalid hours "8-20"`,
		"08:00-20:00 foo":                        `12 unknown time zone "foo"`,
		"08:00-20:00 Local":                      `12 unknown time zone "Local"`,
		"08:00-20:00 localtime":                  `12 unknown time zone "localtime"`,
		"08:00-20:00 Europe/Berlin (local time)": `12 unknown time zone "Europe/Berlin (local time)"`,
		"08:00-20:00 Europe/Berln":               `12 unknown time zone "Europe/Berln"`,
		"08:00-20:00 Europe/../Europe/Berlin":    `12 unknown time zone`,
		"08:00-20:00 +02:00x":                    `12 unknown time zone "+02:00x"`,
		"08:00-20:00 +2":                         `12 unknown time zone "+2"`,
		"08:00-20:00 +15:00":                     `12 unknown time zone "+15:00"`,
		"08:00-20:00 +02:60":                     `12 unknown time zone "+02:60"`,
		"08:00-20:00x":                           `0 invalid hours "08:00-20:00x"`,
		"08:00x-20:00":                           `0 invalid hours "08:00x-20:00"`,
		"08:00:30-20:00":                         `0 invalid hours "08:00:30-20:00"`,
		"08:00-20:00-22:00":                      `0 invalid hours "08:00-20:00-22:00"`,
		"08:00-20:00,":                           `12 invalid hours ""`,
		"08:00-20:00, 9-10":                      `13 invalid hours "9-10"`,
		"08:00-20:00 UTC,21:00-22:00":            `12 "UTC" follows a span of several`,
		"08:00-20:00;21:00-22:00":                `0 invalid hours "08:00-20:00;21:00-22:00"`,
		"08:00-20:00 21:00-22:00":                `12 unknown time zone "21:00-22:00"`,
		"08:00-25:00":                            `0 invalid hours "08:00-25:00" (want two different times`,
		"08:60-09:00":                            `0 invalid hours "08:60-09:00" (want two different times`,
		"24:00-08:00":                            `0 invalid hours "24:00-08:00" (want two different times`,
		"08:00-08:00":                            `0 invalid hours "08:00-08:00" (want two different times`,
		"٠8:00-20:00":                            `invalid hours`,
		"":                                       `0 invalid hours ""`,
	} {
		h := always()
		err := h.readHours(text)
		fault, ok := err.(textFault)
		if !ok || !strings.Contains(fmt.Sprintf("%d %v", fault.at, fault), want) {
			t.Errorf("%q: %d %v, want %s", text, fault.at, err, want)
		}
	}
	for text, want := range map[string]string{
		"08:00-20:00": "08:00-20:00 UTC", "8:00 - 20:00": "8:00 - 20:00 UTC", "08:00-20:00 UTC": "08:00-20:00 UTC", "08:00-09:00 +02:00": "08:00-09:00 +02:00",
		"08:00-09:00, 10:00-11:00   Europe/Berlin": "08:00-09:00, 10:00-11:00 Europe/Berlin", "08:00-09:00 Etc/UTC": "08:00-09:00 Etc/UTC",
		"08:00-09:00 America/Port-au-Prince": "08:00-09:00 America/Port-au-Prince",
	} {
		if h := hoursOf(t, "", text); h.text != want {
			t.Errorf("%q is told as %q, want %q", text, h.text, want)
		}
	}
}
