package synthetic

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzParse reads any bytes as the description of a cluster: what is wrong in it is bad
// input.
func FuzzParse(f *testing.F) {
	for _, text := range []string{tiny, "trees: {}", "trees:\n  t: {pools: {}}\nnodes: [{count: -1}]", "&a [*a, !!x y, {<<: *a}]", tiny + "length: 1e9h\nstart: 9999-12-31\nchanges: [{}]\nworkloads: [{name: w, rate: .inf}]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, err := Parse("f", b)
		checkBadInput(t, err)
	})
}

func checkBadInput(t *testing.T, err error) {
	var bad interface{ BadInput() bool }
	if err != nil && !errors.As(err, &bad) {
		t.Fatal(err)
	}
}

// FuzzPlantedTrace reads any bytes as a file of what was planted.
func FuzzPlantedTrace(f *testing.F) {
	f.Add([]byte(`{"trace": "t", "planted": [{"rules": ["x"]}]}`))
	f.Add([]byte(`{"trace": "", "planted": []}`))
	path := filepath.Join(f.TempDir(), "planted.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		if name, err := PlantedTrace(path); (name == "") != (err != nil) {
			t.Fatalf("trace %q: %v", name, err)
		}
	})
}
