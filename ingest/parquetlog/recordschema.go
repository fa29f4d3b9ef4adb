package parquetlog

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// A schemaReader makes the parts of columns from a file's schema. It goes by what
// the file says, and not by the library's types, which leave out annotations that
// the library does not know.
type schemaReader struct {
	file   *parquet.File
	in     io.ReaderAt
	size   int64
	budget *Budget
}

// An element is a column of the file, or a part of one, with what the file says of
// it.
type element struct {
	column *parquet.Column
	says   *format.SchemaElement
	parts  []element
}

// top returns the columns of the file.
func (s *schemaReader) top() []element {
	at := 0
	return s.element(s.file.Root(), &at).parts
}

// element goes over the schema, which lists parts after what they are parts of.
func (s *schemaReader) element(c *parquet.Column, at *int) element {
	e := element{column: c, says: &s.file.Metadata().Schema[*at]}
	*at++
	for _, part := range c.Columns() {
		e.parts = append(e.parts, s.element(part, at))
	}
	return e
}

// node returns the node of a column or part.
func (s *schemaReader) node(e element) (*recordNode, error) {
	n, err := s.single(e)
	if err != nil || !e.column.Repeated() {
		return n, err
	}
	// Without an annotation it is a list that is never missing.
	level := byte(e.column.MaxDefinitionLevel())
	n.name = nil
	return &recordNode{name: []byte(e.column.Name()), kind: listNode, def: level - 1, item: level,
		rep: byte(e.column.MaxRepetitionLevel()), parts: []*recordNode{n}, leaves: n.leaves}, nil
}

// single returns the node of a part, of one if it repeats.
func (s *schemaReader) single(e element) (*recordNode, error) {
	n := &recordNode{name: []byte(e.column.Name()), def: byte(e.column.MaxDefinitionLevel())}
	if e.column.Leaf() {
		l, err := s.leaf(e)
		n.leaves = []*recordLeaf{l}
		return n, err
	}
	parts := e.parts
	switch {
	case is[*format.ListType](e, deprecated.List):
		if len(parts) != 1 || !parts[0].column.Repeated() {
			return nil, notShown("a list whose items are not repeated")
		}
		n.kind = listNode
		n.repeats(parts[0])
		if parts = parts[0].items(e); len(parts) != 1 {
			return nil, notShown("a list of nothing")
		}
	case is[*format.MapType](e, deprecated.Map), is[*format.MapType](e, deprecated.MapKeyValue):
		if len(parts) != 1 || !parts[0].column.Repeated() || len(parts[0].parts) == 0 || len(parts[0].parts) > 2 {
			return nil, notShown("a map that is not of keys and values")
		}
		n.kind = mapNode
		n.repeats(parts[0])
		if parts = parts[0].parts; !parts[0].column.Leaf() || parts[0].column.Optional() || parts[0].column.Type().Kind() != parquet.ByteArray {
			return nil, notShown("a map with keys that are not texts")
		}
	default:
		if e.says.LogicalType.Value != nil {
			return nil, notShown(fmt.Sprintf("the type %T", e.says.LogicalType.Value))
		}
		n.kind = structNode
	}
	for _, part := range parts {
		p, err := s.part(part, n)
		if err != nil {
			return nil, err
		}
		n.parts = append(n.parts, p)
		n.leaves = append(n.leaves, p.leaves...)
	}
	if len(n.leaves) == 0 {
		return nil, notShown("a group without columns")
	}
	return n, nil
}

// part returns a part of n. An item that itself repeats is not read as another list.
func (s *schemaReader) part(e element, n *recordNode) (*recordNode, error) {
	if n.kind == listNode && e.column.MaxRepetitionLevel() == int(n.rep) && e.column.Repeated() {
		return s.single(e)
	}
	return s.node(e)
}

// repeats takes the levels of what repeats in a list or a map.
func (n *recordNode) repeats(e element) {
	n.rep, n.item = byte(e.column.MaxRepetitionLevel()), byte(e.column.MaxDefinitionLevel())
}

// items returns the item of a list; e is what repeats: its only part, or itself in the older
// forms (backward compatibility rules of Parquet's LogicalTypes.md).
func (e element) items(list element) []element {
	name := e.column.Name()
	if len(e.parts) != 1 || name == "array" || name == list.column.Name()+"_tuple" {
		return []element{e}
	}
	return e.parts
}

// is reports whether an element has an annotation, by the new name or the old.
func is[T any](e element, old deprecated.ConvertedType) bool {
	if v := e.says.LogicalType.Value; v != nil {
		_, ok := v.(T)
		return ok
	}
	return e.says.ConvertedType.Valid && e.says.ConvertedType.V == old
}

func notShown(what string) error {
	return &FormatError{Found: "it is or holds " + what + ", which is not read", Advice: "Write it with another type, or leave the column out."}
}

// leaf returns the reader of a column of values.
func (s *schemaReader) leaf(e element) (*recordLeaf, error) {
	if !e.says.Type.Valid {
		return nil, errors.New("a column has neither a type nor parts")
	}
	kind := parquet.Kind(e.says.Type.V)
	convert := conversion(e.says, kind)
	if convert == nil {
		return nil, notShown("the type " + describe(e.says, kind))
	}
	if kind == parquet.FixedLenByteArray && e.says.TypeLength.V <= 0 {
		return nil, errors.New("a column has values of no length")
	}
	of := physical{kind, int(e.says.TypeLength.V), byte(e.column.MaxDefinitionLevel()), byte(e.column.MaxRepetitionLevel())}
	l := &recordLeaf{convert: convert, pages: newPages(of, s.budget)}
	for i := range s.file.Metadata().RowGroups {
		c, err := chunkOf(s.file, i, e.column, kind, s.in, s.size)
		if err != nil {
			return nil, err
		}
		l.chunks = append(l.chunks, c)
	}
	return l, nil
}

