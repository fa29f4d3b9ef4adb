package env

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A ShareHistory keeps between which values a share of the replay has moved, for as long as
// settings take to be in force: the scheduler may have gone by any of them (two-sided
// evaluation, core/spec/invariants.md §1). Two stretches of time hold it, so that what was in
// force up to three times as long ago may still count.
type ShareHistory struct {
	Value           resource.Share
	moved           core.Time // when it became that
	since           core.Time // when the present stretch began
	present, before shareRange
}

// A shareRange is the least and the most of each resource.
type shareRange struct{ Least, Most resource.Share }

func only(x resource.Share) shareRange { return shareRange{x, x} }

func (r shareRange) with(s shareRange) shareRange {
	return shareRange{r.Least.Min(s.Least), r.Most.Max(s.Most)}
}

// Note takes over the value from an instant on.
func (l *ShareHistory) Note(now core.Time, slack int64, x resource.Share) {
	if x == l.Value {
		return
	}
	if int64(now-l.since) > slack {
		l.before, l.present, l.since = l.Between(now, slack), only(x), now
	}
	l.present = l.present.with(only(x))
	l.Value, l.moved = x, now
}

// Farthest returns of what has been in force since a slack before an instant what differs
// most from what is now, of each resource.
func (l *ShareHistory) Farthest(at core.Time, slack int64, now resource.Share) (far resource.Share) {
	since := l.Between(at, slack)
	for k := range far {
		if far[k] = since.Least[k]; since.Most[k]-now[k] > now[k]-since.Least[k] {
			far[k] = since.Most[k]
		}
	}
	return far
}

// Between returns the range of what has been in force since a slack before an instant.
func (l *ShareHistory) Between(now core.Time, slack int64) shareRange {
	switch {
	case int64(now-l.moved) > slack:
		return only(l.Value)
	case int64(now-l.since) > slack:
		return l.present
	}
	return l.present.with(l.before)
}
