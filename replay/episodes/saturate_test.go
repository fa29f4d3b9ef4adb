package episodes

import (
	"math"
	"testing"

	"poolproof/replay/tables"
)

// A sum of share·seconds stays at the most that it can hold and never turns round.
func TestSumsOfShareSecondsSaturate(t *testing.T) {
	const hour = 3600e6 // µs
	for _, c := range []struct {
		name       string
		sum        int64
		share      float64
		want, then int64 // after one hour and after another
	}{
		{"half a tree", 0, 0.5, 1800e9, 3600e9},
		{"the last step", tables.Saturated - 1800e9, 0.5, tables.Saturated, tables.Saturated},
		{"a demand of 1e300 trees", 0, 1e300, tables.Saturated, tables.Saturated},
		{"an endless demand", 5, math.Inf(1), tables.Saturated, tables.Saturated},
		{"less than nothing", 0, -1e300, -tables.Saturated, -tables.Saturated},
	} {
		sum := c.sum
		if addShare(&sum, c.share, hour); sum != c.want {
			t.Errorf("%s: %d, want %d", c.name, sum, c.want)
		}
		if addShare(&sum, c.share, hour); sum != c.then {
			t.Errorf("%s: %d after another hour, want %d", c.name, sum, c.then)
		}
	}
}
