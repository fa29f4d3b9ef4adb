package whatif

import (
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
)

// TestShardsOfAGrid tries a grid whole and in the parts that shards lists: the rows are the same.
func TestShardsOfAGrid(t *testing.T) {
	dir := limitedTrace(t, limited, map[string]string{"grid.yaml": "vary: {pools.a.resource_limits.cpu: [1, 3, 6]}\nmeasure: [completed of a, wait of a]\n"})
	trace, grid := filepath.Join(dir, "trace"), filepath.Join(dir, "grid.yaml")
	rows := func(flags ...string) (all []string) {
		t.Helper()
		out, err := exec.Command("poolproof", slices.Concat([]string{"what-if", trace, "--quiet", "--output", "json"}, flags)...).Output()
		var told struct {
			Explanations []struct {
				Sections []struct {
					Section string
					Rows    []json.RawMessage
				}
			}
		}
		if err := errors.Join(err, json.Unmarshal(out, &told)); err != nil {
			t.Fatal(err)
		}
		for _, row := range told.Explanations[0].Sections[0].Rows {
			all = append(all, string(row))
		}
		return all
	}
	type unit struct {
		Unit      string
		Flags     []string
		Estimated float64
	}
	var list struct{ Units []unit }
	out, err := exec.Command("poolproof", "shards", "--json", "--grid", grid, "--edits", "2", trace).Output()
	if err := errors.Join(err, json.Unmarshal(out, &list)); err != nil {
		t.Fatal(err)
	}
	if len(list.Units) != 2 || list.Units[0].Estimated <= list.Units[1].Estimated {
		t.Fatalf("units %+v", list.Units)
	}
	slices.SortFunc(list.Units, func(a, b unit) int { return strings.Compare(a.Unit, b.Unit) })
	whole := rows("--grid", grid)
	var parts []string
	for i, u := range list.Units {
		part := rows(u.Flags...)
		if i > 0 {
			if part[0] != whole[0] {
				t.Errorf("the control of part %d is %s", i+1, part[0])
			}
			part = part[1:]
		}
		parts = append(parts, part...)
	}
	if len(whole) != 4 || !slices.Equal(whole, parts) {
		t.Errorf("whole\n%s\nin parts\n%s", strings.Join(whole, "\n"), strings.Join(parts, "\n"))
	}
	for flags, want := range map[string]string{
		"--part 1/2":                 "--part is of a grid",
		"--part 5/4 --grid " + grid:  "(want 1/4",
		"--part 1/9 --grid " + grid:  "the grid has no more than 3 edits",
		"--part 1/2x --grid " + grid: "invalid --part",
	} {
		args := append([]string{"what-if", trace}, strings.Fields(flags)...)
		if !strings.Contains(flags, "--grid") {
			args = append(args, "--edit", grid)
		}
		if code, stderr, _ := commandtest.Process(t, exec.Command("poolproof", args...)); code != exit.Usage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d: %s", flags, code, stderr)
		}
	}
}
