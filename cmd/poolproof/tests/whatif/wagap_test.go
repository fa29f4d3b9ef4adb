package whatif

import (
	"bufio"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/testcorpus"
)

// TestWhatIfOfADayOfWagap: of a real log of months a day is decided from the day before it on, from
// what ran then: most of the control's usage is where the log has it. What the log records of the
// day is what a count of its lines gives.
func TestWhatIfOfADayOfWagap(t *testing.T) {
	t.Parallel()
	source := testcorpus.File(t, testcorpus.Data, "metacentrum-wagap-2013/wagap-2013.swf.gz")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "edit.yaml"), []byte("pools: {q_1w: {weight: 4}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", "import", "swf", source, "--out", filepath.Join(dir, "trace"), "--quiet")); code != exit.Kept {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	from := time.Date(2013, 2, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 0, 1)
	out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--edit", "edit.yaml", "--from", from.Format(time.RFC3339), "--to", to.Format(time.RFC3339), "--quiet", "--output", "json")
	a := readAnswer(t, out)
	jobs, completed := countedInDay(t, source, from.Unix(), to.Unix())
	found := 0
	for _, row := range a.section(t, "control") {
		switch row["measure"] {
		case "usage of cpu, by pool over time":
			if part, _ := row["part"].(float64); part < 0.8 || part >= 1 {
				t.Errorf("control and log have %v of their usage in common", part)
			}
		case "jobs started":
			if row["recorded"] != jobs {
				t.Errorf("%v jobs started, of which %v are told", jobs, row["recorded"])
			}
		case "operations completed":
			if row["recorded"] != completed {
				t.Errorf("%v operations were completed, of which %v are told", completed, row["recorded"])
			}
		default:
			continue
		}
		found++
	}
	if found != 3 {
		t.Errorf("%d of 3 measures are told", found)
	}
}

// countedInDay counts the jobs of a log that started in a day, one on each of a line's nodes, and
// the lines that were completed in it.
func countedInDay(t *testing.T, source string, from, to int64) (jobs, completed float64) {
	t.Helper()
	f, err := os.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		field := strings.Fields(lines.Text())
		var sum [3]int64 // submitted, started, ended
		for i := range sum {
			n, err := strconv.ParseInt(field[1+i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum[i] = sum[max(i-1, 0)] + n
		}
		if sum[1] >= from && sum[1] < to {
			nodes := map[string]bool{}
			for _, node := range strings.Split(strings.Trim(field[18], "{}"), ",") {
				nodes[node] = true
			}
			jobs += float64(len(nodes))
		}
		if field[10] == "1" && sum[2] >= from && sum[2] < to {
			completed++
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return jobs, completed
}
