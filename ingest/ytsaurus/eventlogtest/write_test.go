package eventlogtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/synthetic"
)

// smallTrace is where the trace of preset small is, which the tests share.
var smallTrace = struct {
	sync.Once
	dir string
	err error
}{}

func TestMain(m *testing.M) {
	code := m.Run()
	if smallTrace.dir != "" {
		os.RemoveAll(filepath.Dir(smallTrace.dir))
	}
	os.Exit(code)
}

// small returns the trace of nine minutes of preset small.
func small(t *testing.T) string {
	t.Helper()
	smallTrace.Do(func() {
		spec, err := synthetic.Preset("small")
		if err != nil {
			smallTrace.err = err
			return
		}
		spec.Length = synthetic.Duration(9 * 60 * core.Second)
		parent, err := os.MkdirTemp("", "eventlogtest")
		if err != nil {
			smallTrace.err = err
			return
		}
		smallTrace.dir = filepath.Join(parent, "trace")
		_, smallTrace.err = synthetic.Generate(context.Background(), synthetic.Options{Spec: spec, Seed: 1, Out: smallTrace.dir})
	})
	if smallTrace.err != nil {
		t.Fatal(smallTrace.err)
	}
	return smallTrace.dir
}

func write(t *testing.T, trace string, o Options) Result {
	t.Helper()
	return Write(t, trace, filepath.Join(t.TempDir(), "log"), o)
}

var ages = []Age{Age2020, Age2023, Age2025}

// recount counts what rows a trace demands of an age, by itself.
func recount(t *testing.T, dir string, age Age) map[string]int64 {
	tr := joblogtest.Read(t, dir)
	seconds := int64(tr.Manifest.Window.To-tr.Manifest.Window.From) / int64(core.Second)
	n := map[string]int64{"cluster_info": seconds, "nodes_info": seconds / 30}
	ended := map[int32]bool{}
	for _, o := range tr.Operations {
		n["operation_started"]++
		n["operation_prepared"]++
		if o.MaterializeTime.Set {
			n["operation_materialized"]++
		}
		if o.FinishTime.Set {
			n["operation_"+o.FinalState.Value]++
			ended[int32(o.Op)] = true
		}
	}
	changes := map[core.Time]bool{}
	for i, tree := range tr.Trees {
		for _, p := range tree.PoolConfigs {
			if p.Time > tr.Manifest.Window.From {
				changes[p.Time] = true
			}
		}
		for _, j := range tree.Jobs {
			over := strings.HasPrefix(j.AbortReason.Value, "operation_")
			if j.FinishTime.Set && (age != Age2020 || !over) {
				n["job_"+j.EndKind]++
			}
			if !j.FinishTime.Set && tr.Manifest.Window.To-j.Time < 6*core.Second {
				continue // the agent may not have heard of it before the log's end
			}
			n["job_started"]++
		}
		snapshots := int64(len(rowsIn(t, dir, tr.Manifest.Trees[i], "snap_tree")))
		withOperations := int64(len(rowsIn(t, dir, tr.Manifest.Trees[i], "snap_ops")))
		if n["fair_share_info"] += snapshots; age != Age2020 {
			n["fair_share_info"] += snapshots + withOperations
		}
	}
	n["pools_info"] = int64(len(changes))
	if age != Age2020 {
		n["nodes_info"] *= int64(len(tr.Trees))
		n["accumulated_usage_info"] = seconds / 60 * int64(len(tr.Trees))
	}
	return n
}

// rowsIn returns the different times in a table.
func rowsIn(t *testing.T, dir, tree, table string) map[int64]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "tree="+tree, table+"-*.parquet"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no table %s of tree %s: %v", table, tree, err)
	}
	times := map[int64]bool{}
	for _, file := range files {
		rows, err := parquet.ReadFile[struct {
			Time int64 `parquet:"time"`
		}](file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			times[r.Time] = true
		}
	}
	return times
}

func TestRowsAreThoseThatTheTraceDemands(t *testing.T) {
	dir := small(t)
	for _, age := range ages {
		got := write(t, dir, Options{Age: age, Form: JSONL, Seed: 1}).Rows
		want := recount(t, dir, age)
		for _, kind := range slices.Sorted(maps.Keys(want)) {
			less := int64(0)
			if kind == "job_started" {
				less = 40 // jobs that began in the last seconds
			}
			if got[kind] < want[kind] || got[kind] > want[kind]+less {
				t.Errorf("%s: %d rows of %s, want %d", age, got[kind], kind, want[kind])
			}
		}
		for kind := range got {
			if want[kind] == 0 {
				t.Errorf("%s: rows of %s, which the trace does not demand", age, kind)
			}
		}
	}
}

