package audit

import (
	"strings"
	"testing"
)

// TestViewsThatAreNeeded: what a text names, and what that is made from, in the order of
// the files.
func TestViewsThatAreNeeded(t *testing.T) {
	files := []viewFile{
		{"a", "CREATE OR REPLACE MACRO half(x) AS x / 2;\nCREATE OR REPLACE MACRO twice(x) AS 2 * x;"},
		{"b", "CREATE OR REPLACE TABLE halves AS\nSELECT half(n) FROM jobs;"},
		{"c", "CREATE OR REPLACE VIEW elsewhere AS\nSELECT 1;"},
		{"d", "CREATE OR REPLACE VIEW shown AS\nFROM named('halves');"},
	}
	for asked, want := range map[string]string{
		"SELECT 1":              "",
		"SELECT twice(3)":       "a",
		"FROM halves":           "a b",
		"FROM shown":            "a b d",
		"FROM shown_otherwise":  "",
		"FROM elsewhere":        "c",
		"FROM shown, elsewhere": "a b c d",
	} {
		var got []string
		for _, f := range neededViews(files, []string{asked}) {
			got = append(got, f.name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s needs %q, want %q", asked, got, want)
		}
	}
}
