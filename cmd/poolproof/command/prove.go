package command

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/core/resource"
	"poolproof/core/spelling"
	"poolproof/ingest/whatif"
	"poolproof/replay"
	"poolproof/replay/env"
)

const (
	provedCauses  = 3    // the largest that are tried
	provedPart    = 0.05 // of a deficit, less is not tried
	deficitHalves = 0.5
)

// A proof tries the causes of what an element lacked, one at a time, as edits of the trace that
// its run was made from.
type proof struct {
	*experiment
	tracePath string
	dir       string // scratch
	tried     int
	believed  []report.Believed // of the control
	of        report.Subject    // whose deficit, and the span
	finding   *audit.Finding    // nil if it is about a deficit alone
	db        *sql.DB           // of the run
	level     string
	unit      string  // in which deficits are measured
	control   deficit // what the control lacks
}

// prove tells in a document which changes of one thing would have made a finding disappear, or
// halved a deficit.
func prove(ctx context.Context, environment *environment, tracePath string, of report.Subject, finding *audit.Finding,
	d *report.Document, limits memoryLimits) error {
	if of.Kind != "pool" && of.Kind != "operation" {
		return usagef("--prove tries the causes of what a pool or an operation lacked; this is about a %s", of.Kind)
	}
	q := replayRequest{resolution: env.DefaultResolution, limits: limits}
	q.trees, q.workers = []string{of.Tree}, runtime.GOMAXPROCS(0)
	m, err := replay.ReadManifest(of.RunPath)
	if err != nil {
		return err
	}
	if _, simulated := m.Inputs[editsInput]; simulated {
		return usagef("--prove %s: run %s was decided by what-if; give a run of the trace itself, by %s", tracePath, of.RunPath, spelling.Command("run", []string{tracePath}, "--out", "RUN"))
	}
	q.from, q.to = m.From, m.To
	x, err := newExperiment(ctx, tracePath, &q, audit.NewPolicy(), true)
	if err != nil {
		return err
	}
	if !maps.Equal(m.Inputs, x.inputs) {
		return usagef("--prove %s: run %s was made from another trace", tracePath, of.RunPath)
	}
	scratch, err := temporary()
	if err != nil {
		return err
	}
	defer func() { _ = scratch.Remove() }()
	p := newProgress(environment, false)
	defer p.done()
	all := &proof{experiment: x, tracePath: tracePath, dir: scratch.Path, of: of, finding: finding, db: of.DB}
	told, err := all.proveCauses(ctx, p)
	if err != nil || told == nil {
		return err
	}
	told.AddTo(d)
	return nil
}

