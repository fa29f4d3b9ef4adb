package parquetlog

import (
	"errors"
	"io"
	"runtime/debug"
	"slices"
)

// A Visitor is shown the values of a record, in the order of its columns. Bytes are
// valid during the call.
type Visitor interface {
	Column(i int) // begins a column that is not null
	Null()        // an item of a list, or a value of a map, that is null
	Bool(is bool)
	Int(n int64)
	Uint(n uint64) // of unsigned columns, whatever its size
	Double(x float64)
	Time(micros int64)           // since 1970 UTC; what int64 does not hold is its end
	Bytes(b []byte, isText bool) // isText: the column says that it is UTF-8
	Map()                        // then a Key and a value for each entry, and End
	List()                       // then the items, and End
	Key(name []byte)
	End()
}

// Records reads the records of a file without a declared Table, one after the
// other: the log of another system. It is for one goroutine. A column holds one page
// at a time, and columns that are not wanted are not read.
//
//	r, err := OpenRecords(name, file, size, budget, pick)
//	for err == nil {
//		err = r.Next(visitor) // io.EOF after the last
//	}
type Records struct {
	name    string
	columns []*recordColumn
	leaves  []*recordLeaf // of all columns
	rows    int64
	read    int64
	groups  []int64 // rows of the row groups
	group   int     // the next one
	left    int64   // rows of the open one that were not read
}

// A recordColumn is a column that is wanted.
type recordColumn struct {
	name string
	node *recordNode
}

