package pooltree

import "testing"

// TestOptionsAreExplained: every option has its sentence, and no name has two.
func TestOptionsAreExplained(t *testing.T) {
	known := map[string]bool{}
	for _, o := range Options() {
		known[o.Name] = true
		if o.Meaning == "" {
			t.Errorf("%s of a %s has no sentence", o.Name, o.Holder)
		}
	}
	if len(known) < 90 {
		t.Errorf("only %d options", len(known))
	}
}
