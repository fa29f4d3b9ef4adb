package parquetlog

import (
	"fmt"
	"reflect"

	"poolproof/core/rows"
)

// A TableOf is a Table whose rows are values of the struct type T. The struct
// is the declaration: its fields are the columns.
type TableOf[T any] struct {
	Table
	fields []rows.Column
}

// Declare returns the table whose columns are those of T, as package rows has them:
//
//	enc:"delta|dict|plain"  the encoding, plain by default; dict for text and int32, delta for
//	                        times. On a nested struct enc:"name=delta" sets that of one field.
//	bloom:"yes"             a bloom filter
//
// A column is an int32, int64, float64, bool or string, or a type made from one
// (core.Time is a time). Declare panics on anything else.
func Declare[T any](name, doc string) *TableOf[T] {
	t := &TableOf[T]{Table{Name: name, Doc: doc}, rows.Of(reflect.TypeFor[T]())}
	for i := range t.fields {
		t.Columns = append(t.Columns, column(name, &t.fields[i]))
	}
	return t
}

// Fields returns where the values of the columns lie in a row.
func (t *TableOf[T]) Fields() []rows.Column { return t.fields }

func column(table string, f *rows.Column) Column {
	c := Column{Name: f.Name, Nullable: f.Nullable, Bloom: f.Tag("bloom") == "yes", Doc: f.Doc}
	switch f.Type.Kind() {
	case reflect.Int32:
		c.Type, c.Encoding = Int32, Dict
	case reflect.Int64:
		c.Type = Int64
		if f.Type.Name() == "Time" {
			c.Type, c.Encoding = Time, Delta
		}
	case reflect.Float64:
		c.Type = Double
	case reflect.Bool:
		c.Type = Bool
	case reflect.String:
		c.Type, c.Encoding = Text, Dict
	default:
		panic(fmt.Sprintf("table %s: column %s has the type %s", table, c.Name, f.Type))
	}
	switch f.Tag("enc") {
	case "plain":
		c.Encoding = Plain
	case "delta":
		c.Encoding = Delta
	case "dict":
		c.Encoding = Dict
	}
	return c
}
