package fairshare

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
)

// A recordedElement is an element of a production tree as its scheduler
// published it.
type recordedElement struct {
	Type, Name    string
	Parent        *string
	Mode          string
	OperationType string `json:"operation_type"`
	Weight        float64
	Strong        map[string]float64 `json:"strong_guarantee_resources"`
	Usage         map[string]float64 `json:"resource_usage"`
	Demand        map[string]float64 `json:"resource_demand"`
	FairShare     map[string]float64 `json:"total_fair_share"`
}

// recordedTotal is the size of the production tree.
var recordedTotal = vectorOf(map[string]float64{
	"user_slots": 124992, "cpu": 93818.4, "gpu": 5952, "memory": 754088408226001, "network": 74400,
})

func readRecorded(t *testing.T, name string) (elements []recordedElement) {
	data, err := os.ReadFile(testcorpus.File(t, testcorpus.Data, "ytsaurus-gpu-tree-excerpt", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &elements); err != nil {
		t.Fatal(err)
	}
	return elements
}

// addRecorded adds recorded elements to a tree. Weights of pools are taken as
// recorded if weighted, otherwise they are inferred.
func addRecorded(tree *Tree, elements []recordedElement, byName map[string]Element, weighted bool) {
	for _, r := range elements {
		if _, known := byName[r.Name]; known {
			continue
		}
		parent := byName[*r.Parent]
		if r.Type == "operation" {
			o := Operation{Settings: Settings{Weight: Some(r.Weight)}, Gang: r.OperationType == "vanilla"}
			o.ID = int64(len(byName))
			e := tree.AddOperation(parent, o)
			tree.SetUsage(e, vectorOf(r.Usage))
			tree.SetDemand(e, vectorOf(r.Demand))
			byName[r.Name] = e
			continue
		}
		p := Pool{}
		if r.Mode == "fifo" {
			p.Mode = FIFO
		}
		if weighted {
			p.Weight = Some(r.Weight)
		}
		for name, amount := range r.Strong { // published absent amounts are zero
			if amount == 0 {
				delete(r.Strong, name)
			}
		}
		p.StrongGuarantee = partialOf(r.Strong)
		byName[r.Name] = tree.AddPool(parent, p)
	}
}

func newRecordedTree() (*Tree, map[string]Element) {
	tree := New(Options{MainResource: resource.GPU, InferWeightMultiplier: 1000, TruncateFIFO: true})
	tree.SetTotal(recordedTotal)
	return tree, map[string]Element{"<Root>": Root}
}

// checkRecorded compares fair shares with those recorded.
func checkRecorded(t *testing.T, tree *Tree, elements []recordedElement, byName map[string]Element) {
	for _, r := range elements {
		want := resource.Share(realsOf(r.FairShare, 0))
		got := tree.Result(byName[r.Name]).FairShare.Total
		for k := range got {
			if math.Abs(got[k]-want[k]) > 1e-9 {
				t.Errorf("%s: fair share of %v is %.18g, recorded %.18g", r.Name, resource.Kind(k), got[k], want[k])
			}
		}
	}
}

// TestConformanceProduction reproduces the fair shares of a production tree.
// The pool whose operations are not recorded has one that wants everything, as
// its own recorded share says.
func TestConformanceProduction(t *testing.T) {
	elements := readRecorded(t, "root_and_pool542.json")
	tree, byName := newRecordedTree()
	addRecorded(tree, elements, byName, true)
	tree.SetDemand(tree.AddOperation(byName["pool0"], Operation{}), vectorOf(map[string]float64{"gpu": 5952}))
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
	var complete []recordedElement
	for _, r := range elements {
		if r.Name != "<Root>" && r.Name != "pool0" {
			complete = append(complete, r)
		}
	}
	if len(complete) != 73 {
		t.Fatalf("%d elements to compare, want 73", len(complete))
	}
	checkRecorded(t, tree, complete, byName)
}

// TestConformanceProductionGuarantees reproduces the part of the tree that has
// guarantees at every level, and the weights inferred from them.
func TestConformanceProductionGuarantees(t *testing.T) {
	elements := readRecorded(t, "pool515_partial.json")
	tree, byName := newRecordedTree()
	strong := Settings{StrongGuarantee: partialOf(map[string]float64{"gpu": 5804}), Weight: Some(1)}
	byName["pool0"] = tree.AddPool(Root, Pool{Settings: strong})
	addRecorded(tree, elements, byName, false)
	if err := tree.Update(0, NoUpdate); err != nil {
		t.Fatal(err)
	}
	checkRecorded(t, tree, elements[1:], byName)
	for _, r := range elements {
		switch r.Name {
		case "pool528", "pool534", "pool537": // the others have flows that are not recorded
			if got := tree.Result(byName[r.Name]).Weight; math.Abs(got-r.Weight) > 1e-9*r.Weight {
				t.Errorf("%s: weight is %.18g, recorded %.18g", r.Name, got, r.Weight)
			}
		}
	}
}
