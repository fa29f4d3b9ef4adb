package audit

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A testedSpan is a time in which an audit had something to judge of somebody's
// promise, or could not judge what there was.
type testedSpan struct {
	tree, subject string // the pool, or the tree
	kind          string // of the promise; empty for all that the audit judges
	from, to      *time.Time
	missing       string // why what there was could not be judged; empty where it was
}

func queryTested(ctx context.Context, db *sql.DB, a *Audit, args []any) ([]testedSpan, error) {
	rows, err := db.QueryContext(ctx, "SELECT tree, kind, subject, from_time, to_time, missing FROM ("+a.Tested+")", args...)
	if err != nil {
		return nil, fmt.Errorf("whose promises were tested: %w", err)
	}
	defer rows.Close()
	var spans []testedSpan
	for rows.Next() {
		var s testedSpan
		var kind, missing sql.NullString
		if err := rows.Scan(&s.tree, &kind, &s.subject, &s.from, &s.to, &missing); err != nil {
			return nil, fmt.Errorf("whose promises were tested: %w", err)
		}
		s.kind, s.missing = kind.String, missing.String
		spans = append(spans, s)
	}
	return spans, rows.Err()
}
