package replay_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/replay"
	"poolproof/replay/env"
	"poolproof/replay/tables"
)

func (d *day) sequence() iter.Seq2[*core.Event, error] {
	return func(yield func(*core.Event, error) bool) {
		for i := range d.events {
			if e := d.events[i]; !yield(&e, nil) {
				return
			}
		}
	}
}

// judge replays the day's log and returns the run's directory.
func (d *day) judge(t *testing.T, profile core.Profile, seconds int) string {
	t.Helper()
	return d.judgeWith(t, profile, seconds, func(*replay.Options) {})
}

// judgeWith is judge with options of its own.
func (d *day) judgeWith(t *testing.T, profile core.Profile, seconds int, change func(*replay.Options)) string {
	t.Helper()
	dir := t.TempDir()
	all := [5]bool{true, true, true, true, true}
	opts := replay.Options{Log: env.Log{
		Profile: profile, Window: core.Span{To: core.Time(seconds) * core.Second}, Measured: all, Sized: all,
		Facts: []env.Fact{{Aspect: "heartbeats", State: "recorded"}}, // else nobody is looked for that could have been repaired or preempted
	}}
	change(&opts)
	if _, err := replay.Run(context.Background(), dir, &d.dims, []env.Tree{{Name: "tree", Events: d.sequence()}}, opts); err != nil {
		t.Fatal(err)
	}
	return dir
}

var profiles = map[string]core.Profile{
	"documented": core.Documented, "baseline": core.Baseline, "current": core.Current, "legacy": core.Legacy,
}

// daySeeds is how many days are drawn in each profile.
const daySeeds = 12

// everythingIsOn reports whether the day of a seed has every feature, and not only those
// that are drawn.
func everythingIsOn(seed uint64) bool { return seed%4 == 3 }

// TestOwnDecisionsAreAllowed has the core decide for a while and judges the log
// of it: nothing is alleged, in any profile, whatever is configured; on every fourth
// day everything is.
func TestOwnDecisionsAreAllowed(t *testing.T) {
	const seconds = 240
	for name, profile := range profiles {
		t.Run(name, func(t *testing.T) {
			starts, preemptions, kept := 0, 0, map[string]bool{}
			waited, rejected, lightweight := 0, 0, 0
			for seed := range uint64(daySeeds) {
				d := newDay(profile, seed)
				if everythingIsOn(seed) {
					d.everything()
				}
				d.run(seconds)
				for _, fault := range d.faults {
					t.Errorf("seed %d: %s", seed, fault)
				}
				starts, preemptions = starts+d.starts, preemptions+d.preemptions
				waited, rejected, lightweight = waited+d.waited, rejected+d.rejected, lightweight+d.lightweight
				dir := d.judge(t, profile, seconds)
				rows := show(t, dir, "decisions", []string{"time", "decision", "invariant", "severity", "verdict", "judged", "excuse", "job", "operation", "pool", "node", "sentence"})
				for line := range strings.Lines(rows) {
					if strings.Contains(line, " violated ") && !strings.Contains(line, " info ") {
						t.Errorf("seed %d: %s", seed, line)
					}
				}
				for line := range strings.Lines(show(t, dir, "decision_counts", []string{"invariant", "verdict"})) {
					kept[strings.TrimSpace(line)] = true
				}
				for table, columns := range map[string][]string{
					"missed_repairs": {"from_time", "to_time", "node", "pool", "operation", "resource", "job", "verdict"},
					"admissions":     {"time", "operation", "pool", "invariant", "verdict", "excuse"},
					"misplaced_jobs": {"time", "operation", "job", "invariant", "verdict"},
				} {
					for line := range strings.Lines(show(t, dir, table, columns)) {
						if strings.Contains(line, "violated") {
							t.Errorf("seed %d: %s: %s", seed, table, line)
						}
					}
				}
				if t.Failed() {
					t.Log(show(t, dir, "decision_counts", []string{"minute", "invariant", "verdict", "note", "decisions"}))
					break
				}
			}
			t.Logf("%d starts, %d preemptions, %d operations waited and %d were rejected, %d were lightweight", starts, preemptions, waited, rejected, lightweight)
			for _, rule := range []string{
				"HB-06", "HB-07", "HB-08", "HB-09", "SEG-01", "SEG-02", "PRE-19", "PRE-20", "PRE-24", "GRC-01", "LIM-05", "LIM-06", "OVC-01", "GUA-07",
			} {
				if !kept[rule+" ok"] {
					t.Errorf("nothing in these days is about %s", rule)
				}
			}
			if starts < 2000 || preemptions < 150 {
				t.Errorf("only %d starts and %d preemptions", starts, preemptions)
			}
			if known := profile == core.Documented || profile == core.Current; waited < 50 || rejected < 3 || lightweight > 0 != known {
				t.Errorf("%d operations waited and %d were rejected, %d were lightweight", waited, rejected, lightweight)
			}
		})
	}
}

