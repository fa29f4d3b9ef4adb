package docs

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
)

// TestTheIncidentOfTheReadme runs what README.md shows of an incident, line by line, but what
// decides the log many times.
func TestTheIncidentOfTheReadme(t *testing.T) {
	t.Parallel()
	runIncident(t, func(line string) bool { return !decidesAnew.MatchString(line) })
}

// TestSweepTheIncidentOfTheReadme runs every line.
func TestSweepTheIncidentOfTheReadme(t *testing.T) {
	if part := sweep.Take(t, 1); part.Sample() || !part.Has(0) {
		t.Skip("its sample is TestTheIncidentOfTheReadme")
	}
	runIncident(t, func(string) bool { return true })
}

// runIncident runs the lines that are wanted.
func runIncident(t *testing.T, wanted func(line string) bool) {
	t.Helper()
	readme, err := os.ReadFile(commandtest.InProject("README.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)## After an incident\n.*?```\n(.*?)```").FindSubmatch(readme)
	if block == nil {
		t.Fatal("README.md shows no incident")
	}
	want := []string{ // in the answers to its lines
		"Trace: trace", "violated (major, STV-02)", "The scheduler broke a rule: 1 finding is violated; the worst is 043af5711eba", "Each of these would have halved the deficit at least: ",
		"by the rules starving for its fair share; lacked at most", "No node met them all. Nearest was node", "pool fixed held 25 % above its fair share, and its jobs are not preemptible.", "",
		"Trace: small", "lost_s",
	}
	home := t.TempDir()
	lines := strings.Split(strings.TrimSpace(string(block[1])), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, and answers to %d are known", len(lines), len(want))
	}
	// And what broke no rule that counts was not unfair.
	noted := `SELECT min(operation) FROM preemptions WHERE verdict = 'ok' AND violated = 'PRE-05'`
	lines = append(lines, `poolproof explain run $(poolproof query run "`+noted+`" --output csv | tail -n 1)`)
	want = append(want, ": ok; noted PRE-05\n")
	for i, line := range lines {
		if !wanted(line) {
			continue
		}
		c := exec.Command("sh", "-c", line)
		c.Dir = home
		out, err := c.Output()
		code := exit.Kept
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			code = ended.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		expected := exit.Kept
		if strings.Contains(line, "exit code 1") {
			expected = exit.Violated
		}
		if code != expected || !strings.Contains(string(out), want[i]) {
			t.Errorf("%s\nexit code %d, and no %q in\n%s", line, code, want[i], out)
		}
	}
}
