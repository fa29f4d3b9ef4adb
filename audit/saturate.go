package audit

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"poolproof/replay/tables"
)

// saturate returns a number that JSON supports: too large values become the largest one, and NaN
// becomes 0. Log and replay bound their values, so this matters for sums over many rows.
func saturate(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return 0
	case math.IsInf(x, 0):
		return math.Copysign(math.MaxFloat64, x)
	}
	return x
}

var askSaturated = fmt.Sprintf(`
SELECT (SELECT count(*) FROM pool_intervals WHERE greatest(usage_ratio_seconds, demand_ratio_seconds, fair_share_ratio_seconds) >= %[1]d)
	+ (SELECT count(*) FROM operation_intervals WHERE greatest(usage_ratio_seconds, demand_ratio_seconds, fair_share_ratio_seconds) >= %[1]d)
	+ (SELECT count(*) FROM guarantee_episodes WHERE owed_share_seconds >= %[1]d)
	+ (SELECT count(*) FROM starvation_episodes WHERE owed_share_seconds >= %[1]d)`, tables.Saturated)

// saturated is a notice of sums that stand at the most that they can hold; empty if
// there are none.
func saturated(ctx context.Context, db *sql.DB) (string, error) {
	var rows int64
	if err := db.QueryRowContext(ctx, askSaturated).Scan(&rows); err != nil {
		return "", fmt.Errorf("look for sums that are too large: %w", err)
	}
	if rows == 0 {
		return "", nil
	}
	return fmt.Sprintf("%d rows of the result tables hold sums of share·seconds that exceed their range: they are shown as %.1e share·seconds, and so do the magnitudes that follow from them.", rows, float64(tables.Saturated)/1e9), nil
}
