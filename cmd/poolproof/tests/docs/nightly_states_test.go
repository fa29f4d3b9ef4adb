package docs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// A night is a home of the nightly job, with a poolproof in the script's PATH that ends as it
// is told and leaves the metrics that the real one leaves of a run.
type night struct{ home, bin string }

// stubProgram is that poolproof. $STUB names what to do: an exit code; "keeps N": the exit code N
// without a run, as a program that dies has; or "hangs".
const stubProgram = `#!/bin/sh
echo "$*" >> "$POOLPROOF_HOME/calls"
case $1 in
run)
  case $STUB in
  hangs) echo $$ > hanging; exec sleep 60 ;;
  keeps*) exit "${STUB#keeps }" ;;
  esac
  [ -z "${SLOW:-}" ] || sleep "$SLOW"
  case $STUB in
  0 | 1 | 3 | 4)
    rm -rf "$4.new" && mkdir -p "$4.new/tables" && echo "$STUB" > "$4.new/code" && echo {} > "$4.new/findings.json" && rm -rf "$4" && mv "$4.new" "$4" || exit 74 ;;
  esac
  exit "$STUB" ;;
report)
  [ -z "${NO_REPORT:-}" ] || exit 74
  sed "s/^\(poolproof_exit_code{.*}\) .*/\1 $(cat "$2/code")/" "$METRICS" ;;
esac
`

func newNight(t *testing.T) *night {
	t.Helper()
	n := &night{home: t.TempDir(), bin: t.TempDir()}
	writeFile(t, filepath.Join(n.bin, "poolproof"), stubProgram)
	return n
}

