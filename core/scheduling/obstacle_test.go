package scheduling

import (
	"strings"
	"testing"
)

// Each obstacle is declared, with names of its own and a sentence.
func TestObstaclesAreDeclared(t *testing.T) {
	names, words := map[string]Obstacle{}, map[string]Obstacle{}
	for o := NoObstacle + 1; o < obstaclesEnd; o++ {
		d := obstacles[o]
		if d.scope == 0 || d.name == "" || d.text == "" || o.Text("jobs") == "" || strings.Contains(o.Text("jobs"), "%!") {
			t.Errorf("%d is declared as %+v", o, d)
		}
		if (d.scope == ofOperation) != (d.several != "") {
			t.Errorf("%v: what is said of several operations is %q", o, d.several)
		}
		if _, twice := names[d.name]; twice {
			t.Errorf("%q is the name of two obstacles", d.name)
		}
		if _, twice := words[o.Ledger()]; twice {
			t.Errorf("%q is the word of two obstacles", o.Ledger())
		}
		names[d.name], words[o.Ledger()] = o, o
		if ByName(d.name) != o || o <= IsPreemptible && ByLedgerWord(o.Ledger()) != o {
			t.Errorf("%v is not found by its name and its word", o)
		}
	}
	if ByName("nothing") != NoObstacle || ByLedgerWord("nothing") != NoObstacle || ByLedgerWord("") != NoObstacle {
		t.Error("what is not declared is found")
	}
}
