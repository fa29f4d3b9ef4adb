package eventlogtest

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// projected are the columns of a projected copy of the log
// (ingest/trace/FORMAT.md §2): texts and, as binary YSON, maps and lists in byte columns
// without annotation; numbers and booleans in columns of their own types.
var projected = []struct {
	name string
	kind kind // text, integer or boolean; mapping for what is YSON
}{
	{"accumulated_resource_usage_per_tree", mapping}, {"address", text}, {"authenticated_user", text}, {"error", mapping},
	{"event_type", text}, {"exec_node_count", integer}, {"experiment_assignment_names", mapping}, {"experiment_assignments", mapping},
	{"finish_time", text}, {"has_competitors", boolean}, {"has_probing_competitors", boolean}, {"job_competition_id", text}, {"job_id", text},
	{"job_type", text}, {"node_address", text}, {"nodes", mapping}, {"nodes_batch_index", integer}, {"nodes_info_event_id", text},
	{"operation_id", text}, {"operation_type", text}, {"operations", mapping}, {"operations_batch_index", integer}, {"pool", text},
	{"pool_count", integer}, {"pools", mapping}, {"pools_batch_index", integer}, {"predecessor_job_id", text}, {"predecessor_type", text},
	{"preempted_for", mapping}, {"probing_job_competition_id", text}, {"progress", mapping}, {"reason", text},
	{"resource_distribution_info", mapping}, {"resource_limits", mapping}, {"resource_usage", mapping}, {"runtime_parameters", mapping},
	{"runtime_params", mapping}, {"scheduling_info_per_tree", mapping}, {"spec", mapping}, {"start_time", text}, {"statistics", mapping},
	{"timestamp", text}, {"total_node_count", integer}, {"tree_id", text}, {"tree_snapshot_id", text}, {"unrecognized_spec", mapping},
}

// A parquetEncoder writes rows as a projected copy. It goes by parquet-go itself:
// parquetlog writes the columns of a declared table, and these byte columns, without
// annotation and with whatever bytes, are none.
type parquetEncoder struct {
	writer  *parquet.GenericWriter[any]
	columns map[string]int // number of a column by its name
	pending []parquet.Row
	group   int // rows in the row group at hand
}

// Rows of a row group, as a copy by Arrow batches has many, and rows written at a time.
const (
	groupRows = 50000
	batchRows = 256
)

func newParquetEncoder(out io.Writer) *parquetEncoder {
	group := parquet.Group{}
	e := &parquetEncoder{columns: map[string]int{}}
	for i, c := range projected {
		e.columns[c.name] = i
		var n parquet.Node
		switch c.kind {
		case integer:
			n = parquet.Int(64)
		case boolean:
			n = parquet.Leaf(parquet.BooleanType)
		default:
			n = parquet.Leaf(parquet.ByteArrayType)
		}
		if c.name == "event_type" || c.name == "timestamp" {
			group[c.name] = parquet.Required(n)
		} else {
			group[c.name] = parquet.Optional(n)
		}
	}
	options := []parquet.WriterOption{parquet.NewSchema("schema", group), parquet.Compression(&parquet.Snappy)}
	for _, c := range projected {
		if c.kind == mapping {
			options = append(options, parquet.SkipPageBounds(c.name)) // which would hold whole cells, of megabytes
		}
	}
	e.writer = parquet.NewGenericWriter[any](out, options...)
	return e
}

// row adds a row. A column that no copy has is an error: nothing of a row is lost
// unseen.
func (e *parquetEncoder) row(v *Value) error {
	for _, key := range v.keys {
		if _, ok := e.columns[key]; !ok {
			return fmt.Errorf("no column of the copy is named %s", key)
		}
	}
	row := make(parquet.Row, len(projected))
	for i, c := range projected {
		item := v.at(c.name)
		if item == nil || item.kind == entity {
			row[i] = parquet.NullValue().Level(0, 0, i)
			continue
		}
		level := 1
		if c.name == "event_type" || c.name == "timestamp" {
			level = 0
		}
		row[i] = parquetValue(c.kind, item).Level(0, level, i)
	}
	if e.pending = append(e.pending, row); len(e.pending) < batchRows {
		return nil
	}
	return e.flush()
}

func parquetValue(k kind, v *Value) parquet.Value {
	switch k {
	case integer:
		return parquet.Int64Value(int64(v.number))
	case boolean:
		return parquet.BooleanValue(v.number == 1)
	case text:
		return parquet.ByteArrayValue([]byte(v.text))
	}
	return parquet.ByteArrayValue(appendYSON(make([]byte, 0, sizeHint(v)), v, true))
}

// sizeHint is about how long a map of encoded items is.
func sizeHint(v *Value) (n int) {
	for i := range v.items {
		n += len(v.items[i].text) + 64
	}
	return n
}

func (e *parquetEncoder) flush() error {
	if _, err := e.writer.WriteRows(e.pending); err != nil {
		return err
	}
	e.group += len(e.pending)
	e.pending = e.pending[:0]
	if e.group < groupRows {
		return nil
	}
	e.group = 0
	return e.writer.Flush()
}

func (e *parquetEncoder) document(*Value) error {
	return fmt.Errorf("a single value is no Parquet file")
}

func (e *parquetEncoder) close() error {
	if err := e.flush(); err != nil {
		return err
	}
	return e.writer.Close()
}
