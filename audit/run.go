package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"poolproof/core/spelling"
	wholefile "poolproof/ingest/atomicdir"
)

// DatabaseName is the DuckDB file of a run.
const DatabaseName = "run.duckdb"

// Options of an audit.
type Options struct {
	Dir     string  // the run's directory
	Queries fs.FS   // views/*.sql in the order of views/order.txt, promise_spans, guarantee_shortfalls and judged_parts among them, and audits/<topic>/*.sql
	Workers int     // audits at a time; 0 is 1
	Policy  *Policy // nil is NewPolicy()
	Memory  Memory  // of its database

	// Take, if set, is asked for each of the Workers, which several audits share.
	Take Taker

	// Only, if not empty, are patterns of the ids of the audits to run. Nothing is written
	// then: a verdict of some audits is not that of the run.
	Only []string
	// FindingsAlone, with Only, asks for no more than findings: no promise is graded, and nothing
	// is said of how much could be judged.
	FindingsAlone bool

	// Fresh says that this process has just written the run: its files are taken for what the
	// manifest lists, and not read once more to make sure.
	Fresh bool
	// Extracted says that the tables of the run hold what the question reads (Question.Extract),
	// and no more.
	Extracted bool

	undescribed bool // of a test that does not read what views, tables of the verdict and their columns mean

	Baseline *Verdict // an earlier verdict to compare with (ReadBaseline); nil for none

	// Started, if set, is called with what begins: loading, then each audit.
	// It may be called from several goroutines at once.
	Started func(name string)
}

// A Taker waits for a worker, and returns what gives it back.
type Taker func(context.Context) (back func(), err error)

// worker waits for a worker; without a Taker there always is one.
func (t Taker) worker(ctx context.Context) (back func(), err error) {
	if t == nil {
		return func() {}, ctx.Err()
	}
	return t(ctx)
}

// Run judges the run in opts.Dir. It loads the result tables into run.duckdb if
// that is absent or of another result, and otherwise checks that they still are what it
// was made of; runs every audit, and writes what they
// found into run.duckdb and findings.json. An audit that fails is part of the
// verdict and no error.
func Run(ctx context.Context, opts Options) (*Verdict, error) {
	if len(opts.Only) > 0 {
		q, err := Judging(opts)
		if err != nil {
			return nil, err
		}
		j, err := q.Put(ctx, opts.Dir, opts.Take)
		if err != nil {
			return nil, err
		}
		return j.Verdict, j.Close()
	}
	q, err := newQuestion(opts)
	if err != nil {
		return nil, err
	}
	r, err := q.beginAudit(opts.Dir)
	if err != nil {
		return nil, err
	}
	defer r.end()
	v, err := r.run(ctx)
	if err != nil {
		r.restore()
	}
	return v, r.fault(ctx, err)
}

// beginAudit begins an audit of a run, which end ends.
func (q Question) beginAudit(dir string) (*runner, error) {
	q.opts.Dir = dir
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	alone, err := holdRun(dir)
	if err != nil {
		return nil, err
	}
	scratch, err := wholefile.NewScratch(dir, "audit")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin the audit: %w", err), alone.Close())
	}
	return &runner{Question: q, manifest: m, alone: alone, scratch: scratch, work: scratch.Path}, nil
}

// end gives the run free and removes what is not finished.
func (r *runner) end() error { return errors.Join(r.alone.Close(), r.scratch.Remove()) }

// fault is an error of the audit; that it was interrupted DuckDB says in words of its own.
func (r *runner) fault(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return orStore(r.target(), err)
}

// A runner is one audit of a run.
type runner struct {
	Question
	manifest *manifest
	alone    *os.File // held
	scratch  *wholefile.Scratch
	work     string                      // directory for what is not finished
	beside   func(context.Context) error // what is asked while the audits run, if anything
	replaced bool                        // whether the database holds the new verdict, and no more that of the files before
}

