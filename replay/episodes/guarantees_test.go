package episodes

import (
	"testing"

	"poolproof/core/resource"
)

// TestOnlyWhatAGuaranteeNamesIsOwed: slots that a guarantee of cpu is inferred to hold
// neither make it unmet nor met.
func TestOnlyWhatAGuaranteeNamesIsOwed(t *testing.T) {
	cpu := &[resource.Kinds]bool{resource.CPU: true}
	all := resource.Share{resource.UserSlots: 1, resource.CPU: 1}
	half := resource.Share{resource.UserSlots: 0.5, resource.CPU: 0.5}
	for name, c := range map[string]struct {
		demand, usage resource.Share
		unmet         bool
	}{
		"slots are served, cpu is not":           {all, resource.Share{resource.UserSlots: 0.6, resource.CPU: 0.3}, true},
		"cpu is served, slots are not":           {all, resource.Share{resource.UserSlots: 0.3, resource.CPU: 0.6}, false},
		"no more is wanted, and slots are short": {half, resource.Share{resource.UserSlots: 0.3, resource.CPU: 0.5}, false},
		"no more is wanted, and cpu is short":    {half, resource.Share{resource.UserSlots: 0.5, resource.CPU: 0.3}, true},
	} {
		if got := dominates(cpu, half, c.demand, half, c.usage); got != c.unmet {
			t.Errorf("%s: unmet %v, want %v", name, got, c.unmet)
		}
	}
}
