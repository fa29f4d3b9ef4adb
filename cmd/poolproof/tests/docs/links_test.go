package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)\s]*)?\)`)

// TestLinks: what a page links to in the project is there, and the first page is one that
// is read at once.
func TestLinks(t *testing.T) {
	const longest = 150
	links := 0
	commandtest.EachPage(t, func(at, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], ":") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(at), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", at, m[1], err)
			}
		}
	})
	if links < 20 {
		t.Errorf("%d links, and there were more", links)
	}
	page, err := os.ReadFile(commandtest.InProject("README.md"))
	if n := strings.Count(string(page), "\n"); err != nil || n > longest {
		t.Errorf("README.md has %d lines, and at most %d are read at once: %v", n, longest, err)
	}
}

// TestThePackagesOfTestsAreListed: the page of the program names each package of its tests, and says what make runs
// of them.
func TestThePackagesOfTestsAreListed(t *testing.T) {
	page, err := os.ReadFile(commandtest.InProject("cmd/poolproof/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	packages, err := os.ReadDir(commandtest.InProject("cmd/poolproof/tests"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		if !strings.Contains(string(page), "\n| `tests/"+p.Name()+"/` | ") {
			t.Errorf("the table of tests lacks tests/%s/", p.Name())
		}
	}
	for _, target := range []string{"test", "sweep", "cases", "law"} {
		if !strings.Contains(string(page), "`make "+target+"`") {
			t.Errorf("the page does not name make %s", target)
		}
	}
}

// TestTheHelpHasTheExitCodesOfVerdicts: they once named 2 for an audit that failed to run, long after that was another.
func TestTheHelpHasTheExitCodesOfVerdicts(t *testing.T) {
	for _, command := range []string{"run", "audit"} {
		help := strings.Join(strings.Fields(commandtest.Succeed(t, command, "--help")), " ")
		for code, meaning := range map[int]string{audit.ExitKept: "if all promises were kept", audit.ExitViolated: "if one was violated", audit.ExitFailed: "if an audit failed to run", audit.ExitCoverage: "if less could be judged"} {
			if want := fmt.Sprintf("%d %s", code, meaning); !strings.Contains(help, want) {
				t.Errorf("poolproof %s --help lacks %q", command, want)
			}
		}
		if want := fmt.Sprintf("of several %d, then %d, then %d", audit.ExitFailed, audit.ExitViolated, audit.ExitCoverage); !strings.Contains(help, want) {
			t.Errorf("poolproof %s --help lacks %q", command, want)
		}
	}
}
