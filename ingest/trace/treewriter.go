package trace

import (
	"fmt"
	"path/filepath"
	"reflect"
)

// A TreeWriter adds rows to the tables of one tree.
type TreeWriter struct {
	adder
	seq int64
}

// NextSeq returns 1, 2, 3, ...: a seq for the next row of any of the tree's
// tables. An importer that has the source's own numbers need not use it.
func (t *TreeWriter) NextSeq() int64 {
	t.seq++
	return t.seq
}

// An adder adds rows to the tables of a folder, or of several.
type adder map[reflect.Type]output

// Add adds a row, given by its address, to the table of its type. The row is copied: the caller
// may reuse it. Add panics if the folder has no table of such rows.
func (a adder) Add(row any) error { return a.to(row).add(row) }

// AddAt adds a copy of a row under another stamp.
func (a adder) AddAt(row any, at Stamp) error { return a.to(row).addAt(row, at) }

func (a adder) to(row any) output {
	o, ok := a[reflect.TypeOf(row)]
	if !ok {
		panic(fmt.Sprintf("no table here has rows of type %T", row))
	}
	return o
}

// open makes the outputs of a folder's tables.
func (a adder) open(w *Writer, folder string) {
	for _, t := range TablesIn(folder) {
		o := t.open(t, filepath.Join(w.dir.Path, folder, t.firstFile()), w.options.layoutOf(t))
		a[t.row], w.tables[TableKey(folder, t.Name)] = o, o
	}
}
