package docs

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/core/quantity"
	"poolproof/ingest/synthetic"
)

// TestTheEvidenceOfTheReadme derives the numbers of README.md's section "How do I know that it is right?": of the cases
// of the corpora, which TestConformance runs, of the table of the scheduler's logs, which TestSweepCasesOfTheTable
// derives, and of what is planted, which TestSweepMatrix finds. Those of edited logs are in tests/foreign.
func TestTheEvidenceOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile(commandtest.InProject("README.md"))
	if err != nil {
		t.Fatal(err)
	}
	logs, records, suspicions := simulatorTable(t)
	planted := 0
	for _, p := range synthetic.Plants() {
		if p.Severity != "none" {
			planted++
		}
	}
	number := func(n int) string { return quantity.Number(float64(n), 0) }
	text := strings.Join(strings.Fields(string(readme)), " ")
	for _, want := range []string{
		number(corpusCases(t)) + " worked cases",
		number(logs) + " logs that the vendor's own scheduler code wrote: all " + number(records) + " recorded fair shares are recomputed to 1e-9, nothing is violated, and " + number(suspicions) + " suspicions are left",
		number(planted) + " kinds of violation",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
}

// corpusCases counts the cases of the corpora.
func corpusCases(t *testing.T) (cases int) {
	t.Helper()
	files, err := filepath.Glob(commandtest.InProject("core/conformance/*/*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no corpora: %v", err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			cases++
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return cases
}

var (
	simulatorRow = regexp.MustCompile(`(?m)^\| [^|]+ \| (\d+) of \d+ \| 100 % \| 0 \| (.*) \|$`)
	suspicion    = regexp.MustCompile(`(\d+) [A-Z]+-\d+ \(`)
)

// simulatorTable sums up the table of ingest/ytsaurus/README.md.
func simulatorTable(t *testing.T) (logs, records, suspicions int) {
	t.Helper()
	page, err := os.ReadFile(commandtest.InProject("ingest/ytsaurus/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, row := range simulatorRow.FindAllStringSubmatch(string(page), -1) {
		logs++
		records += number(row[1])
		for _, s := range suspicion.FindAllStringSubmatch(row[2], -1) {
			suspicions += number(s[1])
		}
	}
	return logs, records, suspicions
}
