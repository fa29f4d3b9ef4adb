package pooltree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// core/README.md tells of every deviation, in the words of the list, and the files
// that decide them exist.
func TestDeviationsAreInTheREADME(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range Deviations {
		if row := "| " + d.Rule + " | " + d.Baseline + " | " + d.Documented + " |"; !strings.Contains(string(text), row) {
			t.Errorf("core/README.md lacks the line\n%s", row)
		}
		for _, file := range strings.Split(d.Where, ", ") {
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("%s: %v", d.Rule, err)
			}
		}
	}
}

// What the list says of defaults is what the code does.
func TestDeviationsOfDefaults(t *testing.T) {
	if Baseline.maxRunningPerPool() != 50 || Documented.maxRunningPerPool() != 8 {
		t.Error("max_running_operation_count_per_pool")
	}
	if Baseline.FIFOOrder() != OrderSatisfaction || Documented.FIFOOrder() != OrderFIFO {
		t.Error("fifo_pool_scheduling_order")
	}
	if Baseline.aggressiveSatisfaction(1) != 0.2 || Documented.aggressiveSatisfaction(1) != 0.5 || Documented.aggressiveSatisfaction(0.4) != 0.4 {
		t.Error("aggressive_preemption_satisfaction_threshold")
	}
	if low, _ := Documented.weightRange(); low != 0 || Baseline.honoursSpec() || !Documented.honoursSpec() || Baseline.hasLightweight() || !Documented.hasLightweight() {
		t.Error("weights, specs or lightweight operations")
	}
}
