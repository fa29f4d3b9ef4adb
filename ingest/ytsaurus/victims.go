package ytsaurus

import (
	"slices"

	"poolproof/core"
	"poolproof/ingest/extsort"
)

// A victim is a job that was preempted for another, as its row records it.
type victim struct {
	preemptor    guid // the job
	ended        core.Time
	job          guid
	forOperation guid
	address      string
}

var victimRows = layoutOf[victim]()

// Victims hands out the jobs that were preempted for others, in the order of those.
type victims struct {
	scan *extsort.Scan
	next victim
	open bool
	of   []victim // of the job that was asked for last
}

// keepVictim keeps that a job ended for another.
func (l *loader) keepVictim(j *jobRow) {
	l.rec.begin(victimRecords, noTree)
	victimRows.put(&l.rec, &victim{j.forJob, j.finish.Value, j.job, j.forOperation, j.address})
	l.keep()
}

// victimsOf returns the jobs that made room for this one, the first that ended first. Jobs are asked
// for in their order.
func (p *pairing) victimsOf(job guid) []victim {
	v := &p.victims
	v.of = v.of[:0]
	for {
		if !v.open {
			if !v.scan.Next() {
				return v.of
			}
			victimRows.decode(v.scan.Record(), &v.next, p.names)
			v.open = true
		}
		switch c := slices.Compare(v.next.preemptor[:], job[:]); {
		case c > 0:
			return v.of
		case c == 0:
			v.of = append(v.of, v.next)
		}
		v.open = false
	}
}

// followVictims learns from a job when those that made room for it were preempted: in the heartbeat that started it
// (core/spec/scheduling.md §9.3), if that was on their node and before they ended.
func (p *pairing) followVictims(out *placedJob, last *jobRow) {
	for _, v := range p.victimsOf(p.job) {
		if last != nil {
			p.agents.lag(v.ended - out.start)
		}
		known := preempted{job: p.job}
		if last != nil && v.address != "" && v.address == out.address && out.start <= v.ended {
			known.at = core.Some(out.start)
		}
		if known.contradicts = v.forOperation != (guid{}) && v.forOperation != out.operation; known.contradicts {
			p.problems.Note(wholeLog, -1, "preempted_for", preemptorDiffers, v.job.String()+": job "+p.job.String()+" of operation "+v.forOperation.String()+", and the job is of operation "+out.operation.String())
		}
		p.preempted[v.job] = known
	}
}

// Preempted is what the rows of the job that another one made room for say of its preemption.
type preempted struct {
	job         guid
	at          core.Optional[core.Time]
	contradicts bool // the job is not of the operation that the preemption names
}
