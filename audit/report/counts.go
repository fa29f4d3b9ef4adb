package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"poolproof/audit"
)

// A counted point says how many operations a pool had at most in a bucket, and the least
// limit of them then; nil where the pool was not there, or had none.
type counted struct{ there, limit *int64 }

// countColumns are the columns of pool_intervals that count what an option limits.
var countColumns = map[string]string{"max_operation_count": "operation_count", "max_running_operation_count": "running_operation_count"}

// countedLimit is the option of a count that a finding is about; empty if it is about
// none.
func countedLimit(f audit.Finding) string {
	switch f.Audit {
	case "pool_over_operation_count":
		return "max_operation_count"
	case "pool_over_running_operation_count":
		return "max_running_operation_count"
	}
	var evidence struct {
		Limit any `json:"limit"`
	}
	if json.Unmarshal(f.Evidence, &evidence) != nil {
		return ""
	}
	option, _ := evidence.Limit.(string)
	if countColumns[option] == "" {
		return ""
	}
	return option
}

// readCounts returns the counts of a pool in the buckets of a frame.
func readCounts(ctx context.Context, db *sql.DB, f frame, option string) ([]counted, error) {
	rows, err := db.QueryContext(ctx, fmt.Sprintf(`
WITH cuts AS (
  SELECT greatest((epoch_us(from_time) - $3) // $4, 0) AS first, least((epoch_us(to_time) - 1 - $3) // $4, $5 - 1) AS last, %s AS n, %s AS most
  FROM pool_intervals
  WHERE tree = $1 AND pool = $2 AND epoch_us(from_time) < $3 + $4 * $5 AND epoch_us(to_time) > $3 AND to_time > from_time
)
SELECT bucket, max(n), min(most) FROM (SELECT unnest(range(first, last + 1)) AS bucket, n, most FROM cuts) GROUP BY bucket ORDER BY bucket`, countColumns[option], option),
		f.Tree, f.Element, f.From, f.Step, int64(f.Buckets))
	if err != nil {
		return nil, fmt.Errorf("read the counts of pool %s: %w", f.Element, err)
	}
	defer rows.Close()
	counts := make([]counted, f.Buckets)
	for rows.Next() {
		var bucket int
		var n, most sql.NullInt64
		if err := rows.Scan(&bucket, &n, &most); err != nil {
			return nil, fmt.Errorf("read the counts of pool %s: %w", f.Element, err)
		}
		if n.Valid {
			counts[bucket].there = &n.Int64
		}
		if most.Valid {
			counts[bucket].limit = &most.Int64
		}
	}
	return counts, rows.Err()
}

// Noun returns the noun for the objects in a chart of counts.
func (c *chart) Noun() string {
	if c.counted == "max_running_operation_count" {
		return "running operations"
	}
	return "operations"
}

// IsCounted reports whether the chart shows a count of operations and its limit.
func (c *chart) IsCounted() bool { return c.counted != "" }

// describeCounts says in words what a chart of counts shows.
func (c *chart) describeCounts() string {
	p := mostOf(c.counts)
	if p.there == nil {
		return "The pool was not there in this time."
	}
	text := fmt.Sprintf("It had up to %s %s", number(*p.there), c.Noun())
	if p.limit != nil {
		text += fmt.Sprintf("; its least %s was %s", c.counted, number(*p.limit))
	}
	if len(c.marks) > 0 {
		text += "; " + count(len(c.marks), "finding is marked", "findings are marked")
	}
	return text + "."
}

// mostOf is the greatest count and the least limit of buckets.
func mostOf(all []counted) (m counted) {
	for _, c := range all {
		if c.there != nil && (m.there == nil || *c.there > *m.there) {
			m.there = c.there
		}
		if c.limit != nil && (m.limit == nil || *c.limit < *m.limit) {
			m.limit = c.limit
		}
	}
	return m
}
