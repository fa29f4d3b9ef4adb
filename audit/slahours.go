package audit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones of SLAs, where the machine has none
)

// slaHours are the days and hours in which an SLA holds, by the clock of its zone.
type slaHours struct {
	days  [7]bool   // from Monday on
	spans []daySpan // of each of these days
	zone  *time.Location
	text  string // for sentences, as mon-fri 08:00-20:00 UTC; empty for always
}

// A daySpan is a span of a day in seconds of its clock. It ends beyond daySeconds if it
// goes over midnight.
type daySpan struct{ from, to int }

const daySeconds = 86400

// weekdays are the names of the days, from Monday on.
var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// always are the hours of an SLA that names none.
func always() slaHours {
	return slaHours{days: [7]bool{true, true, true, true, true, true, true}, spans: []daySpan{{0, daySeconds}}, zone: time.UTC}
}

// A textFault is a fault in a text, at a byte of it.
type textFault struct {
	at int
	error
}

// listPart is a part of a list and where it begins in the text.
type listPart struct {
	text string
	at   int
}

// listParts divides a text at its commas.
func listParts(text string) (parts []listPart) {
	at := 0
	for _, part := range strings.Split(text, ",") {
		plain := strings.TrimSpace(part)
		parts = append(parts, listPart{plain, at + len(part) - len(strings.TrimLeft(part, " \t"))})
		at += len(part) + 1
	}
	return parts
}

// readDays reads days and ranges of them: mon-fri, or sat,sun.
func (h *slaHours) readDays(text string) error {
	var days [7]bool
	for _, part := range listParts(text) {
		first, last, isRange := strings.Cut(part.text, "-")
		a, b := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if !isRange {
			b = a
		}
		if a < 0 || b < 0 {
			return textFault{part.at, fmt.Errorf("invalid days %q (want mon-fri or sat,sun)", part.text)}
		}
		for d := a; ; d = (d + 1) % 7 {
			days[d] = true
			if d == b {
				break
			}
		}
	}
	h.days = days
	return nil
}

// spanPattern is a span of a day, and what follows the last of a list: its zone.
var spanPattern = regexp.MustCompile(`^(\d{1,2}):(\d\d) *- *(\d{1,2}):(\d\d)(?:[ \t]+(.*))?$`)

// readHours reads spans of a day and the zone of their clock, UTC where none is named:
// 08:00-12:00,13:00-20:00 Europe/Berlin. A span that ends before it begins goes on into
// the next day.
func (h *slaHours) readHours(text string) error {
	var spans []daySpan
	zone := time.UTC
	parts := listParts(text)
	for i, part := range parts {
		m := spanPattern.FindStringSubmatchIndex(part.text)
		if m == nil {
			return textFault{part.at, fmt.Errorf("invalid hours %q (want 08:00-20:00, or 22:00-06:00 over midnight, "+
				"several with commas between them, the zone at the end)", part.text)}
		}
		from, ok := clockSeconds(part.text[m[2]:m[3]], part.text[m[4]:m[5]])
		to, ok2 := clockSeconds(part.text[m[6]:m[7]], part.text[m[8]:m[9]])
		if !ok || !ok2 || from == daySeconds || from == to {
			return textFault{part.at, fmt.Errorf("invalid hours %q (want two different times from 00:00 to 24:00)", part.text)}
		}
		if to < from {
			to += daySeconds
		}
		spans = append(spans, daySpan{from, to})
		if m[10] < 0 {
			continue
		}
		if i < len(parts)-1 {
			fault := fmt.Errorf("%q follows a span of several: the zone stands after the last", part.text[m[10]:])
			return textFault{part.at + m[10], fault}
		}
		var err error
		if zone, err = readZone(part.text[m[10]:]); err != nil {
			return textFault{part.at + m[10], err}
		}
	}
	h.spans, h.zone = spans, zone
	return nil
}

