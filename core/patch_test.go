package core

import (
	"reflect"
	"testing"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// A change of an operation sets what it names and leaves the rest; of limits and
// guarantees it sets the resources that it names.
func TestChangesOfAnOperationAddUp(t *testing.T) {
	part := func(k resource.Kind, n int64) Optional[resource.Partial] {
		var p resource.Partial
		p.Amounts[k], p.Set[k] = n, true
		return Some(p)
	}
	filter, err := pooltree.ParseFormula("a")
	if err != nil {
		t.Fatal(err)
	}
	full := OperationParams{
		OperationSettings: pooltree.OperationSettings{
			Weight: Some(2.0), MaxShareRatio: Some(0.5), Segment: Some(pooltree.LargeGPU),
			FairShareStarvationTolerance: Some(0.0), FairShareStarvationTimeout: Some(pooltree.Milliseconds(0)),
			MinSharePreemptionTimeout: Some(pooltree.Milliseconds(1)), EnableAggressiveStarvation: Some(false),
			MaxUnpreemptibleJobs: Some(int64(0)), NonPreemptibleThreshold: part(resource.Memory, 1), LimitingAncestorCheck: Some(false), SeveralJobs: Some(true),
		},
		ResourceLimits: part(resource.GPU, 0), StrongGuarantee: part(resource.CPU, 7),
		TagFilter: &filter, Gang: Some(false), Graceful: Some(false), RequestsSSD: Some(false), Media: &pooltree.Media{Kinds: 1},
		Modules: &[]string{"m"}, ApplyLimitsToDemand: Some(false),
	}
	whole := reflect.ValueOf(full)
	var piecewise OperationParams
	for _, field := range reflect.VisibleFields(whole.Type()) {
		if field.Anonymous {
			continue // its own fields follow
		}
		value := whole.FieldByIndex(field.Index)
		if value.IsZero() {
			t.Errorf("%s is not tried", field.Name)
		}
		var change, got OperationParams
		reflect.ValueOf(&change).Elem().FieldByIndex(field.Index).Set(value)
		got.Patch(&change)
		if !reflect.DeepEqual(got, change) {
			t.Errorf("a change of %s gives %+v", field.Name, got)
		}
		piecewise.Patch(&change)
	}
	piecewise.Patch(&OperationParams{})
	if !reflect.DeepEqual(piecewise, full) {
		t.Errorf("all changes give %+v", piecewise)
	}
	piecewise.Patch(&OperationParams{ResourceLimits: part(resource.CPU, 5)})
	if want := (resource.Partial{Amounts: resource.Vector{resource.CPU: 5}, Set: [5]bool{resource.CPU: true, resource.GPU: true}}); piecewise.ResourceLimits.Value != want {
		t.Errorf("limits %+v", piecewise.ResourceLimits)
	}
}
