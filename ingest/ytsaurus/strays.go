package ytsaurus

import (
	"maps"
	"slices"

	"poolproof/core"
)

const (
	hour = 3600 * core.Second
	// strayGap is the longest pause that a log has without being in parts, in hours.
	strayGap = 24
	// strayRows of a small log, and not more than one in a hundred, may be strays: one in
	// a thousand of it is less than a row.
	strayRows = 10
)

// An hourCount counts the rows of each hour. A log has at most the hours of the years
// in which a time is one.
type hourCount struct {
	rows   map[core.Time]int64 // by the beginning of the hour
	latest core.Time           // the hour of the last rows, which are not yet in the map
	since  int64
	total  int64
}

// add counts a row.
func (h *hourCount) add(at core.Time) {
	if begin := at - at%hour; begin != h.latest {
		h.flush()
		h.latest = begin
	}
	h.since++
}

func (h *hourCount) flush() {
	if h.since == 0 {
		return
	}
	if h.rows == nil {
		h.rows = map[core.Time]int64{}
	}
	h.rows[h.latest] += h.since
	h.total += h.since
	h.since = 0
}

// bulk returns the span, in whole hours, that holds the log but for its strays: rows of
// a clock that was never set, or was set wrong. From the hour with the most rows it
// reaches on, in both directions, until a pause of more than a day beyond which there is
// next to nothing (isNext).
func (h *hourCount) bulk() core.Span {
	h.flush()
	if len(h.rows) == 0 {
		return core.Span{}
	}
	hours := slices.Sorted(maps.Keys(h.rows))
	densest := 0
	for i, at := range hours {
		if h.rows[at] > h.rows[hours[densest]] {
			densest = i
		}
	}
	span := core.Span{From: hours[0], To: hours[len(hours)-1] + hour}
	var beyond int64
	for i := 1; i <= densest; i++ {
		beyond += h.rows[hours[i-1]]
		if hours[i]-hours[i-1] > strayGap*hour && h.areStrays(beyond) {
			span.From = hours[i]
		}
	}
	beyond = 0
	for i := len(hours) - 2; i >= densest; i-- {
		beyond += h.rows[hours[i+1]]
		if hours[i+1]-hours[i] > strayGap*hour && h.areStrays(beyond) {
			span.To = hours[i] + hour
		}
	}
	return span
}

// areStrays reports whether so few rows beyond a pause are none of the log: less than one
// in a thousand, or of a small log some.
func (h *hourCount) areStrays(rows int64) bool {
	return rows*1000 < h.total || rows <= strayRows && rows*100 <= h.total
}

// within returns the span outside which rows are strays, and whether there are any.
// Bounds of the window that were asked for are within.
func (l *loader) within() (span core.Span, strays bool) {
	span = l.hours.bulk()
	if from := l.options.From; from != 0 {
		span.From = min(span.From, from)
	}
	span.To = max(span.To, l.options.To)
	return span, l.first < span.From || l.last >= span.To
}
