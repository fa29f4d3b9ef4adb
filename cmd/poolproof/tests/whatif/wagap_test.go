package whatif

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/trace"
)

// wagapGuarantees are cores that queues of the log are promised, which its cluster did not promise.
var wagapGuarantees = map[string]int{"q_1w": 600, "q_1d": 400, "q_2w": 200, "q_2h": 40, "q_4h": 60}

// wagap is a real log of three months, and a folder with its trace.
func wagap(t *testing.T) (source, dir string) {
	t.Helper()
	source, dir = testcorpus.File(t, testcorpus.Data, "metacentrum-wagap-2013/wagap-2013.swf.gz"), t.TempDir()
	config := "pools:\n"
	for queue, cores := range wagapGuarantees {
		config += fmt.Sprintf("  %s: {strong_guarantee_resources: {cpu: %d}}\n", queue, cores)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	answered(t, dir, exit.Kept, "import", "swf", source, "--config", "config.yaml", "--out", "trace", "--quiet")
	return source, dir
}

// TestProofOfADayOfWagap: of a day that was judged alone the proof decides no more than that, and a
// day before it.
func TestProofOfADayOfWagap(t *testing.T) {
	t.Parallel()
	_, dir := wagap(t)
	answered(t, dir, exit.Violated, "run", "trace", "--out", "run", "--from", "2013-02-01", "--to", "2013-02-02", "--min-coverage", "0", "--quiet")
	out, _ := answered(t, dir, exit.Kept, "explain", "run", "q_1d", "--prove", "trace")
	if want := "the decisions that were recorded are its cause"; !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
		t.Errorf("the proof does not say that %s: %s", want, out)
	}
}

// TestSweepShrinkOfWagap: a finding of that day needs few of the log's operations.
func TestSweepShrinkOfWagap(t *testing.T) {
	if part := sweep.Take(t, 2); !part.Has(1) { // a minute or two
		return
	}
	_, dir := wagap(t)
	answered(t, dir, exit.Violated, "run", "trace", "--out", "run", "--from", "2013-02-01", "--to", "2013-02-02", "--min-coverage", "0", "--quiet")
	out, _ := answered(t, dir, exit.Kept, "query", "run", "SELECT finding_id FROM findings WHERE audit = 'strong_guarantee_unmet' AND subject = 'q_1d'", "--output", "csv")
	finding := strings.Fields(out)[1]
	answered(t, dir, exit.Kept, "shrink", "trace", finding, "--run", "run", "--out", "small", "--quiet")
	m, err := trace.ReadManifest(filepath.Join(dir, "small"))
	if err != nil {
		t.Fatal(err)
	}
	if n := m.Tables["dim/operations"].Rows; n < 1 || n >= 10 {
		t.Errorf("%d operations are left", n)
	}
}

// TestWhatIfOfADayOfWagap: of a real log of months a day is decided from the day before it on, from
// what ran then: most of the control's usage is where the log has it. What the log records of the
// day is what a count of its lines gives.
func TestWhatIfOfADayOfWagap(t *testing.T) {
	t.Parallel()
	source, dir := wagap(t)
	if err := os.WriteFile(filepath.Join(dir, "edit.yaml"), []byte("pools: {q_1w: {weight: 4}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	from := time.Date(2013, 2, 1, 0, 0, 0, 0, time.UTC)
	to := from.AddDate(0, 0, 1)
	out, _ := answered(t, dir, exit.Kept, "what-if", "trace", "--edit", "edit.yaml", "--from", from.Format(time.RFC3339), "--to", to.Format(time.RFC3339), "--quiet", "--output", "json")
	a := readAnswer(t, out)
	came, jobs, completed := countedInDay(t, source, from.Unix(), to.Unix())
	found := 0
	for _, row := range a.section(t, "control") {
		var waited float64 // operations
		if n, _ := fmt.Sscanf(row["measure"].(string), "mean wait of %g operations", &waited); n == 1 {
			if found++; waited < 0.9*came || waited > came {
				t.Errorf("the waits of %v operations are told, and %v came", waited, came)
			}
		}
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
	if found != 4 {
		t.Errorf("%d of 4 measures are told", found)
	}
}

// countedInDay counts the lines of a log that were submitted in a day, the jobs that started in it,
// one on each of a line's nodes, and the lines that were completed in it.
func countedInDay(t *testing.T, source string, from, to int64) (came, jobs, completed float64) {
	t.Helper()
	testcorpus.Lines(t, source, func(line []byte) {
		field := strings.Fields(string(line))
		var sum [3]int64 // submitted, started, ended
		for i := range sum {
			n, err := strconv.ParseInt(field[1+i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum[i] = sum[max(i-1, 0)] + n
		}
		if sum[0] >= from && sum[0] < to {
			came++
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
	})
	return came, jobs, completed
}

// TestSweepLedgerOfWagap: of a real log, imported with guarantees for five queues, the ledger books
// what a count from the log itself gives.
func TestSweepLedgerOfWagap(t *testing.T) {
	if part := sweep.Take(t, 2); !part.Has(1) { // three months take half a minute
		return
	}
	source, dir := wagap(t)
	answered(t, dir, exit.Violated, "run", "trace", "--out", "run", "--min-coverage", "0", "--quiet")
	db, err := audit.OpenDatabase(filepath.Join(dir, "run"), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pools, sums := commandtest.RowsOf(t, db, 1, "SELECT pool, sum(owed_share_seconds)::DOUBLE / 1e9 FROM share_debts WHERE level = 'guarantee' AND element_kind = 'pool' GROUP BY pool")
	want := lackedInQueues(t, source, wagapGuarantees)
	for i, pool := range pools {
		if got := sums[i][0]; math.Abs(got-want[pool]) > 1e-6*want[pool] {
			t.Errorf("%s lacked %v share·s, the ledger books %v", pool, want[pool], got)
		}
	}
	if len(pools) != len(wagapGuarantees) {
		t.Errorf("deficits of %v are booked", pools)
	}
}

// lackedInQueues counts from a log what its queues lacked of guarantees: the least of guarantee
// and of what was asked for, less what ran, in share·seconds of the nodes that occur.
func lackedInQueues(t *testing.T, source string, guarantees map[string]int) map[string]float64 {
	t.Helper()
	const total = 18*80 + 26*12 // CPUs of the nodes that occur, by the README of the log
	type change struct{ at, asked, ran int }
	changes := map[string][]change{}
	testcorpus.Lines(t, source, func(line []byte) {
		field := strings.Fields(string(line))
		number := func(i int) int {
			n, err := strconv.Atoi(field[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		submitted, started, cpus, queue := number(1), number(1)+number(2), number(4), field[19]
		if ended := started + number(3); ended >= started {
			changes[queue] = append(changes[queue], change{submitted, cpus, 0}, change{started, 0, cpus}, change{ended, -cpus, -cpus})
		}
	})
	lacked := map[string]float64{}
	for queue, guarantee := range guarantees {
		all := changes[queue]
		slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.at, b.at) })
		asked, ran := 0, 0
		for i, c := range all {
			if i > 0 {
				lacked[queue] += float64(max(0, min(guarantee, asked)-ran)) * float64(c.at-all[i-1].at) / total
			}
			asked, ran = asked+c.asked, ran+c.ran
		}
	}
	return lacked
}
