package ytsaurus_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"poolproof/core"
	"poolproof/ingest/joblog/joblogtest"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// archived writes the operations archive of a log into files.
func archived(t testing.TB, rows [][]byte, newest bool) []string {
	t.Helper()
	operations, jobs, err := eventlogtest.Archive(rows, newest)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	return []string{writeRows(t, filepath.Join(dir, "operations"), operations), writeRows(t, filepath.Join(dir, "jobs"), jobs)}
}

// before returns the rows of a log that were written until a moment.
func before(t testing.TB, rows [][]byte, until core.Time) [][]byte {
	return slices.DeleteFunc(slices.Clone(rows), func(line []byte) bool {
		return at(t, fieldsOf(t, line)["timestamp"].(string)) >= until
	})
}

// The newest archive records how jobs and operations ended as well as the rest of the log
// does.
func TestArchiveTellsEnds(t *testing.T) {
	l := sampleLog(t, "2025")
	exports := []ytsaurus.Export{{Path: l.export}}
	until := at(t, "2025-03-03T08:01:50.5Z")
	cut := writeRows(t, filepath.Join(t.TempDir(), "cut"), before(t, l.rows, until))
	whole := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)}, Exports: exports, To: until})
	alone := importLog(t, ytsaurus.Options{Sources: []string{cut}, Exports: exports})
	with := importLog(t, ytsaurus.Options{Sources: append(archived(t, l.rows, true), cut), Exports: exports})
	ends := func(in imported) map[string]string {
		tr, all := joblogtest.Read(t, in.dir), map[string]string{}
		for _, o := range tr.Operations {
			all["operation "+o.ID] = o.FinalState.Or("running")
		}
		for _, tree := range tr.Trees {
			for _, j := range tree.Jobs {
				all["job "+j.ID] = j.EndKind + " " + j.AbortReason.Or("") + " " + formatted(j.Time) + " to " + formatted(j.FinishTime.Or(0))
			}
		}
		return all
	}
	want, without, got := ends(whole), ends(alone), ends(with)
	filled := 0
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch {
		case strings.HasPrefix(want[name], "running"): // to the end of the log
		case got[name] == want[name]:
			if without[name] != want[name] {
				filled++
			}
		case without[name] == "": // a row of its start was told too late, and the archive has no resources
		default:
			t.Errorf("%s: %q, not %q; without the archive %q", name, got[name], want[name], without[name])
		}
	}
	if filled < 20 {
		t.Errorf("%d ends are told by the archive alone", filled)
	}
	if n := with.noted("archive_differs"); n != 0 {
		t.Errorf("%d differences", n)
	}
	if m := with.manifest(t); m.Log.Archived["operations"] == 0 || m.Log.Archived["jobs"] != 238 {
		t.Errorf("counts %v", m.Log.Archived)
	}
}

func formatted(at core.Time) string {
	return time.UnixMicro(int64(at)).UTC().Format("15:04:05.000000")
}

// noted is how often a problem of a code was noted.
func (i imported) noted(code string) (n int64) {
	for _, c := range i.summary.Noted {
		if c.Code == code {
			n += c.Rows
		}
	}
	return n
}

// An older archive has the nodes' times: they bound when a job started, and tell when it
// ended.
func TestArchiveOfNodesTimes(t *testing.T) {
	l := sampleLog(t, "2023")
	exports := []ytsaurus.Export{{Path: l.export}}
	until := at(t, "2025-03-03T08:01:50.5Z")
	cut := writeRows(t, filepath.Join(t.TempDir(), "cut"), before(t, l.rows, until))
	jobs := func(in imported) map[string]*trace.Job {
		all := map[string]*trace.Job{}
		for _, tree := range joblogtest.Read(t, in.dir).Trees {
			for i := range tree.Jobs {
				all[tree.Jobs[i].ID] = &tree.Jobs[i]
			}
		}
		return all
	}
	want := jobs(importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)}, Exports: exports}))
	got := jobs(importLog(t, ytsaurus.Options{Sources: append(archived(t, l.rows, false), cut), Exports: exports}))
	bounded := 0
	for id, j := range got {
		w := want[id]
		if w.FinishTime != j.FinishTime || w.EndKind != j.EndKind || w.AbortReason != j.AbortReason {
			t.Errorf("%s: %s at %v, not %s at %v", id, j.EndKind, j.FinishTime, w.EndKind, w.FinishTime)
		}
		vague := core.Time(j.StartUncertaintyUS.Or(0))
		if w.StartUncertaintyUS.Set { // it runs to the end of the log
			continue
		}
		if w.Time < j.Time || w.Time > j.Time+vague {
			t.Errorf("%s: started at %s or up to %d us later, not %s", id, formatted(j.Time), vague, formatted(w.Time))
		}
		if vague > 0 {
			bounded++
		}
	}
	if bounded < 20 {
		t.Errorf("%d starts are bounded", bounded)
	}
}

