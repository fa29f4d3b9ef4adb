package openb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"poolproof/core"
	"poolproof/core/coretest/testcorpus"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/poolconf"
	"poolproof/ingest/trace"
)

// Scripts under testdata: "nodes" and "config" keep a file for the next "import",
// whose input is the table of pods and whose output the trace.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		var nodes, config string
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "nodes":
				nodes = d.Input
				return ""
			case "config":
				config = d.Input
				return ""
			}
			return importScript(t, d, nodes, config)
		})
	})
}

func importScript(t *testing.T, d *datadriven.TestData, nodes, config string) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, nodeList.published), nodes)
	write(t, filepath.Join(dir, podList.published), d.Input)
	o := Options{Sources: []string{dir}, Out: filepath.Join(dir, "trace")}
	if d.HasArg("epoch") {
		var seconds int64
		d.ScanArgs(t, "epoch", &seconds)
		o.Epoch = core.Time(seconds) * core.Second
	}
	if config != "" {
		var err error
		if o.Config, err = poolconf.Parse("pools.yaml", []byte(config)); err != nil {
			d.Fatalf(t, "config: %v", err)
		}
	}
	s, err := Import(context.Background(), o)
	if err != nil {
		var bad interface{ BadInput() bool }
		return fmt.Sprintf("error (bad input: %v): %s\n", errors.As(err, &bad), strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	joblogtest.Replay(t, o.Out)
	return joblogtest.Dump(joblogtest.Read(t, o.Out), &s)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestADirectoryWithoutTheTablesIsBadInput(t *testing.T) {
	_, err := Import(context.Background(), Options{Sources: []string{t.TempDir()}, Out: filepath.Join(t.TempDir(), "trace")})
	var bad interface{ BadInput() bool }
	if !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
}

// The tables of a folder are told by their columns. Of several the published one is taken with a
// note, and where there is none the error names them.
func TestTablesAreFound(t *testing.T) {
	const nodes, pods = "sn,cpu_milli,memory_mib,gpu,model\nn,1,1,1,m\n", podHeader + "p,1,1,1,,,LS,Running,0,,0\n"
	for _, c := range []struct {
		name         string
		files, given []string // given: none for the folder
		want         string   // the table of pods, or part of the error
	}{
		{"one of each", []string{"n.csv", "p.csv"}, nil, "p.csv"},
		{"paths in any order", []string{"n.csv", "p.csv", "p2.csv"}, []string{"p2.csv", "n.csv"}, "p2.csv"},
		{"the published one", []string{"n.csv", "p.csv", podList.published}, nil, podList.published},
		{"several", []string{"n.csv", "p.csv", "p2.csv"}, nil, "2 of its files are tables of pods: p.csv, p2.csv"},
		{"two of one kind", []string{"n.csv", "p.csv", "p2.csv"}, []string{"p.csv", "p2.csv"}, "none of its files is a table of nodes, with a column sn: p.csv, p2.csv"},
		{"no pods", []string{"n.csv"}, nil, "none of its files is a table of pods, with a column pod_phase: n.csv"},
		{"nothing", nil, nil, "there is no CSV file"},
	} {
		dir := t.TempDir()
		for _, name := range c.files {
			text := pods
			if name == "n.csv" {
				text = nodes
			}
			write(t, filepath.Join(dir, name), text)
		}
		o := Options{Sources: []string{dir}}
		if c.given != nil {
			o.Sources = nil
			for _, name := range c.given {
				o.Sources = append(o.Sources, filepath.Join(dir, name))
			}
		}
		err := o.find()
		if err == nil && filepath.Base(o.Pods) != c.want || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s, %v; want %s", c.name, o.Pods, err, c.want)
		}
		if noted := len(o.choices) > 0; err == nil && noted != (c.name == "the published one") {
			t.Errorf("%s: notes %q", c.name, o.choices)
		}
	}
}

// The real log.
func importOpenb(t testing.TB) (dir string, s Summary) {
	dir = filepath.Join(t.TempDir(), "trace")
	s, err := Import(context.Background(), Options{Sources: []string{testcorpus.File(t, testcorpus.Data, "alibaba-openb-2023")}, Out: dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir, s
}

func TestOpenbIsImportedWhole(t *testing.T) {
	dir, s := importOpenb(t)
	if s.Nodes != 1_523 || s.Operations != 8_152 || s.Jobs != 8_152-897 || s.Pools != 4 || s.QuarantinedRows() != 0 || s.Noted != nil {
		t.Errorf("summary %+v", s)
	}
	joblogtest.Replay(t, dir)
	tr := joblogtest.Read(t, dir)
	ended := map[string]int{}
	var total trace.Resources
	for _, j := range tr.Trees[0].Jobs {
		ended[j.EndKind]++
		if j.Node != core.Unknown {
			t.Fatalf("job %s is on node %d", j.ID, j.Node)
		}
	}
	for _, n := range tr.Trees[0].NodeStates {
		total.CPUMilli, total.GPU = total.CPUMilli+n.Limit.CPUMilli, total.GPU+n.Limit.GPU
	}
	// Of the 5,193 that ran on, 34 did so until the log's end.
	want := map[string]int{"completed": 192, "failed": 1870, "aborted": 5193 - 34, "running": 34}
	if fmt.Sprint(ended) != fmt.Sprint(want) {
		t.Errorf("jobs ended %v, want %v", ended, want)
	}
	if r := tr.Manifest.Resources[2]; r.Unit != "milli_gpu" || r.Total != int64(total.GPU) || r.Total != 6_212_000 {
		t.Errorf("gpu %+v", r)
	}
	if c := tr.Manifest.Coverage; c.Heartbeats != "none" || c.Placements != "none" || c.Demand != "reconstructed" {
		t.Errorf("coverage %+v", c)
	}
	if len(tr.Trees[0].Heartbeats) > 0 {
		t.Error("there are heartbeats without placements")
	}
	// All but the one pod that was deleted in the second of its creation.
	if n := len(tr.Trees[0].Demands); n != 8_151 {
		t.Errorf("%d rows of demand", n)
	}
}

func TestTheSameLogGivesTheSameBytes(t *testing.T) {
	first, _ := importOpenb(t)
	second, _ := importOpenb(t)
	a, b := joblogtest.Digest(t, first), joblogtest.Digest(t, second)
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s differs", name)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%d files, then %d", len(a), len(b))
	}
}
