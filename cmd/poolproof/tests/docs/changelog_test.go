package docs

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/audit/report"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/ingest/trace"
	"poolproof/replay/tables"
)

// TestTheChangelogHasTheVersions reads the table of formats, and looks for an entry on
// this version of the program and on every version of findings.json.
func TestTheChangelogHasTheVersions(t *testing.T) {
	text, err := os.ReadFile(commandtest.InProject("CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, row := range regexp.MustCompile(`(?m)^\| .+ \| (\d+) \| .(.+). \|$`).FindAllStringSubmatch(string(text), -1) {
		got = append(got, row[2]+" "+row[1])
	}
	want := []string{
		fmt.Sprint("ingest/trace ", trace.FormatVersion),
		fmt.Sprint("replay/tables ", tables.RunFormatVersion),
		fmt.Sprint("audit ", audit.FindingsVersion),
		fmt.Sprint("audit ", audit.OldestBaseline),
		fmt.Sprint("audit/report ", report.ExplanationVersion),
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("formats: got %v, want %v", got, want)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(commandtest.Succeed(t, "version"), "poolproof "), "\n")
	entries := []string{"\n## " + version}
	for v := audit.OldestBaseline; v <= audit.FindingsVersion; v++ {
		entries = append(entries, fmt.Sprintf("\n- `findings.json` %d: ", v))
	}
	for _, entry := range entries {
		if !strings.Contains(string(text), entry) {
			t.Errorf("the changelog has no entry %q", strings.TrimSpace(entry))
		}
	}
}
