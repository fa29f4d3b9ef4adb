package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
)

// A flow follows, record by record, what a relaxed pool is given while it demands
// more than that, to judge it over whole saturation periods (GUA-10). What was
// recorded holds until the next record.
type flow struct {
	marks []flowMark // beginnings of periods in the unbroken time of unmet demand; empty if there is none
	now   flowMark
	rate  flowRate // since the last record
}

// A flowMark is a moment of that time: the sums up to it, in seconds of the whole
// tree, and the volume then.
type flowMark struct {
	at                            core.Time
	granted, most, flowed, spared float64
	rounded, mayRound             float64
	volume                        float64
	torn                          int // times that records lay too far apart
	shaken                        int // times that what they are held against was uncertain
}

// A flowRate is what a pool is given beyond its strong share and what flows to
// it, as shares, and whether the rules give it no more.
type flowRate struct {
	granted, flow     float64
	rounded, mayRound float64 // of the flow, what rounding at each update may leave out
	spared            bool
	shaken            bool // what they are held against is uncertain
}

const (
	// flowMarks is how many beginnings of a period are looked at.
	flowMarks = 64
	// tornAfter is the distance of records beyond which more may have been granted
	// between them than they show.
	tornAfter = 5 * core.Second
)

// follow takes a record of unmet demand. It reports the last period, if one is
// over.
func (f *flow) follow(at core.Time, volume float64, rate flowRate, period core.Time) (r judge.FlowRecord, over bool) {
	if len(f.marks) == 0 {
		f.now = flowMark{at: at, volume: volume}
	} else {
		f.pass(at, volume, rate.granted)
	}
	f.rate = rate
	if n := len(f.marks); n == 0 || at-f.marks[n-1].at >= period/flowMarks {
		f.marks = append(f.marks, f.now)
	}
	for len(f.marks) > 1 && at-f.marks[1].at >= period {
		f.marks = f.marks[:copy(f.marks, f.marks[1:])]
	}
	first := &f.marks[0]
	return judge.FlowRecord{
		Granted: f.now.granted - first.granted, Most: f.now.most - first.most, Flowed: f.now.flowed - first.flowed,
		Growth: volume - first.volume, Spared: f.now.spared - first.spared,
		Rounded: f.now.rounded - first.rounded, MayRound: f.now.mayRound - first.mayRound,
		Sparse: f.now.torn > first.torn, Changed: f.now.shaken > first.shaken,
	}, at-first.at >= period
}

// pass sums up the time since the last record. What this one grants may have been granted
// since just after that, and be why the volume is less (as GUA-06 has it).
func (f *flow) pass(at core.Time, volume, granted float64) {
	seconds := float64(at-f.now.at) / 1e6
	if at-f.now.at > tornAfter {
		f.now.torn++
	}
	if f.rate.shaken {
		f.now.shaken++
	}
	f.now.granted += f.rate.granted * seconds
	f.now.most += max(f.rate.granted, granted) * seconds
	f.now.flowed += f.rate.flow * seconds
	f.now.rounded += min(f.rate.rounded, f.rate.flow) * seconds
	f.now.mayRound += min(f.rate.mayRound, f.rate.flow) * seconds
	if f.rate.spared {
		f.now.spared += f.rate.flow * seconds
	}
	f.now.at, f.now.volume = at, volume
}

// stop ends the time of unmet demand.
func (f *flow) stop() { f.marks = f.marks[:0] }
