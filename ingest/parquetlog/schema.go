package parquetlog

import (
	"reflect"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
)

// schema returns the Parquet schema of the table, its columns in declared order.
func (t *Table) schema() *parquet.Schema {
	root := &message{Group: parquet.Group{}}
	for i := range t.Columns {
		c := &t.Columns[i]
		n := c.node()
		root.Group[c.Name] = n
		root.fields = append(root.fields, &leaf{n, c.Name})
	}
	return parquet.NewSchema(t.Name, root)
}

func (c *Column) node() parquet.Node {
	n := map[Type]func() parquet.Node{
		Int32:  func() parquet.Node { return parquet.Leaf(parquet.Int32Type) },
		Int64:  func() parquet.Node { return parquet.Leaf(parquet.Int64Type) },
		Time:   func() parquet.Node { return parquet.Timestamp(parquet.Microsecond) },
		Double: func() parquet.Node { return parquet.Leaf(parquet.DoubleType) },
		Bool:   func() parquet.Node { return parquet.Leaf(parquet.BooleanType) },
		Text:   parquet.String,
	}[c.Type]()
	n = parquet.Encoded(n, [...]encoding.Encoding{&parquet.Plain, &parquet.DeltaBinaryPacked, &parquet.RLEDictionary}[c.Encoding])
	if c.Nullable {
		return parquet.Optional(n)
	}
	return parquet.Required(n)
}

// A message is the root of a schema. A parquet.Group alone would sort its
// columns by name; people read files in the order of the declaration.
type message struct {
	parquet.Group
	fields []parquet.Field
}

func (m *message) Fields() []parquet.Field { return m.fields }

type leaf struct {
	parquet.Node
	name string
}

func (l *leaf) Name() string { return l.name }

// Value is for writers that take apart Go values; ours hands over columns.
func (l *leaf) Value(reflect.Value) reflect.Value { panic("parquetlog writes columns, not values") }
