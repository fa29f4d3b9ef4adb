package core_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/core/scheduling"
)

// TestStoriesAreListed holds testdata/README.md against the scripts: every script of
// decisions stands in its table, and of what a row promises the scripts speak.
func TestStoriesAreListed(t *testing.T) {
	readme, err := os.ReadFile("testdata/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/decisions/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v scripts, %v", len(files), err)
	}
	told := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		told[filepath.Base(file)] = string(text)
	}
	var listed []string
	for line := range strings.Lines(string(readme)) {
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.Contains(cells[2], "`") {
			for _, name := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cells[2], -1) {
				if _, known := told[name[1]]; !known {
					t.Errorf("%s names %s, which is no script", strings.TrimSpace(cells[1]), name[1])
				}
				listed = append(listed, name[1])
			}
		}
	}
	all := ""
	for name, text := range told {
		if !slices.Contains(listed, name) {
			t.Errorf("script %s stands in no row", name)
		}
		all += text
	}
	for stage := scheduling.RegularHigh; stage <= scheduling.PreemptiveNormal; stage++ {
		if !strings.Contains(all, " in "+stage.String()+"\n") {
			t.Errorf("no script shows a start in %v", stage)
		}
	}
	for fact := 1; fact <= 8; fact++ { // broken somewhere, and kept
		for _, verdict := range []string{"ok", "violated"} {
			if !strings.Contains(told["facts"], fmt.Sprintf("F%d %s", fact, verdict)) {
				t.Errorf("facts does not tell of an F%d that is %s", fact, verdict)
			}
		}
	}
	for reason := scheduling.ForPreemption; reason <= scheduling.ForViolatedLimits; reason++ {
		if !strings.Contains(all, ": "+reason.String()) {
			t.Errorf("no script shows a preemption for %v", reason)
		}
	}
}
