package ytsaurus

import (
	"slices"

	"poolproof/core"
	"poolproof/ingest/extsort"
)

// Victims hands out when the jobs ended that were preempted for others, in the order
// of those.
type victims struct {
	scan  *extsort.Scan
	job   guid
	ended core.Time
	open  bool
}

// keepVictim keeps that a job ended for another.
func (l *loader) keepVictim(j *jobRow) {
	e := &l.rec
	e.begin(victimRecords, noTree)
	e.guid(j.forJob)
	e.time(j.finish.Value)
	l.keep()
}

// victimOf returns when the first job that made room for this one ended, and false if
// none did. Jobs are asked for in their order.
func (p *pairing) victimOf(job guid) (ended core.Time, any bool) {
	v := &p.victims
	for {
		if !v.open {
			if !v.scan.Next() {
				return ended, any
			}
			d := decode(v.scan.Record())
			v.job, v.ended, v.open = d.guid(), d.time(), true
		}
		switch c := slices.Compare(v.job[:], job[:]); {
		case c > 0:
			return ended, any
		case c == 0 && !any:
			ended, any = v.ended, true
		}
		v.open = false
	}
}
