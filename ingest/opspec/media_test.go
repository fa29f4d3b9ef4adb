package opspec

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core/pooltree"
)

// What is kept of the kinds of jobs is on which media they ask for quotas.
func TestMedia(t *testing.T) {
	var set Set
	for text, want := range map[string]pooltree.Media{
		`{"tasks": {"a": {"command": "x", "disk_request": {"medium_name": "ssd"}}}}`:                                 {Some: []string{"ssd"}, Every: []string{"ssd"}, Kinds: 1},
		`{"tasks": {"a": {"command": "y", "disk_request": {"medium_name": "ssd", "disk_space": 7}}}}`:                {Some: []string{"ssd"}, Every: []string{"ssd"}, Kinds: 1},
		`{"tasks": {"a": {"disk_request": {"medium_name": "ssd"}}, "b": {"command": "x"}}}`:                          {Some: []string{"ssd"}, Kinds: 2},
		`{"mapper": {"command": "x"}, "reducer": {"disk_request": {"medium_name": "nvme"}}}`:                         {Some: []string{"nvme"}, Kinds: 2},
		`{"mapper": {"disk_request": {"medium_name": "ssd"}}, "reducer": {"disk_request": {"medium_name": "nvme"}}}`: {Some: []string{"ssd", "nvme"}, Kinds: 2},
		`{"mapper": {"command": "x", "disk_request": {"disk_space": 7}}, "tasks": {"b": {}}, "pool": "p"}`:           {},
		`{"mapper": {"command": "z"}, "pool": "p"}`:                                                                  {},
	} {
		s, err := set.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got, faults := s.In(pooltree.Documented, "")
		if diff := cmp.Diff(want, got.Media); diff != "" || len(faults) > 0 {
			t.Errorf("%s: %s %v", text, diff, faults)
		}
	}
	if set.Len() != 5 {
		t.Errorf("the set holds %d different specs", set.Len())
	}
}
