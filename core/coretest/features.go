package coretest

import (
	"reflect"

	"poolproof/core/pooltree"
	"poolproof/core/resource"
)

// Features are the exported fields of types and of what these hold, as Type.Field: what
// can be said, so that a test can ask whether something says it. A new field is one of
// them without further notice.
type Features map[string]bool

// whole are types that are a value each, however they are made.
var whole = map[reflect.Type]bool{
	reflect.TypeFor[resource.Partial](): true, reflect.TypeFor[pooltree.Formula](): true,
}

// isWhole reports whether a type is a value, and no list of features: an optional one
// is, too.
func isWhole(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || whole[t] {
		return true
	}
	_, optional := t.FieldByName("Set")
	return optional
}

// Add adds what a type can say.
func (f Features) Add(t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if isWhole(t) {
		return
	}
	for i := range t.NumField() {
		field := t.Field(i)
		switch {
		case !field.IsExported():
		case field.Anonymous:
			f.Add(field.Type)
		case !f[t.Name()+"."+field.Name]:
			f[t.Name()+"."+field.Name] = true
			f.Add(field.Type)
		}
	}
}

// Use adds what a value says: what is not as it would be if nothing were said.
func (f Features) Use(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f.Use(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			f.Use(v.Index(i))
		}
	case reflect.Struct:
		if isWhole(v.Type()) {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if !field.Anonymous && !v.Field(i).IsZero() {
				f[v.Type().Name()+"."+field.Name] = true
			}
			f.Use(v.Field(i))
		}
	}
}
