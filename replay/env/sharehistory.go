package env

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// A ShareHistory keeps the range of a share of the replay over the delay of settings: the scheduler
// may have used any value in it (two-sided evaluation, core/spec/invariants.md §1). It keeps two
// successive periods, so values up to three delays old may still be included.
type ShareHistory struct {
	Value           resource.Share
	moved           core.Time // when it became Value
	since           core.Time // when the current period began
	present, before shareRange
}

// A shareRange holds the least and the most of each resource.
type shareRange struct{ Least, Most resource.Share }

func only(x resource.Share) shareRange { return shareRange{x, x} }

func (r shareRange) with(s shareRange) shareRange {
	return shareRange{r.Least.Min(s.Least), r.Most.Max(s.Most)}
}

// SetShare sets the value from an instant on.
func (l *ShareHistory) SetShare(now core.Time, slack int64, x resource.Share) {
	if x == l.Value {
		return
	}
	if int64(now-l.since) > slack {
		l.before, l.present, l.since = l.Between(now, slack), only(x), now
	}
	l.present = l.present.with(only(x))
	l.Value, l.moved = x, now
}

// Farthest returns, per resource, the value since at minus slack that differs most from the current
// one.
func (l *ShareHistory) Farthest(at core.Time, slack int64, now resource.Share) (far resource.Share) {
	since := l.Between(at, slack)
	for k := range far {
		if far[k] = since.Least[k]; since.Most[k]-now[k] > now[k]-since.Least[k] {
			far[k] = since.Most[k]
		}
	}
	return far
}

// Between returns the range of values since now minus slack.
func (l *ShareHistory) Between(now core.Time, slack int64) shareRange {
	switch {
	case int64(now-l.moved) > slack:
		return only(l.Value)
	case int64(now-l.since) > slack:
		return l.present
	}
	return l.present.with(l.before)
}
