package commandtest

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/marcboeker/go-duckdb"
)

// duck runs SQL in a DuckDB of its own.
func duck(t testing.TB, statements ...string) {
	t.Helper()
	if err := runDuck(statements...); err != nil {
		t.Fatal(err)
	}
}

func runDuck(statements ...string) error {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// Rewrite copies a trace and lets DuckDB write its Parquet files anew: every
// column optional, other encodings, pages and row groups. Its query may change
// the rows of one file.
func Rewrite(t testing.TB, trace string, query func(file, scan string) string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "trace")
	if err := os.CopyFS(to, os.DirFS(trace)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		name, _ := filepath.Rel(to, path)
		from := filepath.Join(trace, name)
		q := query(filepath.ToSlash(name), fmt.Sprintf("read_parquet('%s')", from))
		duck(t, "SET threads = 1", fmt.Sprintf("COPY (%s) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 3000, COMPRESSION snappy)", q, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// Unchanged is a query that changes no row.
func Unchanged(_, scan string) string { return "FROM " + scan }
