package judge

import (
	"testing"
)

func TestInvariants(t *testing.T) {
	seen := map[string]bool{}
	for i := Invariant(0); i < Invariants; i++ {
		back, known := ParseInvariant(i.String())
		if !known || back != i || seen[i.String()] || i.Statement() == "" {
			t.Errorf("invariant %d is %q", i, i)
		}
		seen[i.String()] = true
	}
	if _, known := ParseInvariant("PRE-99"); known {
		t.Error("PRE-99 is known")
	}
}
