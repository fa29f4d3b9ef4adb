package law

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestMinimal reduces edits to those that accuse together.
func TestMinimal(t *testing.T) {
	t.Parallel()
	edits := dropped(logRows, numbers(100))
	needed := []int{3, 41, 42, 97}
	tried := 0
	left := minimal(edits, func(some []edit) bool {
		tried++
		return !slices.ContainsFunc(needed, func(n int) bool {
			return !slices.ContainsFunc(some, func(e edit) bool { return e.row == n })
		})
	})
	var rows []int
	for _, e := range left {
		rows = append(rows, e.row)
	}
	if !slices.Equal(rows, needed) || tried > 100 {
		t.Errorf("%v are left after %d trials, want %v", rows, tried, needed)
	}
}

// TestDamagedRows applies edits of each kind, and leaves the log as it was.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	var rows []any
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		rows = append(rows, map[string]any{"name": name, "in": map[string]any{"x": json.Number("1"), "y": nil}})
	}
	text := func(edits ...edit) string {
		var lines []string
		for _, r := range damaged(rows, logRows, edits) {
			line := appendJSON(nil, r.value)
			lines = append(lines, string(line[:len(line)*r.left/100]))
		}
		return strings.NewReplacer(`{"in":{"x":1,"y":null},"name":`, "", "}", "", `"`, "").Replace(strings.Join(lines, " "))
	}
	for _, c := range []struct {
		want  string
		edits []edit
	}{
		{"a b c d e", nil},
		{"a c d e", []edit{{part: logRows, row: 1, do: drop}, {part: export, row: 0, do: drop}}},
		{"a b c d e b", []edit{{part: logRows, row: 1, do: copied, place: 9}}},
		{"b c a d e", []edit{{part: logRows, row: 0, do: move, place: 2.5}}},
		{"a b \xff d e", []edit{{part: logRows, row: 2, do: set, path: []string{"name"}, value: "\xff"}}},
		{"a b {in:{y:null,name:c d e", []edit{{part: logRows, row: 2, do: unset, path: []string{"in", "x"}}}},
		{"a b c d ", []edit{{part: logRows, row: 4, do: cut, left: 0}}},
	} {
		if got := text(c.edits...); got != c.want {
			t.Errorf("%v: %q, want %q", c.edits, got, c.want)
		}
		if got := text(); got != "a b c d e" {
			t.Fatalf("%v change the log: %q", c.edits, got)
		}
	}
}

// TestForgeryIsNoticed writes another node into the rows of all jobs, which damages nothing and lies: the
// node then takes more than it has, and who is accused of that is noticed.
func TestForgeryIsNoticed(t *testing.T) {
	t.Parallel()
	log := sample("2023")(t).(*eventLog)
	c := &court{log: log, whole: map[string]string{}}
	var edits []edit
	for _, node := range slices.Sorted(maps.Keys(log.index.of["node_address"])) {
		if strings.HasPrefix(node, "cpu-") {
			for _, i := range log.index.of["node_address"][node] {
				edits = append(edits, edit{part: logRows, row: i, do: set, path: []string{"node_address"}, value: "cpu-1:9012"})
			}
		}
	}
	accused, refused := c.judge(t, edits)
	if refused != "" {
		t.Fatal(refused)
	}
	for key := range c.wrongly(t, accused) {
		if strings.HasPrefix(key, "HB-01 (node_over_capacity) of node cpu-1:9012") {
			return
		}
	}
	t.Errorf("nothing is noticed in %v", accused)
}
