package ytsaurus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
)

// A fields is a row as its columns.
type fields map[string]any

// edit changes the first row of an event type that suits.
func edit(t testing.TB, rows [][]byte, event string, change func(f fields) bool) [][]byte {
	t.Helper()
	rows = slices.Clone(rows)
	for i, line := range rows {
		if !bytes.Contains(line, []byte(`"`+event+`"`)) {
			continue
		}
		f := fieldsOf(t, line)
		if f["event_type"] == event && change(f) {
			rows[i] = lineOf(t, f)
			return rows
		}
	}
	t.Fatalf("no row of %s suits", event)
	return nil
}

// set returns a change of one column.
func set(column string, value any) func(fields) bool {
	return func(f fields) bool {
		_, has := f[column]
		f[column] = value
		return has
	}
}

func fieldsOf(t testing.TB, line []byte) fields {
	t.Helper()
	var f fields
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f
}

func lineOf(t testing.TB, f fields) []byte {
	t.Helper()
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// without drops the rows of some event types.
func without(rows [][]byte, events ...string) [][]byte {
	return slices.DeleteFunc(slices.Clone(rows), func(line []byte) bool {
		return slices.ContainsFunc(events, func(e string) bool { return bytes.Contains(line, []byte(`"event_type":"`+e+`"`)) })
	})
}

// first returns the first value of a column in rows of an event type.
func first(t testing.TB, rows [][]byte, event, column string) string {
	t.Helper()
	value := ""
	edit(t, rows, event, func(f fields) bool {
		value, _ = f[column].(string)
		return value != ""
	})
	return value
}

// element returns a change of the first element of a map in a row.
func element(column, field string, value any) func(fields) bool {
	return func(f fields) bool {
		all, _ := f[column].(map[string]any)
		names := slices.Sorted(maps.Keys(all))
		if len(names) == 0 {
			return false
		}
		all[names[len(names)-1]].(map[string]any)[field] = value
		return true
	}
}

// Everything that is wrong with rows is told by a code, and the rest is used.
func TestDirt(t *testing.T) {
	l := sampleLog(t, "2023")
	plain := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
	clean := plain.manifest(t).Quarantined
	jobID := first(t, l.rows, "job_completed", "job_id")
	ofJob := func(rows [][]byte, event string) [][]byte {
		return slices.DeleteFunc(slices.Clone(rows), func(line []byte) bool {
			return bytes.Contains(line, []byte(jobID)) && bytes.Contains(line, []byte(`"`+event+`"`))
		})
	}
	for _, c := range []struct {
		name string
		rows [][]byte
		want string // codes that the clean log does not have, with their counts
	}{
		{"a row in the middle of which the log ends", append(slices.Clone(l.rows[:len(l.rows)-1]), l.rows[0][:len(l.rows[0])/2]), "bad_row 1"},
		{"a long text", edit(t, l.rows, "operation_started", set("spec", map[string]any{"title": strings.Repeat("x", 70<<10)})), "text_too_long 1"},
		{"a row of 100 MB", edit(t, l.rows, "operation_started", set("spec", map[string]any{"command": strings.Repeat("x", 100<<20)})), "text_too_long 1"},
		{"a long spec", edit(t, l.rows, "operation_started", set("spec", map[string]any{"command": strings.Repeat("x", 10<<20)})), ""},
		{"long annotations", edit(t, l.rows, "operation_started", set("spec", map[string]any{"annotations": map[string]any{"a": strings.Repeat("x", 80<<10)}})), "text_too_long 1"},
		{"bytes that are no text", bytesIn(t, l.rows, "operation_started", `"authenticated_user":"`, "\xff\xfe"), "bad_utf8 1"},
		{"no JSON in a column that nobody reads", bytesIn(t, l.rows, "job_completed", "{", `"x":[1,},`), "bad_row 1, start_without_finish 3"},
		{"a finish without a start", ofJob(l.rows, "job_started"), "finish_without_start 1"},
		{"two finishes that differ", append(edit(t, l.rows, "job_completed", set("job_type", "reduce")), l.rows...), "finished_twice 1"},
		{"an end on another node", edit(t, l.rows, "job_completed", set("node_address", "elsewhere:9012")), "start_and_finish_differ 1"},
		{"an end in another operation", edit(t, l.rows, "job_completed", set("operation_id", "1-2-3-4")), "start_and_finish_differ 1"},
		{"a finish before its start", edit(t, l.rows, "job_completed", set("finish_time", "2024-01-01T00:00:00.000000Z")), "finish_before_start 1, start_without_finish 1"},
		{"a finish after its row", edit(t, l.rows, "job_completed", set("finish_time", "2099-01-01T00:00:00.000000Z")), "impossible_time 1, start_without_finish 1"},
		{"a job that starts before its operation", edit(t, l.rows, "job_completed", set("start_time", "2024-01-01T00:00:00.000000Z")), "impossible_time 1, start_without_finish 1"},
		{"an operation that ends before it starts", edit(t, l.rows, "operation_completed", set("finish_time", "2024-01-01T00:00:00.000000Z")), "finish_before_start 1, operation_without_end 1"},
		{"the year 1601", edit(t, l.rows, "job_completed", set("start_time", "1601-01-01T00:00:00.000000Z")), "bad_timestamp 1, start_without_finish 1"},
		{"the year 2106", edit(t, l.rows, "job_completed", set("timestamp", "2106-02-07T06:28:15.000000Z")), "bad_timestamp 1, start_without_finish 3"},
		{"the year 1970", edit(t, l.rows, "fair_share_info", set("timestamp", "1970-01-01T00:00:00.000000Z")), "bad_timestamp 1, incomplete_snapshots 1"},
		{"a negative time", edit(t, l.rows, "job_completed", set("finish_time", -5)), "bad_timestamp 1, start_without_finish 1"},
		{"no time", edit(t, l.rows, "job_started", set("timestamp", "yesterday")), "bad_timestamp 1, finish_without_start 1"},
		{"no event type", edit(t, l.rows, "job_started", func(f fields) bool { delete(f, "event_type"); return true }), "finish_without_start 1, no_event_type 1"},
		{"an id that is none", edit(t, l.rows, "job_started", set("job_id", "12-34")), "bad_id 1, finish_without_start 1"},
		{"an id of nobody", edit(t, l.rows, "job_started", set("operation_id", "0-0-0-0")), "bad_id 1, finish_without_start 1"},
		{"a preemptor that is none", edit(t, l.rows, "job_aborted", set("preempted_for", map[string]any{"job_id": "x", "operation_id": "0-0-0-0"})), "bad_id 1"},
		{"less than nothing", edit(t, l.rows, "job_completed", set("resource_limits", map[string]any{"cpu": -1, "user_slots": 1})), "bad_amount 1, start_without_finish 1"},
		{"more than there is", edit(t, l.rows, "job_completed", set("resource_limits", map[string]any{"cpu": 1, "user_memory": 1e30})), "bad_amount 1, start_without_finish 1"},
		{"no amount", edit(t, l.rows, "job_completed", set("resource_limits", map[string]any{"cpu": "NaN"})), "bad_amount 1, start_without_finish 1"},
		{"usage less than nothing", edit(t, l.rows, "fair_share_info", element("operations", "resource_usage", map[string]any{"cpu": -1})), "bad_amount 1, incomplete_snapshots 1"},
		{"shares that are none", edit(t, l.rows, "fair_share_info", element("operations", "usage_share", "all")), "bad_field 1"},
		{"a node without limits", edit(t, l.rows, "nodes_info", element("nodes", "resource_limits", nil)), "bad_amount 1"},
		{"a tree that nobody configured", edit(t, l.rows, "job_started", set("tree_id", "zzz")), "start_and_finish_differ 1, undescribed_tree 1"},
		{"a snapshot of such a tree", edit(t, l.rows, "fair_share_info", set("tree_id", "zzz")), "incomplete_snapshots 1, undescribed_tree 1"},
		{"bytes of a pool's name", bytesIn(t, l.rows, "fair_share_info", `"pools":{"`, "\xff\xfe"), "bad_id 1, bad_utf8 1"},
		{"bytes of a tree's name", bytesIn(t, l.rows, "job_started", `"tree_id":"`, "\xff\xfe"), "bad_utf8 1"},
		{"a row that is no map", append(slices.Clone(l.rows), []byte(`[1,2]`)), "foreign_lines 1"},
		{"lines of others", append(slices.Clone(l.rows), []byte("2025-03-03 08:00:00,000\tI\tLogging\tstarted"), []byte(`{"level":"info"}`)), "foreign_lines 1"},
		{"unknown events", append(slices.Clone(l.rows), []byte(`{"timestamp":"2025-03-03T08:00:00.000000Z","event_type":"job_dreamt"}`)), "unknown_event_type 1"},
		{"unknown reasons", edit(t, l.rows, "job_aborted", set("reason", "bad_karma")), ""},
		{"no nodes", without(l.rows, "nodes_info"), "no_nodes_info 2"},
		{"no snapshots", without(l.rows, "fair_share_info"), "no_fair_share_info 2"},
		{"everything twice", append(slices.Clone(l.rows), l.rows...), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), c.rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
			if told := codesBeside(got.manifest(t).Quarantined, clean); told != c.want {
				t.Errorf("problems %q, want %q", told, c.want)
			}
			checkProblems(t, got)
			if jobs := got.summary.Jobs; jobs < plain.summary.Jobs-1 {
				t.Errorf("%d jobs of %d are left", jobs, plain.summary.Jobs)
			}
		})
	}
}

