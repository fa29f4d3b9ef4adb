package audit

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// errUnbalanced is a fault of the program that replayed, not of the cluster.
var errUnbalanced = errors.New("the ledger does not balance, which is a fault of Poolproof: please report it with this line")

// checkBalance checks the ledger of lacking share: no booked part of a deficit is negative, and the
// parts sum to the deficit exactly.
func checkBalance(ctx context.Context, conn *sql.Conn) error {
	q := `SELECT tree, level, coalesce(operation, pool), from_time, sum(owed_share_seconds)::BIGINT, any_value(deficit_share_seconds)
		FROM ` + catalog + `.share_debts
		GROUP BY tree, element_kind, pool, operation, level, from_time, to_time
		HAVING sum(owed_share_seconds) <> any_value(deficit_share_seconds)
			OR min(least(owed_share_seconds, owed_share_seconds_user_slots, owed_share_seconds_cpu, owed_share_seconds_gpu,
				owed_share_seconds_memory, owed_share_seconds_network)) < 0
			OR max(lacking_us) > date_diff('microsecond', from_time, to_time)
		ORDER BY ALL
		LIMIT 1`
	var tree, level, element string
	var from any
	var booked, deficit int64
	switch err := conn.QueryRowContext(ctx, q).Scan(&tree, &level, &element, &from, &booked, &deficit); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("check the ledger: %w", err)
	}
	return fmt.Errorf("%w: tree %s, %s of %s from %v: %d of %d are booked", errUnbalanced, tree, level, element, from, booked, deficit)
}
