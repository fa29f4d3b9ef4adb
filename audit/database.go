package audit

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strconv"
)

// catalog is the name under which a run's file is attached: the one that any
// client gives it that opens the file run.duckdb.
const catalog = "run"

// The schemas of a run's file: what people ask, and what only audits need.
const (
	mainSchema     = "main"
	internalSchema = "internal"
)

// inMemory is the path of a database that has the catalog of a run's file and no file.
const inMemory = ":memory:"

// A database says how to open a DuckDB file, or one in memory; without a path it has no catalog
// of a run.
type database struct {
	path     string
	readOnly bool
	threads  int
	memory   Memory
	spill    string   // directory for what does not fit in memory; "" forbids spilling
	loading  bool     // from Arrow streams
	stage    string   // a database that a locked one may write to
	beside   []string // files that are attached for reading as run1, run2, ...; there is no path then
}

// Memory is the memory limit of each database that DuckDB opens, in bytes; 0 is DuckDB's default.
type Memory int64

// Divide returns the limit of each of several databases that are open at a time.
func (m Memory) Divide(databases int) Memory { return m / Memory(max(databases, 1)) }

// open returns a pool of connections whose default catalog is the file. That is attached to a
// database in memory and never opened as the first one, because its path may hold what a
// connection string must not.
func (d database) open() (*sql.DB, error) {
	config := url.Values{
		// A missing extension is an error, never a download.
		"autoinstall_known_extensions": {"false"},
		"autoload_known_extensions":    {"false"},
		"allow_community_extensions":   {"false"},
		"threads":                      {strconv.Itoa(max(d.threads, 1))},
		"temp_directory":               {d.spill},
	}
	if d.memory > 0 {
		config.Set("memory_limit", fmt.Sprintf("%dMiB", max(d.memory>>20, 1)))
	}
	if d.loading {
		// The optimizers that push columns and filters into a stream, which
		// ignores them: a second belt, the loader needs neither.
		config.Set("disabled_optimizers", "filter_pushdown,unused_columns")
	}
	return connect(config.Encode(), d.statements())
}

// endLoading makes of a database that was opened for loading one like any other.
func endLoading(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, "RESET disabled_optimizers")
	return err
}

// statements returns the statements that every new connection executes.
func (d database) statements() []string {
	if len(d.beside) > 0 {
		var all []string
		for i, path := range d.beside {
			all = append(all, fmt.Sprintf("ATTACH IF NOT EXISTS %s AS run%d (READ_ONLY)", quoteText(path), i+1))
		}
		return append(all, locked...)
	}
	if d.path == "" {
		return nil
	}
	attach := "ATTACH IF NOT EXISTS " + quoteText(d.path) + " AS " + catalog
	switch {
	case !d.readOnly:
		return []string{attach, "USE " + catalog}
	case d.stage != "":
		return append([]string{attach + " (READ_ONLY)", "ATTACH IF NOT EXISTS " + quoteText(d.stage) + " AS " + stageCatalog, "USE " + catalog}, locked...)
	}
	return append([]string{attach + " (READ_ONLY)", "USE " + catalog}, locked...)
}

// locked lets a connection reach nothing outside of its files: no COPY, no second ATTACH, no
// way back.
var locked = []string{"SET enable_external_access = false", "SET lock_configuration = true"}
