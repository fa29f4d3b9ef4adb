package swf

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/joblog"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/trace"
)

// The real log of MetaCentrum, January to March 2013.
func importWagap(t testing.TB, o Options) (dir string, s Summary) {
	o.Source = testcorpus.File(t, testcorpus.Data, "metacentrum-wagap-2013", "wagap-2013.swf.gz")
	o.Out = filepath.Join(t.TempDir(), "trace")
	s, err := Import(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return o.Out, s
}

func TestWagapIsImportedWhole(t *testing.T) {
	dir, s := importWagap(t, Options{})
	if s.Rows != 17_900 || s.QuarantinedRows() != 2 || s.Operations != 17_898 || s.Jobs != 19_194 || s.Nodes != 44 {
		t.Errorf("summary %+v", s)
	}
	if want := []joblog.Count{{Code: codeNegativeTime, Columns: "run_time", Rows: 2}}; !slices.Equal(s.Quarantined, want) || s.Noted != nil {
		t.Errorf("quarantined %v, noted %v", s.Quarantined, s.Noted)
	}
	joblogtest.Replay(t, dir)
	tr := joblogtest.Read(t, dir)
	var bad []string
	for _, p := range tr.Problems {
		bad = append(bad, fmt.Sprintf("%d %s %s", p.Row, p.Column.Value, p.Value.Value))
	}
	// Job numbers of this log are its rows.
	if want := []string{"4185 run_time -1359980917", "4199 run_time -1359981026"}; !slices.Equal(bad, want) {
		t.Errorf("problems %q", bad)
	}
	queues, users := map[string]bool{}, map[string]bool{}
	for _, p := range tr.Pools {
		queue, _, ofUser := strings.Cut(p.Name, "$")
		queues[queue] = true
		if ofUser != p.Ephemeral {
			t.Errorf("pool %s is ephemeral: %v", p.Name, p.Ephemeral)
		}
	}
	for _, o := range tr.Operations {
		users[o.User] = true
	}
	if len(queues) != 11 || len(users) != 75 {
		t.Errorf("%d queues, %d users", len(queues), len(users))
	}
	if c := tr.Manifest.Coverage; c.Heartbeats != "reconstructed" || c.Placements != "recorded" || c.PoolConfig != "assumed" {
		t.Errorf("coverage %+v", c)
	}
}

func TestWagapNodesHaveTheSizesOfTheirClusters(t *testing.T) {
	dir, _ := importWagap(t, Options{})
	tr := joblogtest.Read(t, dir)
	count := map[string]int{}
	for _, n := range tr.Trees[0].NodeStates {
		number, err := strconv.Atoi(tr.Nodes[n.Node].Address)
		if err != nil {
			t.Fatal(err)
		}
		want := trace.Resources{CPUMilli: 80_000, Memory: 529_426_432 << 10}
		if number > 1248 {
			want = trace.Resources{CPUMilli: 12_000, Memory: 94_035_968 << 10}
		}
		if n.Limit != want {
			t.Errorf("node %d %s has %+v", number, n.Tags, n.Limit)
		}
		count[n.Tags]++
	}
	if count["cl_zewura"] != 18 || count["cl_zegox"] != 26 {
		t.Errorf("clusters %v", count)
	}
	if r := tr.Manifest.Resources[1]; r.Capacity != "recorded" || r.Total != (18*80+26*12)*1000 {
		t.Errorf("cpu %+v", r)
	}
}

// The recount reads the log by itself: processors on each node at each instant.
func TestWagapHasNoNodeOverItsProcessorsByAnIndependentRecount(t *testing.T) {
	dir, _ := importWagap(t, Options{})
	tr := joblogtest.Read(t, dir)
	size, most := map[string]int64{}, map[string]int64{}
	for _, n := range tr.Trees[0].NodeStates {
		size[tr.Nodes[n.Node].Address] = n.Limit.CPUMilli / 1000
	}
	type change struct{ time, by int64 }
	changes := map[string][]change{}
	for _, words := range wagapLines(t) {
		submit, wait, run := atoi(t, words[1]), atoi(t, words[2]), atoi(t, words[3])
		if run < 0 {
			continue
		}
		for node := range strings.SplitSeq(strings.Trim(words[18], "{}"), ",") {
			changes[node] = append(changes[node], change{submit + wait, 1}, change{submit + wait + run, -1})
		}
	}
	for node, c := range changes {
		slices.SortFunc(c, func(a, b change) int {
			if a.time != b.time {
				return int(a.time - b.time)
			}
			return int(a.by - b.by) // what ends makes room first
		})
		used := int64(0)
		for _, change := range c {
			used += change.by
			most[node] = max(most[node], used)
		}
		if most[node] > size[node] {
			t.Errorf("node %s uses %d of %d processors", node, most[node], size[node])
		}
	}
	if len(changes) != 44 || len(size) != 44 {
		t.Errorf("%d nodes in the log, %d in the trace", len(changes), len(size))
	}
	// The heartbeats tell the same maximum.
	told := map[string]int64{}
	for _, h := range tr.Trees[0].Heartbeats {
		address := tr.Nodes[h.Node].Address
		told[address] = max(told[address], h.After.Value.CPUMilli/1000)
	}
	for node, n := range most {
		if told[node] != n {
			t.Errorf("heartbeats of node %s tell %d, the log %d", node, told[node], n)
		}
	}
}

// A burst's parts on its nodes sum up to what the log says of the whole job.
func TestWagapJobsSumUpToTheirOperations(t *testing.T) {
	dir, _ := importWagap(t, Options{})
	tr := joblogtest.Read(t, dir)
	lines := wagapLines(t)
	sum := map[core.OperationID]trace.Resources{}
	for _, j := range tr.Trees[0].Jobs {
		r := sum[j.Op]
		r.UserSlots, r.CPUMilli, r.Memory = r.UserSlots+1, r.CPUMilli+j.Limits.CPUMilli, r.Memory+j.Limits.Memory
		sum[j.Op] = r
	}
	for _, d := range tr.Trees[0].Demands {
		words := lines[atoi(t, tr.Operations[d.Op].ID)]
		want := trace.Resources{UserSlots: sum[d.Op].UserSlots, CPUMilli: atoi(t, words[4]) * 1000, Memory: atoi(t, words[9])}
		if sum[d.Op] != want || d.Needed != want {
			t.Fatalf("operation %s: jobs %+v, demand %+v, log %+v", words[0], sum[d.Op], d.Needed, want)
		}
	}
}

func TestTheSameLogGivesTheSameBytes(t *testing.T) {
	first, _ := importWagap(t, Options{TreeBy: "partition"})
	second, _ := importWagap(t, Options{TreeBy: "partition"})
	a, b := joblogtest.Digest(t, first), joblogtest.Digest(t, second)
	if len(a) != len(b) {
		t.Errorf("%d files, then %d", len(a), len(b))
	}
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
	}
}

func wagapLines(t *testing.T) (lines [][]string) {
	testcorpus.Lines(t, testcorpus.File(t, testcorpus.Data, "metacentrum-wagap-2013", "wagap-2013.swf.gz"), func(line []byte) {
		lines = append(lines, strings.Fields(string(line)))
	})
	return lines
}

func atoi(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
