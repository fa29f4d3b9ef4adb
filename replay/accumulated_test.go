package replay_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/replay"
	"poolproof/replay/env"
)

// A vendorLedger accumulates the volumes of one operation as the vendor's scheduler does: fifty times a second, cpu
// rounded each time, published once a second, and reported and cleared once a minute. Values are in hundredths of a core
// and of a core·second.
type vendorLedger struct {
	local, published [3]float64 // fair volume, usage, deficit
	last             int        // tick of the last publication
}

const ticksPerSecond = 50

func (l *vendorLedger) add(tick int, fair, usage float64) {
	f, u := math.Round(fair/ticksPerSecond), math.Round(usage/ticksPerSecond)
	for i, v := range []float64{f, u, max(f-u, 0)} {
		l.local[i] += v
	}
	if tick-l.last >= ticksPerSecond {
		for i := range l.local {
			l.published[i] += l.local[i]
		}
		l.local, l.last = [3]float64{}, tick
	}
}

// accumulatedStory is a log of five minutes in which the fair share and the usage of an operation change at random, each about every
// so many seconds, or the share every minute if shareEvery is 0. Records say what held at the update of shares some moments before.
func accumulatedStory(seed uint64, shareEvery, usageEvery float64, recordEvery int, cores float64, fault func(report *[3]float64)) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("0 tree timeout=1000 aggressive_timeout=2000\n0 node n1 cpu=100\n0 pool prod\n1 start a pool=prod\n1 running a\n")
	value := func() float64 { return math.Floor(random.Float64() * cores * 100) }
	fair, usage, nextUsage, since, report := value(), value(), 0, 0.0, 60*ticksPerSecond
	var ledger vendorLedger
	record, recordAt := "", 0
	for tick := range 300 * ticksPerSecond {
		at := float64(tick) / ticksPerSecond
		if tick%ticksPerSecond == 0 && tick >= 2*ticksPerSecond { // an update of shares
			switch second := tick / ticksPerSecond; {
			case shareEvery == 0: // just before a report
				fair = float64((second+1)/60%2) * cores * 100
			case random.Float64()*shareEvery < 1:
				fair = value()
			}
			if tick/ticksPerSecond%recordEvery == 0 {
				record, recordAt = fmt.Sprintf("cpu=%g demand.cpu=%g fair.cpu=%g", usage/100, max(fair, usage)/100, fair/10_000), tick+1+random.IntN(20)
			}
		}
		if tick >= nextUsage {
			usage, nextUsage = value(), tick+1+int(random.ExpFloat64()*usageEvery*ticksPerSecond)
		}
		if tick >= 2*ticksPerSecond {
			ledger.add(tick, fair, usage)
		}
		if record != "" && tick == recordAt {
			fmt.Fprintf(&b, "%g snapshot s%d cpu=100\n%g sees a pool=prod %s\n", at, tick, at, record)
		}
		if tick == report {
			reported := ledger.published
			ledger.published, report = [3]float64{}, report+60*ticksPerSecond+random.IntN(20)
			fault(&reported)
			from := ""
			if since > 0 {
				from = fmt.Sprintf("since=%g ", since)
			}
			fmt.Fprintf(&b, "%g accumulates a pool=prod %sfair.cpu=%g used.cpu=%g deficit.cpu=%g\n", at, from, reported[0]/100, reported[1]/100, reported[2]/100)
			since = at
		}
	}
	return b.String()
}

// TestVolumesOfACorrectSchedulerAreNotAccused draws operations whose shares and usage hardly change, or several times between two records,
// of half the tree or of less than a core, which rounding takes away. None of them is even suspect. Where the scheduler is wrong,
// something is.
func TestVolumesOfACorrectSchedulerAreNotAccused(t *testing.T) {
	found := map[string]int{}
	judged := 0
	for seed := range uint64(6) {
		for _, every := range []struct {
			share, usage float64
			record       int
		}{{100, 100, 1}, {0, 100, 1}, {5, 10, 1}, {1, 3, 1}, {1, 0.2, 1}, {1, 3, 4}} {
			for _, cores := range []float64{50, 4, 0.4} {
				for name, fault := range map[string]func(*[3]float64){
					"":                       func(*[3]float64) {},
					"half of the fair share": func(v *[3]float64) { v[0], v[2] = v[0]/2, min(v[2], v[0]/2) },
					"no deficit at all":      func(v *[3]float64) { v[2] = max(v[0]-v[1], 0) },
					"surplus counts twice":   func(v *[3]float64) { v[2] = max(v[0]-2*v[1], 0) },
				} {
					if name != "" && seed > 1 { // two of each are enough
						continue
					}
					s, err := coretest.Parse(accumulatedStory(seed, every.share, every.usage, every.record, cores, fault))
					if err != nil {
						t.Fatal(err)
					}
					dir := t.TempDir()
					opts := replay.Options{Log: env.Log{Window: core.Span{To: 300 * core.Second}}}
					if _, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
						t.Fatal(err)
					}
					for row := range strings.Lines(show(t, dir, "snapshot_checks", []string{"invariant", "verdict", "from_time", "found_value", "allowed_value"})) {
						if !strings.HasPrefix(row, "ACC") {
							continue
						}
						if found[name+row[:len("ACC-01")]]++; name == "" {
							t.Errorf("seed %d, changes and records every %v s, %g cores: %s", seed, every, cores, row)
						}
					}
					for row := range strings.Lines(show(t, dir, "snapshot_tallies", []string{"invariant", "ok_count"})) {
						var n int
						if fmt.Sscanf(row, "ACC-03 %d", &n); name == "" && strings.HasPrefix(row, "ACC-03") {
							if judged += n; n != 3 {
								t.Errorf("seed %d, changes and records every %v s, %g cores: %d of 3 reports are compared", seed, every, cores, n)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d reports are compared; found %v", judged, found)
	if judged < 320 || found["half of the fair shareACC-02"] < 20 || found["no deficit at allACC-03"] < 2 || found["surplus counts twiceACC-01"] < 10 {
		t.Errorf("%d reports are compared; found %v", judged, found)
	}
}
