package foreign

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/core/coretest/sweep"
	"poolproof/core/coretest/testcorpus"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/tables"
	"poolproof/replay/tables/tablestest"
)

// vcMinute is what the log of the Helios cluster holds of a virtual cluster in a minute.
type vcMinute struct{ quota, running, pending int }

// heliosMinutes reads some days of May 2020, the minutes of each virtual cluster.
func heliosMinutes(t *testing.T, firstDay, days int) map[string][]vcMinute {
	t.Helper()
	f, err := os.Open(testcorpus.File(t, testcorpus.Data, "helios-earth-vc-2020-05/vc_minutes.csv.zst"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	rows := csv.NewReader(plain)
	rows.ReuseRecord = true
	at := map[string]int{}
	minutes := map[string][]vcMinute{}
	for {
		row, err := rows.Read()
		if err != nil {
			break
		}
		if len(at) == 0 {
			for i, name := range row {
				at[name] = i
			}
			continue
		}
		day, _ := strconv.Atoi(row[at["time"]][8:10])
		if day < firstDay || day >= firstDay+days {
			continue
		}
		number := func(name string) int {
			n, err := strconv.Atoi(row[at[name]])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		vc := row[at["vc"]]
		minutes[vc] = append(minutes[vc], vcMinute{number("total_gpu_num"), number("running_gpu_num"), number("pending_gpu_num")})
	}
	return minutes
}

// heliosStory tells it as one operation for each virtual cluster, whose quota is its node, its
// guarantee and its limit: a job has what runs, and the rest is needed by jobs
// of one GPU: of what fits nothing is known where the size of a job is not.
func heliosStory(minutes map[string][]vcMinute, length int) string {
	var b strings.Builder
	for _, vc := range slices.Sorted(maps.Keys(minutes)) {
		q := minutes[vc][0].quota
		fmt.Fprintf(&b, "0 node %[1]s gpu=%[2]d\n0 pool %[1]s strong.gpu=%[2]d limit.gpu=%[2]d\n0 start o-%[1]s pool=%[1]s\n0 running o-%[1]s\n", vc, q)
	}
	lines := make([][]string, length)
	for _, vc := range slices.Sorted(maps.Keys(minutes)) {
		last, job := vcMinute{}, ""
		for m, now := range minutes[vc] {
			if now == last && m > 0 {
				continue
			}
			s := m * 60
			if job != "" && now.running != last.running {
				lines[m] = append(lines[m], fmt.Sprintf("%d finish %s", s, job))
				job = ""
			}
			if now.running > 0 && now.running != last.running {
				job = fmt.Sprintf("%s-%d", vc, m)
				lines[m] = append(lines[m], fmt.Sprintf("%d job %s op=o-%s node=%s gpu=%d", s, job, vc, vc, now.running))
			}
			lines[m] = append(lines[m], fmt.Sprintf("%d demand o-%s gpu=%d jobs=%[3]d", s, vc, now.pending))
			last = now
		}
	}
	for _, minute := range lines {
		for _, line := range minute {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// TestSweepLedgerOfHelios: what the ledger books of each virtual cluster's guarantee is what a
// count of the minutes of the log gives, and none of it is unexplained.
func TestSweepLedgerOfHelios(t *testing.T) {
	part := sweep.Take(t, 10)
	for i := range 10 {
		if !part.Has(i) {
			continue
		}
		const days = 3
		minutes := heliosMinutes(t, 1+3*i, days)
		length, total := days*1440, 0
		for _, vc := range slices.Sorted(maps.Keys(minutes)) {
			if total += minutes[vc][0].quota; len(minutes[vc]) != length {
				t.Fatalf("%s has %d minutes of %d", vc, len(minutes[vc]), length)
			}
		}
		want := map[string]float64{}
		for _, vc := range slices.Sorted(maps.Keys(minutes)) {
			for _, m := range minutes[vc][1:] { // before the first update nothing has a share
				want[vc] += float64(max(0, min(m.quota, m.running+m.pending)-m.running)) / float64(total) * 60
			}
		}
		s, err := coretest.Parse(heliosStory(minutes, length))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		gpus := [5]bool{2: true}
		opts := replay.Options{Log: env.Log{Window: core.Span{From: 60 * core.Second, To: core.Time(length) * 60 * core.Second}, Measured: gpus, Sized: gpus}}
		if _, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
			t.Fatal(err)
		}
		got := guaranteesLacked(t, filepath.Join(dir, "tables", tables.FileName("share_debts", "tree")))
		for vc := range minutes {
			if math.Abs(got[vc]-want[vc]) > 1e-6*(1+want[vc]) {
				t.Errorf("days from %d: %s lacked %v share·s, the ledger books %v", 1+3*i, vc, want[vc], got[vc])
			}
		}
		if len(got) == 0 {
			t.Error("nobody lacked anything")
		}
	}
}

// guaranteesLacked sums what a ledger books of the guarantees of pools, none of it unexplained.
func guaranteesLacked(t *testing.T, path string) map[string]float64 {
	t.Helper()
	lacked := map[string]float64{}
	for _, record := range tablestest.Read(t, path) {
		at := func(column string, row int) string {
			return record.Column(record.Schema().FieldIndices(column)[0]).ValueStr(row)
		}
		for row := range int(record.NumRows()) {
			if at("level", row) != "guarantee" || at("element_kind", row) != "pool" {
				continue
			}
			owed, err := strconv.ParseFloat(at("owed_share_seconds_gpu", row), 64)
			if err != nil {
				t.Fatal(err)
			}
			if lacked[at("pool", row)] += owed / 1e9; at("cause", row) == "unexplained" && owed != 0 {
				t.Errorf("%v of %s is unexplained", owed, at("pool", row))
			}
		}
	}
	return lacked
}
