package foreign

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/core/coretest/testcorpus"
)

// sampleRows returns the lines of an event log's sample, and the path of its export.
func sampleRows(t *testing.T, age string) (rows [][]byte, export string) {
	t.Helper()
	dir := testcorpus.File(t, testcorpus.Data, "ytsaurus-event-log")
	b := gunzipped(t, filepath.Join(dir, age+".jsonl.gz"))
	return bytes.SplitAfter(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")), filepath.Join(dir, "pool_trees."+age+".json")
}

// gunzipped returns what a gzip file holds.
func gunzipped(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// withoutRows drops rows: of some event types, or every so many of a type.
func withoutRows(rows [][]byte, every int, events ...string) [][]byte {
	n := 0
	return slices.DeleteFunc(slices.Clone(rows), func(line []byte) bool {
		if !slices.ContainsFunc(events, func(e string) bool { return bytes.Contains(line, []byte(`"event_type":"`+e+`"`)) }) {
			return false
		}
		n++
		return n%every == 0
	})
}

// onlyRows keeps the rows of event types that begin so.
func onlyRows(rows [][]byte, events ...string) [][]byte {
	return slices.DeleteFunc(slices.Clone(rows), func(line []byte) bool {
		return !slices.ContainsFunc(events, func(e string) bool { return bytes.Contains(line, []byte(`"event_type":"`+e)) })
	})
}

// replaced changes a text in every so many rows of an event type.
func replaced(rows [][]byte, every int, event, pattern, by string) [][]byte {
	rows, n := slices.Clone(rows), 0
	find := regexp.MustCompile(pattern)
	for i, line := range rows {
		if !bytes.Contains(line, []byte(`"event_type":"`+event)) {
			continue
		}
		if n++; n%every == 0 {
			rows[i] = find.ReplaceAll(line, []byte(by))
		}
	}
	return rows
}

// byOtherClocks writes the rows of jobs by the clocks of two agents, which are off: that
// of each is told by the id of its operation.
func byOtherClocks(rows [][]byte, off ...time.Duration) [][]byte {
	rows = slices.Clone(rows)
	told := regexp.MustCompile(`"(timestamp|start_time|finish_time)":"([^"]*)"`)
	operation := regexp.MustCompile(`"operation_id":"[^"]*(.)"`)
	for i, line := range rows {
		if !bytes.Contains(line, []byte(`"event_type":"job_`)) {
			continue
		}
		by := off[int(operation.FindSubmatch(line)[1][0])%len(off)]
		rows[i] = told.ReplaceAllFunc(line, func(b []byte) []byte {
			m := told.FindSubmatch(b)
			at, err := time.Parse(time.RFC3339Nano, string(m[2]))
			if err != nil {
				return b
			}
			return fmt.Appendf(nil, `"%s":"%s"`, m[1], at.Add(by).Format("2006-01-02T15:04:05.000000Z"))
		})
	}
	return rows
}

// blinded drops what the scheduler's rows tell between two moments of the sample, in
// which it has lost its master.
func blinded(rows [][]byte, from, to string) [][]byte {
	stamp := regexp.MustCompile(`"timestamp":"[^"T]*T([^"]*)"`)
	rows = slices.DeleteFunc(slices.Clone(rows), func(line []byte) bool {
		m := stamp.FindSubmatch(line)
		return m != nil && from < string(m[1]) && string(m[1]) < to
	})
	const row = `{"timestamp":"2025-03-03T%s","event_type":"master_%s","address":"s:1"}` + "\n"
	return append([][]byte{fmt.Appendf(nil, row, from, "disconnected"), fmt.Appendf(nil, row, to, "connected")}, rows...)
}

// TestSweepDirtAccusesNobody judges the samples of clean clusters, spoilt in ways that
// leave the import less to tell. The cluster did nothing wrong, so nothing may be
// found violated but the log itself, whose own rules (LOG) dirt may break.
func TestSweepDirtAccusesNobody(t *testing.T) {
	part := sweep.Take(t, 40) // each time of another age
	for nth, age := range ages {
		clean, export := sampleRows(t, age)
		for i, c := range []struct {
			name     string
			rows     [][]byte
			exported bool
			of       string // the age of which it is of interest; "" if any is as good
		}{
			{"no export", clean, false, ""},
			{"no nodes", withoutRows(clean, 1, "nodes_info"), true, ""},
			{"no snapshots", withoutRows(clean, 1, "fair_share_info"), true, ""},
			{"neither", withoutRows(clean, 1, "fair_share_info", "nodes_info"), false, "2020"}, // no row tells the pools of other trees than the default one
			{"no snapshots, where a pool has an option of its age", withoutRows(clean, 1, "fair_share_info"), true, "2020"},
			{"half", clean[len(clean)/2:], true, ""},
			{"the first half", clean[:len(clean)/2], true, ""},
			{"starts lost", withoutRows(clean, 3, "job_started"), true, ""},
			{"ends lost", withoutRows(clean, 3, "job_completed", "job_aborted"), true, ""},
			{"operations lost", withoutRows(clean, 3, "operation_started", "operation_prepared", "operation_materialized", "operation_completed"), true, ""},
			{"all operations lost", withoutRows(clean, 1, "operation_started", "operation_prepared", "operation_materialized", "operation_completed", "operation_aborted"), true, ""},
			{"the files that the admin guide names", onlyRows(clean, "job_", "fair_share_info", "nodes_info", "cluster_info", "pools_info"), true, ""},
			{"the file of the controller agents", onlyRows(clean, "job_"), true, "2023"},
			{"snapshots with holes", withoutRows(clean, 3, "fair_share_info"), true, ""},
			{"finishes before starts", replaced(clean, 5, "job_completed", `"finish_time":"[^"]*"`, `"finish_time":"2024-01-01T00:00:00.000000Z"`), true, ""},
			{"clocks that were never set", replaced(clean, 7, "job_", `"timestamp":"[^"]*"`, `"timestamp":"1970-01-01T00:00:00.000000Z"`), true, ""},
			{"amounts below zero", replaced(clean, 5, "", `"user_slots":\d+`, `"user_slots":-1`), true, ""},
			{"ids that are none", replaced(clean, 9, "", `"operation_id":"[^"]*"`, `"operation_id":"nobody"`), true, ""},
			{"states that nobody knows", replaced(clean, 3, "job_aborted", `"reason":"[^"]*"`, `"reason":"bad_karma"`), true, ""},
			{"words that nobody knows", replaced(clean, 1, "fair_share_info", `"starvation_status":"non_starving"`, `"starvation_status":"dreaming"`), true, ""},
			{"modes that nobody knows", replaced(clean, 1, "fair_share_info", `"mode":"[^"]*"`, `"mode":"dreaming"`), true, "2023"},
			{"users whose names lost bytes", replaced(clean, 1, "operation_", `"authenticated_user":"..`, "\"authenticated_user\":\"\xff\xfe"), true, "2025"},
			{"pools whose names lost bytes", replaced(clean, 3, "", `"(reports|carl)"`, "\"\xff\xfe$1\""), true, "2023"},
			{"trees whose names lost bytes", replaced(clean, 3, "", `"devices"`, "\"\xff\xfe\""), true, ""},
			{"trees that are not there", replaced(clean, 3, "job_", `"tree_id":"[^"]*"`, `"tree_id":"elsewhere"`), true, "2025"},
			{"agents by clocks ahead and behind", byOtherClocks(clean, 2*time.Second, -900*time.Millisecond), true, "2023"},
			{"agents by clocks behind", byOtherClocks(clean, -2*time.Second, -2*time.Second), true, "2025"},
			{"blind for a while", blinded(clean, "08:01:00.000000Z", "08:01:25.000000Z"), true, ""},
			{"a row cut off", append(slices.Clone(clean[:len(clean)-1]), clean[0][:len(clean[0])/2]), true, ""},
		} {
			if c.of != "" && c.of != age || !part.Has(nth+len(ages)*i) {
				continue
			}
			t.Run(age+" "+c.name, func(t *testing.T) {
				dir := t.TempDir()
				log, trace := filepath.Join(dir, "log.json"), filepath.Join(dir, "trace")
				if err := os.WriteFile(log, bytes.Join(c.rows, nil), 0o666); err != nil {
					t.Fatal(err)
				}
				args := []string{"import", "ytsaurus", log, "--out", trace, "--quiet"}
				if c.exported {
					args = append(args, "--pool-trees", export)
				}
				if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", args...)); code != exit.Kept {
					t.Fatalf("import: exit code %d: %s", code, stderr)
				}
				v := commandtest.VerdictOn(t, trace, filepath.Join(dir, "run"), 1)
				var accused []string
				for i := range v.Findings {
					if f := &v.Findings[i]; f.Counts() && !strings.HasPrefix(f.Invariant, "LOG-") {
						accused = append(accused, fmt.Sprintf("%s (%s) of %s %s in tree %s from %s: %s", f.Invariant, f.Audit, f.SubjectKind, f.Subject, f.Tree, f.From, f.Reason))
					}
				}
				for _, a := range accused[:min(len(accused), 5)] {
					t.Error(a)
				}
				if len(accused) > 5 {
					t.Errorf("and %d others", len(accused)-5)
				}
			})
		}
	}
}