// The end of an operation that comes after the log does not end its jobs: nobody knows
// when they did.
func TestArchiveOfOperationsAlone(t *testing.T) {
	l := sampleLog(t, "2023")
	cut := writeRows(t, filepath.Join(t.TempDir(), "cut"), before(t, l.rows, at(t, "2025-03-03T08:01:50.5Z")))
	ends := func(sources ...string) (count map[string]int) {
		count = map[string]int{}
		for _, tree := range joblogtest.Read(t, importLog(t, ytsaurus.Options{Sources: sources, Exports: []ytsaurus.Export{{Path: l.export}}}).dir).Trees {
			for i := range tree.Jobs {
				count[tree.Jobs[i].EndKind]++
			}
		}
		return count
	}
	want, got := ends(cut), ends(cut, archived(t, l.rows, false)[0])
	if !maps.Equal(want, got) || want["running"] == 0 {
		t.Errorf("ends %v, not %v", got, want)
	}
}

// Of two exports of one job the later counts, which tells its end.
func TestArchiveTwice(t *testing.T) {
	l := sampleLog(t, "2023")
	exports := []ytsaurus.Export{{Path: l.export}}
	cut := writeRows(t, filepath.Join(t.TempDir(), "cut"), before(t, l.rows, at(t, "2025-03-03T08:01:50.5Z")))
	_, late, err := eventlogtest.Archive(l.rows, false)
	if err != nil {
		t.Fatal(err)
	}
	var early [][]byte
	for _, line := range late {
		j := fieldsOf(t, line)
		delete(j, "finish_time")
		j["state"] = "running"
		early = append(early, lineOf(t, j))
	}
	write := func(rows [][]byte) string { return writeRows(t, filepath.Join(t.TempDir(), "jobs"), rows) }
	want := importLog(t, ytsaurus.Options{Sources: []string{cut, write(late)}, Exports: exports})
	got := importLog(t, ytsaurus.Options{Sources: []string{cut, write(early), write(late)}, Exports: exports})
	if d := difference(want.bundle(t), got.bundle(t)); d != "" {
		t.Error(d)
	}
}

// Where the log has no rows of operations, the archive records their lives.
func TestArchiveTellsOperations(t *testing.T) {
	l := sampleLog(t, "2023")
	exports := []ytsaurus.Export{{Path: l.export}}
	lacking := without(l.rows, "operation_started", "operation_prepared", "operation_materialized", "operation_completed", "operation_aborted", "operation_failed")
	path := writeRows(t, filepath.Join(t.TempDir(), "lacking"), lacking)
	whole := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)}, Exports: exports})
	with := importLog(t, ytsaurus.Options{Sources: append(archived(t, l.rows, false), path), Exports: exports})
	told := map[string]bool{} // operations that the archive has: those that are over
	operations, _, err := eventlogtest.Archive(l.rows, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(operations) != 13 {
		t.Fatalf("the archive has %d operations", len(operations))
	}
	steps := func(in imported) map[string][]string {
		tr, all := joblogtest.Read(t, in.dir), map[string][]string{}
		for _, tree := range tr.Trees {
			for _, e := range tree.OpEvents {
				o := &tr.Operations[e.Op]
				if o.FinishTime.Set {
					told[o.ID] = true
					if e.Event != "started" || o.StartTime.Set {
						all[o.ID] = append(all[o.ID], tree.Name+" "+e.Event+" "+formatted(e.Time))
					}
				}
			}
		}
		for _, o := range tr.Operations {
			if o.FinishTime.Set {
				all[o.ID] = append(all[o.ID], o.Type+" "+o.User+" "+o.Title.Or("")+" "+o.FinalState.Or("")+" "+o.SpecJSON.Or(""))
			}
		}
		return all
	}
	want, got := steps(whole), steps(with)
	for _, id := range slices.Sorted(maps.Keys(want)) {
		// What is inferred, when it came to run, may be told more exactly.
		inferred := func(s string) bool { return strings.Contains(s, " running ") || strings.Contains(s, " pending ") }
		w, g := slices.DeleteFunc(want[id], inferred), slices.DeleteFunc(got[id], inferred)
		if !slices.Equal(w, g) {
			t.Errorf("%s:\n%s\nnot\n%s", id, strings.Join(g, "\n"), strings.Join(w, "\n"))
		}
	}
	if len(told) != 13 {
		t.Errorf("%d operations are over", len(told))
	}
}

