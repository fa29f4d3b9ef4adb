package ingest

import (
	"reflect"
	"unsafe"

	declared "poolproof/core/rows"
	"poolproof/ingest/parquetlog"
)

// A column is one of a table's, bound to the batch at hand. A source that reads rows of a log names
// its columns by the tags of such fields, its own and those of groups:
//
//	type heartbeats struct {
//		tableSource
//		node  column `col:"node_ix"`
//		limit group  `col:"limit"` // limit_user_slots, limit_cpu_milli, ...
//	}
type column struct {
	name              string
	parquetlog.Vector // of the batch at hand
}

// A binding says where the columns of a source are.
type binding struct {
	names []string
	bind  func(*parquetlog.Batch)
}

// bindColumns returns the binding of the columns in the struct of a source, whose names it sets.
func bindColumns[S any](source *S, table *parquetlog.Table) binding {
	var columns []*column
	var places []int
	var b binding
	for _, c := range declared.Of(reflect.TypeFor[S]()) {
		if c.Type != reflect.TypeFor[column]() {
			continue
		}
		to := (*column)(unsafe.Add(unsafe.Pointer(source), c.Offset))
		to.name = c.Name
		b.names, columns, places = append(b.names, c.Name), append(columns, to), append(places, table.Column(c.Name))
	}
	groups := groupsIn(nil, reflect.TypeFor[S](), unsafe.Pointer(source))
	b.bind = func(batch *parquetlog.Batch) {
		for i, to := range columns {
			to.Vector = batch.Columns[places[i]]
		}
		for _, g := range groups {
			g.bound()
		}
	}
	return b
}

// groupsIn adds the groups in a struct.
func groupsIn(groups []*group, t reflect.Type, at unsafe.Pointer) []*group {
	if t == reflect.TypeFor[group]() {
		return append(groups, (*group)(at))
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			groups = groupsIn(groups, t.Field(i).Type, unsafe.Add(at, t.Field(i).Offset))
		}
	}
	return groups
}

// allColumns is the binding of a source that reads whole rows as structs.
func allColumns() binding { return binding{bind: func(*parquetlog.Batch) {}} }
