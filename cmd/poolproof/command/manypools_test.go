package command

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/exit"
)

// TestPoolsTakeMemoryInProportion imports and replays an event log whose export of pool trees has
// thousands of pools: twice as many take about twice the memory.
func TestPoolsTakeMemoryInProportion(t *testing.T) {
	allocated := func(pools int) uint64 {
		dir := t.TempDir()
		trees, trace := filepath.Join(dir, "trees.json"), filepath.Join(dir, "trace")
		if err := os.WriteFile(trees, exportWithPools(t, pools), 0o666); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, args := range [][]string{
			{"import", "ytsaurus", "../../../ingest/ytsaurus/testdata/samples/2023.jsonl.gz", "--pool-trees", trees, "--out", trace, "--quiet"},
			{"replay", trace, "--out", filepath.Join(dir, "run"), "--quiet"},
		} {
			code := execute(t.Context(), &environment{stdin: strings.NewReader(""), stdout: io.Discard, stderr: t.Output()}, args)
			if code != exit.Kept {
				t.Fatalf("%s: exit code %d", args[0], code)
			}
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	none := allocated(0)
	some, twice := allocated(4000)-none, allocated(8000)-none
	if twice > some*5/2 {
		t.Errorf("4000 pools take %d bytes, 8000 take %d: not in proportion", some, twice)
	}
}

// exportWithPools is the export of the samples with so many pools more in a tree.
func exportWithPools(t *testing.T, pools int) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../ingest/ytsaurus/testdata/samples/pool_trees.2023.json")
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Attributes json.RawMessage            `json:"$attributes,omitempty"`
		Value      map[string]json.RawMessage `json:"$value"`
	}
	var trees, tree node
	if err := json.Unmarshal(data, &trees); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(trees.Value["physical"], &tree); err != nil {
		t.Fatal(err)
	}
	for i := range pools {
		tree.Value[fmt.Sprintf("p%d", i)] = fmt.Appendf(nil, `{"$attributes":{"id":"%x-1-1-1","strong_guarantee_resources":{"cpu":0.001}},"$value":{}}`, i+1)
	}
	if trees.Value["physical"], err = json.Marshal(tree); err != nil {
		t.Fatal(err)
	}
	if data, err = json.Marshal(trees); err != nil {
		t.Fatal(err)
	}
	return data
}
