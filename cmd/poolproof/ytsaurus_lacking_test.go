package main

import (
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
)

// TestWhatAMissingSourceCosts holds the table of ingest/ytsaurus/README.md: the sample
// without one source accuses nobody, and as many rules are judged as the table says.
func TestWhatAMissingSourceCosts(t *testing.T) {
	samples := "../../ingest/ytsaurus/testdata/samples"
	readme, err := os.ReadFile("../../ingest/ytsaurus/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := eventRows(t, filepath.Join(samples, "2023.jsonl.gz"))
	for _, c := range []struct {
		name, kinds string // of the rows that are left out, a pattern
		export      bool
	}{
		{"nothing", "^$", true},
		{"`--pool-trees`", "^$", false},
		{"`--pool-trees` and `pools_info`", "^pools_info$", false},
		{"`fair_share_info`", "^fair_share_info$", true},
		{"`nodes_info`", "^nodes_info$", true},
		{"rows of jobs", "^job_", true},
		{"rows of operations", "^operation_", true},
	} {
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
			if c.export {
				args = append(args, "--pool-trees", filepath.Join(samples, "pool_trees.2023.json"))
			}
			if code, stderr, _ := process(t, exec.Command("poolproof", args...)); code != exitKept {
				t.Fatalf("import: exit code %d: %s", code, stderr)
			}
			if code, stderr, _ := process(t, exec.Command("poolproof", "run", trace, "--out", run, "--quiet")); code != exitKept && code != exitCoverage {
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

// eventRows returns the event types and lines of an event log.
func eventRows(t *testing.T, path string) (rows [][2]string) {
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
	kind := regexp.MustCompile(`"event_type":\s*"([a-z_]+)"`)
	for line := range strings.Lines(string(b)) {
		m := kind.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no row: %.100s", line)
		}
		rows = append(rows, [2]string{m[1], strings.TrimSuffix(line, "\n")})
	}
	return rows
}
