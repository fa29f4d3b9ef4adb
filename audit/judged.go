package audit

import (
	"context"
	"database/sql"
	"errors"
)

// A Judged is a run that was judged without anything being written into it, to ask its database.
type Judged struct {
	Verdict *Verdict // nil where nothing was judged
	DB      *sql.DB

	runner *runner
}

// Judge judges a run by opts.Only, all audits without it. The database has no more than the
// audits and the queries that are given ask for. Close ends it.
func Judge(ctx context.Context, opts Options, asked ...string) (*Judged, error) {
	r, err := newRunner(opts)
	if err != nil {
		return nil, err
	}
	r.partial = true
	return r.judged(ctx, asked, r.judge)
}

// Ask opens a run that need not be judged for the queries that are given.
func Ask(ctx context.Context, opts Options, asked ...string) (*Judged, error) {
	opts.FindingsAlone = true
	r, err := newRunner(opts)
	if err != nil {
		return nil, err
	}
	r.audits, r.partial = nil, true
	return r.judged(ctx, asked, func(ctx context.Context, db *sql.DB, _ bool) (*Verdict, error) {
		_, _, err := r.prepare(ctx, db)
		return nil, err
	})
}

// judged has a database loaded with what is asked of it, and judged.
func (r *runner) judged(ctx context.Context, asked []string, judge func(context.Context, *sql.DB, bool) (*Verdict, error)) (*Judged, error) {
	r.need(asked...)
	db, _, err := r.open(ctx)
	if err != nil {
		return nil, r.fault(ctx, errors.Join(err, r.end()))
	}
	j := &Judged{DB: db, runner: r}
	if j.Verdict, err = judge(ctx, db, false); err != nil {
		return nil, r.fault(ctx, errors.Join(err, j.Close()))
	}
	return j, nil
}

// Close closes the database and removes it.
func (j *Judged) Close() error { return errors.Join(j.DB.Close(), j.runner.end()) }
