package command

import (
	"runtime/debug"
	"testing"
)

// TestImportMemoryBoundsTheProcess: of the memory of an import half sorts, and Go keeps
// to nine tenths.
func TestImportMemoryBoundsTheProcess(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for text, want := range map[string][3]int64{
		"4GiB": {2 << 30, 4 << 30 / 10 * 9, 4 << 30 / 5}, "100KiB": {50 << 10, leastMemory / 10 * 9, leastMemory / 5},
	} {
		sorting, pages, err := boundImport(text)
		got := [3]int64{sorting, debug.SetMemoryLimit(-1), int64(pages)}
		if err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
	if sorting, _, err := boundImport(""); err != nil || sorting > sortMemory {
		t.Errorf("by default %d bytes are for sorting: %v", sorting, err)
	}
}
