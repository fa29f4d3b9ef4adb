package audit

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A testedSpan is a time in which an audit had something to judge of somebody's
// promise, or could not judge what there was.
type testedSpan struct {
	tree, subject string // the pool, or the tree
	kind          string // of the promise; empty for all that the audit judges
	from, to      *time.Time
	missing       string          // why what there was could not be judged; empty where it was
	seconds       sql.NullFloat64 // of the span in which something tested the promise, if the audit tells: else all of it
}

// tested returns the part of the span that tested the promise while it was in force, in the hours
// of an SLA if there is one.
func (s *testedSpan) tested(t *promiseTerm, hours *sla) (sum time.Duration) {
	if s.from == nil || s.to == nil {
		return 0
	}
	for _, part := range hours.within(t.clip(stretch{*s.from, *s.to})) {
		sum += part.long()
	}
	if s.seconds.Valid {
		return min(sum, time.Duration(s.seconds.Float64*float64(time.Second)))
	}
	return sum
}

func queryTested(ctx context.Context, db *sql.DB, a *Audit, params values) ([]testedSpan, error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM ("+params.fill(a.Tested)+")")
	if err != nil {
		return nil, fmt.Errorf("whose promises were tested: %w", err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("whose promises were tested: %w", err)
	}
	if must := []string{"tree", "kind", "subject", "from_time", "to_time", "missing"}; !slices.Equal(columns, must) &&
		!slices.Equal(columns, append(must, "tested_s")) {
		return nil, fmt.Errorf("whose promises were tested: the columns are %s; they are %s, and tested_s after them if it is known", strings.Join(columns, ", "), strings.Join(must, ", "))
	}
	var spans []testedSpan
	for rows.Next() {
		var s testedSpan
		var kind, missing sql.NullString
		into := []any{&s.tree, &kind, &s.subject, &s.from, &s.to, &missing, &s.seconds}
		if err := rows.Scan(into[:len(columns)]...); err != nil {
			return nil, fmt.Errorf("whose promises were tested: %w", err)
		}
		s.kind, s.missing = kind.String, missing.String
		spans = append(spans, s)
	}
	return spans, rows.Err()
}
