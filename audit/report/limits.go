package report

import (
	"context"
	"database/sql"
	"fmt"

	"poolproof/core/quantity"
)

// usersOfLimit has the limit of $2, then who used it: of a pool those of its own pools, then those
// of its own operations, that had some, the largest first; in the tree $1 at the µs $3. The path
// of the pool is $4.
const usersOfLimit = `
WITH at_moment AS (
  SELECT 'pool' AS kind, i.pool AS name, p.path, %[1]s AS used, %[2]s AS allowed
  FROM pool_intervals AS i JOIN pools AS p ON p.tree = i.tree AND p.pool = i.pool
  WHERE i.tree = $1 AND i.from_time <= make_timestamp($3) AND i.to_time > make_timestamp($3)
  UNION ALL
  SELECT 'operation', operation, $4 || '/', %[1]s, %[2]s
  FROM operation_intervals AS i
  WHERE tree = $1 AND pool = $2 AND from_time <= make_timestamp($3) AND to_time > make_timestamp($3)
)
SELECT 'limit', name, allowed FROM at_moment WHERE kind = 'pool' AND name = $2
UNION ALL
(SELECT kind, name, used FROM at_moment
WHERE used > 0 AND starts_with(path, $4 || '/') AND NOT contains(path[length($4) + 2:], '/')
ORDER BY kind DESC, used DESC, name)`

// usersQuery is the query about the limiting resource.
func (r *debt) usersQuery() string {
	return fmt.Sprintf(usersOfLimit, naturalAmount(r.limiting, "i.resource_usage_"+r.limiting), naturalAmount(r.limiting, "i.resource_limits_"+r.limiting))
}

// shownUsers bounds the number of users of a limit that are named.
const shownUsers = 3

// limit says how large a limit of a pool was that left no room, and who used it when most was
// lacking for it.
func (a *account) limit(ctx context.Context, r debt) (string, error) {
	pool := r.pool
	if r.cause == "own_limit" {
		pool = a.name
	}
	path, known := a.paths[pool]
	if !known || r.limiting == "" || r.cause == "own_limit" && a.kind != "pool" {
		return r.words(), nil
	}
	rows, err := a.db.QueryContext(ctx, r.usersQuery(), a.tree, pool, r.worst.UnixMicro(), path)
	if err != nil {
		return "", fmt.Errorf("read who used the limit of pool %s: %w", pool, err)
	}
	defer rows.Close()
	text := r.words()
	var users []string
	for rows.Next() {
		var kind, name string
		var amount sql.NullFloat64
		if err := rows.Scan(&kind, &name, &amount); err != nil {
			return "", err
		}
		of := quantity.Amount(r.limiting, amount.Float64)
		switch {
		case kind != "limit":
			users = append(users, fmt.Sprintf("%s %s (%s)", kind, name, of))
		case r.ratio > 0:
		case amount.Valid && r.cause == "own_limit":
			text = "its own limit of " + of + " left no room"
		case amount.Valid:
			text = "the limit of " + of + " of pool " + pool + " left no room"
		}
	}
	if users == nil {
		return text, rows.Err()
	}
	more := ""
	if n := len(users) - shownUsers; n > 0 {
		users, more = users[:shownUsers], fmt.Sprintf(", and %d more", n)
	}
	return fmt.Sprintf("%s; at %s %s%s used it", text, r.worst.Format("15:04:05"), byKind(users), more), rows.Err()
}
