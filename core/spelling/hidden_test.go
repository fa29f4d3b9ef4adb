package spelling

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestHidden: what a reader does not see, or what commands a terminal, is spelled out; letters of all
// scripts, and signs that people see, are not.
func TestHidden(t *testing.T) {
	for name, want := range map[string]string{
		"a\x1b[2J": `a\x1b[2J`, "a\x7f": `a\u007f`, "a\u009b31m": `a\u009b31m`, "a\r\n\tb": `a\x0d\x0a\x09b`, "a\x00": `a\x00`,
		"\u202ea\u2066b\u2069\u200e\u200f\u061c": `\u202ea\u2066b\u2069\u200e\u200f\u061c`,
		"a\u200b\u200c\u200d\u2060\ufeff\u00ad":  `a\u200b\u200c\u200d\u2060\ufeff\u00ad`,
		"a\u2028b\u2029":                         `a\u2028b\u2029`,
		"a\ufe0f\u3164\U000e0041":                `a\ufe0f\u3164\udb40\udc41`,
		"a\xffb":                                 "a\uFFFDb",
		"ünï プール Ж עברית €→ 🚀 a b":               "ünï プール Ж עברית €→ 🚀 a b",
	} {
		if got := OneName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	var text []byte
	for _, r := range "{\"a\": \"x\u200b\U000e0041\",\n\t\"b\": 1}" {
		text = AppendText(text, r)
	}
	var parsed map[string]any
	if err := json.Unmarshal(text, &parsed); err != nil || parsed["a"] != "x\u200b\U000e0041" || strings.ContainsRune(string(text), '\u200b') {
		t.Errorf("%s: %v", text, err)
	}
}
