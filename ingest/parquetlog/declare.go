package parquetlog

import (
	"fmt"
	"reflect"
	"strings"
)

// A TableOf is a Table whose rows are values of the struct type T. The struct
// is the declaration: its fields are the columns.
type TableOf[T any] struct {
	Table
	fields []field
}

// A field says where in a row struct the value of a column lies.
type field struct {
	kind   reflect.Kind
	offset uintptr // of the value
	set    uintptr // of the bool that says whether it is set; only of nullable columns
}

// Declare returns the table whose columns are the fields of T, in their order:
//
//	col:"name"        the column; on a nested struct a prefix, joined by _
//	enc:"delta|dict"  the encoding, plain by default; dict for text and int32.
//	                  On a nested struct enc:"name=delta" sets that of one field.
//	bloom:"yes"       a bloom filter
//	doc:"..."         the sentence; that of a nested struct stands before its fields'
//
// A field is an int32, int64, float64, bool or string, or a type made from one
// (core.Time is a time), or a nested struct of such. A struct of Value and Set,
// which core.Optional is, makes its columns nullable: an optional struct is null
// as a whole. A struct without a tag adds its fields as they are. Declare panics
// on anything else: declarations are code.
func Declare[T any](name, doc string) *TableOf[T] {
	d := &declaration{table: Table{Name: name, Doc: doc}}
	d.structure(reflect.TypeFor[T](), place{})
	return &TableOf[T]{d.table, d.fields}
}

type declaration struct {
	table  Table
	fields []field
}

// A place is what the structs around a field say of it.
type place struct {
	prefix, doc string
	offset, set uintptr
	nullable    bool
	enc         string // "name=encoding": another encoding for that field
}

func (d *declaration) structure(t reflect.Type, at place) {
	for i := range t.NumField() {
		f := t.Field(i)
		in := at
		in.offset += f.Offset
		if tag := f.Tag.Get("col"); tag != "" {
			in.prefix = join(at.prefix, tag, "_")
			in.doc = join(at.doc, f.Tag.Get("doc"), ": ")
		}
		ft := f.Type
		if isOptional(ft) {
			if at.nullable {
				panic(fmt.Sprintf("table %s: %s is optional twice", d.table.Name, in.prefix))
			}
			in.nullable, in.set = true, in.offset+ft.Field(1).Offset
			ft = ft.Field(0).Type
		}
		if ft.Kind() == reflect.Struct {
			in.enc = f.Tag.Get("enc")
			d.structure(ft, in)
			continue
		}
		d.leaf(f, ft, in)
	}
}

func (d *declaration) leaf(f reflect.StructField, t reflect.Type, at place) {
	c := Column{
		Name:     at.prefix,
		Nullable: at.nullable,
		Bloom:    f.Tag.Get("bloom") == "yes",
		Doc:      at.doc,
	}
	switch t.Kind() {
	case reflect.Int32:
		c.Type, c.Encoding = Int32, Dict
	case reflect.Int64:
		c.Type = Int64
		if t.Name() == "Time" {
			c.Type, c.Encoding = Time, Delta
		}
	case reflect.Float64:
		c.Type = Double
	case reflect.Bool:
		c.Type = Bool
	case reflect.String:
		c.Type, c.Encoding = Text, Dict
	default:
		panic(fmt.Sprintf("table %s: column %s has the type %s", d.table.Name, c.Name, t))
	}
	enc := f.Tag.Get("enc")
	if name, other, ok := strings.Cut(at.enc, "="); ok && name == f.Tag.Get("col") {
		enc = other
	}
	switch enc {
	case "plain":
		c.Encoding = Plain
	case "delta":
		c.Encoding = Delta
	case "dict":
		c.Encoding = Dict
	}
	d.table.Columns = append(d.table.Columns, c)
	d.fields = append(d.fields, field{t.Kind(), at.offset, at.set})
}

func isOptional(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 2 &&
		t.Field(0).Name == "Value" && t.Field(1).Name == "Set" && t.Field(1).Type.Kind() == reflect.Bool
}

func join(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimSuffix(a, ".") + sep + b
}
