package judge

import (
	"reflect"
	"testing"
)

// Every slack of a policy is a field of its own, and reads back in its unit.
func TestSettableSlacks(t *testing.T) {
	of := map[string]string{}
	for _, k := range Settable {
		usual := DefaultSlacks()
		s := usual.With(map[string]float64{k.Name: 1234.5})
		if k.Value(&s) != 1234.5 {
			t.Errorf("%s of 1234.5 is %v", k.Name, k.Value(&s))
		}
		before, after := reflect.ValueOf(usual), reflect.ValueOf(s)
		for i := range before.NumField() {
			if name := before.Type().Field(i).Name; !before.Field(i).Equal(after.Field(i)) {
				if other := of[name]; other != "" {
					t.Errorf("%s is set by %s and by %s", name, other, k.Name)
				}
				of[name] = k.Name
			}
		}
		if k.Value(&usual) <= 0 || k.Sentence == "" {
			t.Errorf("%s: %+v", k.Name, k)
		}
	}
	// The configuration of the tree states the two others.
	if want := reflect.TypeFor[Slacks]().NumField() - 2; len(of) != want || len(Settable) != want || of["Interrupt"]+of["Backoff"] != "" {
		t.Errorf("%d slacks set %v, want %d", len(Settable), of, want)
	}
}