func (r *runner) run(ctx context.Context) (*Verdict, error) {
	v, path, err := r.judgeRun(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.place(path); err != nil {
		return nil, err
	}
	if err := v.writeJSON(r.opts.Dir); err != nil {
		return nil, err
	}
	return v, wholefile.Sync(r.opts.Dir)
}

// judgeRun judges the run and returns the path of the database that holds the verdict.
func (r *runner) judgeRun(ctx context.Context) (v *Verdict, path string, err error) {
	db, path, err := r.open(ctx)
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	v, err = r.judge(ctx, db, path == r.target())
	return v, path, err
}

// judge runs all audits over a database and writes into it what they found. It may be the
// run's own.
func (r *runner) judge(ctx context.Context, db *sql.DB, own bool) (*Verdict, error) {
	paths, notices, err := r.prepare(ctx, db)
	if err != nil {
		return nil, err
	}
	trees, coverage, err := readCoverage(ctx, db)
	if err != nil {
		return nil, err
	}
	if want := slices.Sorted(slices.Values(r.manifest.Trees)); !slices.Equal(trees, want) {
		return nil, runErrorf(r.opts.Dir, "has the trees %s in its tables and %s in its manifest: replay the trace again", spelling.Quoted(trees), spelling.Quoted(want))
	}
	results, err := r.runAll(ctx, db, trees)
	if err != nil {
		return nil, err
	}
	v := r.newVerdict(trees)
	v.Configured = configured(coverage)
	if err := r.addNotices(ctx, db, v, notices); err != nil {
		return nil, err
	}
	tested := map[string][]testedSpan{}
	for i, a := range r.audits {
		r.opts.Policy.excuse(results[i].findings, paths)
		v.add(a, results[i], coverage)
		tested[a.ID] = results[i].tested
	}
	if err := r.conclude(v, paths); err != nil {
		return nil, err
	}
	if err := r.gradePromises(ctx, db, v, paths, tested, coverage); err != nil {
		return nil, err
	}
	if r.opts.FindingsAlone {
		v.leaveOut()
		return v, nil
	}
	if v.TreeCoverage, err = readTreeCoverage(ctx, db); err != nil {
		return nil, err
	}
	if v.ShareAgreement, err = readShareAgreement(ctx, db); err != nil {
		return nil, err
	}
	if v.DeficitAgreement, err = readDeficitAgreement(ctx, db); err != nil {
		return nil, err
	}
	if r.partial {
		v.leaveOut()
		return v, nil
	}
	if own {
		if err := r.withdraw(); err != nil {
			return nil, err
		}
	}
	if err := writeTables(ctx, db, v, !r.opts.undescribed, func() { r.replaced = own }); err != nil {
		return nil, err
	}
	return v, nil
}

// addNotices adds the faults of the policy to a verdict, and what else its reader should know of the run.
func (r *runner) addNotices(ctx context.Context, db *sql.DB, v *Verdict, faults []string) error {
	v.Notices, v.PolicyFaults = faults, slices.Clone(faults)
	v.LostRows = r.manifest.LostRows
	v.Notices = append(v.Notices, lossNotices(lossesOf(v.LostRows))...)
	if !r.opts.FindingsAlone {
		text, err := saturated(ctx, db)
		if err != nil {
			return err
		}
		if text != "" {
			v.Notices = append(v.Notices, text)
		}
	}
	if other := r.manifest.otherSlacks(r.opts.Policy); other != "" {
		v.Notices = append(v.Notices, other)
	}
	return nil
}

// runAll runs all audits, some at a time, and returns their results in the order of the audits.
func (r *runner) runAll(ctx context.Context, db *sql.DB, trees []string) ([]result, error) {
	told := askSources(ctx, db, r.audits)
	results := make([]result, len(r.audits))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(max(r.opts.Workers, 1))
	begin := func(do func() error) {
		group.Go(func() error {
			back, err := r.opts.Take.worker(groupCtx)
			if err != nil {
				return err
			}
			defer back()
			return do()
		})
	}
	if r.beside != nil { // first, since it takes longest
		begin(func() error { return r.beside(groupCtx) })
	}
	for i, a := range r.audits {
		begin(func() (err error) {
			results[i], err = r.runOne(groupCtx, db, a, trees, told)
			return err
		})
	}
	return results, group.Wait()
}

// gradePromises grades the promises by the findings of a verdict and by where audits saw them tested.
func (r *runner) gradePromises(ctx context.Context, db *sql.DB, v *Verdict, paths poolPaths,
	tested map[string][]testedSpan, coverage map[string]map[string]string) error {
	promised, err := r.readGraded(ctx, db, tolerances{v.Params, r.opts.Policy})
	if err != nil {
		return err
	}
	if r.grades() {
		if err := r.readOpen(ctx, db, v, paths); err != nil {
			return err
		}
	}
	v.grade(promised, tested, coverage, r.opts.Policy.heldHours(paths))
	return nil
}

// prepare makes in a database what queries ask beside the tables.
func (r *runner) prepare(ctx context.Context, db *sql.DB) (paths poolPaths, notices []string, err error) {
	if paths, err = readPoolPaths(ctx, db); err != nil {
		return nil, nil, err
	}
	if notices, err = r.opts.Policy.writeSLAs(ctx, db, paths); err != nil {
		return nil, nil, err
	}
	if err := r.writeCarried(ctx, db); err != nil {
		return nil, nil, err
	}
	return paths, append(notices, r.opts.Policy.unmatched(paths)...), r.createViews(ctx, db)
}

// leaveOut leaves out the promises that none of the audits that ran judges.
func (v *Verdict) leaveOut() {
	judged := map[string]bool{}
	for _, a := range v.Audits {
		for _, kind := range a.Judges {
			kind, _, _ = strings.Cut(kind, ":")
			judged[kind] = true
		}
	}
	v.Promises = slices.DeleteFunc(v.Promises, func(p Promise) bool { return !judged[p.Kind] })
	v.Partial = true
	v.Notices = append(v.Notices, fmt.Sprintf("Only %s ran; nothing in the run was changed.", countText(len(v.Audits), "audit", "audits")))
}

// newVerdict is a verdict without findings.
func (r *runner) newVerdict(trees []string) *Verdict {
	p := r.opts.Policy
	return &Verdict{
		Cluster: r.manifest.Cluster, Profile: r.manifest.Profile, From: r.manifest.From, To: r.manifest.To, Trees: trees,
		Params: byName(r.audits, r.values), Audits: r.audits,
		FailOn: p.FailOn, FailOnLogDamage: p.FailOnLogDamage, FailOnUnverified: p.FailOnUnverified,
		MinCoverage: p.MinCoverage, MinTimeCoverage: p.MinTimeCoverage, MinCheckCoverage: p.MinCheckCoverage,
		MinKeptTime: p.MinKeptTime,
	}
}

// conclude draws from the findings what does not need the database.
func (r *runner) conclude(v *Verdict, paths poolPaths) error {
	if rules := r.opts.Policy.suppressions; len(rules) > 0 {
		end, err := time.Parse(time.RFC3339Nano, v.To)
		if err != nil {
			return runErrorf(r.opts.Dir, "has a window that ends at an invalid time %q: replay the trace again", v.To)
		}
		v.suppress(rules, end, paths)
	}
	if r.opts.Baseline != nil {
		v.compare(r.opts.Baseline)
	}
	sortFindings(v.Findings)
	sortFindings(v.Fixed)
	v.group(r.opts.Policy.IncidentGap)
	return nil
}

// runOne runs an audit. A panic on its goroutine, which no other goroutine can catch,
// becomes an error.
func (r *runner) runOne(ctx context.Context, db *sql.DB, a *Audit, trees []string, told sourced) (found result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("audit %s: internal error: %v\n%s", a.ID, p, debug.Stack())
		}
	}()
	r.opts.Started(a.ID)
	found = r.runAudit(ctx, db, a, trees, told)
	if isRefused(found.err) { // not a fault of the audit
		return found, found.err
	}
	return found, ctx.Err()
}

