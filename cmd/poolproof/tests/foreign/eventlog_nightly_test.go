package foreign

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/pooltree"
)

// fakeYT is a yt command that serves the samples: their pool trees, and their event log in
// two tables. It runs mappers as the cluster would and keeps what they write.
const fakeYT = `#!/bin/sh
set -eu
echo "$@" >> "$FAKE/calls"
case $1 in
  list) printf 'event_log.1\nevent_log\norchid\nlock\n' ;;
  get) cat "$SAMPLES/pool_trees.2023.json" ;;
  map)
    [ "$3 $4 $5 $6 $7" = "--src //sys/scheduler/event_log.1 //sys/scheduler/event_log --dst //tmp/poolproof-2025-03-03" ]
    [ "$8 $9" = "--format json" ]
    { gzip -dc "$SAMPLES/2023.jsonl.gz"; echo '{"timestamp":"2025-03-01T00:00:00.000000Z","event_type":"cluster_info"}'; } | sh -c "$2" > "$FAKE/table" ;;
  read-table) [ "$2" = //tmp/poolproof-2025-03-03 ] && cat "$FAKE/table" ;;
  remove) rm "$FAKE/table" ;;
  *) exit 1 ;;
esac
`

// TestTheNightlyJobOfACluster runs poolproof-fetch of ingest/ytsaurus/README.md against a
// fake yt, and the packaged nightly job on the trace that it makes.
func TestTheNightlyJobOfACluster(t *testing.T) {
	script := scriptOf(t, commandtest.InProject("ingest/ytsaurus/README.md"))
	for _, o := range pooltree.Options() {
		for _, name := range append([]string{o.Name}, o.Aliases...) {
			if o.Holder == "pool" && !regexp.MustCompile(`[ \n]`+name+`[ \n]`).MatchString(script) {
				t.Errorf("the export leaves out the attribute %s", name)
			}
		}
	}
	nightly, err := os.ReadFile(commandtest.InProject("cmd/poolproof/packaging/poolproof-nightly"))
	if err != nil {
		t.Fatal(err)
	}
	home, fake := t.TempDir(), t.TempDir()
	samples, err := filepath.Abs(commandtest.InProject("ingest/ytsaurus/testdata/samples"))
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(fake, "yt"): fakeYT, filepath.Join(home, "fetch"): script, filepath.Join(home, "nightly"): string(nightly),
		filepath.Join(home, "policy.yaml"): "fail_on: [major]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, job := range []string{"fetch", "nightly"} {
		c := exec.Command("sh", filepath.Join(home, job), "2025-03-03")
		c.Env = append(os.Environ(), "POOLPROOF_HOME="+home, "FAKE="+fake, "SAMPLES="+samples, "PATH="+fake+string(os.PathListSeparator)+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", job, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(fake, "table")); err == nil {
		t.Error("the table of the export is left on the cluster")
	}
	calls, err := os.ReadFile(filepath.Join(fake, "calls"))
	if err != nil || !strings.Contains(string(calls), "get //sys/pool_trees --format json --attribute config --attribute default_tree") {
		t.Errorf("%v\n%s", err, calls)
	}
	run := filepath.Join(home, "runs", "2025-03-03")
	if got := askRun(t, run, "SELECT count(*), min(from_time) >= '2025-03-03', max(to_time) <= '2025-03-04' FROM trees"); strings.Join(got, " ") != "2 true true" {
		t.Errorf("trees %q", got)
	}
	if got := askRun(t, run, "SELECT count(DISTINCT job) FROM jobs"); got[0] != "238" {
		t.Errorf("%s jobs", got)
	}
	for _, file := range []string{"report.html", "findings.json"} {
		if _, err := os.Stat(filepath.Join(run, file)); err != nil {
			t.Error(err)
		}
	}
}

// scriptOf returns the shell script of a page.
func scriptOf(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```sh\n(#!/bin/sh\n.*?)```").FindSubmatch(text)
	if script == nil {
		t.Fatalf("%s has no script", page)
	}
	return string(script[1])
}
