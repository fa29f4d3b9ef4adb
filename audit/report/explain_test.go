package report

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"poolproof/audit"
)

// explained is the explanation of a finding in a format.
func explained(t *testing.T, v *audit.Verdict, n int, format string) string {
	t.Helper()
	e := Explanation{Verdict: v, Finding: &v.Findings[n], Audit: guarantee, DB: testDatabase(t), RunPath: "my run"}
	d, err := Explain(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteDocuments(&b, format, v, []*Document{d}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAFindingIsExplained(t *testing.T) {
	golden(t, "explained.txt", explained(t, fullNight(), 0, "text"))
	golden(t, "explained.md", explained(t, fullNight(), 0, "markdown"))
	golden(t, "explained.json", explained(t, fullNight(), 0, "json"))
}

// The page has the look of the report's, needs nothing else and runs nothing.
func TestAnExplanationAsAPage(t *testing.T) {
	for n := range fullNight().Findings[:4] {
		page := explained(t, fullNight(), n, "html")
		for _, want := range []string{"<h1 class=", "What was promised", "poolproof query", pageStyle, `content="default-src &#39;none&#39;; style-src &#39;sha256-`} {
			if !strings.Contains(page, want) {
				t.Errorf("finding %d: the page has no %s", n, want)
			}
		}
		for _, not := range []string{`<th scope="col"> `, "<script", "http:", "https:", "src=", "<b>", "\x1b"} {
			if strings.Contains(page, not) {
				t.Errorf("finding %d: the page has %q", n, not)
			}
		}
		if page != explained(t, fullNight(), n, "html") {
			t.Errorf("finding %d: the page is another one the next time", n)
		}
	}
}

// A name that means something to SQL, a shell or a terminal stays a name.
func TestAHostileFindingIsExplained(t *testing.T) {
	text := explained(t, fullNight(), 3, "text")
	golden(t, "hostile.txt", text)
	if strings.ContainsAny(text, "\x1b\r") {
		t.Error("the text steers the terminal")
	}
	if !strings.Contains(text, "1 row") {
		t.Error("the query does not find the pool")
	}
}

func TestNearIDs(t *testing.T) {
	v := fullNight()
	for text, want := range map[string]string{
		"aaaa":         "aaaaaaaaaaaa aaaabbbbbbbb",
		"aaaab":        "aaaabbbbbbbb",
		"aaaacbbbbbbb": "? aaaabbbbbbbb",
		"zzz":          "?",
	} {
		near, exact := NearIDs(v, text, 2)
		var got []string
		if !exact {
			got = append(got, "?")
		}
		for _, f := range near {
			got = append(got, f.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
