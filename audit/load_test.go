package audit

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/arrow/memory/mallocator"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/ingest/input"
	"poolproof/replay/tables"
)

// manyJobs are jobs with all types of columns, and nulls here and there.
func manyJobs(n int) []tables.Job {
	jobs := make([]tables.Job, n)
	for i := range jobs {
		jobs[i] = tables.Job{
			Job: "job-" + strings.Repeat("x", i%20), JobIx: core.JobID(i), Operation: core.OperationID(i % 3), Pool: core.PoolID(i % 2),
			StartTime: core.Time(1e15 + int64(i)), End: core.EndKind(i % 6), Resources: resource.Vector{1, int64(i), 0, 1 << 30, 0},
		}
		if i%3 == 0 {
			jobs[i].Node = core.Some(core.NodeID(i % 2))
			jobs[i].EndTime = core.Some(core.Time(2e15))
		}
		if i%7 == 0 {
			jobs[i].Overtook, jobs[i].OvertookFits = core.Some(core.OperationID(1)), core.Some(i%2 == 0)
		}
	}
	return jobs
}

// loadRun loads a run into a new file and returns it, open.
func loadRun(t testing.TB, r *testRun) (*sql.DB, error) {
	t.Helper()
	db, err := database{path: filepath.Join(t.TempDir(), "it's 50%?#.duckdb"), loading: true, threads: 2}.open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	m, err := readManifest(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	return db, (&loader{dir: r.dir, manifest: m, described: true, atATime: 2}).load(context.Background(), db)
}

// It is not parallel: what other tests load would be counted too.
func TestLoadedTablesHoldTheRowsOfAllTrees(t *testing.T) {
	checked := memory.NewCheckedAllocator(mallocator.NewMallocator())
	defer func(before memory.Allocator) { allocator = before }(allocator)
	allocator = checked
	r := newTestRun(t)
	put(r, "a", manyJobs(300_000)...)
	put(r, "b/ü", manyJobs(17)...)
	put[tables.Job](r, "empty")
	db, err := loadRun(t, r)
	if err != nil {
		t.Fatal(err)
	}
	checked.AssertSize(t, 0)
	var rows int
	var trees, ops, nodes string
	var cpu float64
	q := `SELECT count(*), string_agg(DISTINCT tree, ' ' ORDER BY tree), string_agg(DISTINCT operation, ' ' ORDER BY operation),
		string_agg(DISTINCT node, ' ' ORDER BY node), max(resources_cpu) FROM run.jobs`
	if err := db.QueryRow(q).Scan(&rows, &trees, &ops, &nodes, &cpu); err != nil {
		t.Fatal(err)
	}
	if rows != 300_017 || trees != "a b/ü" || ops != "op-a op-b op-c" || nodes != "node1 node2" || cpu != 2999.99 {
		t.Errorf("loaded %d %q %q %q %v", rows, trees, ops, nodes, cpu)
	}
	var views int
	if err := db.QueryRow("SELECT count(*) FROM duckdb_views() WHERE NOT internal").Scan(&views); err != nil || views != 0 {
		t.Errorf("%d views were left in the file: %v", views, err)
	}
}

func TestATableWithoutRowsIsEmpty(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", tables.Coverage{Aspect: "demand"})
	db, err := loadRun(t, r)
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT count(start_time) FROM run.jobs").Scan(&n); err != nil || n != 0 {
		t.Error(n, err)
	}
	q := "SELECT count(*) FROM duckdb_columns() WHERE database_name = 'run' AND table_name = 'jobs' AND comment IS NOT NULL"
	if err := db.QueryRow(q).Scan(&n); err != nil || n != len(tableNamed("jobs").Columns) {
		t.Errorf("%d columns are described: %v", n, err)
	}
}

