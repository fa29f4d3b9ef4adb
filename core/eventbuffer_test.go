package core

import (
	"reflect"
	"testing"
)

// TestEveryPointerOfAnEventIsCopied fails for a field that a stream may reuse and that Clone shares.
func TestEveryPointerOfAnEventIsCopied(t *testing.T) {
	// What these point to is made for one event, and may be kept.
	shared := map[string]bool{"Spec": true, "Cluster": true, "Tree": true, "Config": true, "Attributes": true, "Doubled": true, "Tags": true}
	var e Event
	v := reflect.ValueOf(&e).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
	c := e.Clone()
	if !reflect.DeepEqual(c, e) {
		t.Errorf("the copy is %+v, want %+v", c, e)
	}
	for i := range v.NumField() {
		name, kind := v.Type().Field(i).Name, v.Field(i).Kind()
		if kind != reflect.Pointer && kind != reflect.Slice {
			continue
		}
		if same := v.Field(i).Pointer() == reflect.ValueOf(c).Field(i).Pointer(); same != shared[name] {
			t.Errorf("%s is shared: %t, want %t", name, same, shared[name])
		}
	}
}

func TestAnEventBufferHoldsItsEventsWhileItGrows(t *testing.T) {
	var b EventBuffer
	name := []byte("a")
	for i := range 100 {
		name[0] = byte(i)
		b.Add(&Event{Name: name, Preemption: &PreemptionRecord{Mode: string(name)}})
	}
	for i, e := range b.Events {
		if e.Name[0] != byte(i) || e.Preemption.Mode != string(e.Name) {
			t.Fatalf("event %d is of %q, %q", i, e.Name, e.Preemption.Mode)
		}
	}
	if b.Reset(); len(b.Events) != 0 {
		t.Errorf("%d events after Reset", len(b.Events))
	}
}
