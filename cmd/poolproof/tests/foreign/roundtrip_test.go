package foreign

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/ingest/synthetic"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// A round trip writes a trace as the event log that a cluster of an age would have
// written of the same history, imports that log and judges it. The findings are those of
// the trace itself wherever the log carries the detail; where it does not, they are
// suspect, undecidable or absent, and never others.

// What became of a finding of the trace in the judgement of its log.
const (
	asBefore    = "same"
	suspected   = "suspect"
	excusedNow  = "excused"
	undecidable = "undecidable"
	absent      = "absent"    // the audit judged the tree and found nothing there
	accused     = "different" // not of the trace: the log alone is found to violate a rule
)

// A passage is what became of one finding.
type passage struct {
	age     string
	finding audit.Finding
	became  string
	why     string // of one that cannot be decided
}

// A native is a trace that was made, and what is found in it.
type native struct {
	trace   string
	planted []synthetic.Planted
	verdict *audit.Verdict
}

// nativeOf makes a trace below dir and judges it.
func nativeOf(t *testing.T, dir string, o synthetic.Options) *native {
	t.Helper()
	n := &native{trace: filepath.Join(dir, "trace")}
	o.Out = n.trace
	summary, err := synthetic.Generate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	n.planted = summary.Planted
	n.verdict = commandtest.VerdictOn(t, n.trace, filepath.Join(dir, "run"), 1)
	return n
}

// through writes a trace as an event log, imports that and judges it, and says what
// became of each finding.
func (n *native) through(t *testing.T, how eventlogtest.Options) []passage {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir) // many of them are more than a small disk has
	written := eventlogtest.Write(t, n.trace, filepath.Join(dir, "log"), how)
	manifest, err := trace.ReadManifest(n.trace)
	if err != nil {
		t.Fatal(err)
	}
	imported := filepath.Join(dir, "trace")
	exports := []ytsaurus.Export{{Path: written.PoolTrees}}
	for _, later := range written.LaterPoolTrees {
		exports = append(exports, ytsaurus.Export{Path: later.Path, At: later.At})
	}
	summary, err := ytsaurus.Import(t.Context(), ytsaurus.Options{
		Sources: written.Logs, Exports: exports, Out: imported, Profile: cmp.Or(manifest.Profile, "documented"),
		From: manifest.Window.From, To: manifest.Window.To,
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := summary.QuarantinedRows(); n > 0 {
		t.Errorf("%s: %d rows are quarantined: %v", how.Age, n, summary.Quarantined)
	}
	v := commandtest.VerdictOn(t, imported, filepath.Join(dir, "run"), 1)
	c := comparison{age: string(how.Age), of: n.verdict, now: v, names: map[string]map[string]string{
		"operation": written.Operations, "job": written.Jobs, "node": written.Nodes,
	}, tolerance: tripTolerance}
	return c.passages()
}

// tripTolerance is how far a finding may lie from where it was. A log does not tell when
// room came to be free, and when a state began, more exactly than to its next heartbeat or
// record (ingest/trace/FORMAT.md §4.3).
const tripTolerance = 10 * time.Second

// A comparison puts what was found in a log beside what was found in the trace.
type comparison struct {
	age       string
	of, now   *audit.Verdict
	names     map[string]map[string]string // that the log has, by kind of subject and name
	tolerance time.Duration
}

func (c *comparison) passages() (all []passage) {
	for i := range c.of.Findings {
		f := &c.of.Findings[i]
		if f.Verdict != audit.Violated {
			continue
		}
		p := passage{age: c.age, finding: *f}
		p.became, p.why = c.became(f)
		all = append(all, p)
	}
	for i := range c.now.Findings {
		f := &c.now.Findings[i]
		if f.Verdict == audit.Violated && !c.has(f) {
			all = append(all, passage{age: c.age, finding: *f, became: accused})
		}
	}
	return all
}

// became says what the log shows of a finding of the trace.
func (c *comparison) became(f *audit.Finding) (became, why string) {
	var best *audit.Finding
	for i := range c.now.Findings {
		g := &c.now.Findings[i]
		if c.matches(f, g) && (best == nil || g.Verdict.Rank() < best.Verdict.Rank()) {
			best = g
		}
	}
	if best != nil {
		return map[audit.Judgement]string{
			audit.Violated: asBefore, audit.Suspect: suspected, audit.Excused: excusedNow, audit.Undecidable: undecidable,
		}[best.Verdict], best.Reason
	}
	for i := range c.now.Outcomes {
		if o := &c.now.Outcomes[i]; o.Audit.ID == f.Audit && o.Tree == f.Tree && o.Verdict == audit.Undecidable {
			return undecidable, o.Reason
		}
	}
	return absent, ""
}

// has reports whether the trace violates what its log is found to.
func (c *comparison) has(g *audit.Finding) bool {
	return slices.ContainsFunc(c.of.Findings, func(f audit.Finding) bool { return f.Verdict == audit.Violated && c.matches(&f, g) })
}

// matches reports whether a finding of the log is about what one of the trace is about:
// the same rule and subject at about the same time.
func (c *comparison) matches(f, g *audit.Finding) bool {
	return f.Invariant == g.Invariant && f.Audit == g.Audit && f.Tree == g.Tree && f.SubjectKind == g.SubjectKind &&
		cmp.Or(c.names[f.SubjectKind][f.Subject], f.Subject) == g.Subject && c.meet(f, g)
}

// meet reports whether the spans of two findings meet.
func (c *comparison) meet(f, g *audit.Finding) bool {
	before := func(to, from *time.Time) bool { return to != nil && from != nil && to.Add(c.tolerance).Before(*from) }
	return !before(f.To, g.From) && !before(g.To, f.From)
}

func (p *passage) String() string {
	f := &p.finding
	return fmt.Sprintf("%s %s %s of %s: %s of %s %s in tree %s from %s to %s: %s [%s]", p.became, p.age, f.Invariant, f.Audit, f.Severity, f.SubjectKind, f.Subject, f.Tree, textOf(f.From), textOf(f.To), f.Reason, p.why)
}

func textOf(at *time.Time) string {
	if at == nil {
		return "?"
	}
	return at.UTC().Format("15:04:05.000")
}
