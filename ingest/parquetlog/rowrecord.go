package parquetlog

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
)

// AppendRow appends row i of a batch as a record for a RecordReader of the same columns and
// Interner.
func (b *Batch) AppendRow(record []byte, i int) []byte {
	for k := range b.Columns {
		v := &b.Columns[k]
		if v.valid == nil {
			continue // not read
		}
		if v.Null(i) {
			record = append(record, 0)
			continue
		}
		record = append(record, 1)
		switch {
		case v.Int32s != nil:
			record = binary.LittleEndian.AppendUint32(record, uint32(v.Int32s[i]))
		case v.Int64s != nil:
			record = binary.LittleEndian.AppendUint64(record, uint64(v.Int64s[i]))
		case v.Doubles != nil:
			record = binary.LittleEndian.AppendUint64(record, math.Float64bits(v.Doubles[i]))
		case v.Bools != nil:
			record = append(record, boolByte(v.Bools[i]))
		case v.Texts != nil:
			record = binary.LittleEndian.AppendUint32(record, uint32(v.Texts[i]))
		default:
			text := v.Bytes(i)
			record = append(binary.AppendUvarint(record, uint64(len(text))), text...)
		}
	}
	return record
}

func boolByte(is bool) byte {
	if is {
		return 1
	}
	return 0
}

// A RecordReader turns records of AppendRow into batches, as a Reader does with a file.
type RecordReader struct {
	batch Batch
	full  int
	at    int64 // rows so far
	next  func() ([]byte, error)
}

// NewRecordReader returns a reader of as many records as next returns before io.EOF. Columns are
// those of ReadOptions; absent says which columns no file has.
func NewRecordReader(table *Table, columns []string, rows int64, absent []bool, next func() ([]byte, error)) *RecordReader {
	r := &RecordReader{full: batchRows, next: next, batch: Batch{Of: rows, Columns: make([]Vector, len(table.Columns))}}
	for i := range table.Columns {
		if c := &table.Columns[i]; columns == nil || slices.Contains(columns, c.Name) {
			r.batch.Columns[i].grow(c, r.full)
			r.batch.Columns[i].Absent = absent[i]
		}
	}
	return r
}

// NextFrom is that of a Reader.
func (r *RecordReader) NextFrom(row int) (*Batch, error) {
	b := &r.batch
	kept := b.Rows - row
	if kept == r.full || r.at == b.Of {
		return nil, io.EOF
	}
	for k := range b.Columns {
		if v := &b.Columns[k]; v.valid != nil {
			v.keepFrom(row, b.Rows)
			if kept == 0 {
				v.Nulls = false
				if v.offsets != nil {
					v.offsets[0] = 0
				}
			}
		}
	}
	b.First, b.Rows = r.at-int64(kept), kept
	for b.Rows < r.full && r.at < b.Of {
		record, err := r.next()
		if err != nil {
			return nil, err
		}
		b.addRow(record)
		b.Rows++
		r.at++
	}
	return b, nil
}

// addRow adds a record of AppendRow behind the rows.
func (b *Batch) addRow(record []byte) {
	i := b.Rows
	for k := range b.Columns {
		v := &b.Columns[k]
		if v.valid == nil {
			continue
		}
		has := record[0] != 0
		record = record[1:]
		v.markAll(i, 1, has)
		record = v.setFrom(i, has, record)
	}
}

// setFrom sets row i to the value at the front of a record, or to zero, and returns the rest.
func (v *Vector) setFrom(i int, has bool, record []byte) []byte {
	var word uint64
	size := 0
	switch {
	case v.Bools != nil:
		size = 1
	case v.Int32s != nil, v.Texts != nil:
		size = 4
	case v.Int64s != nil, v.Doubles != nil:
		size = 8
	}
	if has {
		var bytes [8]byte
		copy(bytes[:], record[:size])
		word, record = binary.LittleEndian.Uint64(bytes[:]), record[size:]
	}
	switch {
	case v.Bools != nil:
		v.Bools[i] = word != 0
	case v.Int32s != nil:
		v.Int32s[i] = int32(word)
	case v.Texts != nil:
		v.Texts[i] = int32(word)
	case v.Int64s != nil:
		v.Int64s[i] = int64(word)
	case v.Doubles != nil:
		v.Doubles[i] = math.Float64frombits(word)
	default:
		if has {
			n, size := binary.Uvarint(record)
			v.data = append(v.data, record[size:size+int(n)]...)
			record = record[size+int(n):]
		}
		v.offsets[i+1] = uint32(len(v.data))
	}
	return record
}
