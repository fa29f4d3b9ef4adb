package eventlogtest

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// A parquetEncoder writes rows as a projected copy of the log (ingest/trace/FORMAT.md §2): texts
// and, as binary YSON, maps and lists in byte columns without annotation; numbers and booleans in
// columns of their own types. It goes by parquet-go itself: parquetlog writes the columns of a declared
// table, and these byte columns, with whatever bytes, are none.
type parquetEncoder struct {
	writer *parquet.GenericWriter[any]
	names  []string
	kinds  map[string]kind
}

// groupRows are the rows of a row group, as a copy by Arrow batches has many.
const groupRows = 50000

func newParquetEncoder(out io.Writer, c columns) *parquetEncoder {
	e := &parquetEncoder{}
	e.names, e.kinds = c.projected()
	group := parquet.Group{}
	options := []parquet.WriterOption{parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(groupRows)}
	for name, k := range e.kinds {
		n := parquet.Leaf(parquet.ByteArrayType)
		switch k {
		case integer:
			n = parquet.Int(64)
		case boolean:
			n = parquet.Leaf(parquet.BooleanType)
		case mapping, list:
			options = append(options, parquet.SkipPageBounds(name)) // which would hold whole cells, of megabytes
		}
		if group[name] = parquet.Optional(n); required(name) {
			group[name] = parquet.Required(n)
		}
	}
	e.writer = parquet.NewGenericWriter[any](out, append(options, parquet.NewSchema("schema", group))...)
	return e
}

func required(column string) bool { return column == "event_type" || column == "timestamp" }

// row adds a row. A column that no copy has is an error: nothing of a row is lost unseen.
func (e *parquetEncoder) row(v *Value) error {
	for _, key := range v.keys {
		if _, ok := e.kinds[key]; !ok {
			return fmt.Errorf("no column of the copy is named %s", key)
		}
	}
	cells := make(parquet.Row, len(e.names))
	for i, name := range e.names {
		switch item := v.at(name); {
		case item == nil || item.kind == entity:
			cells[i] = parquet.NullValue().Level(0, 0, i)
		case required(name):
			cells[i] = parquetValue(item).Level(0, 0, i)
		default:
			cells[i] = parquetValue(item).Level(0, 1, i)
		}
	}
	_, err := e.writer.WriteRows([]parquet.Row{cells})
	return err
}

func parquetValue(v *Value) parquet.Value {
	switch v.kind {
	case integer:
		return parquet.Int64Value(v.number)
	case boolean:
		return parquet.BooleanValue(v.number == 1)
	case text:
		return parquet.ByteArrayValue([]byte(v.text))
	}
	return parquet.ByteArrayValue(appendValue(nil, v, BinaryYSON))
}

func (e *parquetEncoder) close() error { return e.writer.Close() }
