package replay

import (
	"poolproof/core"
	"poolproof/core/resource"
)

// lately keeps between which values a share of the replay has moved, for as long as
// settings take to be in force: the scheduler may have gone by any of them (two-sided
// evaluation, core/spec/invariants.md §1). Two stretches of time hold it, so that what was in
// force up to three times as long ago may still count.
type lately struct {
	value           resource.Share
	moved           core.Time // when it became that
	since           core.Time // when the present stretch began
	present, before shareRange
}

// A shareRange is the least and the most of each resource.
type shareRange struct{ least, most resource.Share }

func only(x resource.Share) shareRange { return shareRange{x, x} }

func (r shareRange) with(s shareRange) shareRange {
	return shareRange{r.least.Min(s.least), r.most.Max(s.most)}
}

// note takes over the value from an instant on.
func (l *lately) note(now core.Time, slack int64, x resource.Share) {
	if x == l.value {
		return
	}
	if int64(now-l.since) > slack {
		l.before, l.present, l.since = l.between(now, slack), only(x), now
	}
	l.present = l.present.with(only(x))
	l.value, l.moved = x, now
}

// farthest returns of what has been in force since a slack before an instant what differs
// most from what is now, of each resource.
func (l *lately) farthest(at core.Time, slack int64, now resource.Share) (far resource.Share) {
	since := l.between(at, slack)
	for k := range far {
		if far[k] = since.least[k]; since.most[k]-now[k] > now[k]-since.least[k] {
			far[k] = since.most[k]
		}
	}
	return far
}

// between returns the range of what has been in force since a slack before an instant.
func (l *lately) between(now core.Time, slack int64) shareRange {
	switch {
	case int64(now-l.moved) > slack:
		return only(l.value)
	case int64(now-l.since) > slack:
		return l.present
	}
	return l.present.with(l.before)
}
