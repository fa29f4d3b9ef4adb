package parquetlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"poolproof/core"
)

// The fuzz tests damage small files, so that thousands are read in a second.

// fuzzFiles are files of few rows, in each codec and both versions of pages, with nulls,
// dictionaries and several row groups.
func fuzzFiles(f *testing.F) [][]byte {
	plain := []smallRow{{1, 2}, {3, 4}, {5, 4}}
	files := [][]byte{
		foreign(f, plain),
		foreign(f, plain, parquet.Compression(&parquet.Zstd), parquet.DataPageVersion(1)),
		foreign(f, plain, parquet.Compression(&parquet.Lz4Raw), parquet.DataPageVersion(2)),
		foreign(f, plain, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(2)),
		foreign(f, plain, parquet.Compression(&parquet.Gzip), parquet.DataPageVersion(1)),
		bomb(f, []bombRow{{1, 2, "a"}, {2, 2, "b"}, {3, 4, "a"}}),
	}
	var out bytes.Buffer
	w := newWriter(small, &out, Options{RowGroupRows: 3})
	for i := range 5 {
		row := smallTable{Time: core.Time(i), N: int64(i), Maybe: optional{i == 1, i%3 == 0}, Word: optText{"word", i%2 == 0}}
		if err := w.Add(&row); err != nil {
			f.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	return append(files, out.Bytes())
}

// FuzzReader reads any bytes.
func FuzzReader(f *testing.F) {
	for _, file := range fuzzFiles(f) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) <= 1<<12 {
			readDamaged(t, &small.Table, b)
		}
	})
}

// FuzzPatchedReader puts bytes into the pages or the footer of a whole file, where a
// random text would end at the first check.
func FuzzPatchedReader(f *testing.F) {
	files := fuzzFiles(f)
	f.Add(byte(0), uint16(4), []byte{0x15, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add(byte(1), uint16(200), []byte{0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7})
	f.Add(byte(2), uint16(20), []byte{0xff})
	f.Add(byte(6), uint16(300), []byte{0x1c, 0x1c, 0x1c})
	f.Fuzz(func(t *testing.T, which byte, at uint16, patch []byte) {
		file := bytes.Clone(files[int(which)%len(files)])
		copy(file[int(at)%len(file):], patch)
		readDamaged(t, &small.Table, file)
	})
}

// FuzzStructure changes what a footer or the header of a page says, number by number: the
// file stays whole and what it claims is wrong. A change is a place and a value.
func FuzzStructure(f *testing.F) {
	files := fuzzFiles(f)
	for i := range files {
		f.Add(byte(i), false, []byte{0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80})
		f.Add(byte(i), true, []byte{3, 0, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 9, 0, 2, 0, 0, 0, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, which byte, header bool, changes []byte) {
		file := files[int(which)%len(files)]
		if header {
			file = withPageHeader(t, file, changes)
		} else {
			file = edited(t, file, func(meta *format.FileMetaData) { changeNumbers(reflect.ValueOf(meta).Elem(), changes) })
		}
		readDamaged(t, &small.Table, file)
	})
}

// withPageHeader changes the first page's header, and moves what the footer says of the
// file by what the header has grown.
func withPageHeader(t testing.TB, file, changes []byte) []byte {
	const begin = 4
	length, err := walkStruct(file[begin:])
	if err != nil {
		t.Fatal(err)
	}
	var header format.PageHeader
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[begin:begin+length], &header); err != nil {
		t.Fatal(err)
	}
	changeNumbers(reflect.ValueOf(&header).Elem(), changes)
	b, err := thrift.Marshal(new(thrift.CompactProtocol), &header)
	if err != nil {
		return file
	}
	grown := int64(len(b) - length)
	moved := edited(t, file, func(meta *format.FileMetaData) {
		for _, g := range meta.RowGroups {
			for i := range g.Columns {
				m := &g.Columns[i].MetaData
				for _, offset := range []*int64{&m.DataPageOffset, &m.DictionaryPageOffset} {
					if *offset > begin {
						*offset += grown
					}
				}
				if m.DataPageOffset == begin || m.DictionaryPageOffset == begin {
					m.TotalCompressedSize += grown
				}
			}
		}
	})
	return append(append(bytes.Clone(moved[:begin]), b...), moved[begin+length:]...)
}

// changeNumbers sets numbers of a struct and of all in it, by their place in it.
func changeNumbers(v reflect.Value, changes []byte) {
	const size = 10
	for ; len(changes) >= size; changes = changes[size:] {
		var all []reflect.Value
		numbersOf(v, &all)
		if len(all) == 0 {
			return
		}
		place, value := binary.LittleEndian.Uint16(changes), binary.LittleEndian.Uint64(changes[2:])
		switch at := all[int(place)%len(all)]; at.Kind() {
		case reflect.Bool:
			at.SetBool(value%2 == 1)
		case reflect.Slice: // its length
			at.Set(at.Slice(0, int(value%uint64(at.Len()+1))))
		default:
			at.SetInt(int64(value))
		}
	}
}

// numbersOf lists the numbers in a value, and its slices, in one order.
func numbersOf(v reflect.Value, all *[]reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			numbersOf(v.Elem(), all)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				numbersOf(v.Field(i), all)
			}
		}
	case reflect.Slice:
		*all = append(*all, v)
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Uint8 {
				numbersOf(v.Index(i), all)
			}
		}
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		*all = append(*all, v)
	}
}

// FuzzWalk walks over any Thrift. What it lets pass the library decodes as a footer or as
// a page's header, or refuses.
func FuzzWalk(f *testing.F) {
	for _, file := range fuzzFiles(f) {
		length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		f.Add(file[len(file)-8-length : len(file)-8])
		f.Add(file[4:min(len(file), 60)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := walkStruct(b)
		if err != nil {
			return
		}
		if n < 0 || n > len(b) {
			t.Fatalf("a struct of %d bytes takes %d", len(b), n)
		}
		if again, err := walkStruct(b[:n]); err != nil || again != n {
			t.Fatalf("alone it takes %d bytes, not %d: %v", again, n, err)
		}
		var meta format.FileMetaData
		_ = thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &meta)
		var header format.PageHeader
		_ = thrift.Unmarshal(new(thrift.CompactProtocol), b[:n], &header)
	})
}

// FuzzRecords reads any bytes as rows of unknown columns.
func FuzzRecords(f *testing.F) {
	one, x := int64(1), "x"
	nested := []nestedRow{{Plain: []int64{1, 2}, List: []*string{&x, nil}, Maps: map[string]map[string]*int64{"m": {"k": &one}}}, {}}
	files := append(fuzzFiles(f), foreign(f, nested), foreign(f, nested, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)))
	for i := range files {
		f.Add(byte(i), uint16(100*i), []byte{0x80})
		f.Add(byte(i), uint16(len(files[i])-40), []byte{0x19, 0xfc, 0xff, 0xff, 7})
	}
	f.Fuzz(func(t *testing.T, which byte, at uint16, patch []byte) {
		file := bytes.Clone(files[int(which)%len(files)])
		copy(file[int(at)%len(file):], patch)
		s := &scribe{}
		r, err := OpenRecords("f", bytes.NewReader(file), int64(len(file)), Memory(16<<20).Budget(), s.pick)
		if err == nil {
			defer r.Close()
			for range 20 {
				if err = r.Next(s); err != nil {
					break
				}
				s.Reset()
			}
		}
		var bad *FormatError
		if err = ignoreEOF(err); err != nil && !errors.As(err, &bad) {
			t.Errorf("damage gives %v", err)
		}
	})
}
