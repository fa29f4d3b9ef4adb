package scheduling

import (
	"testing"

	"poolproof/core/fairshare"
)

// TestDescribeFollowsSettings holds that what an element is described by is what was
// set last, also where it is kept twice.
func TestDescribeFollowsSettings(t *testing.T) {
	c := newBusy(t, 10, 20, 5)
	e := c.operations[0]
	for _, graceful := range []bool{true, false, true} {
		c.tree.SetOperation(e, Operation{Graceful: graceful})
		if got := c.tree.Describe(e).Graceful; got != graceful {
			t.Errorf("graceful is %v, set to %v", got, graceful)
		}
	}
	parent := c.tree.Parent(e)
	added := c.shares.AddOperation(parent, fairshare.Operation{StartTime: 1, ID: 1})
	c.tree.AddOperation(added, parent, Operation{Graceful: true})
	if !c.tree.Describe(added).Graceful {
		t.Error("an operation that was added graceful is not")
	}
	for want := 2; ; want-- {
		if got := c.tree.gracefulOperations; got != want {
			t.Errorf("%d operations count as graceful, and %d are", got, want)
		}
		switch want {
		case 2:
			c.tree.Remove(added)
		case 1:
			c.tree.SetOperation(e, Operation{})
		default:
			return
		}
	}
}
