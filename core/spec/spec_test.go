package spec

import (
	"regexp"
	"testing"
)

func TestEveryRuleIsDeclaredOnceAndInFull(t *testing.T) {
	id, seen := regexp.MustCompile(`^[A-Z]+-\d\d$`), map[string]bool{}
	for _, r := range Rules() {
		if !id.MatchString(r.ID) || seen[r.ID] || r.Section == "" || r.Statement == "" || r.Inputs == "" {
			t.Errorf("%s is declared twice or in part: %+v", r.ID, r)
		}
		seen[r.ID] = true
		switch r.Severity {
		case Critical, Major, Minor, Info:
		default:
			t.Errorf("%s: unknown severity %q", r.ID, r.Severity)
		}
	}
	if len(seen) < 157 {
		t.Errorf("%d rules", len(seen))
	}
	if Of("PRE-99").ID != "" {
		t.Error("PRE-99 is known")
	}
}

func TestParseReadsFieldsAndRefusesOthers(t *testing.T) {
	const text = "# comment\n## Log †\n\nLOG-09 minor log\nstatement Jobs\n          end.\n"
	want := Rule{ID: "LOG-09", Severity: Minor, OfLog: true, Section: "Log †", Statement: "Jobs end."}
	if got := parse(text); len(got) != 1 || got[0] != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, fault := range []string{"sentence  x\n", "excuse\n", "statement again\n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is read", fault)
				}
			}()
			parse(text + fault)
		}()
	}
}

func TestExcuses(t *testing.T) {
	for want, r := range map[string]Rule{
		"nothing":                        {},
		"it is legal":                    {Excuse: "it is legal"},
		"it is legal; also " + windows:   {Excuse: "it is legal", Section: "Limits †"},
		"nothing of its own; " + windows: {Section: "Limits †"},
	} {
		if got := r.Excuses(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
