package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spec"
	"poolproof/core/spelling"
	"poolproof/ingest"
	"poolproof/ingest/input"
	"poolproof/ingest/poolconf/validate"
	"poolproof/ingest/shrink"
	"poolproof/ingest/trace"
	"poolproof/queries"
	"poolproof/replay/env"
)

// A witness tells whether a trace shows a finding.
type witness struct {
	finding  *audit.Finding
	window   core.Span // of the verdict that has it
	replay   replayRequest
	policy   *audit.Policy
	file     string           // of the policy
	records  []string         // audits that compare what the scheduler recorded of itself with the replay
	accused  map[string]bool  // subjects that the whole trace accuses; unknown in a copy under other names
	problems map[string]int64 // rows of the whole trace that cannot be used, by code
	spots    map[string]bool  // what is illegal in its configuration
	renamed  bool             // the finding is that of a copy under other names
}

func (w *witness) String() string {
	f := w.finding
	return fmt.Sprintf("finding %s: %s (%s), %s %s", f.ID, f.Audit, f.Invariant, f.SubjectKind, spelling.OneName(f.Subject))
}

// witness finds the finding, in the run of the trace that was named or in a new one.
func (q *shrinkRequest) witness(ctx context.Context, path, text string, limits memoryLimits, p *progress) (*witness, error) {
	policy, audits, err := readPolicyFile(q.policy)
	if err != nil {
		return nil, err
	}
	w := &witness{policy: policy, file: q.policy, accused: map[string]bool{}, spots: map[string]bool{}}
	w.replay = replayRequest{resolution: env.DefaultResolution, slacks: policy.ReplaySlacks(), limits: limits}
	w.replay.workers, w.replay.profile = q.workers, q.profile
	verdict, manifest, err := q.judged(ctx, path, w, p)
	if err != nil {
		return nil, err
	}
	w.replay.workers, w.replay.profile = 1, manifest.Profile
	w.problems = manifest.Problems
	if w.window, err = judgedWindow(verdict); err != nil {
		return nil, err
	}
	if w.finding, err = namedFinding(verdict, text); err != nil {
		return nil, err
	}
	for _, a := range audits {
		if slices.ContainsFunc(a.Reads, isOfRecords) {
			w.records = append(w.records, a.ID)
		}
	}
	for i := range verdict.Findings {
		w.accused[accusation(&verdict.Findings[i])] = true
	}
	w.spots, err = w.illegal(ctx, path)
	return w, err
}

// namedFinding returns the finding that a text names.
func namedFinding(v *audit.Verdict, text string) (*audit.Finding, error) {
	finding, err := findFinding(v, text)
	if err != nil || finding != nil {
		return finding, err
	}
	if finding = findGroup(v, text, nil); finding != nil && text != "" {
		return finding, nil
	}
	if hint := ruleHint(v, text); hint != "" {
		return nil, usagef("no finding is called %q; %s", text, hint)
	}
	if near, _ := report.NearIDs(v, text, nearIDs); len(near) > 0 {
		return nil, usagef("no finding is called %q; ids most like it:\n%s", text, lines(near))
	}
	return nil, usagef("no finding is called %q; the trace has %s", text, counted(len(v.Findings), "finding"))
}

var tablesOfRecords = []string{"snapshot_checks", "snapshot_tallies", "total_episodes"}

// isOfRecords reports whether a table compares what the scheduler recorded of itself, which
// stays that of the whole cluster when elements go, with the replay.
func isOfRecords(table string) bool {
	return slices.Contains(tablesOfRecords, table)
}

// accusation returns the rule and the subject of a finding, empty if it does not accuse the
// scheduler.
func accusation(f *audit.Finding) string {
	if !f.Alleges() {
		return ""
	}
	return strings.Join([]string{f.Audit, f.Invariant, f.Tree, f.SubjectKind, f.Subject}, "\x00")
}