// The log's word counts, and a difference is told.
func TestLogAndArchiveDiffer(t *testing.T) {
	l := sampleLog(t, "2023")
	exports := []ytsaurus.Export{{Path: l.export}}
	log := writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)
	operations, jobs, err := eventlogtest.Archive(l.rows, false)
	if err != nil {
		t.Fatal(err)
	}
	plain := importLog(t, ytsaurus.Options{Sources: []string{log}, Exports: exports})
	o := fieldsOf(t, operations[0])
	o["authenticated_user"], o["state"], o["start_time"] = "nobody", "failed", 1740988000000000
	j := fieldsOf(t, jobs[slices.IndexFunc(jobs, func(line []byte) bool { return bytes.Contains(line, []byte(`"state":"completed"`)) })])
	j["state"] = "failed"
	archive := writeRows(t, filepath.Join(t.TempDir(), "archive"), [][]byte{lineOf(t, o), lineOf(t, j)})
	with := importLog(t, ytsaurus.Options{Sources: []string{archive, log}, Exports: exports})
	if n := with.noted("archive_differs"); n != 4 {
		t.Errorf("%d differences, not 4", n)
	}
	a, b := joblogtest.Read(t, plain.dir).Operations, joblogtest.Read(t, with.dir).Operations
	if !slices.Equal(a, b) {
		t.Errorf("operations %v, not %v", b, a)
	}
	want, got := story(t, plain.dir, 1<<62), story(t, with.dir, 1<<62)
	for line := range want {
		// When the operation came to run may be told more exactly.
		if !got[line] && !strings.Contains(line, ": running at") && !strings.Contains(line, ": pending at") {
			t.Errorf("lost %s", line)
		}
	}
}

// What is wrong with rows of the archive is told by a code, and the rest is used.
func TestDirtInTheArchive(t *testing.T) {
	l := sampleLog(t, "2023")
	log := writeRows(t, filepath.Join(t.TempDir(), "log"), l.rows)
	operations, jobs, err := eventlogtest.Archive(l.rows, true)
	if err != nil {
		t.Fatal(err)
	}
	plain := importLog(t, ytsaurus.Options{Sources: []string{log}, Exports: []ytsaurus.Export{{Path: l.export}}}).manifest(t).Quarantined
	for _, c := range []struct {
		row    []byte
		column string
		value  any
		want   string
	}{
		{operations[0], "id_lo", nil, "bad_id 1"},
		{operations[0], "id_hi", -1, "bad_id 1"},
		{operations[0], "id_hi", "5459dfa3", "bad_id 1"},
		{operations[0], "start_time", -7, "bad_timestamp 1"},
		{operations[0], "finish_time", "soon", "bad_timestamp 1"},
		{operations[0], "finish_time", 1600000000000000, "finish_before_start 1"},
		{operations[0], "spec", "none", ""},
		{operations[0], "events", []any{1, map[string]any{"state": "pending", "time": "soon"}}, ""},
		{operations[0], "runtime_parameters", map[string]any{"scheduling_options_per_pool_tree": []any{}}, ""},
		{jobs[0], "job_id_lo", 1.5, "bad_id 1"},
		{jobs[0], "operation_id_hi", nil, "bad_id 1"},
		{jobs[0], "finish_time", 1600000000000000, "finish_before_start 1"},
		{jobs[0], "resource_limits", map[string]any{"cpu": -1}, "bad_amount 1"},
		{jobs[0], "state", "dreaming", ""},
		{jobs[0], "interruption_info", map[string]any{"preempted_for": map[string]any{"allocation_id": "x"}}, "bad_id 1"},
	} {
		f := fieldsOf(t, c.row)
		f[c.column] = c.value
		path := writeRows(t, filepath.Join(t.TempDir(), "archive"), [][]byte{lineOf(t, f)})
		got := importLog(t, ytsaurus.Options{Sources: []string{log, path}, Exports: []ytsaurus.Export{{Path: l.export}}})
		if told := codesBeside(got.manifest(t).Quarantined, plain); told != c.want {
			t.Errorf("%s %v: problems %q, not %q", c.column, c.value, told, c.want)
		}
		checkProblems(t, got)
	}
}

