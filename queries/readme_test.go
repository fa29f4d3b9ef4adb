package queries

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

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
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]+-[0-9][^|]*) \| ([^|]*) \|(.*)\|$`).FindAllStringSubmatch(string(text), -1) {
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
		for _, id := range regexp.MustCompile(`[A-Z]+-[0-9]+`).FindAllString(ids, -1) {
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
