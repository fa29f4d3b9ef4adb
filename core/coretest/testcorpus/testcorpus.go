// Package testcorpus finds the material that several packages' tests read: corpora and
// worked cases below core, and real data beside the project.
//
//	for name, path := range testcorpus.Corpus(t, "fair-share") {
//		testcorpus.Lines(t, path, func(line []byte) { … })
//	}
//
// Each kind has a folder, and a variable of the environment may name another. Where
// the material is absent a test is skipped, except where CI is true: there its
// absence is a failure. Nothing here is used outside tests.
package testcorpus

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A Folder is a kind of material.
type Folder struct {
	variable string // of the environment
	fallback string // relative to the project
}

// The kinds.
var (
	Cases       = Folder{"POOLPROOF_CASES", "core/spec/cases"}
	Conformance = Folder{"POOLPROOF_CONFORMANCE", "core/conformance"}
	Data        = Folder{"POOLPROOF_DATA", "../shared/data"}
	EventLogs   = Folder{"POOLPROOF_EVENT_LOGS", "ingest/ytsaurus/testdata/samples"}
)

// dir returns the path of a folder. One that the environment names must be there:
// nothing would be tested otherwise, and pass.
func (f Folder) dir(t testing.TB) string {
	if dir := os.Getenv(f.variable); dir != "" {
		if _, err := os.Stat(dir); err != nil {
			t.Fatalf("%s names no folder: %v", f.variable, err)
		}
		return dir
	}
	return filepath.Join(project(t, f), f.fallback)
}

// project returns the folder of go.mod. Tests that run elsewhere, as a binary, have
// none, and find only what the environment names.
func project(t testing.TB, f Folder) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for above := dir; ; above = filepath.Dir(above) {
		if _, err := os.Stat(filepath.Join(above, "go.mod")); err == nil {
			return above
		}
		if above == filepath.Dir(above) {
			absent(t, f, &os.PathError{Op: "find go.mod above", Path: dir, Err: os.ErrNotExist})
		}
	}
}

// File returns the path of a file or folder of the material.
func File(t testing.TB, f Folder, name ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{f.dir(t)}, name...)...)
	if _, err := os.Stat(path); err != nil {
		absent(t, f, err)
	}
	return path
}

func absent(t testing.TB, f Folder, why error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("test data is missing: %v", why)
	}
	t.Skipf("test data is missing, set %s: %v", f.variable, why)
}

// Corpus returns the files of gzipped JSON lines in a folder of Conformance, by
// their names without ending, in the order of these names: those that are
// published, and others of the same form.
func Corpus(t testing.TB, folder string) iter.Seq2[string, string] {
	t.Helper()
	const ending = ".jsonl.gz"
	dir := File(t, Conformance, folder)
	paths, err := filepath.Glob(filepath.Join(dir, "*"+ending))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file *%s in %s", ending, dir)
	}
	return func(yield func(string, string) bool) {
		for _, path := range paths {
			if !yield(strings.TrimSuffix(filepath.Base(path), ending), path) {
				return
			}
		}
	}
}