func TestAllFormsHoldTheSameRows(t *testing.T) {
	dir := small(t)
	for _, age := range ages {
		rows := decoded(t, unpacked(t, write(t, dir, Options{Age: age, Form: JSONL, Seed: 1}).Logs[0]))
		for _, form := range []Form{TextYSON, BinaryYSON} {
			var want bytes.Buffer
			e := encoderOf(form, &want, nil)
			for i := range rows {
				if err := e.row(&rows[i]); err != nil {
					t.Fatal(err)
				}
			}
			for _, compression := range []string{"", "gz", "zst"} {
				if compression != "" && age != Age2023 {
					continue
				}
				r := write(t, dir, Options{Age: age, Form: form, Compression: compression, Seed: 1})
				if got := unpacked(t, r.Logs[0]); !bytes.Equal(got, want.Bytes()) {
					t.Errorf("%s %s %s: byte %d is another", age, form, compression, firstDifference(got, want.Bytes()))
				}
			}
		}
		r := write(t, dir, Options{Age: age, Form: Parquet, Seed: 1})
		compareParquet(t, age, r.Logs[0], rows)
	}
}

// compareParquet checks every cell of a projected copy.
func compareParquet(t *testing.T, age Age, path string, rows []Value) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reader := parquet.NewReader(f)
	defer reader.Close()
	names, _ := columnsOf(t, age).projected()
	for i, c := range reader.Schema().Columns() {
		if c[0] != names[i] {
			t.Fatalf("column %d is %s, not %s", i, c[0], names[i])
		}
	}
	if reader.NumRows() != int64(len(rows)) {
		t.Fatalf("%d rows, want %d", reader.NumRows(), len(rows))
	}
	one := make([]parquet.Row, 1)
	for i := range rows {
		if n, err := reader.ReadRows(one); n != 1 {
			t.Fatal(err)
		}
		seen := 0
		for j, cell := range one[0] {
			if want := rows[i].at(names[j]); !cell.IsNull() {
				seen++
				if want == nil || !parquet.Equal(cell, parquetValue(want)) {
					t.Fatalf("row %d, column %s: another value", i, names[j])
				}
			}
		}
		if seen != len(rows[i].keys) {
			t.Fatalf("row %d has %d columns, want %d", i, seen, len(rows[i].keys))
		}
	}
}

// Options that small uses and the samples do not.
var beyondSamples = []string{
	"*.spec.is_gang", "job_*.predecessor_job_id", "job_*.predecessor_type", "pools_info.pools.*.*.enable_lightweight_operations",
	"pools_info.pools.*.*.ephemeral_subpool_config", "pools_info.pools.*.*.ephemeral_subpool_config.max_running_operation_count",
	"pools_info.pools.*.*.max_share_ratio", "pools_info.pools.*.*.resource_limits.cpu", "fair_share_info.pools.*.specified_resource_limits.cpu",
}

func TestKindsAndColumnsAreThoseOfTheAge(t *testing.T) {
	dir := small(t)
	for _, age := range ages {
		known := pathsOf(decoded(t, sample(t, string(age)+".jsonl.gz")))
		written := pathsOf(decoded(t, unpacked(t, write(t, dir, Options{Age: age, Form: JSONL, Seed: 1}).Logs[0])))
		for _, path := range slices.Sorted(maps.Keys(written)) {
			beyond := slices.ContainsFunc(beyondSamples, func(p string) bool {
				match, err := filepath.Match(p, path)
				return err == nil && match
			})
			if !known[path] && !beyond {
				t.Errorf("%s: the sample has no %s", age, path)
			}
		}
		// What every row of a kind has in the sample, ours have, too.
		for _, path := range slices.Sorted(maps.Keys(known)) {
			kind, _, _ := strings.Cut(path, ".")
			if written[kind] && !written[path] && !strings.Contains(path, ".spec.") {
				t.Errorf("%s: the sample has %s, and ours do not", age, path)
			}
		}
	}
}

// A row as encoding/json has it.
type jsonRow struct {
	Timestamp   string `json:"timestamp"`
	EventType   string `json:"event_type"`
	OperationID string `json:"operation_id"`
}

