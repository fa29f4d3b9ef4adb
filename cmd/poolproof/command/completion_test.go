package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
)

var (
	overviewCommand = regexp.MustCompile(`(?m)^  ([a-z-]+) `)
	helpFlag        = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)
)

// helpFlags are the flags of every command, as the help prints them.
func helpFlags(t *testing.T) map[string][]string {
	flags := map[string][]string{}
	for _, c := range overviewCommand.FindAllStringSubmatch(commandtest.Succeed(t, "help"), -1) {
		_, list, ok := strings.Cut(commandtest.Succeed(t, c[1], "--help"), "\nFlags:\n")
		if !ok {
			t.Fatalf("the help of %s has no flags", c[1])
		}
		flags[c[1]] = []string{}
		for _, f := range helpFlag.FindAllStringSubmatch(list, -1) {
			flags[c[1]] = append(flags[c[1]], f[1])
		}
	}
	if len(flags["run"]) == 0 || len(flags["fair-share"]) == 0 {
		t.Fatalf("the help lists no flags: %v", flags)
	}
	return flags
}

// A shell is given a completion script and the words of a line, the last one to be
// completed, and answers with the words that it offers.
type shell func(t *testing.T, words ...string) []string

// bash answers as readline would ask it.
func bash(t *testing.T, script string) shell {
	return func(t *testing.T, words ...string) []string {
		t.Helper()
		const ask = `set -u; compopt() { :; }; source "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _poolproof; printf '%s\n' "${COMPREPLY[@]}"`
		return offers(t, exec.Command("bash", append([]string{"-c", ask, script}, words...)...))
	}
}

// fish answers the same by its own command.
func fish(t *testing.T, script string) shell {
	return func(t *testing.T, words ...string) []string {
		t.Helper()
		c := exec.Command("fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, strings.Join(words, " "))
		var first []string
		for _, line := range offers(t, c) {
			word, _, _ := strings.Cut(line, "\t")
			first = append(first, word)
		}
		return first
	}
}

func offers(t *testing.T, c *exec.Cmd) []string {
	t.Helper()
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %v: %s", c.Args, err, complaints.String())
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' })
}

// TestCompletions has every shell that is there complete command lines.
func TestCompletions(t *testing.T) {
	flags := helpFlags(t)
	dir := t.TempDir()
	for _, name := range []string{"policy.yaml", "runs/2025-03-03/manifest.json"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, of := range map[string]func(*testing.T, string) shell{"bash": bash, "fish": fish} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(err)
			}
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte(commandtest.Succeed(t, "completion", name)), 0o666); err != nil {
				t.Fatal(err)
			}
			complete := of(t, script)
			for command, want := range flags {
				if got := complete(t, "poolproof", command, ""); len(got) > 0 && strings.HasPrefix(got[0], "-") {
					t.Errorf("%s completes to flags before - is typed: %v", command, got)
				}
				got := complete(t, "poolproof", command, "--")
				for i := range got {
					got[i] = strings.TrimPrefix(got[i], "--")
				}
				want = slices.Sorted(slices.Values(append(slices.Clone(want), "help")))
				slices.Sort(got)
				if !slices.Equal(got, want) {
					t.Errorf("flags of %s: got %v, want %v", command, got, want)
				}
				if got := complete(t, "poolproof", command[:len(command)-1]); !slices.Contains(got, command) {
					t.Errorf("%s is not completed: %v", command, got)
				}
			}
			for _, c := range []struct {
				line string
				want []string
			}{
				{"poolproof repl", []string{"replay"}},
				{"poolproof run --output mark", []string{"markdown"}},
				{"poolproof run trace --profile ", []string{"baseline", "current", "documented", "legacy"}},
				{"poolproof query run -f " + dir + "/pol", []string{dir + "/policy.yaml"}},
				{"poolproof run --policy " + dir + "/pol", []string{dir + "/policy.yaml"}},
				{"poolproof run --baseline " + dir + "/", []string{dir + "/runs"}},
				{"poolproof run trace --from ", nil},
				{"poolproof import s", []string{"swf"}},
				{"poolproof import swf " + dir + "/pol", []string{dir + "/policy.yaml"}},
				{"poolproof completion ", []string{"bash", "fish", "zsh"}},
				{"poolproof help quer", []string{"query"}},
			} {
				got := complete(t, strings.Split(c.line, " ")...)
				for i := range got {
					got[i] = strings.TrimSuffix(got[i], "/")
				}
				slices.Sort(got)
				if !slices.Equal(got, c.want) {
					t.Errorf("%s: got %v, want %v", c.line, got, c.want)
				}
			}
			if name == "bash" { // readline takes a flag and its word apart
				if got := complete(t, "poolproof", "run", "--output", "=", "mark"); !slices.Equal(got, []string{"markdown"}) {
					t.Errorf("--output=mark: got %v", got)
				}
			}
		})
	}
}

// TestCompletionOfZsh looks for every flag in the part of its command, and has zsh read
// the script if it is there.
func TestCompletionOfZsh(t *testing.T) {
	script := commandtest.Succeed(t, "completion", "zsh")
	for command, flags := range helpFlags(t) {
		_, part, ok := strings.Cut(script, "    "+command+")\n")
		if !ok {
			t.Errorf("%s is missing", command)
			continue
		}
		part, _, _ = strings.Cut(part, ";;")
		for _, flag := range append(flags, "help") {
			if !regexp.MustCompile(`'\*?--` + flag + `[=\[]`).MatchString(part) {
				t.Errorf("%s --%s is missing", command, flag)
			}
		}
	}
	if _, err := exec.LookPath("zsh"); err != nil {
		return
	}
	c := exec.Command("zsh", "-n", "/dev/stdin")
	c.Stdin = strings.NewReader(script)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("zsh -n: %v: %s", err, out)
	}
}

// TestManPage looks for every flag in the section of its command, and has the formatters
// that are there read the page.
func TestManPage(t *testing.T) {
	var b strings.Builder
	manPage(&b, declarations(t.Context()), "2025-03-03")
	page := b.String()
	for command, flags := range helpFlags(t) {
		_, section, ok := strings.Cut(page, ".SS poolproof "+manText(command)+"\n")
		if !ok {
			t.Errorf("%s is missing", command)
			continue
		}
		section, _, _ = strings.Cut(section, "\n.S")
		for _, flag := range append(flags, "help") {
			if !strings.Contains(section, "\n.TP\n\\fB"+manText("--"+flag)+"\\fR") {
				t.Errorf("%s --%s is missing", command, flag)
			}
		}
	}
	for _, formatter := range [][]string{{"groff", "-man", "-ww", "-Tutf8"}, {"mandoc", "-T", "lint", "-W", "warning"}} {
		if _, err := exec.LookPath(formatter[0]); err != nil {
			continue
		}
		c := exec.Command(formatter[0], formatter[1:]...)
		c.Stdin = strings.NewReader(page)
		var complaints strings.Builder
		c.Stderr = &complaints
		if formatter[0] == "mandoc" {
			c.Stdout = &complaints // its lint
		}
		if err := c.Run(); err != nil || complaints.Len() > 0 {
			t.Errorf("%s: %v: %s", formatter[0], err, complaints.String())
		}
	}
}

// TestManText spells what roff would read as its own.
func TestManText(t *testing.T) {
	for text, want := range map[string]string{
		".SH a":     `\&.SH a`,
		"'a\\n-b'":  `\(aqa\(rsn\-b\(aq`,
		"KIND[,K…]": `KIND[,K\[u2026]]`,
	} {
		if got := manText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
