package spelling

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMeantName: names of the log are quoted and sorted, whatever they hold.
func TestMeantName(t *testing.T) {
	for _, c := range []struct {
		word  string
		names []string
		want  string
	}{
		{"gpus", []string{"physical", "gpu"}, `did you mean "gpu"?`},
		{"xyz", []string{"physical", "gpu"}, `it has "gpu" and "physical"`},
		{"xyz", []string{"the rest"}, `it has "the rest"`},
		{"xyz", nil, "it has none"},
		{"xyz", []string{"t9", "t8", "t7", "t6", "t5", "t4", "t3", "t2", "t1", "t0"}, `it has "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7" and 2 more`},
		{"xyz", strings.Split("h g f e d c b a", " "), `it has "a", "b", "c", "d", "e", "f", "g" and "h"`},
		{"pool_0", []string{"pool_3", "pool_1"}, `did you mean "pool_1" or "pool_3"?`},
	} {
		if got := MeantName(c.word, c.names); got != c.want {
			t.Errorf("%s: %s, want %s", c.word, got, c.want)
		}
	}
}

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
	all := "there are " + strings.Repeat("name, ", 19) + "name"
	for n, want := range map[int]string{20: all, 22: all + " and 2 more"} {
		if got := Meant("x", slices.Repeat([]string{"name"}, n)); got != want {
			t.Errorf("of %d: %s", n, got)
		}
	}
	if got := Meant("pool_0", []string{"pool_3", "pool_1", "pool_2", "pool_1"}); got != "did you mean pool_1, pool_2 or pool_3?" {
		t.Error(got)
	}
	if got := Near("a", strings.Split("b c d e f g", " ")); got != nil {
		t.Errorf("all of %v are near", got)
	}
	if got := Near("a", strings.Split("b c d e f", " ")); len(got) != 5 {
		t.Errorf("of five names %v are near", got)
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