// A node is not described where every sample of it is left out, and it is where one is left.
func TestUndescribedNodes(t *testing.T) {
	l := sampleLog(t, "2023")
	once := edit(t, l.rows, "nodes_info", element("nodes", "resource_limits", nil))
	always := slices.Clone(l.rows)
	for i, row := range always {
		always[i] = bytes.Replace(row, []byte(`"nodes":{"`), []byte(`"nodes":{"unreadable":{"resource_limits":{"cpu":-1}},"`), 1)
	}
	for _, c := range []struct {
		name        string
		rows        [][]byte
		undescribed int
	}{
		{"one sample of a node", once, 0},
		{"every sample of a node", always, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), c.rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
			m := got.manifest(t)
			if m.Quarantined["bad_amount"] == 0 || m.Quarantined["node_not_described"] != int64(c.undescribed) {
				t.Errorf("problems %v, want bad_amount and %d nodes that are not described", m.Quarantined, c.undescribed)
			}
			found := 0
			for _, tree := range joblogtest.Read(t, got.dir).Trees {
				for _, s := range tree.NodeStates {
					if s.Undescribed.Value && s.Online {
						found++
					}
				}
			}
			noted := slices.ContainsFunc(got.summary.Notes, func(n string) bool {
				return strings.HasPrefix(n, "Nodes that serve while no row of nodes_info describes them: 1.")
			})
			if found != c.undescribed || noted != (c.undescribed > 0) {
				t.Errorf("%d nodes are not described, want %d; notes %q", found, c.undescribed, got.summary.Notes)
			}
		})
	}
}

