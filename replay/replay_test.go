package replay_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"poolproof/core"
	"poolproof/core/coretest"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/tables"
	"poolproof/replay/tables/tablestest"
)

// TestStories replays the scenarios under testdata and shows the tables and
// columns that a story names. A second is the unit of its times; the window is
// from=0 to=100 unless it says otherwise, as long after the log's beginning as its warmup,
// the profile the default one. What the log claims to hold it says itself: heartbeats, or
// heartbeats=none, demand=snapshots, states=assumed, pools=single and nodes=sampled in the words of a trace's coverage.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var dir string
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "replay":
				dir = t.TempDir()
				return replayStory(t, d, dir)
			case "cluster":
				dir = t.TempDir()
				return clusterStory(t, d, dir)
			case "show":
				table, tree := "", "tree"
				d.ScanArgs(t, "table", &table)
				d.MaybeScanArgs(t, "tree", &tree)
				var columns []string
				for _, a := range d.CmdArgs[1:] {
					if a.Key != "tree" {
						columns = append(columns, a.Key)
					}
				}
				return showOf(t, dir, tree, table, columns)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

// aspects are what a story may say of the log, and how a trace's coverage calls it.
var aspects = map[string]string{"heartbeats": "heartbeats", "demand": "demand", "states": "operation_states", "pools": "pool_config", "nodes": "node_states"}

func replayStory(t *testing.T, d *datadriven.TestData, dir string) string {
	s, err := coretest.Parse(d.Input)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	from, to := int64(0), int64(100)
	if d.HasArg("from") {
		d.ScanArgs(t, "from", &from)
	}
	if d.HasArg("to") {
		d.ScanArgs(t, "to", &to)
	}
	opts := replay.Options{Log: env.Log{
		Window:   core.Span{From: core.Time(from) * core.Second, To: core.Time(to) * core.Second},
		Measured: [5]bool{false, true, false, false, false},
		Sized:    [5]bool{false, true, false, false, false},
	}}
	if d.HasArg("warmup") { // of the log before the window
		var length int64
		d.ScanArgs(t, "warmup", &length)
		opts.Warmup = core.Time(length) * core.Second
	}
	for _, q := range s.Questions {
		if q.Kind == "ask" {
			opts.Asks = append(opts.Asks, replay.Ask{Node: q.Node, Time: q.Time})
		}
	}
	if d.HasArg("measured") { // all that jobs take
		opts.Measured = [5]bool{true, true, true, true, true}
		opts.Sized = opts.Measured
	}
	for _, a := range d.CmdArgs {
		if aspect, ok := aspects[a.Key]; ok {
			state := "recorded"
			if len(a.Vals) > 0 {
				state = a.Vals[0]
			}
			opts.Facts = append(opts.Facts, env.Fact{Aspect: aspect, State: state})
		}
	}
	opts.Profile = profileOf(t, d)
	if _, err := replay.Run(context.Background(), dir, &s.Dimensions, []env.Tree{{Name: "tree", Events: s.Sequence()}}, opts); err != nil {
		return "error: " + err.Error() + "\n"
	}
	return ""
}

// clusterStory replays several trees: each line begins with its tree's name.
func clusterStory(t *testing.T, d *datadriven.TestData, dir string) string {
	var lines, names, of []string
	for line := range strings.Lines(d.Input) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) == "" {
			continue
		}
		tree, rest, _ := strings.Cut(line, " ")
		lines, of = append(lines, rest), append(of, tree)
		if !slices.Contains(names, tree) {
			names = append(names, tree)
		}
	}
	s, err := coretest.Parse(strings.Join(lines, "\n"))
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	var trees []env.Tree
	for _, name := range names {
		trees = append(trees, env.Tree{Name: name, Events: func(yield func(*core.Event, error) bool) {
			for i := range s.Events {
				if e := s.Events[i]; of[i] == name && !yield(&e, nil) {
					return
				}
			}
		}})
	}
	opts := replay.Options{Log: env.Log{Profile: profileOf(t, d), Window: core.Span{To: 200 * core.Second}}, Workers: 2}
	if _, err := replay.Run(context.Background(), dir, &s.Dimensions, trees, opts); err != nil {
		return "error: " + err.Error() + "\n"
	}
	return ""
}

// show prints the named columns of a table, one row a line.
func show(t *testing.T, dir, table string, columns []string) string {
	t.Helper()
	return showOf(t, dir, "tree", table, columns)
}

// showOf is show for one of several trees, "" for none.
func showOf(t *testing.T, dir, tree, table string, columns []string) string {
	t.Helper()
	var b strings.Builder
	for _, record := range tablestest.Read(t, filepath.Join(dir, "tables", tables.FileName(table, tree))) {
		for row := range int(record.NumRows()) {
			for _, name := range columns {
				at := record.Schema().FieldIndices(name)
				if at == nil {
					t.Fatalf("table %s has no column %s", table, name)
				}
				b.WriteString(seconds(record.Column(at[0]).ValueStr(row)) + " ")
			}
			b.WriteByte('\n')
		}
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// seconds shortens a time of the first hour of 1970 to its seconds.
func seconds(text string) string {
	if rest, ok := strings.CutPrefix(text, "1970-01-01 00:0"); ok {
		rest, _, _ = strings.Cut(rest, " ")
		return "t+" + strings.TrimPrefix(rest, "0:")
	}
	return text
}

// profileOf returns the profile that a directive names, or the default one.
func profileOf(t *testing.T, d *datadriven.TestData) core.Profile {
	var name string
	d.MaybeScanArgs(t, "profile", &name)
	profile, err := core.ParseProfile(name)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return profile
}
