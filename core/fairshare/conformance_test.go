package fairshare

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"poolproof/core/coretest/testcorpus"
)

// shareTolerance is how far shares may be from those of the corpus.
const shareTolerance = 1e-7

// TestConformance runs an update of every tree of the corpus.
func TestConformance(t *testing.T) {
	for name, path := range testcorpus.Corpus(t, "fair-share") {
		t.Run(name, func(t *testing.T) {
			readFile(t, path, func(line corpusLine) {
				t.Run(line.ID, func(t *testing.T) {
					checkLine(t, &line, literalElements)
					if len(line.Input.Nodes) <= literalElements {
						checkLine(t, &line, never)
					}
				})
			})
		})
	}
}

// checkLine runs the update of a line and compares everything it lists. Up to so
// many elements the tree has literal plots.
func checkLine(t testing.TB, line *corpusLine, literalElements int) {
	tree, elements := line.Input.build()
	tree.literalElements = literalElements
	err := tree.Update(line.Input.Now, line.Input.previous())
	want := line.Expected
	if line.ExpectedClamped != nil {
		want = *line.ExpectedClamped
	}
	if want.Status != "ok" {
		if err == nil {
			t.Error("the input must be refused")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	line.Input.checkNodes(t, tree, elements, want.Nodes)
	checkErrors(t, tree, want.Errors)
	checkAsserts(t, line, tree, elements)
}

// checkNodes compares what an update gave every element of an input, which are
// expected in their order.
func (in *corpusInput) checkNodes(t testing.TB, tree *Tree, elements []Element, want []map[string]any) {
	if len(want) != len(elements) {
		t.Fatalf("%d elements, want %d", len(elements), len(want))
	}
	for i, e := range elements {
		if id := in.Nodes[i].ID; want[i]["id"] != any(id) {
			t.Errorf("%v stands in the place of %s", want[i]["id"], id)
		}
		for _, d := range differences(attributes(tree, e), want[i], shareTolerance) {
			t.Errorf("%s: %s", in.Nodes[i].ID, d)
		}
	}
}

// checkErrors compares the errors of an update, attributes included.
func checkErrors(t testing.TB, tree *Tree, want []map[string]any) {
	got := []map[string]any{}
	for _, e := range tree.Errors() {
		attributes := map[string]any{}
		if e.Code == CodeNestedPromised {
			names := []string{}
			for _, p := range e.Pools {
				names = append(names, tree.name(p))
			}
			attributes["nested_promised_fair_share_pools"] = names
		} else {
			attributes["total_strong_guarantee_resources"] = reals(e.Strong)
			attributes["total_cluster_resources"] = reals(e.Total)
			name := "total_resource_flow"
			if e.Burst {
				name = "total_burst_resources"
			}
			attributes[name] = reals(e.Integral)
		}
		got = append(got, map[string]any{"code": e.Code, "message": e.Message, "attributes": attributes})
	}
	data, _ := json.Marshal(got)
	var plain []map[string]any
	_ = json.Unmarshal(data, &plain)
	if len(plain) != len(want) || len(want) > 0 && !reflect.DeepEqual(plain, want) {
		t.Errorf("errors = %v, want %v", plain, want)
	}
}

// checkAsserts checks what the unit tests name, at their own tolerance.
func checkAsserts(t testing.TB, line *corpusLine, tree *Tree, elements []Element) {
	for _, a := range line.Asserts {
		found := false
		for i, n := range line.Input.Nodes {
			if n.ID != a.Node {
				continue
			}
			found = true
			group, part, _ := strings.Cut(a.Attribute, ".")
			got := plain(attributes(tree, elements[i])[group])
			if parts, ok := got.(map[string]any); ok {
				got = parts[part]
			}
			if !alike(a.Attribute, got, a.Expected, max(a.Tolerance, 1e-15)) {
				t.Errorf("%s: %s = %v, want %v within %g", a.Node, a.Attribute, got, a.Expected, a.Tolerance)
			}
		}
		if !found {
			t.Errorf("no element %q to look at", a.Node)
		}
	}
}

// plain returns a value as JSON reads it back.
func plain(x any) (y any) {
	data, _ := json.Marshal(x)
	_ = json.Unmarshal(data, &y)
	return y
}