// bytesIn puts bytes behind a text in the first row of an event type.
func bytesIn(t testing.TB, rows [][]byte, event, behind, put string) [][]byte {
	t.Helper()
	rows = slices.Clone(rows)
	i := slices.IndexFunc(rows, func(line []byte) bool {
		return bytes.Contains(line, []byte(`"`+event+`"`)) && bytes.Contains(line, []byte(behind))
	})
	if i < 0 {
		t.Fatalf("no row of %s holds %s", event, behind)
	}
	rows[i] = bytes.Replace(rows[i], []byte(behind), []byte(behind+put), 1)
	return rows
}

// codesBeside lists the codes that are there more often than in other counts.
func codesBeside(counts, others map[string]int64) string {
	var all []string
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[code] - others[code]; n != 0 {
			all = append(all, fmt.Sprintf("%s %d", code, n))
		}
	}
	return strings.Join(all, ", ")
}

// checkProblems sees that each problem has an explanation and that the manifest counts
// them.
func checkProblems(t testing.TB, got imported) {
	t.Helper()
	explained := ytsaurus.Explanations()
	counts := map[string]int64{}
	for _, p := range joblogtest.Read(t, got.dir).Problems {
		counts[p.Code]++
		if explained[p.Code] == "" {
			t.Errorf("nothing explains %s", p.Code)
		}
	}
	if told := got.manifest(t).Quarantined; !maps.Equal(counts, told) {
		t.Errorf("the manifest counts %v, and there are %v", told, counts)
	}
}

