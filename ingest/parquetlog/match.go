package parquetlog

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// kinds are the physical types of our types.
var kinds = map[Type]parquet.Kind{
	Int32: parquet.Int32, Int64: parquet.Int64, Time: parquet.Int64,
	Double: parquet.Double, Bool: parquet.Boolean, Text: parquet.ByteArray,
}

// match says what is wrong with a file's column for a declared one, nothing if
// it fits.
func match(found *parquet.Column, c *Column) (wrong string) {
	switch {
	case !found.Leaf() || found.Repeated():
		return "is nested"
	case found.Type().Kind() != kinds[c.Type]:
		return "has the type " + found.Type().String()
	}
	ok := false
	switch logical := logicalType(found.Type()).(type) {
	case nil:
		ok = c.Type != Time // a time without a unit could be wrong by a thousand
	case *format.TimestampType:
		// Many writers leave the mark of UTC out.
		_, micros := logical.Unit.Value.(*format.MicroSeconds)
		ok = c.Type == Time && micros
	case *format.IntType:
		ok = (c.Type == Int32 || c.Type == Int64) && logical.IsSigned
	case *format.StringType, *format.EnumType, *format.JsonType:
		ok = c.Type == Text
	}
	if !ok {
		return "has the type " + found.Type().String()
	}
	return ""
}

// logicalType returns the annotation of a type, nil if it has none.
func logicalType(t parquet.Type) format.LogicalTypeValue {
	if l := t.LogicalType(); l != nil {
		return l.Value
	}
	return nil
}

// advice says how to write a column of the wrong type.
func (c *Column) advice() string {
	sql := [...]string{"", "INTEGER", "BIGINT", "TIMESTAMP WITH TIME ZONE", "DOUBLE", "BOOLEAN", "VARCHAR"}
	return fmt.Sprintf("Write it as %s, in SQL %s.", c.Type, sql[c.Type])
}