// grades reports whether any of the audits that run judges promises.
func (q *Question) grades() bool {
	return !q.partial || !q.opts.FindingsAlone && slices.ContainsFunc(q.audits, func(a *Audit) bool { return len(a.Judges)+len(a.Breaks) > 0 })
}

// What the configuration promises, where that counts, and what pools lacked of guarantees.
type promiseFacts struct {
	terms      []promiseTerm
	scopes     map[promiseScope][]string
	shortfalls map[guaranteed][]shortfall
}

// readGraded reads what the configuration promises and what became of it, unless none of
// the audits that run judges it.
func (r *runner) readGraded(ctx context.Context, db *sql.DB, bounds tolerances) (p promiseFacts, err error) {
	if !r.grades() {
		return p, nil
	}
	if p.terms, err = readPromises(ctx, db, bounds); err != nil {
		return p, err
	}
	if p.scopes, err = readScopes(ctx, db); err != nil {
		return p, err
	}
	p.shortfalls, err = readShortfalls(ctx, db)
	return p, err
}

// configured reports whether the log holds a configuration of any tree, its own or one
// that was given to the import.
func configured(states map[string]map[string]string) bool {
	for _, tree := range states {
		for _, aspect := range []string{"pool_config", "tree_config"} {
			if state, ok := tree[aspect]; ok && state != "assumed" {
				return true
			}
		}
	}
	return false
}

const askCoverage = "SELECT tree, aspect, state FROM trees LEFT JOIN coverage USING (tree) ORDER BY tree, aspect"

// readCoverage returns the trees of a run and the state of each aspect by tree.
func readCoverage(ctx context.Context, db *sql.DB) (trees []string, states map[string]map[string]string, err error) {
	rows, err := db.QueryContext(ctx, askCoverage)
	if err != nil {
		return nil, nil, fmt.Errorf("read the coverage: %w", err)
	}
	defer rows.Close()
	states = map[string]map[string]string{}
	for rows.Next() {
		var tree string
		var aspect, state sql.NullString
		if err := rows.Scan(&tree, &aspect, &state); err != nil {
			return nil, nil, err
		}
		if states[tree] == nil {
			states[tree] = map[string]string{}
			trees = append(trees, tree)
		}
		states[tree][aspect.String] = state.String
	}
	return trees, states, rows.Err()
}
