package spelling

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMeant(t *testing.T) {
	names := []string{"prometheus", "markdown", "text", "json", "html"}
	for word, want := range map[string]string{
		"promethus": "did you mean prometheus?",
		"JSON":      "did you mean json?",
		"mark":      "did you mean markdown?", // it goes on there
		"test":      "did you mean text?",
		"xml":       "there are prometheus, markdown, text, json, html", // html is as far as the word is long
		"":          "there are prometheus, markdown, text, json, html",
	} {
		if got := Meant(word, names); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
	if got := Meant("pool_0", []string{"pool_3", "pool_1", "pool_2", "pool_1"}); got != "did you mean pool_1, pool_2 or pool_3?" {
		t.Error(got)
	}
	if got := Near("a", strings.Split("b c d e f g", " ")); got != nil {
		t.Errorf("all of %v are near", got)
	}
}

func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.RuneFrom([]rune("abc")))
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		switch {
		case distance(a, b) != distance(b, a), (distance(a, b) == 0) != (a == b):
			t.Fatalf("%d between %q and %q", distance(a, b), a, b)
		case distance(a, c) > distance(a, b)+distance(b, c):
			t.Fatalf("%q is a shortcut", b)
		case distance(a, b) > max(len(a), len(b)):
			t.Fatal("more edits than letters")
		}
	})
}