func describe(says *format.SchemaElement, kind parquet.Kind) string {
	switch {
	case says.LogicalType.Value != nil:
		return fmt.Sprintf("%v of %s", says.LogicalType.Value, kind)
	case says.ConvertedType.Valid:
		return fmt.Sprintf("%v of %s", says.ConvertedType.V, kind)
	}
	return kind.String()
}

// conversion returns how a column of values is shown, nil if it is not.
func conversion(says *format.SchemaElement, kind parquet.Kind) func(d *pageData, i int, v Visitor) {
	logical := says.LogicalType.Value
	if logical == nil && says.ConvertedType.Valid {
		logical = converted(says.ConvertedType.V)
		if logical == nil {
			return nil
		}
	}
	switch t := logical.(type) {
	case nil:
		return plainConversion(kind)
	case *format.StringType, *format.EnumType, *format.JsonType:
		if kind == parquet.ByteArray {
			return func(d *pageData, i int, v Visitor) { v.Bytes(d.text(i), true) }
		}
	case *format.NullType:
		if plainConversion(kind) != nil {
			return func(_ *pageData, _ int, v Visitor) { v.Null() } // a value of it would be damage
		}
	case *format.IntType:
		switch {
		case kind == parquet.Int32 && t.BitWidth <= 32 && !t.IsSigned:
			return func(d *pageData, i int, v Visitor) { v.Uint(uint64(uint32(d.int32s[i]))) }
		case kind == parquet.Int64 && !t.IsSigned:
			return func(d *pageData, i int, v Visitor) { v.Uint(uint64(d.int64s[i])) }
		case kind == parquet.Int32 && t.BitWidth <= 32 || kind == parquet.Int64:
			return plainConversion(kind)
		}
	case *format.DateType:
		if kind == parquet.Int32 {
			return func(d *pageData, i int, v Visitor) { v.Time(times(int64(d.int32s[i]), 24*60*60*1e6)) }
		}
	case *format.TimestampType:
		if kind == parquet.Int64 {
			return timestamp(t)
		}
	}
	return nil
}

// plainConversion is that of a column without annotation.
func plainConversion(kind parquet.Kind) func(d *pageData, i int, v Visitor) {
	switch kind {
	case parquet.Boolean:
		return func(d *pageData, i int, v Visitor) { v.Bool(d.bools[i] != 0) }
	case parquet.Int32:
		return func(d *pageData, i int, v Visitor) { v.Int(int64(d.int32s[i])) }
	case parquet.Int64:
		return func(d *pageData, i int, v Visitor) { v.Int(d.int64s[i]) }
	case parquet.Int96: // nothing but a time, of older writers
		return func(d *pageData, i int, v Visitor) { v.Time(int96(d.int96s[i])) }
	case parquet.Float:
		return func(d *pageData, i int, v Visitor) { v.Double(float64(d.floats[i])) }
	case parquet.Double:
		return func(d *pageData, i int, v Visitor) { v.Double(d.doubles[i]) }
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(d *pageData, i int, v Visitor) { v.Bytes(d.text(i), false) }
	}
	return nil
}

func timestamp(t *format.TimestampType) func(d *pageData, i int, v Visitor) {
	switch t.Unit.Value.(type) {
	case *format.MilliSeconds:
		return func(d *pageData, i int, v Visitor) { v.Time(times(d.int64s[i], 1000)) }
	case *format.MicroSeconds:
		return func(d *pageData, i int, v Visitor) { v.Time(d.int64s[i]) }
	case *format.NanoSeconds:
		return func(d *pageData, i int, v Visitor) { v.Time(floor(d.int64s[i], 1000)) }
	}
	return nil
}

// times multiplies, up to what int64 holds.
func times(n, by int64) int64 {
	switch {
	case n > math.MaxInt64/by:
		return math.MaxInt64
	case n < math.MinInt64/by:
		return math.MinInt64
	}
	return n * by
}

func floor(n, by int64) int64 {
	if n < 0 && n%by != 0 {
		return n/by - 1
	}
	return n / by
}

// int96 reads nanoseconds of a day and the day by the Julian count, in which 1970 began on
// 2440588.
func int96(t deprecated.Int96) int64 {
	day := times(int64(t[2])-2440588, 24*60*60*1e6)
	nanos := int64(uint64(t[1])<<32 | uint64(t[0]))
	if day == math.MaxInt64 {
		return day
	}
	return day + floor(nanos, 1000)
}

// converted is the annotation that an old name stands for.
func converted(old deprecated.ConvertedType) format.LogicalTypeValue {
	switch old {
	case deprecated.UTF8:
		return new(format.StringType)
	case deprecated.Enum:
		return new(format.EnumType)
	case deprecated.Json:
		return new(format.JsonType)
	case deprecated.Date:
		return new(format.DateType)
	case deprecated.TimestampMillis:
		return &format.TimestampType{Unit: format.TimeUnit{Value: new(format.MilliSeconds)}}
	case deprecated.TimestampMicros:
		return &format.TimestampType{Unit: format.TimeUnit{Value: new(format.MicroSeconds)}}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32:
		return &format.IntType{BitWidth: 32}
	case deprecated.Uint64:
		return &format.IntType{BitWidth: 64}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32:
		return &format.IntType{BitWidth: 32, IsSigned: true}
	case deprecated.Int64:
		return &format.IntType{BitWidth: 64, IsSigned: true}
	}
	return nil
}
