package tables

import (
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// cells are the buffered values of one column.
type cells interface {
	add(row unsafe.Pointer) (text int)   // returns how many bytes of text are buffered
	array(n int, alone bool) arrow.Array // of the n rows added, which are all of the file if alone; to be released before reset
	reset()
	reserve(rows int) // makes room for that many rows at once
}

// A validity says which rows have a value. It stays empty while all have.
type validity struct {
	bits  []byte
	nulls int
}

func (v *validity) add(at int, ok bool) {
	if at%8 == 0 {
		v.bits = append(v.bits, 0)
	}
	if ok {
		bitutil.SetBit(v.bits, at)
	} else {
		v.nulls++
	}
}

func (v *validity) buffer() *memory.Buffer {
	if v.nulls == 0 {
		return nil
	}
	return memory.NewBufferBytes(v.bits)
}

// reserved returns the values with room for n, whose memory is touched, that is,
// counted from now on.
func reserved[T any](values []T, n int) []T {
	s := make([]T, n)
	clear(s)
	return s[:copy(s, values)]
}

func (v *validity) reset() { v.bits, v.nulls = v.bits[:0], 0 }

// fixedCells are numbers.
type fixedCells[T int32 | int64 | float64] struct {
	of     arrow.DataType
	is     func(unsafe.Pointer) bool // nil: always
	get    func(unsafe.Pointer) T
	values []T
	valid  validity
}

func (c *fixedCells[T]) add(row unsafe.Pointer) int {
	var v T
	if c.is == nil {
		v = c.get(row)
	} else {
		ok := c.is(row)
		c.valid.add(len(c.values), ok)
		if ok {
			v = c.get(row)
		}
	}
	c.values = append(c.values, v)
	return 0
}

func (c *fixedCells[T]) array(n int, _ bool) arrow.Array {
	return makeArray(c.of, n, &c.valid, bytesOf(c.values))
}

func (c *fixedCells[T]) reserve(rows int) { c.values = reserved(c.values, rows) }

func (c *fixedCells[T]) reset() {
	c.values = c.values[:0]
	c.valid.reset()
}

// indexCells are words out of a dictionary.
type indexCells struct {
	of         *arrow.DictionaryType
	dictionary *dictionary
	is         func(unsafe.Pointer) bool
	get        func(unsafe.Pointer) int32
	values     []int32
	valid      validity
}

// always picks the one word of a dictionary that has one.
func always(unsafe.Pointer) int32 { return 0 }

func (c *indexCells) add(row unsafe.Pointer) int {
	var v int32
	ok := c.is == nil || c.is(row)
	if ok {
		v = c.get(row)
		ok = v >= 0 && int(v) < len(c.dictionary.words)
	}
	if !ok {
		v = 0
	}
	c.valid.add(len(c.values), ok)
	c.values = append(c.values, v)
	return 0
}

// array of rows that are alone holds the words that they use, in the order of the
// dictionary. A list of words stays whole, so that it is the same in all files.
func (c *indexCells) array(n int, alone bool) arrow.Array {
	words := c.dictionary
	if alone && !c.of.Ordered {
		words = c.used()
		defer words.array.Release()
	}
	buffers := []*memory.Buffer{c.valid.buffer(), memory.NewBufferBytes(bytesOf(c.values))}
	data := array.NewDataWithDictionary(c.of, n, buffers, c.valid.nulls, 0, words.array.Data().(*array.Data))
	defer data.Release()
	return array.NewDictionaryData(data)
}

// used makes a dictionary of the words that the rows have, and the values its indexes.
func (c *indexCells) used() *dictionary {
	has := func(row int) bool { return c.valid.nulls == 0 || bitutil.BitIsSet(c.valid.bits, row) }
	places := make([]int32, 0, len(c.values))
	for row, v := range c.values {
		if has(row) {
			places = append(places, v)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	words := make([]string, len(places))
	for i, at := range places {
		words[i] = c.dictionary.words[at]
	}
	for row, v := range c.values {
		if has(row) {
			i, _ := slices.BinarySearch(places, v)
			c.values[row] = int32(i)
		}
	}
	return newDictionary(words)
}

func (c *indexCells) reserve(rows int) { c.values = reserved(c.values, rows) }

func (c *indexCells) reset() {
	c.values = c.values[:0]
	c.valid.reset()
}

// boolCells are truth values.
type boolCells struct {
	is     func(unsafe.Pointer) bool
	get    func(unsafe.Pointer) bool
	n      int
	values []byte
	valid  validity
}

func (c *boolCells) add(row unsafe.Pointer) int {
	if c.n%8 == 0 {
		c.values = append(c.values, 0)
	}
	ok := c.is == nil || c.is(row)
	c.valid.add(c.n, ok)
	if ok && c.get(row) {
		bitutil.SetBit(c.values, c.n)
	}
	c.n++
	return 0
}

func (c *boolCells) array(n int, _ bool) arrow.Array {
	return makeArray(arrow.FixedWidthTypes.Boolean, n, &c.valid, c.values)
}

func (c *boolCells) reserve(int) {} // a bit a row is nothing

func (c *boolCells) reset() {
	c.n, c.values = 0, c.values[:0]
	c.valid.reset()
}

// textCells are strings.
type textCells struct {
	is      func(unsafe.Pointer) bool
	get     func(unsafe.Pointer) string
	offsets []int32
	bytes   []byte
	valid   validity
}

func (c *textCells) add(row unsafe.Pointer) int {
	if len(c.offsets) == 0 {
		c.offsets = append(c.offsets, 0)
	}
	ok := c.is == nil || c.is(row)
	c.valid.add(len(c.offsets)-1, ok)
	if ok {
		c.bytes = append(c.bytes, c.get(row)...)
	}
	c.offsets = append(c.offsets, int32(len(c.bytes)))
	return len(c.bytes)
}

func (c *textCells) array(n int, _ bool) arrow.Array {
	return makeArray(arrow.BinaryTypes.String, n, &c.valid, bytesOf(c.offsets), c.bytes)
}

// reserve takes the texts to come to be as long as those so far.
func (c *textCells) reserve(rows int) {
	if before := len(c.offsets) - 1; before > 0 {
		c.bytes = reserved(c.bytes, min(len(c.bytes)*rows/before+len(c.bytes), batchText))
	}
	c.offsets = reserved(c.offsets, rows+1)
}

func (c *textCells) reset() {
	c.offsets, c.bytes = c.offsets[:0], c.bytes[:0]
	c.valid.reset()
}

func makeArray(t arrow.DataType, n int, valid *validity, values ...[]byte) arrow.Array {
	buffers := []*memory.Buffer{valid.buffer()}
	for _, v := range values {
		buffers = append(buffers, memory.NewBufferBytes(v))
	}
	data := array.NewData(t, n, buffers, nil, valid.nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

func bytesOf[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}
