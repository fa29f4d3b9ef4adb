package joblogtest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"poolproof/core"
	"poolproof/ingest/joblog"
	"poolproof/ingest/trace"
)

// Dump writes a trace and the summary of its import for people: times are
// seconds from the window's start, a fact that is the usual one is left out.
func Dump(tr *Trace, s *joblog.Summary) string {
	d := &dump{trace: tr, from: tr.Manifest.Window.From}
	d.line("window %s +%s", time.UnixMicro(int64(d.from)).UTC().Format(time.RFC3339), d.since(tr.Manifest.Window.To))
	for _, r := range tr.Manifest.Resources {
		if r.Name == "cpu" || r.Name == "memory" || r.Total != 0 {
			d.line("%s %d %s, capacity %s, usage %s", r.Name, r.Total, r.Unit, r.Capacity, r.Usage)
		}
	}
	for i := range tr.Trees {
		d.tree(&tr.Trees[i])
	}
	for _, p := range tr.Problems {
		d.line("problem row %d %s %s %q", p.Row, p.Column.Or("-"), p.Code, p.Value.Or(""))
	}
	d.line("rows %d, quarantined %d", s.Rows, s.QuarantinedRows())
	for _, n := range s.Notes {
		d.line("note %s", n)
	}
	return d.out.String()
}

type dump struct {
	out   strings.Builder
	trace *Trace
	from  core.Time
}

func (d *dump) line(format string, args ...any) { fmt.Fprintf(&d.out, format+"\n", args...) }

func (d *dump) since(t core.Time) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.6f", float64(t-d.from)/float64(core.Second)), "0"), ".")
}

func (d *dump) tree(t *Tree) {
	d.line("tree %s %s", t.Name, t.TreeConfigs[0].Source)
	for _, p := range t.PoolConfigs {
		d.pool(&p)
	}
	for _, n := range t.NodeStates {
		if !n.Online {
			d.line("  node %s offline at %s", d.trace.Nodes[n.Node].Address, d.since(n.Time))
			continue
		}
		d.line("  node %s%s %s", d.trace.Nodes[n.Node].Address, tags(n.Tags), amounts(n.Limit))
	}
	for _, o := range d.trace.Operations {
		d.operation(t, &o)
	}
	for _, h := range t.Heartbeats {
		d.line("  heartbeat %s %s uses %s of %d jobs; +%d -%d, then %s", d.since(h.Time), d.trace.Nodes[h.Node].Address,
			amounts(h.Usage), h.Running, h.Started, h.Finished, amounts(h.After.Value))
	}
}

func (d *dump) pool(p *trace.PoolConfig) {
	name := d.trace.Pools[p.Pool].Name
	if p.Parent.Set {
		name += " in " + d.trace.Pools[p.Parent.Value].Name
	}
	if p.Time != d.from {
		name += " at " + d.since(p.Time)
	}
	for _, fact := range []struct {
		is   bool
		text string
	}{
		{p.Ephemeral, "ephemeral"}, {p.CreateEphemeralSubpools.Or(false), "of users"},
		{p.Mode != "fair_share", p.Mode},
		{p.Weight.Set, fmt.Sprintf("weight=%v", p.Weight.Value)},
		{p.Strong.CPUMilli.Set, fmt.Sprintf("strong cpu=%d", p.Strong.CPUMilli.Value)},
		{p.Strong.GPU.Set, fmt.Sprintf("strong gpu=%d", p.Strong.GPU.Value)},
		{p.MaxOperationCount.Set, fmt.Sprintf("operations<=%d", p.MaxOperationCount.Value)},
		{p.MaxRunningOperationCount.Set, fmt.Sprintf("running<=%d", p.MaxRunningOperationCount.Value)},
	} {
		if fact.is {
			name += ", " + fact.text
		}
	}
	d.line("  pool %s", name)
}

func (d *dump) operation(t *Tree, o *trace.Operation) {
	var steps []string
	for _, e := range t.OpEvents {
		if e.Op == o.Op {
			step := e.Event + " " + d.since(e.Time)
			if e.Pool.Set {
				step += " in " + d.trace.Pools[e.Pool.Value].Name
			}
			if e.SchedulingTagFilter.Set {
				step += " on " + e.SchedulingTagFilter.Value
			}
			steps = append(steps, step)
		}
	}
	if steps == nil {
		return
	}
	d.line("  operation %s of %q: %s; final %q %s", o.ID, o.User, strings.Join(steps, ", "), o.FinalState.Or(""), o.AnnotationsJSON.Value)
	for _, r := range t.Demands {
		if r.Op == o.Op {
			d.line("    demand %s %s", d.since(r.Time), amounts(r.Needed))
		}
	}
	for _, j := range t.Jobs {
		if j.Op == o.Op {
			end := "?"
			if j.FinishTime.Set {
				end = d.since(j.FinishTime.Value)
			}
			reason := j.AbortReason.Value + j.InterruptionReason.Value
			d.line("    job %s %s..%s %s", j.ID, d.since(j.Time), end,
				strings.Join(slices.DeleteFunc([]string{j.EndKind, reason, amounts(j.Limits)}, isEmpty), " "))
		}
	}
}

func isEmpty(s string) bool { return s == "" }

func tags(t string) string {
	if t == "" {
		return ""
	}
	return " [" + t + "]"
}

func amounts(r trace.Resources) string {
	s := fmt.Sprintf("%d×%dm", r.UserSlots, r.CPUMilli)
	if r.GPU != 0 {
		s += fmt.Sprintf(" gpu=%d", r.GPU)
	}
	if r.Memory != 0 {
		s += fmt.Sprintf(" mem=%d", r.Memory)
	}
	return s
}
