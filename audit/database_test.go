package audit

import (
	"path/filepath"
	"testing"
)

// TestMemoryIsDivided is not parallel: what databases may take is the process's.
func TestMemoryIsDivided(t *testing.T) {
	defer LimitMemory(allowed)
	LimitMemory(800 << 20)
	DivideMemory(4)
	db, err := database{path: filepath.Join(t.TempDir(), "d.duckdb")}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var limit string
	if err := db.QueryRow("SELECT current_setting('memory_limit')").Scan(&limit); err != nil || limit != "200.0 MiB" {
		t.Errorf("a database may take %s, %v", limit, err)
	}
}