// writeFile writes a file with its folders; a script may be run.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	mode := os.FileMode(0o644)
	if strings.HasPrefix(text, "#!") {
		mode = 0o755
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// script is the job for a day, whose program does as it is told.
func (n *night) script(does, day string, env ...string) *exec.Cmd {
	c := exec.Command("sh", commandtest.InProject("cmd/poolproof/packaging/poolproof-nightly"), day)
	c.Env = append([]string{"PATH=" + n.bin + ":/usr/bin:/bin", "POOLPROOF_HOME=" + n.home, "STUB=" + does,
		"METRICS=" + commandtest.InProject("audit/report/testdata/full.prom")}, env...)
	return c
}

// run runs the job for a day and returns its exit code and what it printed.
func (n *night) run(t *testing.T, does, day string, env ...string) (int, string) {
	t.Helper()
	out, err := n.script(does, day, env...).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	if ended != nil {
		return ended.ExitCode(), string(out)
	}
	return 0, string(out)
}

// judge runs the job for days that have a verdict.
func (n *night) judge(t *testing.T, verdict int, days ...string) {
	t.Helper()
	for _, day := range days {
		if code, out := n.run(t, fmt.Sprint(verdict), day); code != verdict || out != "" {
			t.Fatalf("%s: exit code %d, %q", day, code, out)
		}
	}
}

// metrics are what the job left for the collector; empty if there is nothing.
func (n *night) metrics(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(n.home, "metrics"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "poolproof.prom" {
			t.Errorf("metrics has %s", e.Name())
		}
	}
	text, err := os.ReadFile(filepath.Join(n.home, "metrics/poolproof.prom"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// value is that of a metric without labels of its own; NaN text if there is none.
func value(t *testing.T, metrics, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^poolproof_`+name+`\{cluster="hume"\} (.*)$`).FindAllStringSubmatch(metrics, -1)
	if len(m) != 1 {
		return fmt.Sprintf("%d samples", len(m))
	}
	return m[0][1]
}

// TestAFailedNightRaisesAnAlarm: whatever ends a night without a verdict, the exit code is that of
// the program, an alert holds, and the green of the night before is gone.
func TestAFailedNightRaisesAnAlarm(t *testing.T) {
	t.Parallel()
	for does, want := range map[string]int{
		"64": 64, "65": 65, "70": 70, "74": 74, "130": 130, "137": 137, "99": 99, "5": 5,
		"2": 2, "keeps 2": 2, // a Go program that dies of a fault of the runtime
	} {
		n := newNight(t)
		n.judge(t, exit.Kept, "2024-05-01")
		before := time.Now()
		if got := firing(t, n.metrics(t), before); got != "NightMissing" { // it is long ago
			t.Fatalf("after a good night: %s", got)
		}
		if code, out := n.run(t, does, "2024-05-02"); code != want || out != "" {
			t.Errorf("%s: exit code %d, %q", does, code, out)
		}
		m := n.metrics(t)
		if got := firing(t, m, time.Date(2024, 5, 3, 4, 0, 0, 0, time.UTC)); got != "NightFailed" {
			t.Errorf("%s: alerts %q", does, got)
		}
		if value(t, m, "nightly_exit_code") != fmt.Sprint(want) || value(t, m, "exit_code") != "0 samples" || value(t, m, "nightly_success_timestamp_seconds") == "0 samples" {
			t.Errorf("%s: %s", does, m)
		}
		n.judge(t, exit.Kept, "2024-05-02") // tried again
		if got := firing(t, n.metrics(t), time.Date(2024, 5, 3, 5, 0, 0, 0, time.UTC)); got != "" {
			t.Errorf("%s: alerts %q once it is judged", does, got)
		}
	}
}

// TestVerdictsAreAlerts: an alarm of the night before stays after a night that fails.
func TestVerdictsAreAlerts(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 5, 3, 4, 0, 0, 0, time.UTC)
	for verdict, want := range map[int]string{exit.Kept: "", exit.Violated: "PromiseBroken", exit.AuditFailed: "AuditFailed", exit.Coverage: "TooLittleJudged"} {
		n := newNight(t)
		n.judge(t, verdict, "2024-05-02")
		if got := firing(t, n.metrics(t), now); got != want {
			t.Errorf("verdict %d: alerts %q", verdict, got)
		}
		n.run(t, "70", "2024-05-03")
		if got := firing(t, n.metrics(t), now); got != strings.TrimSpace(want+" NightFailed") {
			t.Errorf("verdict %d, then a night that fails: alerts %q", verdict, got)
		}
	}
	n := newNight(t)
	if code, _ := n.run(t, "0", "2024-05-02", "NO_REPORT=1"); code != exit.Kept || firing(t, n.metrics(t)+"", now) != "NightFailed" {
		t.Errorf("metrics that could not be written: exit code %d, alerts %q", code, firing(t, n.metrics(t), now))
	}
	if got := firing(t, "", now); got != "MetricsMissing" {
		t.Errorf("without metrics: alerts %q", got)
	}
	if got := firing(t, strings.ReplaceAll(n.metrics(t), `cluster=""`, `cluster="x"`), now.AddDate(0, 0, 2)); !strings.Contains(got, "NightMissing") {
		t.Errorf("two days later: alerts %q", got)
	}
}

// TestAKilledNight: of a script that is killed the metrics say failed, for it said so before. It
// holds up the next until its program has ended, and no longer.
func TestAKilledNight(t *testing.T) {
	t.Parallel()
	n := newNight(t)
	n.judge(t, exit.Kept, "2024-05-01")
	c := n.script("hangs", "2024-05-02")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	pid := 0
	for range 500 {
		if text, _ := os.ReadFile(filepath.Join(n.home, "hanging")); strings.HasSuffix(string(text), "\n") {
			if _, err := fmt.Sscan(string(text), &pid); err != nil {
				t.Fatal(err)
			}
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := c.Process.Kill(); err != nil || pid == 0 {
		t.Fatal(err, pid)
	}
	c.Wait()
	text, err := os.ReadFile(filepath.Join(n.home, "metrics/poolproof.prom"))
	if err != nil {
		t.Fatal(err)
	}
	m := string(text)
	if value(t, m, "nightly_failed") != "1" || value(t, m, "nightly_running") != "1" || value(t, m, "exit_code") != "0 samples" {
		t.Errorf("of a killed night: %s", m)
	}
	if got := firing(t, m, time.Now().Add(5*time.Hour)); !strings.Contains(got, "NightKilled") {
		t.Errorf("5 hours later: alerts %q", got)
	}
	if code, out := n.run(t, "0", "2024-05-02", "LOCK_WAIT=0"); code != 75 || !strings.Contains(out, "another night runs") {
		t.Errorf("beside its program: exit code %d, %q", code, out)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	n.judge(t, exit.Violated, "2024-05-02")
	if got := firing(t, n.metrics(t), time.Date(2024, 5, 3, 4, 0, 0, 0, time.UTC)); got != "PromiseBroken" {
		t.Errorf("after the next: alerts %q", got)
	}
}

// TestMetricsAreOfTheNewestDay: a night that is judged late changes none, even if the newest failed.
func TestMetricsAreOfTheNewestDay(t *testing.T) {
	t.Parallel()
	n := newNight(t)
	n.judge(t, exit.Violated, "2024-05-03")
	newest := n.metrics(t)
	n.judge(t, exit.Kept, "2024-05-01")
	n.run(t, "70", "2024-05-02")
	if m := n.metrics(t); m != newest {
		t.Errorf("late nights changed the metrics: %s", m)
	}
	n.run(t, "70", "2024-05-04")
	failed := n.metrics(t)
	n.judge(t, exit.Kept, "2024-05-02")
	if m := n.metrics(t); m != failed || value(t, m, "nightly_failed") != "1" {
		t.Errorf("a late night changed the metrics of one that failed: %s", m)
	}
}

// TestNightsSideBySide: they wait for each other, and the metrics are whole and of the newest day.
func TestNightsSideBySide(t *testing.T) {
	t.Parallel()
	n := newNight(t)
	days := []string{"2024-05-01", "2024-05-04", "2024-05-02", "2024-05-03"}
	var all sync.WaitGroup
	for _, day := range days {
		all.Go(func() {
			if code, out := n.run(t, "0", day, "SLOW=0.05"); code != 0 || out != "" {
				t.Errorf("%s: exit code %d, %q", day, code, out)
			}
		})
	}
	all.Wait()
	m := n.metrics(t)
	readMetrics(t, m)
	if got := value(t, m, "nightly_day_timestamp_seconds"); got != fmt.Sprint(time.Date(2024, 5, 4, 0, 0, 0, 0, time.UTC).Unix()) {
		t.Errorf("the metrics are of %s", got)
	}
	for _, day := range days {
		if _, err := os.Stat(filepath.Join(n.home, "runs", day, "findings.json")); err != nil {
			t.Error(err)
		}
	}
}

// TestWhatANightIsComparedWith: the night before, or else the last that was judged, and no folder
// of another kind. A policy is taken where there is one.
func TestWhatANightIsComparedWith(t *testing.T) {
	t.Parallel()
	n := newNight(t)
	last := func() string {
		text, err := os.ReadFile(filepath.Join(n.home, "calls"))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "run ") {
				text = []byte(line)
			}
		}
		return string(text)
	}
	const call = "run traces/%[1]s --out runs/%[1]s --replace --quiet"
	n.judge(t, 0, "2024-05-01")
	if got, want := last(), fmt.Sprintf(call, "2024-05-01"); got != want {
		t.Errorf("the first night: %s, want %s", got, want)
	}
	n.judge(t, 0, "2024-05-02")
	writeFile(t, filepath.Join(n.home, "policy.yaml"), "fail_on: [major]\n")
	for _, folder := range []string{"2024-05-03", "2024-05-03-test", "old", "2023"} {
		if err := os.MkdirAll(filepath.Join(n.home, "runs", folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for day, before := range map[string]string{"2024-05-04": "2024-05-02", "2024-05-02": "2024-05-01"} {
		n.judge(t, 0, day)
		if got, want := last(), fmt.Sprintf(call, day)+" --policy policy.yaml --baseline runs/"+before; got != want {
			t.Errorf("%s: %s, want %s", day, got, want)
		}
	}
}

// TestWrongArgumentsOfANight change nothing.
func TestWrongArgumentsOfANight(t *testing.T) {
	t.Parallel()
	n := newNight(t)
	n.judge(t, exit.Kept, "2024-05-01")
	before := n.metrics(t)
	for _, day := range []string{"yesterday", "2024-13-01", "../2024-05-01", "2024-05-01x", "2999-01-01", "-1"} {
		if code, out := n.run(t, "0", day); code != exit.Usage || !strings.Contains(out, "poolproof-nightly: ") {
			t.Errorf("%s: exit code %d, %q", day, code, out)
		}
	}
	if code, _ := n.run(t, "0", "2024-05-02", "KEEP=all"); code != exit.Usage {
		t.Errorf("KEEP=all: exit code %d", code)
	}
	if n.metrics(t) != before {
		t.Error("the metrics changed")
	}
	if code, _ := n.run(t, "0", "2024-05-02", "POOLPROOF_HOME=/nowhere"); code != exit.IO {
		t.Errorf("without its folder: exit code %d", code)
	}
}
