package judge

import (
	"testing"

	"poolproof/core/scheduling"
)

func TestNodeTrees(t *testing.T) {
	legal := NodeTrees{Context: plainContext(), At: 100 * second, Trees: 1, Online: true, Since: scheduling.Never, Started: true, Own: Yes}
	for name, c := range map[string]struct {
		change    func(n *NodeTrees)
		invariant Invariant
		verdict   Verdict
	}{
		"one tree":                             {func(*NodeTrees) {}, TREE01, OK},
		"two trees":                            {func(n *NodeTrees) { n.Trees = 2 }, TREE01, Violated},
		"two trees since a minute":             {func(n *NodeTrees) { n.Trees, n.Since = 2, 40*second }, TREE02, Violated},
		"two trees since a moment":             {func(n *NodeTrees) { n.Trees, n.Since = 2, 80*second }, TREE02, Suspect},
		"one tree, and a job":                  {func(*NodeTrees) {}, TREE02, OK},
		"a job of its tree":                    {func(*NodeTrees) {}, TREE03, OK},
		"a job of another tree":                {func(n *NodeTrees) { n.Own = No }, TREE03, Violated},
		"a job of its tree until a moment ago": {func(n *NodeTrees) { n.Own, n.Since = No, 90*second }, TREE03, Suspect},
	} {
		t.Run(name, func(t *testing.T) {
			n := legal
			c.change(&n)
			expect(t, n.Judge(nil), c.invariant, c.verdict)
		})
	}
	offline := NodeTrees{Context: plainContext(), Trees: 2}
	if got := offline.Judge(nil); len(got) != 0 {
		t.Errorf("an offline node is ruled %+v", got)
	}
}
