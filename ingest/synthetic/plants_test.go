package synthetic

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// TestPlantsAreDeclaredInFull: every file is read, every ground and fault has a use, and
// every word that a plant says has a meaning.
func TestPlantsAreDeclaredInFull(t *testing.T) {
	files, err := fs.Glob(plantFiles, "plants/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(topics)+1 {
		t.Errorf("files %v, of which only %v and grounds are read", files, topics)
	}
	grounds := map[string]yaml.MapSlice{}
	mustRead("grounds", &grounds)
	used := map[string]bool{defaultGround: true}
	for _, p := range Plants() {
		for _, name := range p.Ground {
			if used[name] = true; grounds[name] == nil {
				t.Errorf("%s: there is no ground %q", p.Kind, name)
			}
		}
		for _, d := range p.Faults {
			used[d.Do] = true
			if (configurations[d.Do] == nil) == (injections[d.Do] == nil) {
				t.Errorf("%s: there is no fault %q", p.Kind, d.Do)
			}
			for _, word := range d.When {
				if used[word] = true; conditions[word] == nil {
					t.Errorf("%s: there is no condition %q", p.Kind, word)
				}
			}
		}
	}
	check := func(what string, names []string) {
		for _, name := range names {
			if !used[name] {
				t.Errorf("no plant uses the %s %s", what, name)
			}
		}
	}
	check("ground", keys(grounds))
	check("fault", slices.Concat(keys(configurations), keys(injections)))
	check("condition", keys(conditions))
}

func keys[V any](m map[string]V) (list []string) {
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// TestDescriptionsMerge: maps key by key, nodes and operations by their names, changes
// one after the other.
func TestDescriptionsMerge(t *testing.T) {
	read := func(text string) (d yaml.MapSlice) {
		if err := yaml.UnmarshalWithOptions([]byte(text), &d, yaml.UseOrderedMap()); err != nil {
			t.Fatal(err)
		}
		return spread(d)
	}
	got := merge(read(`
tree: {pools: {p: {weight: 2}, q: {}}}
operations: [{name: a, pool: p, tasks: [{jobs: [1, 1]}]}]
changes: [{at: 1s}]
`), read(`
tree: {pools: {p: {mode: fifo}}}
operations: [{name: a, is_gang: true, tasks: [{jobs: [2, 2]}]}, {name: b}]
changes: [{at: 2s}]
`), "")
	want := `{"trees": {"TREE": {"nodes_filter": "TREE", "pools": {"p": {"weight": 2, "mode": "fifo"}, "q": {}}}}, ` +
		`"operations": [{"name": "a", "pool": "p", "tasks": [{"jobs": [2, 2]}], "is_gang": true}, {"name": "b"}], "changes": [{"at": "1s"}, {"at": "2s"}]}` + "\n"
	if b, err := yaml.MarshalWithOptions(got, yaml.JSON()); err != nil || string(b) != want {
		t.Errorf("got %s, %v, want %s", b, err, want)
	}
}
