package docs

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/coretest/sweep"
)

// TestEverySweepIsFound: the tests of sweeps stand in packages of SWEPT, where make sweep looks
// for them, CI asks for parts of them that are parts, and leaves out only what it runs whole before.
func TestEverySweepIsFound(t *testing.T) {
	out, err := exec.Command("git", "-C", commandtest.InProject("."), "grep", "-lE", `sweep\.Take\(`, "--", "*_test.go").Output()
	if err != nil {
		t.Skip("no git, or no clone: ", err)
	}
	makefile, err := os.ReadFile(commandtest.InProject("Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`\nSWEPT := (\./cmd/poolproof/\.\.\. .*)\n`).FindSubmatch(makefile)
	if list == nil {
		t.Fatal("the Makefile lacks SWEPT, the packages that have sweeps")
	}
	swept := strings.Fields(string(list[1]))
	for name := range strings.FieldsSeq(string(out)) {
		if dir := path.Dir(name); !strings.HasPrefix(dir, "cmd/poolproof/") && !slices.Contains(swept, "./"+dir) {
			t.Errorf("%s has a sweep that make sweep does not run: add its package to SWEPT of the Makefile", name)
		}
	}
	for name, want := range map[string]string{
		commandtest.InProject("Makefile"): `(?s)\nSWEEP := ` + sweep.Variable + `=\$\(PART\) \$\(GO\) test .*\n\t\$\(SWEEP\) \$\(SWEPT\) -run '\^TestSweep' -skip '\$\(WITHOUT\)'\n`,
		commandtest.InProject(".ci/run"):  `(?s)\nmake test\n.*\nmake cases\n.*\nmake sweep PART="\$\(git rev-list --count HEAD .*\)/[1-9][0-9]*" WITHOUT=\^TestSweepCases\n$`,
	} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want).Match(text) {
			t.Errorf("%s does not run the sweeps: it lacks %s", name, want)
		}
	}
	// What CI leaves out of its part of the sweeps, make cases runs whole, in every package that has some.
	if want := regexp.MustCompile(`\ncases: .*\n\tPOOLPROOF_SWEEP_PART=all \$\(GO\) test .* -run '\^TestSweepCases' .*\n.*grep -rl --include='\*_test.go' '\^func TestSweepCases' cmd ingest `); !want.Match(makefile) {
		t.Errorf("make cases does not run all cases: the Makefile lacks %s", want)
	}
}