// A database that was loaded is judged as it is: with all optimizers, the file as the default
// catalog of each connection, and no view of a stream anywhere.
func TestALoadedDatabaseIsLikeAnyOther(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", manyJobs(10)...)
	r.addTree("a", whole())
	db, err := loadRun(t, r)
	if err != nil {
		t.Fatal(err)
	}
	var held []*sql.Conn // all that loading used, and a new one
	for range 4 {
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	for _, conn := range held {
		var catalog, disabled string
		var views int
		q := "SELECT current_database(), current_setting('disabled_optimizers'), (SELECT count(*) FROM duckdb_views() WHERE NOT internal)"
		if err := conn.QueryRowContext(t.Context(), q).Scan(&catalog, &disabled, &views); err != nil || catalog != "run" || disabled != "" || views != 0 {
			t.Errorf("a connection to %s, without %q, with %d views: %v", catalog, disabled, views, err)
		}
		conn.Close()
	}
}

// Tables load several at a time, the largest first; of two faults the one of the first table is
// told, every time.
func TestOfTwoDamagedTablesTheFirstIsTold(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", manyJobs(10)...)
	put(r, "a", tables.Problem{Code: "a"}, tables.Problem{Code: "b"})
	m, err := readManifest(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Tables {
		m.Tables[i].Rows++
	}
	for range 3 {
		db, err := database{path: filepath.Join(t.TempDir(), "run.duckdb"), loading: true, threads: 1}.open()
		if err != nil {
			t.Fatal(err)
		}
		err = (&loader{dir: r.dir, manifest: m, atATime: 4}).load(context.Background(), db)
		db.Close()
		if err == nil || !strings.Contains(err.Error(), "load table trees:") {
			t.Errorf("told: %v", err)
		}
	}
}

// A table is the same whether rows of it are copied or there are none.
func TestEmptyTablesHaveTheColumnsOfCopiedOnes(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", tables.Coverage{Aspect: "demand"})
	db, err := loadRun(t, r)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "ATTACH ':memory:' AS copied"); err != nil {
		t.Fatal(err)
	}
	for _, table := range tables.All() {
		s := newStream(newTableSource(table, nil, false, nil), allocator)
		err := besideFile(t.Context(), conn, func() error {
			return copyStream(t.Context(), conn, s, "_stream", "copied."+quoteName(table.Name), asEnums(table, nil))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	columns := func(database string) (all string) {
		q := "SELECT string_agg(concat_ws(' ', table_name, column_index, column_name, data_type, is_nullable), '\n' ORDER BY table_name, column_index) FROM duckdb_columns() WHERE schema_name = 'main' AND database_name = '" + database + "'"
		if err := conn.QueryRowContext(t.Context(), q).Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if diff := cmp.Diff(columns("copied"), columns(catalog)); diff != "" {
		t.Errorf("columns differ (-copied +empty):\n%s", diff)
	}
}

func tableNamed(name string) *tables.Table {
	for _, t := range tables.All() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// A loaded table that differs in one row or one cell is an error.
func TestVerificationCatchesACorruptedTable(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", manyJobs(5_000)...)
	for _, fault := range []string{
		"DELETE FROM t WHERE job_ix = 77",
		"INSERT INTO t SELECT * FROM t WHERE job_ix = 77",
		"UPDATE t SET job_ix = job_ix + 1 WHERE job_ix = 77",
		"UPDATE t SET resources_cpu = resources_memory",
		"UPDATE t SET resources_cpu = resources_cpu + 1e-12 WHERE job_ix = 77",
		"UPDATE t SET operation = 'op-b' WHERE job_ix = 77",
		"UPDATE t SET node = NULL WHERE job_ix = 3",
		"UPDATE t SET overtook_fits = NOT overtook_fits WHERE job_ix = 7",
		"UPDATE t SET start_time = start_time + INTERVAL 1 MICROSECOND WHERE job_ix = 5",
		"UPDATE t SET job = job || 'x' WHERE job_ix = 4",
	} {
		if err := loadWithFault(t, r, fault); !errors.Is(err, errCorrupted) {
			t.Errorf("%s: %v", fault, err)
		}
	}
	if err := loadWithFault(t, r, "SELECT 1"); err != nil {
		t.Errorf("without a fault: %v", err)
	}
}

// loadWithFault loads the jobs, runs a statement and verifies.
func loadWithFault(t *testing.T, r *testRun, fault string) error {
	t.Helper()
	ctx := context.Background()
	db, err := database{loading: true}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	files := r.files("jobs", "a")
	mem := &arena{under: allocator}
	defer mem.freeAll()
	s := newStream(newTableSource(tableNamed("jobs"), nil, false, files), mem)
	if err := copyStream(ctx, conn, s, "_t", "t", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.ExecContext(ctx, fault); err != nil {
		t.Fatal(err)
	}
	return verifyTable(ctx, conn, "t", s)
}

// Damage is an error that names the file, whether the manifest knows of it or
// only the reader notices.
func TestADamagedFileIsNamed(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", manyJobs(200_000)...)
	files := r.files("jobs", "a")
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	scrambled := append([]byte{}, whole...)
	for i := range 4000 {
		scrambled[len(scrambled)/2+i] ^= 0x5a
	}
	for name, content := range map[string][]byte{"truncated": whole[:len(whole)/2], "empty": {}, "no Arrow": []byte("hello"), "scrambled": scrambled} {
		if err := os.WriteFile(files[0], content, 0o644); err != nil {
			t.Fatal(err)
		}
		_, known := loadRun(t, r)
		digest, err := tables.DigestOf(files[0])
		if err != nil {
			t.Fatal(err)
		}
		r.listed("tables/jobs/tree=a.arrow").SHA256 = digest
		r.writeManifest()
		_, unknown := loadRun(t, r)
		for _, err := range []error{known, unknown} {
			if !input.IsBad(err) || !strings.Contains(err.Error(), files[0]+" ") {
				t.Errorf("%s: %v", name, err)
			}
		}
		r.listed("tables/jobs/tree=a.arrow").SHA256 = "?"
		r.writeManifest()
	}
}

// What the reader of Arrow files forgets are the dictionaries of a file; batches
// come back, however many there are.
func TestBatchesAreGivenBackWhileLoading(t *testing.T) {
	t.Parallel()
	r := newTestRun(t)
	put(r, "a", manyJobs(700_000)...)
	db, err := database{loading: true}.open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	files := r.files("jobs", "a")
	mem := &arena{under: allocator}
	defer mem.freeAll()
	s := newStream(newTableSource(tableNamed("jobs"), nil, false, files), mem)
	if err := copyStream(context.Background(), conn, s, "_t", "t", ""); err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, b := range mem.live {
		left += len(b)
	}
	if left > 64<<10 || s.refs.Load() != 0 {
		t.Errorf("%d bytes and %d references are left after loading", left, s.refs.Load())
	}
}

func BenchmarkLoad(b *testing.B) {
	const n = 1_000_000
	r := newTestRun(b)
	put(r, "a", manyJobs(n)...)
	for b.Loop() {
		if _, err := loadRun(b, r); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// TestLoadsAtATime: little memory has tables loaded one after the other.
func TestLoadsAtATime(t *testing.T) {
	for _, c := range []struct {
		memory  Memory
		workers int
		want    int
	}{{0, 2, 2}, {0, 0, 1}, {67 << 20, 2, 1}, {256 << 20, 2, 2}, {300 << 20, 8, 2}, {8 << 30, 8, 8}} {
		if got := loadsAtATime(c.workers, c.memory); got != c.want {
			t.Errorf("%d workers with %d MiB load %d tables, want %d", c.workers, c.memory>>20, got, c.want)
		}
	}
}
