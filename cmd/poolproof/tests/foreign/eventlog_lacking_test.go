package foreign

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// TestSweepWhatAMissingSourceCosts holds the table of ingest/ytsaurus/README.md: the sample
// without one source accuses nobody, and as many rules are judged as the table says. The
// operations archive and Orchid dumps give back what is lost.
func TestSweepWhatAMissingSourceCosts(t *testing.T) {
	part := sweep.Take(t, 10)
	samples := commandtest.InProject("ingest/ytsaurus/testdata/samples")
	readme, err := os.ReadFile(commandtest.InProject("ingest/ytsaurus/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := eventRows(t, filepath.Join(samples, "2023.jsonl.gz"))
	for i, c := range []struct {
		name, kinds string // of the rows that are left out, a pattern
		export      bool
		instead     func([][]byte) ([][]byte, error) // rows of the log to sources, one each
	}{
		{"nothing", "^$", true, nil},
		{"`--pool-trees`", "^$", false, nil},
		{"`--pool-trees` and `pools_info`", "^pools_info$", false, nil},
		{"`fair_share_info`", "^fair_share_info$", true, nil},
		{"`fair_share_info`, but for an Orchid dump", "^fair_share_info$", true, oneDump},
		{"`fair_share_info` and `nodes_info`, but for Orchid dumps every 10 s", "^(fair_share|nodes)_info$", true, eventlogtest.Dumps},
		{"`nodes_info`", "^nodes_info$", true, nil},
		{"rows of jobs", "^job_", true, nil},
		{"rows of operations", "^operation_", true, nil},
		{"rows of operations, but for the operations archive", "^operation_", true, operationsArchive},
	} {
		if !part.Has(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			line := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(c.name) + ` \| (\d+) \| (\d+) \|(.*) \|$`).FindStringSubmatch(string(readme))
			if line == nil {
				t.Fatal("the table has no such row")
			}
			dir := t.TempDir()
			log, trace, run := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "trace"), filepath.Join(dir, "run")
			left := slices.DeleteFunc(slices.Clone(rows), func(row [2]string) bool { return regexp.MustCompile(c.kinds).MatchString(row[0]) })
			if c.kinds != "^$" && len(left) == len(rows) {
				t.Fatal("nothing is left out")
			}
			text := ""
			for _, row := range left {
				text += row[1] + "\n"
			}
			if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			args := []string{"import", "ytsaurus", log, "--out", trace, "--quiet"}
			if c.instead != nil {
				args = append(args, others(t, rows, c.instead)...)
			}
			if c.export {
				args = append(args, "--pool-trees", filepath.Join(samples, "pool_trees.2023.json"))
			}
			if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", args...)); code != exit.Kept {
				t.Fatalf("import: exit code %d: %s", code, stderr)
			}
			if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "run", trace, "--out", run, "--quiet")); code != exit.Kept && code != exit.Coverage {
				t.Errorf("run: exit code %d: %s", code, stderr)
			}
			const grouped = "(SELECT audit, bool_or(verdict NOT IN ('undecidable', 'not applicable')) AS judged, bool_or(verdict = 'undecidable') AS lacks FROM audits GROUP BY audit)"
			got := askRun(t, run, "SELECT count(*) FILTER (judged), count(*) FILTER (lacks AND NOT judged) FROM "+grouped)
			if got[0] != line[1] || got[1] != line[2] {
				t.Errorf("the table says %s judged and %s undecidable; they are %s and %s", line[1], line[2], got[0], got[1])
			}
			for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(line[3], -1) {
				if got := askRun(t, run, fmt.Sprintf("SELECT lacks AND NOT judged FROM %s WHERE audit = '%s'", grouped, name[1])); got[0] != "true" {
					t.Errorf("%s is judged", name[1])
				}
			}
		})
	}
}

// others writes what else a cluster tells of a log into files, and returns them.
func others(t *testing.T, rows [][2]string, of func([][]byte) ([][]byte, error)) (paths []string) {
	t.Helper()
	sources, err := of(linesOfRows(rows))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for i, text := range sources {
		path := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func linesOfRows(rows [][2]string) (lines [][]byte) {
	for _, row := range rows {
		lines = append(lines, []byte(row[1]))
	}
	return lines
}

func oneDump(rows [][]byte) ([][]byte, error) {
	dumps, err := eventlogtest.Dumps(rows)
	if err != nil {
		return nil, err
	}
	dumps = slices.DeleteFunc(dumps, func(dump []byte) bool { return !bytes.Contains(dump, []byte(`"pool_trees"`)) })
	return dumps[len(dumps)/2:][:1], nil
}

func operationsArchive(rows [][]byte) ([][]byte, error) {
	operations, _, err := eventlogtest.Archive(rows, false)
	return [][]byte{bytes.Join(operations, []byte("\n"))}, err
}

// eventRows returns the event types and lines of an event log.
func eventRows(t *testing.T, path string) (rows [][2]string) {
	t.Helper()
	kind := regexp.MustCompile(`"event_type":\s*"([a-z_]+)"`)
	for line := range strings.Lines(string(gunzipped(t, path))) {
		m := kind.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no row: %.100s", line)
		}
		rows = append(rows, [2]string{m[1], strings.TrimSuffix(line, "\n")})
	}
	return rows
}
