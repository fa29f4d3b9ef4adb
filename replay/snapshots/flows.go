package snapshots

import (
	"poolproof/core"
	"poolproof/core/judge"
)

// A flow accumulates, record by record, the integral share of a relaxed pool with unmet demand, to
// judge it over whole saturation periods (GUA-10). Recorded values hold until the next record.
type flow struct {
	marks []flowMark // starts of periods in the uninterrupted time of unmet demand
	now   flowMark
	rate  flowRate // since the last record
}

// A flowMark holds the sums up to a time, in seconds of the whole tree, and the volume at that
// time.
type flowMark struct {
	at                            core.Time
	granted, most, flowed, spared float64
	rounded, mayRound             float64
	volume                        float64
	torn                          int // number of intervals with records too far apart
	shaken                        int // number of intervals with uncertain expected values
}

// A flowRate holds the share of a pool beyond its strong share, its flow, as shares, and whether
// the rules give it no more.
type flowRate struct {
	granted, flow     float64
	rounded, mayRound float64 // part of the flow that rounding at each update may drop
	spared            bool
	shaken            bool // expected values are uncertain
}

const (
	// flowMarks bounds the number of starts of a period.
	flowMarks = 64
	// tornAfter is the distance of records beyond which more may have been granted
	// between them than they show.
	tornAfter = 5 * core.Second
)

// addRecord adds a record of unmet demand. It returns the last period, if one has ended.
func (f *flow) addRecord(at core.Time, volume float64, rate flowRate, period core.Time) (r judge.FlowRecord, over bool) {
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

// pass sums up the time since the last record. The grant of this record may apply since just after
// that, and may be the reason for a lower volume (as in GUA-06).
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