// clockSeconds are the seconds of a day at a time of it; 24:00 is its end.
func clockSeconds(hour, minute string) (int, bool) {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	return h*3600 + m*60, m < 60 && h*60+m <= 24*60
}

var (
	zonePattern   = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*)*$`)
	offsetPattern = regexp.MustCompile(`^([+-])(\d\d):(\d\d)$`)
)

// readZone reads a zone of the IANA database or a fixed offset from UTC. Zones that depend on the
// machine, such as Local, are refused.
func readZone(text string) (*time.Location, error) {
	if m := offsetPattern.FindStringSubmatch(text); m != nil {
		if seconds, ok := clockSeconds(m[2], m[3]); ok && seconds <= 14*3600 {
			if m[1] == "-" {
				seconds = -seconds
			}
			return time.FixedZone(text, seconds), nil
		}
	}
	if zonePattern.MatchString(text) && text != "Local" && text != "Factory" {
		if zone, err := time.LoadLocation(text); err == nil {
			return zone, nil
		}
	}
	return nil, fmt.Errorf("unknown time zone %q: write a name of the IANA database, as Europe/Berlin, "+
		"or an offset from UTC of at most 14 hours, as +02:00", text)
}

// describe writes the text for sentences of the texts of a policy; the zone is always told.
func (h *slaHours) describe(days, hours string) {
	h.text = strings.Join(strings.Fields(days+" "+hours), " ")
	if h.text != "" && h.zone == time.UTC && !strings.HasSuffix(h.text, "UTC") {
		h.text += " UTC"
	}
}

// windows are the times in [from, to] in which the SLA holds, in order and with a gap between
// them: where the clock of its zone shows one of its hours on one of its days. An hour that
// the clock skips in spring is not there, and of one that it repeats in autumn both count.
// The last may end later than to, and a window of an instant at its begin is there.
func (h *slaHours) windows(from, to time.Time) []stretch {
	if h.text == "" {
		return []stretch{{from, to}}
	}
	var all []stretch
	for at := from; !at.After(to); {
		// Up to the next change of its clock the zone is a fixed offset.
		_, seconds := at.In(h.zone).Zone()
		_, end := at.In(h.zone).ZoneBounds()
		last := to
		if !end.IsZero() && end.Before(to) {
			last = end
		}
		offset := time.Duration(seconds) * time.Second
		day := at.UTC().Add(offset).Truncate(daySeconds*time.Second).AddDate(0, 0, -1)
		for ; !day.After(last.Add(offset)); day = day.AddDate(0, 0, 1) {
			if !h.days[(int(day.Weekday())+6)%7] {
				continue
			}
			for _, s := range h.spans {
				w := stretch{day.Add(time.Duration(s.from)*time.Second - offset), day.Add(time.Duration(s.to)*time.Second - offset)}
				if w.from.Before(at) {
					w.from = at
				}
				if !end.IsZero() && w.to.After(end) {
					w.to = end
				}
				if w.to.After(w.from) && !w.from.After(to) {
					all = append(all, w)
				}
			}
		}
		if end.IsZero() {
			break
		}
		at = end
	}
	return merged(all)
}

// merged are stretches in order, those that touch or overlap as one.
func merged(all []stretch) []stretch {
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) })
	apart := all[:0]
	for _, s := range all {
		if n := len(apart); n > 0 && !s.from.After(apart[n-1].to) {
			if s.to.After(apart[n-1].to) {
				apart[n-1].to = s.to
			}
			continue
		}
		apart = append(apart, s)
	}
	return apart
}

// rows are the windows of a span for the table sla_bounds; nil for always.
func (h *slaHours) rows(of stretch) any {
	if h.text == "" {
		return nil
	}
	list := []map[string]any{}
	for _, w := range h.windows(of.from, of.to) {
		list = append(list, map[string]any{"from_time": w.from, "to_time": w.to})
	}
	return list
}
