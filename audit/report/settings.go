package report

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A change is a configuration that replaced another.
type change struct {
	at   time.Time
	pool string // empty of the tree
	what string // "weight from 1 to 2; mode from fair_share to fifo", "added" or "removed"
}

// readChanges returns the changes of the configuration of a tree in a span, oldest first:
// of the tree's own settings and of its pools'.
func readChanges(ctx context.Context, db *sql.DB, tree string, from, to time.Time) (all []change, err error) {
	rows, err := db.QueryContext(ctx, `
SELECT time, coalesce(pool, ''), detail FROM (
  SELECT time, pool, detail FROM internal.configuration_changes WHERE tree = $1 AND detail <> ''
  UNION ALL
  SELECT max(to_time), pool, 'removed' FROM pool_versions WHERE tree = $1 GROUP BY pool HAVING NOT arg_max(clipped_to, from_time)
)
WHERE time BETWEEN make_timestamp($2) AND make_timestamp($3)
ORDER BY time, pool NULLS FIRST, detail`, tree, from.UnixMicro(), to.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("read the configuration of tree %s: %w", tree, err)
	}
	defer rows.Close()
	for rows.Next() {
		var c change
		if err := rows.Scan(&c.at, &c.pool, &c.what); err != nil {
			return nil, fmt.Errorf("read the configuration of tree %s: %w", tree, err)
		}
		c.at = c.at.UTC()
		all = append(all, c)
	}
	return all, rows.Err()
}