// TestSameSeedSameBytes has a day twice, with everything on and as it is drawn, and
// compares the logs and the tables that come of them.
func TestSameSeedSameBytes(t *testing.T) {
	for name, profile := range profiles {
		for _, everything := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s everything=%v", name, everything), func(t *testing.T) {
				first, again := bytesOfDay(t, profile, everything), bytesOfDay(t, profile, everything)
				if len(first) < 10 || len(again) != len(first) {
					t.Fatalf("%d files, and then %d", len(first), len(again))
				}
				for path, bytes := range first {
					if again[path] != bytes {
						t.Errorf("%s differs", path)
					}
				}
			})
		}
	}
}

// TestOwnStartsAreNotJudged: what became of a job that started in place of another one is, and all
// else is the same, also where nothing is kept to judge snapshots by that the log does not hold.
func TestOwnStartsAreNotJudged(t *testing.T) {
	const seconds = 120
	d := newDay(core.Documented, 3)
	d.everything()
	d.run(seconds)
	judged := d.judge(t, core.Documented, seconds)
	own := d.judgeWith(t, core.Documented, seconds, func(o *replay.Options) { o.OwnStarts, o.NoSnapshots = true, true })
	rows := func(dir string) (starts, others []string) {
		for line := range strings.Lines(show(t, dir, "decisions", []string{"decision", "invariant", "verdict", "time"})) {
			if strings.HasPrefix(line, "start ") && !strings.HasPrefix(line, "start PRE-23 ") {
				starts = append(starts, line)
			} else {
				others = append(others, line)
			}
		}
		slices.Sort(others) // they come as they are settled, which waits for others
		return starts, others
	}
	starts, others := rows(judged)
	if ownStarts, same := rows(own); len(starts) == 0 || len(ownStarts) > 0 || len(others) == 0 || !slices.Equal(same, others) {
		t.Errorf("own starts have the rows\n%s\nand\n%s\nother ones\n%s\nand\n%s", ownStarts, same, starts, others)
	}
	files := filesBelow(t, own)
	for path, bytes := range filesBelow(t, judged) {
		if !strings.Contains(path, "decision") && files[path] != bytes {
			t.Errorf("%s differs", path)
		}
	}
}

// TestDebtsWithoutTheirCauses: an extract of share_debts that tells no causes has a row for each
// deficit, with what the whole table has of it.
func TestDebtsWithoutTheirCauses(t *testing.T) {
	const seconds = 240
	d := newDay(core.Documented, 3)
	d.everything()
	d.run(seconds)
	deficits := []string{"element_kind", "pool", "operation", "level", "from_time", "to_time", "resource", "lacking_us", "deficit_share_seconds"}
	amounts := []string{"owed_share_seconds"}
	for k := range resource.Kinds {
		amounts = append(amounts, "owed_share_seconds_"+resource.Kind(k).String())
	}
	read := func(dir string) (sums map[string][]int64, rows int) {
		sums = map[string][]int64{}
		for line := range strings.Lines(show(t, dir, "share_debts", append(slices.Clone(deficits), amounts...))) {
			words := strings.Fields(line)
			key := strings.Join(words[:len(words)-len(amounts)], " ")
			if sums[key] == nil {
				sums[key] = make([]int64, len(amounts))
			}
			for i, word := range words[len(words)-len(amounts):] {
				n, err := strconv.ParseInt(word, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				sums[key][i] += n
			}
			rows++
		}
		return sums, rows
	}
	whole, rows := read(d.judge(t, core.Documented, seconds))
	extract, deficitsAlone := read(d.judgeWith(t, core.Documented, seconds, func(o *replay.Options) {
		o.Extract = func(t *tables.Table, column int) bool {
			name := t.Columns[column].Name
			return column == 0 || t.Name != "share_debts" || slices.Contains(deficits, name) || slices.Contains(amounts, name)
		}
	}))
	if deficitsAlone != len(whole) || rows < 2*deficitsAlone {
		t.Errorf("%d deficits have %d rows with their causes and %d without", len(whole), rows, deficitsAlone)
	}
	if !maps.EqualFunc(whole, extract, slices.Equal) {
		t.Errorf("with causes\n%v\nand without\n%v", whole, extract)
	}
}

// bytesOfDay has a day and returns the files that come of it.
func bytesOfDay(t *testing.T, profile core.Profile, everything bool) map[string]string {
	const seconds = 80
	d := newDay(profile, 3)
	if everything {
		d.everything()
	}
	d.run(seconds)
	files := filesBelow(t, d.judge(t, profile, seconds))
	if d.starts < 100 {
		t.Errorf("only %d starts", d.starts)
	}
	return files
}

func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		bytes, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(bytes)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
