package env

import (
	"math"

	"poolproof/replay/tables"
)

// ShareSeconds returns a sum of share × time, in share·µs, in the tables' units of 1e-9
// share·seconds, rounded. Larger values become tables.Saturated.
func ShareSeconds(sum float64) int64 {
	return int64(max(-tables.Saturated, min(tables.Saturated, math.Round(sum*1e3))))
}
