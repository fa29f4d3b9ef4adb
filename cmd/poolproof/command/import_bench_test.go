package command

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/marcboeker/go-duckdb"

	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// BenchmarkImport imports an event log of each form, and lets DuckDB read the form of
// JSON lines, one thread each. Of an import, reading until the last row is taken in
// counts by itself: that is what DuckDB does of it. The log has as many job events and
// elements of snapshots a second as a large cluster's:
//
//	POOLPROOF_BENCH_ROWS=2000000 go test -run '^$' -bench Import ./cmd/poolproof/command
func BenchmarkImport(b *testing.B) {
	events := benchRows(b, 100_000)
	dir := b.TempDir()
	log := func(form eventlogtest.Form) (path string, size int64) {
		path = filepath.Join(dir, "event_log."+string(form))
		return path, writeBulk(b, path, form, events)
	}
	lines, lineBytes := log(eventlogtest.JSONL)
	rows := duckDBRows(b, lines, false)
	for _, form := range []eventlogtest.Form{eventlogtest.JSONL, eventlogtest.TextYSON, eventlogtest.BinaryYSON} {
		b.Run(fmt.Sprintf("reader=poolproof/form=%s/rows=%d", form, rows), func(b *testing.B) {
			path, size := lines, lineBytes
			if form != eventlogtest.JSONL {
				path, size = log(form)
				defer os.Remove(path)
			}
			var read, all usage
			for b.Loop() {
				r, a := importBulk(b, path, rows)
				read.add(r)
				all.add(a)
			}
			read.report(b, "read", rows, size)
			all.report(b, "all", rows, size)
		})
	}
	for _, maps := range []string{"text", "decoded"} {
		b.Run(fmt.Sprintf("reader=duckdb/form=jsonl/maps=%s/rows=%d", maps, rows), func(b *testing.B) {
			var read usage
			for b.Loop() {
				began := now(b)
				if n := duckDBRows(b, lines, maps == "decoded"); n != rows {
					b.Fatalf("%d rows, and %d before", n, rows)
				}
				read.add(began.until(b))
			}
			read.report(b, "read", rows, lineBytes)
		})
	}
}

// A usage is time that was used.
type usage struct{ wall, cpu time.Duration }

func now(b *testing.B) usage { return usage{time.Duration(time.Now().UnixNano()), cpuTime(b)} }

func (u usage) until(b *testing.B) usage {
	n := now(b)
	return usage{n.wall - u.wall, n.cpu - u.cpu}
}

func (u *usage) add(v usage) { u.wall, u.cpu = u.wall+v.wall, u.cpu+v.cpu }

func (u usage) report(b *testing.B, step string, rows, size int64) {
	n := float64(b.N)
	b.ReportMetric(n*float64(rows)/u.wall.Seconds()/1e3, step+"-krows/s")
	b.ReportMetric(n*float64(size)/u.wall.Seconds()/1e6, step+"-MB/s")
	b.ReportMetric(n*float64(rows)/u.cpu.Seconds()/1e3, step+"-krows/cpu-s")
}

// writeBulk writes a log with so many job events and returns its size.
func writeBulk(b testing.TB, path string, form eventlogtest.Form, events int) int64 {
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	o := eventlogtest.BulkOptions{JobEvents: events, Elements: 2000, Seconds: max(10, events/2778)}
	if err := eventlogtest.Bulk(b, w, form, o); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// importBulk imports a log and returns what reading it took, and all.
func importBulk(b *testing.B, path string, rows int64) (read, all usage) {
	began := now(b)
	out := filepath.Join(filepath.Dir(path), "trace")
	s, err := ytsaurus.Import(b.Context(), ytsaurus.Options{
		Sources: []string{path}, Out: out, Replace: true,
		Progress: func(p ytsaurus.Progress) {
			if p.Step != "" && read == (usage{}) {
				read = began.until(b)
			}
		},
	})
	all = began.until(b)
	if err != nil {
		b.Fatal(err)
	}
	if s.Rows != rows || s.QuarantinedRows() > 0 || read == (usage{}) {
		b.Fatalf("%d of %d rows, %d of them quarantined", s.Rows, rows, s.QuarantinedRows())
	}
	return read, all
}

// duckDBRows lets DuckDB read the columns of a log that an import reads, and returns how
// many rows there are. Maps are the text that they are or, decoded, typed values of the
// entries that an import takes.
func duckDBRows(b *testing.B, path string, decoded bool) (rows int64) {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=1")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var columns, sums []string
	read := func(sum, kind, names string) {
		for _, c := range strings.Fields(names) {
			columns, sums = append(columns, c+": '"+kind+"'"), append(sums, fmt.Sprintf("count("+sum+")", c))
		}
	}
	read("length(%s)", "VARCHAR", "timestamp event_type operation_id operation_type authenticated_user pool start_time finish_time tree_id job_id node_address "+
		"address job_type reason job_competition_id probing_job_competition_id predecessor_type predecessor_job_id tree_snapshot_id nodes_info_event_id")
	read("length(%s)", "JSON", "spec scheduling_info_per_tree error runtime_parameters preempted_for trimmed_annotations resource_distribution_info")
	if decoded {
		const amounts = "STRUCT(user_slots DOUBLE, cpu DOUBLE, gpu DOUBLE, user_memory DOUBLE, network DOUBLE)"
		element := "STRUCT(resource_usage " + amounts + ", resource_demand " + amounts + ", resource_limits " + amounts +
			", usage_share " + amounts + ", demand_share " + amounts + ", strong_guarantee_share " + amounts +
			", detailed_fair_share STRUCT(total " + amounts + ", strong_guarantee " + amounts + ", integral_guarantee " + amounts + ", weight_proportional " + amounts + ")" +
			", dominant_resource VARCHAR, starvation_status VARCHAR, weight DOUBLE, satisfaction_ratio DOUBLE, schedulable BOOLEAN"
		read("%s", amounts, "resource_limits")
		read("cardinality(%s)", "MAP(VARCHAR, "+element+", parent VARCHAR, mode VARCHAR, is_ephemeral BOOLEAN, running_operation_count BIGINT, operation_count BIGINT))", "pools")
		read("cardinality(%s)", "MAP(VARCHAR, "+element+", pool VARCHAR, start_time VARCHAR, slot_index BIGINT, fifo_index BIGINT))", "operations")
		read("cardinality(%s)", "MAP(VARCHAR, STRUCT(state VARCHAR, resource_limits "+amounts+", resource_usage "+amounts+"))", "nodes")
	} else {
		read("length(%s)", "JSON", "resource_limits pools operations nodes")
	}
	query := "SELECT count(*), " + strings.Join(sums, " + ") + " FROM read_json('" + strings.ReplaceAll(path, "'", "''") +
		"', format = 'newline_delimited', maximum_object_size = 268435456, columns = {" + strings.Join(columns, ", ") + "})"
	var told int64
	if err := db.QueryRow(query).Scan(&rows, &told); err != nil {
		b.Fatal(err)
	}
	if told == 0 {
		b.Fatal("no column has a value")
	}
	return rows
}