// A source that is cut off, empty or foreign costs what it lacks and nothing else.
func TestSourcesThatLackSomething(t *testing.T) {
	l := sampleLog(t, "2023")
	half := len(l.rows) / 2
	all := func(rows [][]byte) []byte { return bytes.Join(append(rows[:len(rows):len(rows)], nil), []byte("\n")) }
	cut := func(extension string, part int) []byte {
		b := packed(t, all(l.rows[half:]), extension)
		return b[:len(b)*part/100]
	}
	for _, c := range []struct {
		name, file string
		text       []byte
		want       string
	}{
		{"plain, cut off", "b.json", cut("", 50), "truncated_row 1"},
		{"gzip, cut off", "b.gz", cut(".gz", 50), "source_ends_early 1"},
		{"zstd, cut off", "b.zst", cut(".zst", 50), "source_ends_early 1"},
		{"gzip, nothing but its beginning", "b.gz", cut(".gz", 100)[:5], "source_ends_early 1"},
		{"zstd, nothing but its beginning", "b.zst", cut(".zst", 100)[:5], "source_ends_early 1"},
		{"empty", "b.json", nil, "empty_source 1"},
		{"blank", "b.json", []byte("\n\n \n"), "source_without_events 1"},
		{"foreign", "b.log", []byte("starting\nstarted\n"), "foreign_lines 1, source_without_events 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeRows(t, filepath.Join(dir, "in", "a.json"), l.rows[:half])
			writeText(t, filepath.Join(dir, "in", c.file), c.text)
			got := importLog(t, ytsaurus.Options{Sources: []string{filepath.Join(dir, "in")}, Exports: []ytsaurus.Export{{Path: l.export}}})
			clean := importLog(t, ytsaurus.Options{Sources: []string{filepath.Join(dir, "in", "a.json")}, Exports: []ytsaurus.Export{{Path: l.export}}}).manifest(t).Quarantined
			told := got.manifest(t).Quarantined
			for _, code := range []string{"start_without_finish", "finish_without_start", "operation_without_start", "unknown_pool"} {
				delete(told, code) // of what is in the other half
				delete(clean, code)
			}
			if told := codesBeside(told, clean); told != c.want {
				t.Errorf("problems %q, want %q", told, c.want)
			}
			if n := len(got.manifest(t).Sources); n != 3 {
				t.Errorf("%d sources", n)
			}
			if got.manifest(t).Sources[1].SHA256 == "" {
				t.Error("a source without a digest")
			}
		})
	}
}