func TestEachProcessFlushesOnceASecondNewestFirst(t *testing.T) {
	dir := small(t)
	number := map[string]int{}
	for i, o := range joblogtest.Read(t, dir).Operations {
		number[o.ID] = i
	}
	for _, age := range ages {
		var of [1 + agents][]string // timestamps by process
		for line := range bytes.Lines(unpacked(t, write(t, dir, Options{Age: age, Form: JSONL, Seed: 1}).Logs[0])) {
			var r jsonRow
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			process := scheduler
			if strings.HasPrefix(r.EventType, "job_") {
				process = 1 + number[r.OperationID]%agents
			}
			of[process] = append(of[process], r.Timestamp)
		}
		for p, times := range of {
			if runs, down := runsOf(t, times); runs < 100 || runs > 9*60+30 || down < 20 {
				t.Errorf("%s: process %d: %d flushes, and %d rows that are older than the one before", age, p, runs, down)
			}
		}
	}
}

// runsOf counts runs of times that do not ascend, and the steps down in them. Each run
// is later than all before it.
func runsOf(t *testing.T, times []string) (runs, down int) {
	t.Helper()
	from, latest := 0, ""
	for i := range times {
		if i > 0 && times[i] <= times[i-1] {
			if latest != "" && times[i] <= latest {
				t.Fatalf("a row of %s stands after one of %s of an earlier flush", times[i], latest)
			}
			if times[i] < times[i-1] {
				down++
			}
			continue
		}
		if i > 0 {
			latest = times[from]
			if times[i] <= latest {
				t.Fatalf("a flush begins with %s, after one that begins with %s", times[i], latest)
			}
		}
		runs, from = runs+1, i
	}
	return runs, down
}

// A job that ends before its agent has heard of its start shows both at once
// (ingest/trace/FORMAT.md §4.4).
func TestJobsStartBeforeTheyEnd(t *testing.T) {
	started, both := map[string]string{}, 0
	rows := decoded(t, unpacked(t, write(t, small(t), Options{Age: Age2023, Form: JSONL, Seed: 1}).Logs[0]))
	for i := range rows {
		if v := &rows[i]; v.at("event_type").text == "job_started" {
			started[v.at("job_id").text] = v.at("timestamp").text
		}
	}
	for i := range rows {
		v := &rows[i]
		if v.at("finish_time") == nil || v.at("job_id") == nil {
			continue
		}
		start, told, end := v.at("start_time").text, started[v.at("job_id").text], v.at("timestamp").text
		if told <= start || told > end || end <= v.at("finish_time").text {
			t.Fatalf("a job starts at %s, its agent hears of it at %s, its end is logged at %s", start, told, end)
		}
		if told == end {
			both++
		}
	}
	if both == 0 {
		t.Error("no job is so short that start and end are told together")
	}
}

func TestTheSameSeedGivesTheSameBytes(t *testing.T) {
	dir := small(t)
	read := func(seed int64) string {
		return string(unpacked(t, write(t, dir, Options{Age: Age2023, Form: JSONL, Seed: seed}).Logs[0]))
	}
	one := read(1)
	if one != read(1) {
		t.Error("the same seed gives other bytes")
	}
	if one == read(2) {
		t.Error("another seed gives the same bytes")
	}
}

func TestStructuredLogsStandInOrderBetweenForeignLines(t *testing.T) {
	dir := small(t)
	for _, age := range ages {
		table := write(t, dir, Options{Age: age, Form: JSONL, Seed: 1})
		r := write(t, dir, Options{Age: age, Form: JSONL, Seed: 1, Structured: true})
		rows, foreign, categories := map[string]int64{}, 0, map[string]bool{}
		for _, path := range r.Logs {
			last := ""
			for line := range bytes.Lines(unpacked(t, path)) {
				var row struct {
					jsonRow
					Instant, Level, Category string
				}
				if err := json.Unmarshal(line, &row); err != nil || row.EventType == "" {
					foreign++
					continue
				}
				rows[row.EventType]++
				categories[row.Category] = true
				if row.Timestamp < last || row.Instant == "" || row.Level != "info" {
					t.Fatalf("%s after %s: %s", row.Timestamp, last, line)
				}
				last = row.Timestamp
			}
		}
		if age == Age2025 {
			for _, kind := range []string{"operation_starvation_started", "operation_starvation_finished"} {
				if table.Rows[kind] != 0 || rows[kind] == 0 {
					t.Errorf("%d rows of %s in the table, %d in structured logs", table.Rows[kind], kind, rows[kind])
				}
				delete(rows, kind)
			}
		}
		if !maps.Equal(rows, table.Rows) {
			t.Errorf("%s: rows %v, of the table %v", age, rows, table.Rows)
		}
		want := "[ControllerEventLog SchedulerEventLog SchedulerStructuredLog]"
		if age == Age2020 {
			want = "[ControllerEventLog SchedulerEventLog]"
		}
		if got := fmt.Sprint(slices.Sorted(maps.Keys(categories))); got != want || foreign < 50 {
			t.Errorf("%s: categories %s, %d foreign lines", age, got, foreign)
		}
	}
}