// proveCauses decides the control, then tries the causes.
func (p *proof) proveCauses(ctx context.Context, progress *progress) (*report.CauseProof, error) {
	causes, err := p.causes(ctx)
	if err != nil {
		return nil, err
	}
	if len(causes) == 0 {
		return nil, usagef("--prove: %s %s lacked nothing in this time", p.of.Kind, p.of.Name)
	}
	told := &report.CauseProof{Kind: p.of.Kind, Name: p.of.Name, Tree: p.of.Tree, Level: p.level,
		Finding: p.finding != nil, Trace: p.tracePath, Notes: p.assumed()}
	if w := p.replay.Window; w != p.trace.Window() {
		told.Part = [2]time.Time{*instantOf(w.From), *instantOf(w.To)}
	}
	for _, p.unit = range []string{"share·s", "s"} { // of an operation that waits for admission logs do not say how much it wants
		var recorded deficit
		if recorded, err = p.lacked(ctx, p.db); err != nil || recorded.lacked > 0 {
			told.Recorded = recorded.lacked
			break
		}
	}
	if err != nil {
		return nil, err
	}
	told.Unit = p.unit
	progress.showState("deciding the log anew")
	gone := false
	if p.control, gone, err = p.try(ctx, ""); err != nil {
		return nil, err
	}
	if told.Control, told.InControl = p.control.lacked, !gone; p.finding == nil {
		told.InControl = told.Control >= deficitHalves*told.Recorded
	}
	told.Notes = append(report.CommonUsage(p.believed), told.Notes...)
	node, err := p.largestNode(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range causes {
		trial := report.CauseTrial{Cause: c.Kind, Obstacle: c.Obstacle, Holder: c.Holder, Limiting: c.Resource, Part: c.part}
		trial.MaxShareRatio = c.maxShareRatio(p.setting(ctx))
		remedies := c.Remedies(p.setting(ctx), node)
		if len(remedies) == 0 || !told.InControl {
			told.Trials = append(told.Trials, trial)
			continue
		}
		for _, r := range remedies {
			progress.showState("trying: %s", r.Sentence)
			if trial.Change == r.Sentence {
				continue
			}
			trial.Change = r.Sentence
			if err := p.least(ctx, &r, &trial); err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(told.Trials, func(t report.CauseTrial) bool { return t.Change == trial.Change }) {
				told.Trials = append(told.Trials, trial)
			}
		}
	}
	return told, nil
}

// A deficitCause is a cause with its part of what was lacking.
type deficitCause struct {
	whatif.Cause
	part float64
}

// maxShareRatio is the max_share_ratio of a limit that resource_limits do not set; 0 if there is none.
func (c *deficitCause) maxShareRatio(in whatif.Settings) (ratio float64) {
	kind, name := "pool", cmp.Or(c.Holder, c.Pool)
	if c.Kind == "own_limit" && c.Operation != "" {
		kind, name = "operation", c.Operation
	}
	if _, set := in(kind, name, "resource_limits."+c.Resource); !set && (c.Kind == "own_limit" || c.Kind == "ancestor_limit") {
		ratio, _ = in(kind, name, "max_share_ratio")
	}
	return ratio
}

// causes are the largest of the level that the ledger finds to matter.
func (p *proof) causes(ctx context.Context) (all []deficitCause, err error) {
	err = p.db.QueryRowContext(ctx, `SELECT level FROM main_causes(make_timestamp($4), make_timestamp($5)) WHERE tree = $1 AND element_kind = $2 AND element = $3`,
		p.of.Tree, p.of.Kind, p.of.Name, p.of.From.UnixMicro(), p.of.To.UnixMicro()).Scan(&p.level)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the level: %w", err)
	}
	rows, err := p.db.QueryContext(ctx, `
WITH debts AS (
  SELECT d.*, sum(lacked) OVER (PARTITION BY cause, obstacle) AS together
  FROM debts_between(make_timestamp($4), make_timestamp($5)) AS d
  WHERE tree = $1 AND element_kind = $2 AND element = $3 AND level = $6
)
SELECT cause, obstacle, coalesce(any_value(pool), ''), coalesce(arg_max(holder_pool, (lacked, holder_pool)), ''),
  coalesce(arg_max(holder_operation, (lacked, holder_operation)) FILTER (holder_operation IS NOT NULL), ''),
  coalesce(arg_max(limiting_resource, (lacked, limiting_resource)),
    (SELECT arg_max(resource, (owed_share_seconds, resource)) FROM share_debts WHERE tree = $1 AND element_kind = $2 AND coalesce(operation, pool) = $3 AND level = $6), ''),
  coalesce(sum(part), 1)
FROM debts
GROUP BY cause, obstacle
HAVING coalesce(sum(part), 1) >= $7
ORDER BY sum(lacked) DESC, cause, obstacle
LIMIT $8`, p.of.Tree, p.of.Kind, p.of.Name, p.of.From.UnixMicro(), p.of.To.UnixMicro(), p.level, provedPart, provedCauses)
	if err != nil {
		return nil, fmt.Errorf("read the causes: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		c := deficitCause{Cause: whatif.Cause{Tree: p.of.Tree}}
		if err := rows.Scan(&c.Kind, &c.Obstacle, &c.Pool, &c.Holder, &c.HolderOperation, &c.Resource, &c.part); err != nil {
			return nil, err
		}
		if p.of.Kind == "operation" {
			c.Operation = p.of.Name
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// A deficit is the share that an element lacks.
type deficit struct {
	lacked float64 // at the level
	unmet  float64 // of all that it wants: a greater fair share moves what is lacked from one level to another
}

// askLacked asks what the element lacks at the level in the span, and of all that it wants.
func (p *proof) askLacked() string {
	sum := "sum(lacked)"
	if p.unit == "s" {
		sum = "sum(overlap_seconds(from_time, to_time, make_timestamp($4), make_timestamp($5)))"
	}
	return `SELECT coalesce(` + sum + ` FILTER (level = $6), 0)::DOUBLE, coalesce(` + sum + ` FILTER (level <> 'guarantee'), 0)::DOUBLE
		FROM debts_between(make_timestamp($4), make_timestamp($5))
		WHERE tree = $1 AND element_kind = $2 AND element = $3`
}

// lacked returns the deficit of the element in a run.
func (p *proof) lacked(ctx context.Context, db *sql.DB) (d deficit, err error) {
	err = db.QueryRowContext(ctx, p.askLacked(),
		p.of.Tree, p.of.Kind, p.of.Name, p.of.From.UnixMicro(), p.of.To.UnixMicro(), p.level).Scan(&d.lacked, &d.unmet)
	return d, err
}

// halves reports whether what is lacked is less than half of what the control lacks. What is wanted
// beyond the fair share must have been got for that, too.
func (p *proof) halves(d deficit) bool {
	half := deficitHalves * p.control.lacked
	return d.lacked < half && (p.level != "demand" || p.control.unmet-d.unmet >= half)
}

// try decides the log with some edits, none for the control, and says what the element lacks
// then, and whether the finding, or half of what the control lacks, is gone.
func (p *proof) try(ctx context.Context, edits string) (d deficit, gone bool, err error) {
	dir := filepath.Join(p.dir, fmt.Sprint(p.tried))
	p.tried++
	var e *whatif.Edits
	if edits != "" {
		if e, err = whatif.Parse("the change tried", []byte(edits)); err != nil {
			return d, false, err
		}
	}
	var run *audit.Judged
	one := newScenario(e, dir)
	one.judge = func(ctx context.Context) (err error) {
		run, err = p.question.Put(ctx, dir, one.seat.takeWorker)
		return err
	}
	ask, only := audit.Asking, []string(nil)
	if p.finding != nil {
		ask, only = audit.Judging, []string{p.finding.Audit}
	}
	workers := runtime.GOMAXPROCS(0)
	if err := p.pose(ask, workers, only, p.askLacked()); err != nil {
		return d, false, err
	}
	if err := p.run(ctx, workers, []*scenario{one}); err != nil {
		return d, false, err
	}
	if e == nil {
		p.believed = one.believed
	}
	d, err = p.lacked(ctx, run.DB)
	if err = errors.Join(err, run.Close(), os.RemoveAll(dir)); err != nil {
		return d, false, err
	}
	if f := p.finding; f != nil {
		return d, !slices.ContainsFunc(run.Verdict.Findings, func(g audit.Finding) bool {
			return g.Audit == f.Audit && g.Tree == f.Tree && g.SubjectKind == f.SubjectKind && g.Subject == f.Subject && g.Verdict == f.Verdict
		}), nil
	}
	return d, p.halves(d), nil
}

// refused are the rules by which a cluster refuses an edit.
func (p *proof) refused(ctx context.Context, edits string) ([]string, error) {
	e, err := whatif.Parse("the change tried", []byte(edits))
	if err != nil {
		return nil, err
	}
	_, found, err := p.edited(ctx, e)
	return whatif.RefusalTexts(found.Refused), err
}

// least finds the least size of a change that helps: first the greatest that a cluster does not
// refuse, then between those that do and those that do not.
func (p *proof) least(ctx context.Context, r *whatif.Remedy, trial *report.CauseTrial) (err error) {
	last := len(r.Sizes) - 1
	for ; last >= 0; last-- {
		refused, err := p.refused(ctx, r.Edits[last])
		if err != nil {
			return err
		}
		if len(refused) == 0 {
			break
		}
		if last == 0 {
			trial.Size, trial.Edit, trial.Refused = r.Sizes[0], r.Edits[0], refused
			return nil
		}
	}
	at := func(i int) (gone bool, err error) {
		d, gone, err := p.try(ctx, r.Edits[i])
		if err == nil && (gone || i == last) {
			trial.Size, trial.Edit, trial.Lacked, trial.Gone = r.Sizes[i], r.Edits[i], d.lacked, gone
		}
		trial.Tried++
		return gone, err
	}
	trial.Tried = 0
	gone, err := at(last)
	if err != nil || !gone {
		return err
	}
	low, high := 0, last // the answer is within
	for low < high {
		middle := (low + high) / 2
		if gone, err = at(middle); err != nil {
			return err
		}
		if gone {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return nil
}

// setting reads options of pools and operations as the run last had them in force.
func (p *proof) setting(ctx context.Context) whatif.Settings {
	return func(kind, name, option string) (float64, bool) {
		column, ok := settingColumns[option]
		if !ok {
			return 0, false
		}
		table := map[string]string{"pool": "pools", "operation": "operations"}[kind]
		var v sql.NullFloat64
		err := p.db.QueryRowContext(ctx, `SELECT any_value(`+column+`)::DOUBLE FROM `+table+` WHERE tree = $1 AND `+kind+` = $2`, p.of.Tree, name).Scan(&v)
		return v.Float64, err == nil && v.Valid
	}
}

// settingColumns are the columns of pools and operations by the options that they hold.
var settingColumns = func() map[string]string {
	columns := map[string]string{
		"weight": "weight", "max_share_ratio": "max_share_ratio", "max_running_operation_count": "max_running_operation_count", "fair_share_starvation_timeout": "fair_share_starvation_timeout_ms",
		"fair_share_starvation_tolerance": "fair_share_starvation_tolerance",
	}
	for k := range resource.Kinds {
		kind := resource.Kind(k).String()
		columns["resource_limits."+kind], columns["integral_guarantees.resource_flow."+kind] = "resource_limits_"+kind, "resource_flow_"+kind
	}
	return columns
}()

// largestNode is a node of the tree with the most cores, the first by name of those.
func (p *proof) largestNode(ctx context.Context) (node string, err error) {
	err = p.db.QueryRowContext(ctx, `SELECT coalesce((SELECT node FROM nodes WHERE tree = $1 ORDER BY limit_cpu DESC, limit_gpu DESC, node LIMIT 1), '')`, p.of.Tree).Scan(&node)
	return node, err
}

// proveCause tries the causes of what a document tells of.
func (q *explainRequest) proveCause(ctx context.Context, environment *environment, of report.Subject, documents []*report.Document, limits memoryLimits) error {
	if len(documents) != 1 {
		return usagef("--prove tries the causes in one tree: name it with --tree")
	}
	d := documents[0]
	of.Kind, of.Name, of.Tree = d.Kind, d.Name, d.Tree
	if f := d.Finding; f != nil {
		of.Kind, of.Name, of.Tree = f.SubjectKind, f.Subject, f.Tree
	}
	if of.From == nil || of.To == nil {
		of.From, of.To = d.From, d.To
	}
	if of.From == nil || of.To == nil {
		window, err := judgedWindow(of.Verdict)
		if err != nil {
			return err
		}
		of.From, of.To = cmp.Or(of.From, instantOf(window.From)), cmp.Or(of.To, instantOf(window.To))
	}
	return prove(ctx, environment, q.prove, of, d.Finding, d, limits)
}
