package replay_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/core/fairshare"
	"poolproof/core/scheduling"
	"poolproof/replay"
	"poolproof/replay/env"
)

// TestTrueRecordsBreakNothing lets a core record itself at every update while it
// follows the stories: what it records must be what the replay finds, and break
// no rule.
func TestTrueRecordsBreakNothing(t *testing.T) {
	judged := 0
	for _, file := range []string{"starvation", "guarantees", "fifo", "limits", "pools"} {
		b, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, story := range regexp.MustCompile(`(?s)\nreplay[^\n]*\n(.*?)\n----`).FindAllStringSubmatch("\n"+string(b), -1) {
			for _, profile := range []core.Profile{core.Documented, core.Baseline} {
				s, err := coretest.Parse(story[1])
				if err != nil {
					t.Fatal(err)
				}
				if last := s.Events[len(s.Events)-1].Time; last > 120*core.Second {
					continue
				}
				dir := t.TempDir()
				opts := replay.Options{Log: env.Log{Profile: profile, Window: core.Span{To: 300 * core.Second}}}
				events := recordItself(s, profile)
				if _, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: events.Sequence()}}, opts); err != nil {
					t.Fatal(err)
				}
				for table, columns := range map[string]string{
					"snapshot_errors": "element_kind pool operation field from_time to_time recorded recomputed recorded_text recomputed_text",
					"snapshot_checks": "verdict element_kind pool operation from_time to_time sentence",
				} {
					if got := show(t, dir, table, strings.Fields(columns)); got != "" {
						t.Errorf("%s, %s, in\n%s\n%s:\n%s", file, profile, story[1], table, got)
					}
				}
				for row := range strings.Lines(show(t, dir, "share_agreements", []string{"inputs", "decade", "element_kind", "worst_error"})) {
					if !strings.Contains(row, " -15 ") && !strings.HasPrefix(row, "records ") { // jobs outlive operations
						t.Errorf("%s, %s, in\n%s\nshare_agreements: %s", file, profile, story[1], row)
					}
				}
				judged += strings.Count(show(t, dir, "snapshot_tallies", []string{"invariant", "ok_count"}), "\n")
			}
		}
	}
	if judged == 0 {
		t.Error("nothing was judged")
	}
}

// recordItself adds to a scenario what a scheduler that follows it records at every
// update.
func recordItself(s *coretest.Scenario, profile core.Profile) *coretest.Scenario {
	t := core.New(&s.Dimensions, profile)
	out := &coretest.Scenario{Dimensions: s.Dimensions}
	at := core.Time(0)
	next := func() core.Time {
		period := core.UpdatePeriod(t.Cluster())
		return (at/period + 1) * period
	}
	record := func() {
		at = next()
		out.Events = append(out.Events, recordsOf(t, at)...)
	}
	for i := range s.Events {
		e := &s.Events[i]
		for next() <= e.Time {
			record()
		}
		t.Step(e)
		out.Events = append(out.Events, *e)
	}
	for next() < 120*core.Second {
		record()
	}
	for i := range out.Events {
		out.Events[i].Seq = int64(i)
	}
	return out
}

func recordsOf(t *core.Tree, at core.Time) []core.Event {
	if t.Update(at) != nil {
		return nil
	}
	total := t.ShareTotal()
	blank := core.Event{Time: at, Pool: core.Unknown, Operation: core.Unknown, Node: core.Unknown, Job: core.Unknown, Preemptor: core.Unknown, PendingJobs: -1}
	first := blank
	first.Kind, first.TreeRecord = core.TreeRecorded, &core.TreeRecord{Total: total}
	events := []core.Event{first}
	state := func(e fairshare.Element) core.RecordedState {
		x := t.Shares(e)
		return core.RecordedState{
			FairShare: x.FairShare.Total, StrongShare: x.StrongShare, Limits: core.Some(x.Limits),
			LocalSatisfaction: core.Some(x.LocalSatisfaction), Status: t.Scheduling().Starvation(e).Status().String(),
		}
	}
	for slot := range t.Pools() {
		p := t.Pool(int32(slot))
		if p.Removed.Set {
			continue
		}
		r := &core.PoolRecord{Pool: p.ID, Parent: core.Unknown, RecordedState: state(p.Element)}
		if slot == 0 {
			r.Limits = core.Some(total)
		} else {
			r.Parent = t.Pool(p.Parent).ID
		}
		r.Usage, r.Demand = p.Usage, p.Demand
		r.UsageShare, r.DemandShare = p.Usage.ShareOf(total), p.Demand.ShareOf(total)
		r.Running, r.Operations, r.Lightweight = core.Some(p.Running), core.Some(p.Operations), core.Some(p.Lightweight)
		if i := t.Shares(p.Element).Integral; i != nil && p.Config.Integral.Type != core.NoIntegral {
			r.RatioVolume = core.Some(i.RatioVolume(total))
		}
		e := blank
		e.Kind, e.PoolRecord = core.PoolRecorded, r
		events = append(events, e)
	}
	for slot := range t.Operations() {
		o := t.Operation(int32(slot))
		if !o.Alive || !o.Enabled() {
			continue
		}
		r := &core.OperationRecord{Operation: o.ID, Pool: t.Pool(o.Pool).ID, RecordedState: state(o.Element)}
		r.Usage, r.Demand = o.Usage, o.Demand()
		r.UsageShare, r.DemandShare = o.Usage.ShareOf(total), o.Demand().ShareOf(total)
		aggressive, preemptible := t.Scheduling().Lists(o.Element)
		r.AggressivePreempt, r.Preemptible = core.Some(int64(aggressive)), core.Some(int64(preemptible))
		if why := t.Scheduling().Unschedulable(o.Element); why != scheduling.NoObstacle {
			r.Unschedulable = why.String()
		}
		if i := t.Shares(o.Element).FIFOIndex; i >= 0 && t.Pool(o.Pool).Config.Mode.Value == core.FIFO {
			r.FIFOIndex = core.Some(i)
		}
		e := blank
		e.Kind, e.OperationRecord = core.OperationRecorded, r
		events = append(events, e)
	}
	return events
}
