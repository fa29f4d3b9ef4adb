package audit

import (
	"path/filepath"
	"testing"
)

func TestMemoryIsDivided(t *testing.T) {
	t.Parallel()
	db, err := database{path: filepath.Join(t.TempDir(), "d.duckdb"), memory: Memory(800 << 20).Divide(4)}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var limit string
	if err := db.QueryRow("SELECT current_setting('memory_limit')").Scan(&limit); err != nil || limit != "200.0 MiB" {
		t.Errorf("a database may take %s, %v", limit, err)
	}
}
