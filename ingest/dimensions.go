package ingest

import (
	"fmt"
	"strconv"

	"poolproof/core"
	"poolproof/ingest/parquetlog"
	"poolproof/ingest/trace"
)

// A dimension is read column by column like a log: its other columns, such as
// whole specs, can be large.

// dimensionRows are read at a time: some columns hold texts of megabytes.
const dimensionRows = 256

// A dimensionReader reads one table of dim/. Ids are the rows' own numbers;
// rows out of place are found, wherever they stand.
type dimensionReader struct {
	trace  *Trace
	source string
	batch  *parquetlog.Batch
	intern *parquetlog.Interner
	table  *parquetlog.Table
	taken  []bool
}

// read calls use with every row that has a number of its own.
func (d *dimensionReader) read(key string, columns []string, grow func(n int), use func(i, id int)) error {
	d.intern = parquetlog.NewInterner(d.trace.memory.Pages)
	k := d.table.Column(key)
	return d.trace.each("dim", d.table, parquetlog.ReadOptions{Columns: append(columns, key), Interner: d.intern,
		Rows: dimensionRows}, func(source string, b *parquetlog.Batch) {
		d.source, d.batch = source, b
		if d.taken == nil {
			// Ids are dense: there are as many as rows.
			d.taken = make([]bool, b.Of)
			grow(int(b.Of))
		}
		for i := range b.Rows {
			if d.bad(i, k, key) {
				continue
			}
			id := int(b.Columns[k].Int32s[i])
			d.taken[id] = true
			use(i, id)
		}
	})
}

// bad records a row without a number of its own.
func (d *dimensionReader) bad(i, k int, key string) bool {
	v := &d.batch.Columns[k]
	id := int(v.Int32s[i])
	code := ""
	switch {
	case v.Null(i):
		code = nullValue
	case id < 0 || id >= len(d.taken):
		code = idOutOfRange
	case d.taken[id]:
		code = duplicateID
	default:
		return false
	}
	d.trace.problems[""].add(Problem{d.source, d.batch.First + int64(i), key, code, strconv.Itoa(id)})
	return true
}

// text returns a text of row i. Text that is not UTF-8 is read as U+FFFD.
func (d *dimensionReader) text(column string, i int) string {
	k := d.table.Column(column)
	v := &d.batch.Columns[k]
	if d.table.Columns[k].Interned() {
		return d.intern.Text(v.Texts[i])
	}
	return d.intern.String(v.Bytes(i))
}

func (t *Trace) readOperations() error {
	d := &dimensionReader{trace: t, table: &trace.Operations.Table}
	ops := &t.dimensions.Operations
	grow := func(n int) {
		*ops = append(*ops, make([]core.OperationInfo, n-len(*ops))...)
		t.operations = append(t.operations, make([]operation, n-len(t.operations))...)
	}
	specs := t.newSpecReader()
	start, gang, jobs := d.table.Column("start_time"), d.table.Column("is_gang"), d.table.Column("job_count")
	defer func() {
		for id := range *ops {
			called(&(*ops)[id].ID, "op_ix", id)
		}
	}()
	return d.read("op_ix", []string{"operation_id", "operation_type", "user", "start_time", "is_gang", "job_count", specColumn}, grow, func(i, id int) {
		(*ops)[id] = core.OperationInfo{ID: d.text("operation_id", i), Type: d.text("operation_type", i), User: d.text("user", i)}
		if v := &d.batch.Columns[start]; !v.Null(i) {
			(*ops)[id].Start = core.Some(core.Time(v.Int64s[i]))
		}
		if v := &d.batch.Columns[jobs]; !v.Null(i) {
			(*ops)[id].Jobs = core.Some(v.Int64s[i])
		}
		if v := &d.batch.Columns[gang]; !v.Null(i) {
			t.operations[id].gang = core.Some(v.Bools[i])
		}
		t.operations[id].spec = specs.read(d, i)
	})
}

func (t *Trace) readPools() error {
	d := &dimensionReader{trace: t, table: &trace.Pools.Table}
	pools := &t.dimensions.Pools
	grow := func(n int) { *pools = append(*pools, make([]core.PoolInfo, n-len(*pools))...) }
	ephemeral := d.table.Column("is_ephemeral")
	defer func() {
		for id := range *pools {
			called(&(*pools)[id].Name, "pool_ix", id)
		}
	}()
	return d.read("pool_ix", []string{"tree", "pool", "is_ephemeral"}, grow, func(i, id int) {
		(*pools)[id] = core.PoolInfo{Tree: d.text("tree", i), Name: d.text("pool", i), Ephemeral: d.batch.Columns[ephemeral].Bools[i]}
	})
}

func (t *Trace) readNodes() error {
	d := &dimensionReader{trace: t, table: &trace.Nodes.Table}
	nodes := &t.dimensions.Nodes
	grow := func(n int) { *nodes = append(*nodes, make([]string, n-len(*nodes))...) }
	defer func() {
		for id := range *nodes {
			called(&(*nodes)[id], "node_ix", id)
		}
	}()
	return d.read("node_ix", []string{"address"}, grow, func(i, id int) { (*nodes)[id] = d.text("address", i) })
}

// called names what has no name by its number: every finding names its subject.
func called(name *string, key string, id int) {
	if *name == "" {
		*name = fmt.Sprintf("%s=%d", key, id)
	}
}

// readProblems reads what the import could not use.
func (t *Trace) readProblems() error {
	table := &trace.Problems.Table
	in := parquetlog.NewInterner(t.memory.Pages)
	return t.each("global", table, parquetlog.ReadOptions{Interner: in}, func(_ string, b *parquetlog.Batch) {
		var p trace.Problem
		for i := range b.Rows {
			trace.Problems.Row(b, i, in, &p)
			t.problems[""].add(Problem{p.Source, p.Row, p.Column.Value, p.Code, p.Value.Value})
		}
	})
}
