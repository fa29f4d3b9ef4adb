package command

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/marcboeker/go-duckdb"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// BenchmarkHeartbeats reads every column of a log of heartbeats and adds it up,
// with our reader and with DuckDB's own scan of the same file, one thread each.
// The sums must agree. The rate that counts is rows per CPU second, which what
// else the machine does hardly touches:
//
//	POOLPROOF_BENCH_ROWS=20000000 go test -run '^$' -bench Heartbeats ./cmd/poolproof/command
func BenchmarkHeartbeats(b *testing.B) {
	rows := benchRows(b, 1_000_000)
	path := filepath.Join(b.TempDir(), "heartbeats-000.parquet")
	writeHeartbeats(b, path, rows)
	var want []float64
	for _, r := range []struct {
		name string
		sums func(testing.TB, string) []float64
	}{{"poolproof", sumHeartbeats}, {"duckdb", sumInDuckDB}} {
		b.Run(fmt.Sprintf("reader=%s/rows=%d", r.name, rows), func(b *testing.B) {
			b.ReportAllocs()
			cpu := cpuTime(b)
			for b.Loop() {
				sums := r.sums(b, path)
				if want == nil {
					want = sums
				}
				if fmt.Sprint(sums) != fmt.Sprint(want) {
					b.Fatalf("sums\n%v\nthe other reader's\n%v", sums, want)
				}
			}
			seconds := (cpuTime(b) - cpu).Seconds() / float64(b.N)
			b.ReportMetric(float64(rows)/seconds/1e6, "Mrows/cpu-s")
		})
	}
}

// benchRows is the size of a benchmark's log, unless the environment asks for
// another.
func benchRows(b *testing.B, rows int) int {
	if s := os.Getenv("POOLPROOF_BENCH_ROWS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatalf("POOLPROOF_BENCH_ROWS: %v", err)
		}
		return n
	}
	return rows
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeHeartbeats writes a log of 5,000 nodes of four sizes at a heartbeat per
// 5 s, recorded in full. Slots, cores and devices in use are small numbers that
// move; memory is one that hardly repeats.
func writeHeartbeats(b *testing.B, path string, rows int) {
	const nodes, period = 5000, 5_000_000
	r := rand.New(rand.NewPCG(1, 2))
	w, err := parquetlog.Create(trace.Heartbeats, path, parquetlog.Options{})
	if err != nil {
		b.Fatal(err)
	}
	usage := make([]trace.Resources, nodes)
	for i := range rows {
		node := i % nodes
		size := int64(node%4 + 1)
		u := &usage[node]
		before := *u
		started := int32(r.IntN(3) / 2)
		u.UserSlots = min(max(u.UserSlots+int64(started)-int64(r.IntN(3)/2), 0), 24*size)
		u.CPUMilli = u.UserSlots*1000 + int64(r.IntN(4))*10
		u.GPU = int32(u.UserSlots % (2 * size))
		u.Memory = u.UserSlots<<30 + r.Int64N(1<<30)
		row := trace.Heartbeat{
			Stamp: trace.Stamp{Time: core.Time(1_700_000_000_000_000 + int64(i)*(period/nodes) + r.Int64N(period/nodes)), Seq: int64(i)},
			Node:  core.NodeID(node), Kind: "recorded",
			Limit: trace.Resources{UserSlots: 24 * size, CPUMilli: 24_000 * size, GPU: int32(2 * size), Memory: size << 37, Network: 100},
			Usage: before, After: core.Some(*u),
			Running: int32(u.UserSlots), Started: started, Finished: started,
			WithPreemption: core.Some(i%17 == 0), ProcessUS: core.Some(int32(100 + r.IntN(900))),
		}
		if err := w.Add(&row); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// sumHeartbeats returns the sum of every column: of a text's bytes, of the true
// ones of a boolean, of the microseconds of a time after the log's beginning.
func sumHeartbeats(b testing.TB, path string) []float64 {
	table := &trace.Heartbeats.Table
	in := parquetlog.NewInterner(0)
	r, err := parquetlog.Open(table, path, parquetlog.ReadOptions{Interner: in})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	exact := make([]int64, len(table.Columns))
	for {
		batch, err := r.Next()
		if errors.Is(err, io.EOF) {
			return floats(exact)
		}
		if err != nil {
			b.Fatal(err)
		}
		for i := range table.Columns {
			exact[i] += sumColumn(table.Columns[i].Type, &batch.Columns[i], batch.Rows, in)
		}
	}
}

func sumColumn(t parquetlog.Type, v *parquetlog.Vector, n int, in *parquetlog.Interner) (sum int64) {
	switch t {
	case parquetlog.Int32:
		for _, x := range v.Int32s[:n] {
			sum += int64(x)
		}
	case parquetlog.Time:
		for _, x := range v.Int64s[:n] {
			sum += x - 1_700_000_000_000_000
		}
	case parquetlog.Int64:
		for _, x := range v.Int64s[:n] {
			sum += x
		}
	case parquetlog.Bool:
		for _, x := range v.Bools[:n] {
			if x {
				sum++
			}
		}
	case parquetlog.Text:
		for _, x := range v.Texts[:n] {
			sum += int64(len(in.Text(x)))
		}
	}
	return sum
}

func floats(exact []int64) []float64 {
	sums := make([]float64, len(exact))
	for i, x := range exact {
		sums[i] = float64(x)
	}
	return sums
}

// sumInDuckDB returns the same sums from DuckDB.
func sumInDuckDB(b testing.TB, path string) []float64 {
	db, err := sql.Open("duckdb", "?autoinstall_known_extensions=false&autoload_known_extensions=false&threads=1")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var columns []string
	sums := make([]float64, len(trace.Heartbeats.Columns))
	into := make([]any, len(sums))
	for i, c := range trace.Heartbeats.Columns {
		columns = append(columns, fmt.Sprintf(map[parquetlog.Type]string{
			parquetlog.Int32: "sum(%s)", parquetlog.Int64: "sum(%s)", parquetlog.Bool: "count(*) FILTER (%s)",
			parquetlog.Time: "sum(epoch_us(%s) - 1700000000000000)", parquetlog.Text: "sum(length(%s))",
		}[c.Type], strconv.Quote(c.Name)))
		columns[i] = "coalesce(" + columns[i] + ", 0)::DOUBLE"
		into[i] = &sums[i]
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM read_parquet('" + strings.ReplaceAll(path, "'", "''") + "')"
	if err := db.QueryRow(query).Scan(into...); err != nil {
		b.Fatal(err)
	}
	return sums
}