// Whatever the order of the rows of log and archive, and the files that they stand in,
// the trace is the same; and the forms of the log are those of the archive.
func TestOrderOfArchiveChangesNothing(t *testing.T) {
	l := sampleLog(t, "2025")
	exports := []ytsaurus.Export{{Path: l.export}}
	rows := before(t, l.rows, at(t, "2025-03-03T08:02:00Z"))
	operations, jobs, err := eventlogtest.Archive(l.rows, false)
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(operations, rows, jobs)
	one := importLog(t, ytsaurus.Options{Sources: []string{writeRows(t, filepath.Join(t.TempDir(), "all"), all)}, Exports: exports}).bundle(t)
	slices.Reverse(all)
	dir := t.TempDir()
	writeRows(t, filepath.Join(dir, "a.gz"), all[:300])
	writeRows(t, filepath.Join(dir, "b"), all[300:])
	writeRows(t, filepath.Join(dir, "c.zst"), operations) // again
	two := importLog(t, ytsaurus.Options{Sources: []string{dir}, Exports: exports, Memory: 1})
	m := two.manifest(t)
	if len(m.Sources) != 4 || !strings.HasPrefix(m.Sources[0].Kind, "yt_event_log+") || m.Sources[2].Kind != "yt_operations_json" {
		t.Errorf("sources %+v", m.Sources)
	}
	again := two.bundle(t)
	for name := range one {
		if name != "manifest.json" && one[name] != again[name] {
			t.Errorf("%s differs: %s", name, lineDifference(one[name], again[name]))
		}
	}
}

// A source that is not of the kind that is asked for is refused, and the error says what
// it is, where, and what to do.
func TestWrongKinds(t *testing.T) {
	l := sampleLog(t, "2023")
	dir := t.TempDir()
	log := writeRows(t, filepath.Join(dir, "log"), l.rows)
	archive := archived(t, l.rows, false)
	dumps, err := eventlogtest.Dumps(l.rows)
	if err != nil {
		t.Fatal(err)
	}
	dump := writeRows(t, filepath.Join(dir, "dump"), dumps[:1])
	nothing := writeRows(t, filepath.Join(dir, "nothing"), [][]byte{[]byte(`{"a":1}`)})
	for _, c := range []struct{ path, kind, want string }{
		{log, "operations", "record 0 is a row of an event log (cluster_info), and --kind says operations"},
		{archive[0], "jobs", "record 0 is an operation of the archive, and --kind says jobs"},
		{archive[1], "event_log", "record 0 is a job of the archive, and --kind says event_log"},
		{nothing, "jobs", "record 0 is none of the kinds that are known: it has neither event_type nor the ids of the archive, and --kind says jobs"},
		{dump, "event_log", "it begins as an Orchid dump, and --kind says event_log"},
		{l.export, "operations", "it begins as an export of pool trees, and --kind says operations"},
		{log, "pool_trees", "it is not an export of pool trees: its first record is a row of an event log"},
		{nothing, "orchid", "nothing says when it was taken"},
		{log, "orchid", "it is not an Orchid dump: byte"},
		{writeText(t, filepath.Join(dir, "entity"), []byte("#")), "orchid", "it is not an Orchid dump: byte 0"},
		{writeText(t, filepath.Join(dir, "attributes"), []byte("<a=1>#")), "orchid", "it is not an Orchid dump: byte 0: it is empty"},
	} {
		_, err := ytsaurus.Import(t.Context(), ytsaurus.Options{Sources: []string{log, c.path}, KindOf: map[string]string{c.path: c.kind}, Out: filepath.Join(t.TempDir(), "trace")})
		var format *parquetlog.FormatError
		if err == nil || !errors.As(err, &format) && c.want != "" || !strings.Contains(err.Error(), c.path+": "+c.want) {
			t.Errorf("%s as %s: %v", filepath.Base(c.path), c.kind, err)
		}
		if format != nil && format.Advice == "" {
			t.Errorf("%s as %s: no advice", filepath.Base(c.path), c.kind)
		}
	}
	// What is right, asked for or not, is read.
	kinds := map[string]string{log: "event_log", archive[0]: "operations", archive[1]: "jobs", dump: "orchid", l.export: "pool_trees"}
	got := importLog(t, ytsaurus.Options{Sources: slices.Sorted(maps.Keys(kinds)), KindOf: kinds})
	told := importLog(t, ytsaurus.Options{Sources: slices.Sorted(maps.Keys(kinds))})
	if d := difference(told.bundle(t), got.bundle(t)); d != "" {
		t.Error(d)
	}
	if _, err := os.Stat(got.dir); err != nil {
		t.Error(err)
	}
}
