package whatif

import (
	"testing"

	"poolproof/core"
)

// TestTextOfEdits: edits have one text however they are laid out, and none like that of others or
// of none.
func TestTextOfEdits(t *testing.T) {
	text := func(file string) string {
		e, err := Parse("edits", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Text()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var none *Edits
	if got, err := none.Text(); err != nil || got != text("") {
		t.Errorf("no edits are %s, %v, and an empty file is %s", got, err, text(""))
	}
	same := text("pools: {a: {weight: 2}, b: {weight: 3}}")
	if other := text("pools:\n  b: {weight: 3}\n  a: {weight: 2}\n"); other != same {
		t.Errorf("%s and %s are the same edits", same, other)
	}
	for _, file := range []string{"", "pools: {a: {weight: 2}, b: {weight: 4}}", "at: 2025-03-03T08:10:00Z\npools: {a: {weight: 2}, b: {weight: 3}}"} {
		if text(file) == same {
			t.Errorf("%q has the text of other edits", file)
		}
	}
	later, err := (&Edits{At: core.Some(core.Second)}).Text()
	if err != nil || later == text("") {
		t.Errorf("edits from another time on are %s too, %v", later, err)
	}
}