// shows returns the finding as the trace in a directory shows it; nil if it does not, or if
// the trace is not to be taken.
func (w *witness) shows(ctx context.Context, dir string) (*shrink.Sighting, error) {
	run, err := os.MkdirTemp(filepath.Dir(dir), "run-")
	if err != nil {
		return nil, fmt.Errorf("make room for a run: %w", err)
	}
	defer os.RemoveAll(run)
	manifest, err := replayInto(ctx, run, dir, &w.replay, &progress{quiet: true})
	if err != nil {
		if input.IsBad(err) && ctx.Err() == nil {
			return nil, nil // too little is left
		}
		return nil, err
	}
	for code, n := range manifest.Problems {
		if n > w.problems[code] {
			return nil, nil
		}
	}
	v, err := w.judge(ctx, run, w.finding.Audit)
	if err != nil || w.seen(v) == nil || len(w.news(v)) > 0 {
		return nil, err
	}
	if fits, err := w.fitsRecords(ctx, dir, run); err != nil || !fits {
		return nil, err
	}
	spots, err := w.illegal(ctx, dir)
	for key := range spots {
		if !w.spots[key] && !w.renamed {
			return nil, err
		}
	}
	f := w.seen(v)
	return &shrink.Sighting{ID: f.ID, Reason: f.Reason, From: micros(f.From), To: micros(f.To)}, err
}

// judge asks some audits of a run for findings; all if none is named.
func (w *witness) judge(ctx context.Context, run string, ids ...string) (*audit.Verdict, error) {
	if len(ids) == 0 {
		ids = []string{"*"}
	}
	return audit.Run(ctx, audit.Options{Dir: run, Queries: queries.Files, Workers: 1, Policy: w.policy,
		Memory: w.replay.limits.database, Only: ids, FindingsAlone: true, Fresh: true})
}

// fitsRecords reports whether the scheduler's records that are left in a trace, of which this is
// the run, accuse only subjects that they accuse in the whole trace.
func (w *witness) fitsRecords(ctx context.Context, dir, run string) (bool, error) {
	m, err := trace.ReadManifest(dir)
	if err != nil {
		return false, err
	}
	if !slices.ContainsFunc(m.Trees, func(tree string) bool {
		return m.Tables[trace.TableKey(trace.TreeDir(tree), trace.SnapTrees.Name)].Rows > 0
	}) {
		return true, nil
	}
	v, err := w.judge(ctx, run, w.records...)
	return err == nil && len(w.news(v)) == 0, err
}

// seen is the finding that has to stay: that of the same audit, rule and verdict for the same
// subject in the same tree. Nil if it is not there.
func (w *witness) seen(v *audit.Verdict) *audit.Finding {
	is := w.finding
	for i := range v.Findings { // the worst first
		f := &v.Findings[i]
		if f.Audit == is.Audit && f.Invariant == is.Invariant && f.Verdict == is.Verdict &&
			f.Tree == is.Tree && f.SubjectKind == is.SubjectKind && f.Subject == is.Subject {
			return f
		}
	}
	return nil
}

// news are the findings that accuse whom the whole trace does not accuse.
func (w *witness) news(v *audit.Verdict) []audit.Finding {
	return slices.DeleteFunc(slices.Clone(v.Findings), func(f audit.Finding) bool {
		key := accusation(&f)
		return key == "" || w.accused[key] || w.renamed
	})
}

// rename copies the trace in a directory under other names, and goes on with the finding as the
// copy calls it.
func (w *witness) rename(ctx context.Context, dir, to string) (*shrink.Sighting, error) {
	result, err := anonymizeInto(ctx, dir, to, nil, trace.Options{Passing: true})
	if err != nil {
		return nil, err
	}
	f := *w.finding
	f.Tree = result.Name(f.Tree)
	if f.Subject, err = result.Subject(f.SubjectKind, f.Subject); err != nil {
		return nil, err
	}
	w.finding, w.renamed = &f, true
	seen, err := w.shows(ctx, to)
	if err == nil && seen == nil {
		err = usagef("the finding does not show where names are replaced: shrink without --anonymize, and report that, too")
	}
	return seen, err
}

func micros(t *time.Time) core.Time {
	if t == nil {
		return 0
	}
	return core.Time(t.UnixMicro())
}

// illegal returns the illegal options in the configuration of a trace.
func (w *witness) illegal(ctx context.Context, dir string) (map[string]bool, error) {
	t, err := ingest.OpenWithin(dir, w.replay.limits.trace)
	if err != nil {
		return nil, err
	}
	profile, err := pooltree.ParseProfile(w.replay.profile)
	if err != nil {
		return nil, err
	}
	found, err := judgeTrace(ctx, t, dir, t.Trees(), t.Window().To, profile)
	if err != nil {
		return nil, err
	}
	spots := map[string]bool{}
	for _, s := range found.List {
		if s.Severity != spec.Info {
			spots[spotKey(s)] = true
		}
	}
	return spots, nil
}

func spotKey(s validate.Spot) string {
	return strings.Join([]string{string(s.Rule), s.Tree, s.Pool, s.Option}, "\x00")
}
