package spelling

import (
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestShellReadsTheWords: whatever names are called, bash takes a line for the words it was made of.
func TestShellReadsTheWords(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	var lines, want []string
	rapid.Check(t, func(t *rapid.T) {
		pieces := []string{"a", "'", `"`, "$(touch x)", "`id`", `\`, "!", "\n", "\x1b[2J", "\u202e", " ", "-", "--out", ";", "#", "~", "*", "=", ",", "ä", "\xff", "\uFFFD"}
		name := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 5), func(p []string) string { return strings.Join(p, "") })
		a, b, value := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "value")
		line := Command("explain", []string{a, b}, "--tree", value)
		if OneName(line) != line {
			t.Errorf("%q holds what steers a terminal", line)
		}
		lines = append(lines, line)
		words := []string{"explain", a, b, "--tree", value}
		if strings.HasPrefix(a, "-") || strings.HasPrefix(b, "-") {
			words = []string{"explain", "--tree", value, "--", a, b}
		}
		want = append(want, strings.Join(words, "\x01")+"\x01\x02")
	})
	out, err := exec.Command(bash, "-c", "poolproof() { printf '%s\\x01' \"$@\"; printf '\\x02'; }\n"+strings.Join(lines, "\n")).Output()
	if err != nil || string(out) != strings.Join(want, "") {
		t.Errorf("bash read other words (%v) of\n%s", err, strings.Join(lines, "\n"))
	}
}

func TestCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		positions, options []string
		want               string
	}{
		{[]string{"runs/a", "prod"}, []string{"--tree", "cpu"}, "poolproof explain runs/a prod --tree cpu"},
		{[]string{"run", "-rf --out /etc"}, []string{"--tree", "a b"}, `poolproof explain --tree "a b" -- run "-rf --out /etc"`},
		{[]string{"run", "x'; touch y; '"}, nil, `poolproof explain run "x'; touch y; '"`},
		{[]string{"run", "$x'"}, nil, `poolproof explain run '$x'\'''`},
		{[]string{"run", "p\nq"}, nil, `poolproof explain run $'p\x0aq'`},
	} {
		if got := Command("explain", c.positions, c.options...); got != c.want {
			t.Errorf("%q: %s, want %s", c.positions, got, c.want)
		}
	}
}
