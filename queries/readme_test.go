package queries

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"poolproof/core/coretest/testcorpus"
)

// rowPattern matches a row of a table whose first column begins with an id.
var rowPattern = regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9][^|]*) \| ([^|]*) \|(.*)\|$`)

var idPattern = regexp.MustCompile(`([A-Z]+)-([0-9]+)(?: to [A-Z]+-([0-9]+))?`)

// idsOf lists the ids of a cell, "A-01 to A-03" in full.
func idsOf(cell string) (ids []string) {
	for _, m := range idPattern.FindAllStringSubmatch(cell, -1) {
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		for n := first; n <= last; n++ {
			ids = append(ids, fmt.Sprintf("%s-%02d", m[1], n))
		}
	}
	return ids
}

// TestEveryInvariantHasItsRow: README.md says of each invariant of the spec who
// judges it, or why nobody can, and says it once.
func TestEveryInvariantHasItsRow(t *testing.T) {
	spec, err := os.ReadFile(testcorpus.File(t, testcorpus.Spec, "invariants.md"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, row := range rowPattern.FindAllStringSubmatch(string(readme), -1) {
		for _, id := range idsOf(row[1]) {
			rows[id]++
		}
	}
	known := regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9]{2}) \|`).FindAllStringSubmatch(string(spec), -1)
	if len(known) < 100 {
		t.Fatalf("saw only %d invariants", len(known))
	}
	for _, id := range known {
		if rows[id[1]] != 1 {
			t.Errorf("README.md has %d rows for %s", rows[id[1]], id[1])
		}
	}
}

// TestReadme holds the table of invariants of README.md against the headers of
// the audits.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(Files, "audits/*/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	invariants := map[string]string{} // by audit
	for _, file := range files {
		b, err := fs.ReadFile(Files, file)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`(?m)^-- @invariant (.*)$`).FindSubmatch(b); m != nil {
			invariants[strings.TrimSuffix(path.Base(file), ".sql")] = string(m[1])
		}
	}
	rows := 0
	for _, row := range rowPattern.FindAllStringSubmatch(string(text), -1) {
		rows++
		ids, audits, reason := row[1], regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[2], -1), strings.TrimSpace(row[3])
		if len(audits) == 0 && reason == "" {
			t.Errorf("%s: neither an audit nor a reason is named", ids)
		}
		judged := ""
		for _, audit := range audits {
			if invariants[audit[1]] == "" {
				t.Errorf("%s: there is no audit %s", ids, audit[1])
			}
			judged += invariants[audit[1]] + ", "
		}
		for _, id := range idsOf(ids) {
			if len(audits) > 0 && !strings.Contains(judged, id+",") {
				t.Errorf("%s: none of the audits that are named judges it", id)
			}
			for audit, of := range invariants {
				if len(audits) == 0 && strings.Contains(of+",", id+",") {
					t.Errorf("%s: audit %s judges it, and README.md says that nobody does", id, audit)
				}
			}
		}
	}
	if rows < 40 {
		t.Errorf("README.md has tables of %d rows", rows)
	}
}
