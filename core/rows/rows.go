// Package rows reflects the struct of a row once into the columns of its table:
// their names, types, sentences, and places in the struct's memory.
//
// The struct is the declaration. Package parquetlog reads and writes its columns as
// Parquet, package replay/tables writes them as Arrow:
//
//	type Node struct {
//		Node    core.NodeID `col:"node_ix" doc:"number of the node"`
//		Address string      `col:"address" doc:"address of the node"`
//	}
//
// The package knows neither files nor what columns mean.
package rows

import (
	"fmt"
	"reflect"
	"strings"
	"unsafe"
)

// A Column is one value of a row.
type Column struct {
	Name     string
	Doc      string       // one sentence
	Type     reflect.Type // of the value, without core.Optional around it
	Nullable bool

	Offset uintptr // of the value in the row
	Set    uintptr // of the bool that says whether it is set; only if Nullable

	tag, outer reflect.StructTag // of its field, and of the field that holds the struct around it
}

// Of returns the columns of a struct, in the order of its fields:
//
//	col:"name"   the column; on a nested struct a prefix, joined by _
//	doc:"..."    the sentence; that of a nested struct stands before its fields'
//
// A struct of Value and Set, which core.Optional is, makes its columns nullable: an
// optional struct is null as a whole. An embedded struct adds its fields as they are. A
// struct whose fields are not columns is a value. Of panics on a column that is optional
// twice: declarations are code.
func Of(row reflect.Type) []Column { return appendColumns(nil, row, Column{}) }

// appendColumns adds the columns of a struct; at says what is around it.
func appendColumns(columns []Column, t reflect.Type, at Column) []Column {
	for i := range t.NumField() {
		f := t.Field(i)
		c := at
		c.tag, c.Type = f.Tag, f.Type
		c.Offset += f.Offset
		if name := f.Tag.Get("col"); name != "" {
			c.Name = join(at.Name, name, "_")
			c.Doc = join(at.Doc, f.Tag.Get("doc"), ": ")
		}
		if isOptional(f.Type) {
			if at.Nullable {
				panic(fmt.Sprintf("column %s is optional twice", c.Name))
			}
			c.Nullable, c.Set = true, c.Offset+f.Type.Field(1).Offset
			c.Type = f.Type.Field(0).Type
		}
		if !hasColumns(c.Type) && !(f.Anonymous && c.Type.Kind() == reflect.Struct) {
			columns = append(columns, c)
			continue
		}
		c.outer = f.Tag
		columns = appendColumns(columns, c.Type, c)
	}
	return columns
}

func isOptional(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 2 &&
		t.Field(0).Name == "Value" && t.Field(1).Name == "Set" && t.Field(1).Type.Kind() == reflect.Bool
}

// hasColumns reports whether the fields of a type are columns.
func hasColumns(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return false
	}
	f := t.Field(0)
	return f.Tag.Get("col") != "" || f.Anonymous && f.Type.Kind() == reflect.Struct
}

func join(a, b, sep string) string {
	if a == "" || b == "" {
		return a + b
	}
	return strings.TrimSuffix(a, ".") + sep + b
}

// Tag returns what the column's field says under a key. The field of a nested struct may
// say otherwise for one column: enc:"memory=delta".
func (c *Column) Tag(key string) string {
	if name, value, ok := strings.Cut(c.outer.Get(key), "="); ok && name == c.tag.Get("col") {
		return value
	}
	return c.tag.Get(key)
}

// At returns the place of the column's value in a row, which is given by its address. V has
// the layout of the column's type.
func At[V any](c *Column, row any) *V {
	return (*V)(unsafe.Add(reflect.ValueOf(row).UnsafePointer(), c.Offset))
}

// Present returns the bool that says whether a row has a value of the column; nil if every row
// has one.
func (c *Column) Present(row any) *bool {
	if !c.Nullable {
		return nil
	}
	return (*bool)(unsafe.Add(reflect.ValueOf(row).UnsafePointer(), c.Set))
}