// Where the log lacks all that a trace is made of, there is no trace.
func TestNothingToImport(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"", "starting\n", "{}\n"} {
		out := filepath.Join(dir, "trace")
		_, err := ytsaurus.Import(context.Background(), ytsaurus.Options{Sources: []string{writeText(t, filepath.Join(dir, "log"), []byte(text))}, Out: out})
		var format *parquetlog.FormatError
		if !errors.As(err, &format) {
			t.Errorf("%q: got %v", text, err)
		}
		nothingLeft(t, dir, "log")
	}
}

func TestASourceThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	l := sampleLog(t, "2023")
	log := writeRows(t, filepath.Join(dir, "log"), l.rows)
	_, err := ytsaurus.Import(context.Background(), ytsaurus.Options{Sources: []string{log, filepath.Join(dir, "absent")}, Out: filepath.Join(dir, "trace")})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	nothingLeft(t, dir, "log")
}

// nothingLeft sees that a folder holds only these.
func nothingLeft(t testing.TB, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

// Words that the scheduler of another age uses are kept as they are.
func TestUnknownWordsAreKept(t *testing.T) {
	l := sampleLog(t, "2023")
	rows := edit(t, l.rows, "job_aborted", set("reason", "bad_karma"))
	rows = edit(t, rows, "job_started", set("job_type", "dream"))
	rows = edit(t, rows, "operation_started", set("operation_type", "ponder"))
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), rows)}, Exports: []ytsaurus.Export{{Path: l.export}}})
	tr := joblogtest.Read(t, got.dir)
	found := map[string]bool{}
	for _, tree := range tr.Trees {
		for _, j := range tree.Jobs {
			found[j.AbortReason.Value], found[j.Type.Value] = true, true
		}
	}
	for _, o := range tr.Operations {
		found[o.Type] = true
	}
	for _, word := range []string{"bad_karma", "dream", "ponder"} {
		if !found[word] {
			t.Errorf("%s is lost", word)
		}
	}
}

// An export that lies among the logs is one, and a name that JSON has byte by byte is
// read as what it is.
func TestFoldersHoldExports(t *testing.T) {
	l := sampleLog(t, "2023")
	dir := t.TempDir()
	export, err := os.ReadFile(l.export)
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(dir, "pools.json"), export)
	writeRows(t, filepath.Join(dir, "log.gz"), l.rows)
	got := importLog(t, ytsaurus.Options{Sources: []string{dir}})
	if m := got.manifest(t); m.Coverage.TreeConfig != "single" || len(m.Sources) != 2 {
		t.Errorf("coverage %s of %d sources", m.Coverage.TreeConfig, len(m.Sources))
	}
	if !slices.ContainsFunc(joblogtest.Read(t, got.dir).Operations, func(o trace.Operation) bool { return o.User == "zoë" }) {
		t.Error("no operation is of zoë")
	}
}

// Without an export settings are assumed, and a problem says so.
func TestNoExport(t *testing.T) {
	l := sampleLog(t, "2023")
	got := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)}})
	if m := got.manifest(t); m.Coverage.TreeConfig != "assumed" || m.Quarantined["no_pool_trees"] != 1 {
		t.Errorf("coverage %s, problems %v", m.Coverage.TreeConfig, m.Quarantined)
	}
	checkProblems(t, got)
}

// TestSnapshotsOfAnOddName: the id of a snapshot stands in records that are sorted by it,
// and a zero byte of it ends nothing there.
func TestSnapshotsOfAnOddName(t *testing.T) {
	l := sampleLog(t, "2023")
	for _, id := range []string{"\x00", "\x00\x01", "\x00\x00\x01"} {
		var rows [][]byte
		for _, line := range l.rows {
			if f := fieldsOf(t, line); f["event_type"] == "fair_share_info" {
				f["tree_snapshot_id"] = id
				line = lineOf(t, f)
			}
			rows = append(rows, line)
		}
		o := ytsaurus.Options{Sources: []string{writeRows(t, t.TempDir()+"/log", rows)}, Out: t.TempDir() + "/trace"}
		if _, err := ytsaurus.Import(t.Context(), o); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}
