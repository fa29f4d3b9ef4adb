package foreign

import (
	"encoding/binary"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/ingest/trace"
)

// TestWhatTheSimulatorWritesItself: without enable_full_event_log the simulator writes binary YSON, snapshots of the
// essential form, and rows of jobs by the clock on the wall, with a start_time in virtual time. The import takes what
// they hold and says what is missing. Nobody is accused.
func TestWhatTheSimulatorWritesItself(t *testing.T) {
	t.Parallel()
	const log = "order-within-a-heartbeat"
	for _, c := range []struct {
		name    string
		onWall  bool
		ended   string // jobs whose end is known
		notices []string
	}{
		{"virtual time", false, "25", []string{"essential_snapshots", "no_fair_share_info"}},
		{"the clock on the wall", true, "0", []string{"clocks_differ", "essential_snapshots", "no_fair_share_info"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := edit{log: log}
			original, trees := e.files(t)
			var bin []byte
			rows := essentialRows(e.rows(t, original))
			for _, row := range rows {
				if event := row["event_type"].(string); c.onWall && strings.HasPrefix(event, "job_") {
					delete(row, "finish_time")
					row["timestamp"] = strings.Replace(row["timestamp"].(string), "2023", "2026", 1)
				}
				bin = append(appendBinaryYSON(bin, row), ';')
			}
			file := filepath.Join(t.TempDir(), "event_log.yson")
			if err := os.WriteFile(file, bin, 0o666); err != nil {
				t.Fatal(err)
			}
			made := commandtest.Made(t, []string{
				"import ytsaurus " + file + " --pool-trees " + trees + " --out trace --quiet",
				"run trace --out run --quiet --min-coverage 0",
			})
			if noted := problemsOf(t, filepath.Join(made, "trace")); !slices.Equal(noted, c.notices) {
				t.Errorf("problems %q, want %q", noted, c.notices)
			}
			m, err := trace.ReadManifest(filepath.Join(made, "trace"))
			if err != nil {
				t.Fatal(err)
			}
			snapshots := 0
			for _, row := range rows {
				if row["event_type"] == "fair_share_info" {
					snapshots++
				}
			}
			if got := m.Quarantined["essential_snapshots"]; got != int64(snapshots) {
				t.Errorf("%d essential snapshots, want %d", got, snapshots)
			}
			got := commandtest.Succeed(t, "query", filepath.Join(made, "run"), "SELECT count(*) FROM jobs WHERE end_kind = 'completed'", "--output", "csv")
			if !strings.HasSuffix(strings.TrimSpace(got), "\n"+c.ended) {
				t.Errorf("%q jobs completed, want %s", got, c.ended)
			}
			v, err := audit.ReadVerdict(filepath.Join(made, "run"))
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.Findings {
				if f := &v.Findings[i]; f.Verdict == audit.Violated {
					t.Errorf("violated %s: %s", f.Invariant, f.Reason)
				}
			}
		})
	}
}

// essentialRows gives the snapshots of a log the essential form.
func essentialRows(rows []object) (essential []object) {
	var snapshot object
	for _, row := range rows {
		if row["event_type"] != "fair_share_info" {
			essential = append(essential, row)
			continue
		}
		if snapshot == nil || snapshot["timestamp"] != row["timestamp"] {
			snapshot = object{"event_type": "fair_share_info", "timestamp": row["timestamp"], "tree_id": row["tree_id"], "pools": object{}, "operations": object{}}
			essential = append(essential, snapshot)
		}
		for _, of := range []string{"pools", "operations"} {
			elements("fair_share_info", row, of, func(name string, e object) {
				if name == "<Root>" {
					return
				}
				kept := object{"dominant_fair_share": e["detailed_dominant_fair_share"]}
				for _, key := range []string{"usage_ratio", "demand_ratio", "fair_share_ratio", "satisfaction_ratio", "dominant_resource", "dominant_usage_share", "dominant_demand_share"} {
					kept[key] = e[key]
				}
				if of == "operations" {
					kept["resource_usage"] = e["resource_usage"]
				}
				snapshot[of].(object)[name] = kept
			})
		}
		snapshot["pool_count"] = len(snapshot["pools"].(object))
	}
	return essential
}

// appendBinaryYSON appends a value in binary YSON.
func appendBinaryYSON(b []byte, value any) []byte {
	text := func(s string) { b = append(binary.AppendVarint(append(b, 1), int64(len(s))), s...) }
	switch x := value.(type) {
	case nil:
		b = append(b, '#')
	case bool:
		b = append(b, map[bool]byte{false: 4, true: 5}[x])
	case string:
		text(x)
	case int:
		b = binary.AppendVarint(append(b, 2), int64(x))
	case int64:
		b = binary.AppendVarint(append(b, 2), x)
	case float64:
		b = binary.LittleEndian.AppendUint64(append(b, 3), math.Float64bits(x))
	case []any:
		b = append(b, '[')
		for _, item := range x {
			b = append(appendBinaryYSON(b, item), ';')
		}
		b = append(b, ']')
	case object:
		b = append(b, '{')
		for _, key := range slices.Sorted(maps.Keys(x)) {
			text(key)
			b = append(appendBinaryYSON(append(b, '='), x[key]), ';')
		}
		b = append(b, '}')
	}
	return b
}
