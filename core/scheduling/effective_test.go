package scheduling

import (
	"testing"

	"poolproof/core/pooltree"
)

// Before the first update of an element its settings are those that the update will put in force, and
// not zeros.
func TestEffectiveBeforeTheFirstUpdate(t *testing.T) {
	cl := newCluster(t, Current, object{"fair_share_starvation_tolerance": 0.7}, nil)
	cl.addPool("above", "", nil)
	cl.addPool("pool", "above", object{"fair_share_starvation_timeout": 5000.0})
	op := cl.addOperation("op", "pool", 0, nil, nil, nil)
	ahead := cl.tree.Effective(op.element)
	if ahead.Tolerance != 0.7 || ahead.Timeout != 5_000_000 {
		t.Errorf("tolerance %v and timeout %d µs, want 0.7 and 5,000,000", ahead.Tolerance, ahead.Timeout)
	}
	if cl.tree.elements[op.element].own != (pooltree.Effective{}) {
		t.Errorf("reading the values put them in force: %+v", cl.tree.elements[op.element].own)
	}
	for _, e := range []Element{Root, cl.byName["above"], cl.byName["pool"], op.element} {
		cl.tree.inherit(e)
	}
	if now := cl.tree.Effective(op.element); now != ahead {
		t.Errorf("the update puts %+v in force, and before it was %+v", now, ahead)
	}
}
