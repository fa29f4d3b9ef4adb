package audit

import (
	"os"
	"testing"

	"poolproof/replay/tables"
)

// TestMain has one table described only: describing all takes longer than most
// tests need for everything else.
func TestMain(m *testing.M) {
	all := describe
	describe = func(t *tables.Table) string {
		if t.Name != "jobs" {
			return ""
		}
		return all(t)
	}
	os.Exit(m.Run())
}
