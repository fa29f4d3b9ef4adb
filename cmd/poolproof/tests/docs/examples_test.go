package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/coretest/sweep"
)

// exampleLine is an indented line of a help text that runs the program.
var exampleLine = regexp.MustCompile(`^  (?:\S.* \| )?poolproof [a-z-]+(?: |$)`)

// examplesOf returns the examples of a command's help as a shell takes them: a line
// each, or several that go on after &&.
func examplesOf(t *testing.T, command string) (examples []string) {
	t.Helper()
	goesOn := false
	for line := range strings.Lines(commandtest.Succeed(t, command, "--help")) {
		switch {
		case goesOn:
			examples[len(examples)-1] += line
		case exampleLine.MatchString(line):
			examples = append(examples, strings.TrimLeft(line, " "))
		}
		goesOn = len(examples) > 0 && strings.HasSuffix(examples[len(examples)-1], "&&\n")
	}
	if len(examples) == 0 {
		t.Errorf("the help of %s has no example", command)
	}
	return examples
}

// below returns the indented lines of a command's help that follow a line.
func below(t *testing.T, command, line string) string {
	t.Helper()
	_, rest, ok := strings.Cut(commandtest.Succeed(t, command, "--help"), line+"\n")
	if !ok {
		t.Fatalf("the help of %s has no line %q", command, line)
	}
	var b strings.Builder
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestTheExamplesOfEveryHelp runs the examples of all commands as they are written, one
// after the other in one folder: those of generate make the trace and the run that the
// others read. The other files are what the help texts show, or small samples. import
// has a test of its own, since all its examples make the same trace. Those of shrink and
// what-if, which decide a log many times, only come to look for their trace; of the audits
// whose verdict no example reads one runs.
func TestTheExamplesOfEveryHelp(t *testing.T) {
	t.Parallel()
	runExamples(t, func(line string) string {
		switch {
		case decidesAnew.MatchString(line):
			return decidesAnew.ReplaceAllString(line, "$1 "+noTrace+" ")
		case strings.Contains(line, "answer/"): // that of what-if
			return ""
		case strings.Contains(line, "--audit "), strings.Contains(line, "audit asked"): // whose whole verdict is explained
			return line
		}
		return strings.Replace(line, "poolproof audit ", "poolproof audit --audit strong_guarantee_unmet --min-coverage 0 ", 1)
	})
}

// decidesAnew is a line that takes seconds for every trial.
var decidesAnew = regexp.MustCompile(`(poolproof shrink|poolproof what-if|--prove) trace\b`)

// noTrace is where no trace is: a line that looks for it there is a right one.
const noTrace = "no-such-trace"

// TestSweepEveryExample runs all of them as they are.
func TestSweepEveryExample(t *testing.T) {
	if part := sweep.Take(t, 1); part.Sample() || !part.Has(0) {
		t.Skip("its sample is TestTheExamplesOfEveryHelp")
	}
	runExamples(t, func(line string) string { return line })
}

// runExamples runs the examples, each as it is to be run; "" is for one that is not.
func runExamples(t *testing.T, asRun func(line string) string) {
	dir := t.TempDir()
	pools, err := os.ReadFile(commandtest.DemoFile("pools.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	trees := below(t, "fair-share", "numbers. Two operations that want all of a tree, one of them of weight 3:")
	for name, text := range map[string]string{
		"policy.yaml":     below(t, "audit", "where policy.yaml says"),
		"edit.yaml":       below(t, "what-if", "where edit.yaml says"),
		"grid.yaml":       below(t, "what-if", "where grid.yaml says"),
		"pools.yaml":      string(pools),
		"pool_trees.json": `{"$attributes": {"default_tree": "main"}, "$value": {"main": {"prod": {"$attributes": {"weight": 2.0}, "$value": {}}}}}`,
		"nodes.json":      `{"n1:9012": {"$attributes": {"tags": ["cpu"], "state": "online"}, "$value": null}}`,
		"question.sql":    "SELECT count(*) FROM jobs",
		"trees.jsonl":     trees,
		"tree.jsonl":      trees,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	taught := map[string]bool{"import": true}
	for _, c := range []struct{ first, command string }{ // first makes more files that the examples read
		{"", "generate"},
		{"gzip -k pool_trees.json", "validate"},
		{"mkdir runs && cp -r run runs/2025-03-02", "run"},
		{"", "audit"},
		{"mkdir collected", "report"},
		{"", "explain"},
		{"", "shrink"},
		{"", "what-if"},
		{"", "compare"},
		{"", "replay"},
		{"", "export"},
		{"", "query"},
		{"", "shards"},
		{"", "gather"},
		{"", "fair-share"},
		{"", "completion"},
		{"", "man"},
		{"", "version"},
	} {
		taught[c.command] = true
		for _, line := range append([]string{c.first}, examplesOf(t, c.command)...) {
			if line = asRun(line); line != "" {
				runExample(t, dir, line)
			}
		}
	}
	commands := regexp.MustCompile(`(?m)^  ([a-z-]+) `).FindAllStringSubmatch(commandtest.Succeed(t, "help"), -1)
	for _, c := range commands {
		if !taught[c[1]] {
			t.Errorf("the examples of %s are not run", c[1])
		}
	}
	if len(commands) != len(taught) {
		t.Errorf("%d commands are taught, and there are %d", len(taught), len(commands))
	}
}

// runExample runs a line in dir. It has to do what it says: its exit code is 0, or 1
// where the verdict that it prints is that promises were broken.
func runExample(t *testing.T, dir, line string) {
	t.Helper()
	// What the examples teach shows in the first minutes of a preset, too.
	line = strings.Replace(line, "--preset small", "--preset small --length 12m", 1)
	c := exec.Command("bash", "-c", line)
	c.Dir = dir
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	code := c.ProcessState.ExitCode()
	if strings.Contains(line, noTrace) {
		if code != exit.IO || !strings.Contains(stderr.String(), noTrace) {
			t.Errorf("%s: exit code %d, want %d\n%s", strings.TrimSpace(line), code, exit.IO, stderr.String())
		}
		return
	}
	if code == exit.Violated && strings.HasPrefix(stdout.String(), "BROKEN: ") {
		return
	}
	if err != nil {
		t.Errorf("%s: exit code %d\n%s%s", strings.TrimSpace(line), code, stderr.String(), stdout.String())
	}
}