// OpenRecords opens the size bytes of in. Name stands for the file in errors. Pick is
// given the names of all columns and returns those that are wanted, in the order in
// which they are shown. A column of a type that is not read is refused by a
// *FormatError. The budget is for a page of each column. A file of no bytes has no
// rows (ingest/trace/FORMAT.md §2).
func OpenRecords(name string, in io.ReaderAt, size int64, budget *Budget, pick func(columns []string) []string) (r *Records, err error) {
	r = &Records{name: name}
	if size == 0 {
		return r, nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(name, &err)
	f, err := open(in, size)
	if err != nil {
		return nil, wrap(name, err)
	}
	if r.rows, err = rowsOf(f.RowGroups(), size); err != nil {
		return nil, wrap(name, err)
	}
	for _, g := range f.RowGroups() {
		r.groups = append(r.groups, g.NumRows())
	}
	s := schemaReader{file: f, in: in, size: size, budget: budget}
	nodes := s.top()
	var names []string
	for _, n := range nodes {
		names = append(names, n.column.Name())
	}
	for _, wanted := range pick(names) {
		i := slices.Index(names, wanted)
		if slices.Contains(names[i+1:], wanted) {
			return nil, &FormatError{File: name, Column: wanted, Found: "the file has two columns of this name", Advice: "Write it with one."}
		}
		node, err := s.node(nodes[i])
		if err != nil {
			return nil, wrapColumn(name, err, wanted)
		}
		r.columns = append(r.columns, &recordColumn{wanted, node})
	}
	for _, c := range r.columns {
		r.leaves = append(r.leaves, c.node.leaves...)
	}
	for _, l := range r.leaves {
		l.buffer = bufferOf(size, len(r.leaves))
	}
	return r, nil
}

// Rows returns how many records the file has.
func (r *Records) Rows() int64 { return r.rows }

// Next shows the next record. After the last it returns io.EOF. Any other error ends
// the reading.
func (r *Records) Next(v Visitor) (err error) {
	if r.read == r.rows {
		return io.EOF
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer guard(r.name, &err)
	for r.left == 0 {
		if err := r.nextGroup(); err != nil {
			return err
		}
	}
	for i, c := range r.columns {
		if err := c.show(i, v); err != nil {
			return wrapColumn(r.name, noEOF(err), c.name)
		}
	}
	r.read++
	r.left--
	return nil
}

// show shows a column of the next record, unless it is null.
func (c *recordColumn) show(i int, v Visitor) error {
	def, err := c.node.leaves[0].peek()
	if err != nil {
		return err
	}
	if def < c.node.def {
		return c.node.skip()
	}
	v.Column(i)
	return c.node.show(v)
}

// nextGroup opens the next row group.
func (r *Records) nextGroup() error {
	for _, c := range r.columns {
		for _, l := range c.node.leaves {
			if err := l.open(r.group); err != nil {
				return wrapColumn(r.name, err, c.name)
			}
		}
	}
	r.left = r.groups[r.group]
	r.group++
	return nil
}

// Close lets others have the buffers.
func (r *Records) Close() {
	for _, l := range r.leaves {
		l.pages.close()
	}
	r.leaves, r.columns, r.rows, r.read = nil, nil, 0, 0
}

// A recordNode is a part of a column: a value, or a map or list with its parts.
type recordNode struct {
	name   []byte // of a member of a map
	kind   nodeKind
	def    byte // definition level at which it is there
	rep    byte // of a list or map of the file: repetition level of its items
	item   byte // and definition level of its items
	parts  []*recordNode
	leaves []*recordLeaf // all below, at least one
}

type nodeKind uint8

const (
	valueNode  nodeKind = iota
	structNode          // a map whose keys are the names of its parts that are not null
	listNode            // part 0 is the item
	mapNode             // part 0 is the key, part 1 the value
)

// show shows a part that is there.
func (n *recordNode) show(v Visitor) error {
	switch n.kind {
	case structNode:
		v.Map()
		for _, part := range n.parts {
			if err := part.showMember(v); err != nil {
				return err
			}
		}
		v.End()
		return nil
	case listNode, mapNode:
		return n.showItems(v)
	}
	return n.leaves[0].show(v)
}

// showMember shows a member of a struct, unless it is null: such a member counts as absent.
func (n *recordNode) showMember(v Visitor) error {
	def, err := n.leaves[0].peek()
	switch {
	case err != nil:
		return err
	case def < n.def:
		return n.skip()
	}
	v.Key(n.name)
	return n.show(v)
}

// showOrNull shows an item of a list, or a value of a map.
func (n *recordNode) showOrNull(v Visitor) error {
	def, err := n.leaves[0].peek()
	switch {
	case err != nil:
		return err
	case def < n.def:
		v.Null()
		return n.skip()
	}
	return n.show(v)
}

func (n *recordNode) showItems(v Visitor) error {
	if n.kind == listNode {
		v.List()
	} else {
		v.Map()
	}
	def, err := n.leaves[0].peek()
	if err != nil {
		return err
	}
	if def < n.item { // it is there and empty
		v.End()
		return n.skip()
	}
	for more := true; more; {
		if err := n.showItem(v); err != nil {
			return err
		}
		if more, err = n.leaves[0].goesOn(n.rep); err != nil {
			return err
		}
	}
	v.End()
	return nil
}

func (n *recordNode) showItem(v Visitor) error {
	if n.kind == mapNode {
		key, err := n.parts[0].leaves[0].text()
		if err != nil {
			return err
		}
		v.Key(key)
		if len(n.parts) == 1 {
			v.Null()
			return nil
		}
		return n.parts[1].showOrNull(v)
	}
	return n.parts[0].showOrNull(v)
}

// skip passes over a part that is not there: each leaf says so once.
func (n *recordNode) skip() error {
	for _, l := range n.leaves {
		if err := l.skip(); err != nil {
			return err
		}
	}
	return nil
}

// A recordLeaf reads a column of values.
type recordLeaf struct {
	convert func(d *pageData, i int, v Visitor)
	chunks  []chunk // one per row group
	pages   *pages
	buffer  int
	at      int // entry of the page
	value   int // value of the page
}

// open begins a row group.
func (l *recordLeaf) open(group int) error {
	p := &l.pages.page
	if l.at < p.n {
		return errors.New("a column chunk has more rows than its row group")
	}
	l.at, l.value, p.n = 0, 0, 0
	return l.pages.open(&l.chunks[group], l.buffer)
}

// load makes sure that there is an entry, or returns io.EOF.
func (l *recordLeaf) load() error {
	for l.at == l.pages.page.n {
		l.at, l.value, l.pages.page.n = 0, 0, 0
		if err := l.pages.next(); err != nil {
			l.pages.page.n = 0
			return err
		}
	}
	return nil
}

// peek returns the definition level of the next entry.
func (l *recordLeaf) peek() (byte, error) {
	if l.at == l.pages.page.n {
		if err := l.load(); err != nil {
			return 0, err
		}
	}
	if d := l.pages.page.def; d != nil {
		return d[l.at], nil
	}
	return l.pages.def, nil
}

// goesOn reports whether the next entry is another item of the list of that level.
func (l *recordLeaf) goesOn(rep byte) (bool, error) {
	if err := l.load(); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return false, err
	}
	return l.pages.page.rep[l.at] >= rep, nil
}

// nextValue consumes the next entry, which must hold a value, and returns where the value is.
func (l *recordLeaf) nextValue() (*pageData, int, error) {
	def, err := l.peek()
	if err == nil && def < l.pages.def {
		err = errors.New("a value is missing where another column of the same group has one")
	}
	if err != nil {
		return nil, 0, err
	}
	i := l.value
	l.at++
	l.value++
	if p := &l.pages.page; !p.indexed {
		return &p.data, i, nil
	}
	return &l.pages.dict, int(l.pages.page.indexes[i]), nil
}

func (l *recordLeaf) show(v Visitor) error {
	d, i, err := l.nextValue()
	if err == nil {
		l.convert(d, i, v)
	}
	return err
}

func (l *recordLeaf) text() ([]byte, error) {
	d, i, err := l.nextValue()
	if err != nil {
		return nil, err
	}
	return d.text(i), nil
}

// skip passes over an entry that holds no value.
func (l *recordLeaf) skip() error {
	def, err := l.peek()
	if err == nil && def == l.pages.def {
		err = errors.New("there is a value where another column of the same group has none")
	}
	l.at++
	return err
}