// Scenarios calls each with every scenario that a package works, of the case files
// of a format: all files *.json and *.json.gz of the folder Cases, in the order of
// their names. A format that is not known here, and a kind that no package works, is a failure.
func Scenarios(t testing.TB, format, worker string, each func(kind string, scenario json.RawMessage)) {
	t.Helper()
	dir := Cases.dir(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if named := os.Getenv(Cases.variable); named != "" && len(files) == 0 {
		t.Fatalf("%s: no *.json or *.json.gz in %s", Cases.variable, named)
	}
	if err != nil || len(files) == 0 {
		absent(t, Cases, &os.PathError{Op: "find *.json or *.json.gz in", Path: dir, Err: os.ErrNotExist})
	}
	for _, path := range files {
		data := unpacked(t, path)
		var file struct {
			Format           string
			Scenarios, Cases []json.RawMessage
		}
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if file.Format == "" && file.Cases != nil { // fair-share.json names none
			file.Format, file.Scenarios = FairShareCases, file.Cases
		}
		if workers[file.Format] == nil {
			t.Errorf("%s: unknown format %q", path, file.Format)
		}
		if file.Format == format {
			deal(t, path, file.Scenarios, workers[format], worker, each)
		}
	}
}

// deal calls each with the scenarios of a file that a package works.
func deal(t testing.TB, path string, scenarios []json.RawMessage, workers map[string][]string, worker string, each func(string, json.RawMessage)) {
	t.Helper()
	for _, s := range scenarios {
		var named struct{ ID, Kind string }
		if err := json.Unmarshal(s, &named); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		known := false
		for _, kinds := range workers {
			known = known || slices.Contains(kinds, named.Kind)
		}
		switch {
		case !known:
			t.Errorf("%s: no package works %s of kind %q", path, named.ID, named.Kind)
		case slices.Contains(workers[worker], named.Kind):
			each(named.Kind, s)
		}
	}
}

// The formats of case files.
const (
	SchedulingScenarios = "scheduling-scenarios"
	FairShareCases      = "fair-share-cases"
)

// workers are the packages that work the cases of a format, and the kinds that each
// of them works.
var workers = map[string]map[string][]string{
	FairShareCases: {
		"fairshare": {
			"update", "scale_amounts", "parse_cpu", "volume_from_amounts", "ratios", "resource_limits",
			"best_allocation", "historic_weight", "local_satisfaction",
		},
		"scheduling": {"below_fair_share"},
	},
	SchedulingScenarios: {
		"fairshare": {"update", "resource_limits", "fifo_order"},
		"core":      {"effective_values", "threshold_config"},
		"judge":     {"audit"},
		"audit":     {"audit"}, // see IsForAudits
		"pooltree": {
			"nodes_filter", "config_actions", "node_assignment", "tree_selection", "single_tree_choice", "offloading",
			"tree_removal", "placement", "pool_set_change", "admission", "multi_tree_admission", "tag_totals", "demand_with_limits", "hung_check",
		},
		"scheduling": {
			"preemptible_lists", "fair_share_status", "satisfaction", "composite_satisfaction", "starvation_timeline",
			"legacy_status", "legacy_timeline", "preemption_priority", "lowest_starving_ancestor", "job_level",
			"stage_level", "stage_plan", "preemptive_backoff", "victim_filter", "conditional_discount",
			"preemption_batch", "properly_starving", "overcommit_batch", "scheduling_order", "guarantee_priority",
			"fifo_schedulable_limit", "job_start_check", "interruption", "waiting_beneficiary", "graceful_preemption",
			"graceful_start", "segment", "segment_compatibility", "end_to_end",
		},
	},
}

// Lines calls each with every line of a text, gzipped or not, empty ones left
// out. A line is good until each returns.
func Lines(t testing.TB, path string, each func(line []byte)) {
	t.Helper()
	file, unzipped := open(t, path)
	defer file.Close()
	const longest = 1 << 30
	scanner := bufio.NewScanner(unzipped)
	scanner.Buffer(nil, longest)
	for scanner.Scan() {
		if line := scanner.Bytes(); len(line) > 0 {
			each(line)
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
}

// open opens a file, and what it holds: of one that is gzipped the text.
func open(t testing.TB, path string) (file *os.File, text io.Reader) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return file, file
	}
	text, err = gzip.NewReader(file)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return file, text
}

func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	file, text := open(t, path)
	defer file.Close()
	data, err := io.ReadAll(text)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}

// IsForAudits reports whether a scenario of kind audit asks of a record of counts or
// usage whether it is within its limits, or of a node whether several trees claim it:
// audits of queries/ judge that, by what a replay found, and core/judge the rest.
func IsForAudits(scenario json.RawMessage) bool {
	var s struct {
		Given struct {
			Checks string
			Event  struct{ Type string }
		}
	}
	return json.Unmarshal(scenario, &s) == nil && (s.Given.Checks == "trees" ||
		s.Given.Event.Type == "record" && (s.Given.Checks == "counts" || s.Given.Checks == "limits"))
}
