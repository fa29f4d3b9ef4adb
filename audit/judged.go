package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"poolproof/replay/tables"
)

// A Question is audits and queries that are put to runs, each judged apart: nothing is written
// into it.
type Question struct {
	opts    Options
	audits  []*Audit
	values  map[*Audit]values
	views   []viewFile // that are made
	reads   readColumns
	judges  bool
	numbers bool // of metrics are asked for
	partial bool // nothing is written into the run
}

// Judging asks what the audits of opts.Only find, all of them without it, and what the given
// queries need. Options have no Dir.
func Judging(opts Options, asked ...string) (*Question, error) {
	q, err := newQuestion(opts)
	if err != nil {
		return nil, err
	}
	q.judges, q.partial = true, true
	q.need(asked...)
	return q, nil
}

// Asking asks what the given queries need, and judges nothing.
func Asking(opts Options, asked ...string) (*Question, error) {
	opts.FindingsAlone = true
	q, err := newQuestion(opts)
	if err != nil {
		return nil, err
	}
	q.audits, q.partial = nil, true
	q.need(asked...)
	return q, nil
}

func newQuestion(opts Options) (*Question, error) {
	audits, err := ReadAudits(opts.Queries)
	if err != nil {
		return nil, fmt.Errorf("read the audits: %w", err)
	}
	if opts.Policy == nil {
		opts.Policy = NewPolicy()
	}
	values, err := opts.Policy.values(audits)
	if err != nil {
		return nil, err
	}
	if audits, err = Select(audits, opts.Only); err != nil {
		return nil, err
	}
	if opts.Started == nil {
		opts.Started = func(string) {}
	}
	files, err := readViews(opts.Queries)
	if err != nil {
		return nil, err
	}
	return &Question{opts: opts, audits: audits, values: values, views: files}, nil
}

// need has the audit load and make no more than its own queries and those given ask for.
func (q *Question) need(asked ...string) {
	q.numbers = slices.Contains(asked, askMetrics)
	asked = append(asked, askPoolPaths, askCoverage)
	if len(q.opts.Policy.slas) > 0 {
		asked = append(asked, askEpisodesTime)
	}
	for _, a := range q.audits {
		asked = append(asked, a.Findings, a.Seen)
		if q.grades() {
			asked = append(asked, a.Tested)
		}
	}
	if q.grades() {
		asked = append(asked, askPromises, askScopes, askShortfalls, askOpen)
	}
	if !q.opts.FindingsAlone {
		asked = append(asked, askSaturated, askJudgedParts, askShareAgreements, askDeficitAgreements)
	}
	q.views, q.reads = neededViews(q.views, asked)
}

// Extract returns the columns that the question reads, and one column of every other table.
func (q *Question) Extract() tables.Extract {
	return func(t *tables.Table, column int) bool { return column == 0 || q.reads.wants(t, column) }
}

// A Judged is a run to which a question was put, to ask its database.
type Judged struct {
	Verdict *Verdict // nil where nothing was judged
	DB      *sql.DB

	elements []element // of the view metrics, once they are read
	runner   *runner
}

// Put puts the question to a run, with workers that may be shared: see Options.Take. The database
// has no more than is asked for. Close ends it.
func (q *Question) Put(ctx context.Context, dir string, take Taker) (*Judged, error) {
	r, err := q.beginAudit(dir)
	if err != nil {
		return nil, err
	}
	r.opts.Take = take
	db, _, err := r.open(ctx)
	if err != nil {
		return nil, r.fault(ctx, errors.Join(err, r.end()))
	}
	j := &Judged{DB: db, runner: r}
	if q.judges {
		if q.numbers {
			r.beside = func(ctx context.Context) (err error) {
				j.elements, err = elementsOf(ctx, db)
				return err
			}
		}
		j.Verdict, err = r.judge(ctx, db, false)
		j.Verdict.countIn(j.elements)
	} else {
		_, _, err = r.prepare(ctx, db)
	}
	if err != nil {
		return nil, r.fault(ctx, errors.Join(err, j.Close()))
	}
	return j, nil
}

// Close closes the database and removes it.
func (j *Judged) Close() error { return errors.Join(j.DB.Close(), j.runner.end()) }
