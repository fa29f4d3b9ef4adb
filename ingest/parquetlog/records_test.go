package parquetlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A scribe writes down what it is shown.
type scribe struct {
	strings.Builder
	names []string
}

func (s *scribe) say(f string, args ...any) { fmt.Fprintf(s, f+" ", args...) }
func (s *scribe) Column(i int)              { s.say("%s:", s.names[i]) }
func (s *scribe) Null()                     { s.say("null") }
func (s *scribe) Bool(is bool)              { s.say("%t", is) }
func (s *scribe) Int(n int64)               { s.say("%d", n) }
func (s *scribe) Uint(n uint64)             { s.say("%du", n) }
func (s *scribe) Double(x float64)          { s.say("%gf", x) }
func (s *scribe) Time(micros int64)         { s.say("@%d", micros) }
func (s *scribe) Map()                      { s.say("{") }
func (s *scribe) List()                     { s.say("[") }
func (s *scribe) Key(name []byte)           { s.say("%s=", name) }
func (s *scribe) End()                      { s.say("]") }
func (s *scribe) Bytes(b []byte, isText bool) {
	if isText {
		s.say("%q", b)
	} else {
		s.say("<%s>", b)
	}
}

func (s *scribe) pick(names []string) []string { s.names = names; return names }

// shown returns what is shown of each record of a file.
func shown(b []byte) (lines []string, err error) {
	s := &scribe{}
	r, err := OpenRecords("f", bytes.NewReader(b), int64(len(b)), DefaultMemory.Budget(), s.pick)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		if err := r.Next(s); err != nil {
			return lines, ignoreEOF(err)
		}
		lines = append(lines, strings.TrimSpace(s.String()))
		s.Reset()
	}
}

// A widths row has a column of every type that is shown.
type widthsRow struct {
	Bool    bool             `parquet:"bool"`
	I8      int32            `parquet:"i8,int(8)"`
	I32     int32            `parquet:"i32"`
	I64     int64            `parquet:"i64"`
	U32     uint32           `parquet:"u32"`
	U64     uint64           `parquet:"u64"`
	Float   float32          `parquet:"float"`
	Double  float64          `parquet:"double"`
	Text    string           `parquet:"text"`
	Enum    string           `parquet:"enum,enum"`
	JSON    string           `parquet:"json,json"`
	Bytes   []byte           `parquet:"bytes"`
	Fixed   [3]byte          `parquet:"fixed"`
	Date    int32            `parquet:"date,date"`
	Millis  int64            `parquet:"millis,timestamp(millisecond)"`
	Micros  int64            `parquet:"micros,timestamp(microsecond)"`
	Nanos   int64            `parquet:"nanos,timestamp(nanosecond)"`
	Int96   deprecated.Int96 `parquet:"int96"`
	Missing *int64           `parquet:"missing,optional"`
}

func TestTypesOfAllWidths(t *testing.T) {
	rows := []widthsRow{
		{true, -128, math.MinInt32, math.MinInt64, math.MaxUint32, math.MaxUint64, 0.5, -0.25, "zoë", "map", `{"a":1}`, []byte("\x01b"),
			[3]byte{'a', 'b', 'c'}, 1, -1, -1, -1, deprecated.Int96{1_000_000_000, 0, 2440589}, nil},
		{U32: 7, Date: math.MaxInt32, Millis: math.MaxInt64, Micros: 5, Nanos: 5000, Int96: deprecated.Int96{0, 0, 2440587}},
	}
	want := []string{
		`bool: true i8: -128 i32: -2147483648 i64: -9223372036854775808 u32: 4294967295u u64: 18446744073709551615u float: 0.5f double: -0.25f ` +
			"text: \"zoë\" enum: \"map\" json: \"{\\\"a\\\":1}\" bytes: <\x01b> fixed: <abc> date: @86400000000 millis: @-1000 micros: @-1 nanos: @-1 int96: @86401000000",
		"bool: false i8: 0 i32: 0 i64: 0 u32: 7u u64: 0u float: 0f double: 0f text: \"\" enum: \"\" json: \"\" bytes: <> fixed: <\x00\x00\x00> " +
			"date: @9223372036854775807 millis: @9223372036854775807 micros: @5 nanos: @5 int96: @-86400000000",
	}
	for version := 1; version <= 2; version++ {
		got, err := shown(foreign(t, rows, parquet.DataPageVersion(version)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of version %d:\n%s", version, diff)
		}
	}
}

type nestedRow struct {
	Plain []int64                      `parquet:"plain"` // repeated, without an annotation
	List  []*string                    `parquet:"list,list,optional"`
	Map   map[string]nestedMember      `parquet:"map,optional"`
	Deep  []nestedMember               `parquet:"deep,list"`
	Maps  map[string]map[string]*int64 `parquet:"maps"`
}

type nestedMember struct {
	N    *int64   `parquet:"n,optional"`
	Tags []string `parquet:"tags,list"`
}

func TestNestedColumns(t *testing.T) {
	one, two, x := int64(1), int64(2), "x"
	rows := []nestedRow{
		{},
		{Plain: []int64{1, 2, 3}, List: []*string{&x, nil}, Map: map[string]nestedMember{"a": {N: &one, Tags: []string{"t", "u"}}}},
		{Map: map[string]nestedMember{"b": {}}, Deep: []nestedMember{{}, {N: &two, Tags: []string{"v"}}}},
		{Maps: map[string]map[string]*int64{"m": {"k": &two}}, Plain: []int64{4}},
	}
	want := []string{
		"plain: [ ] deep: [ ] maps: { ]",
		`plain: [ 1 2 3 ] list: [ "x" null ] map: { a= { n= 1 tags= [ "t" "u" ] ] ] deep: [ ] maps: { ]`,
		`plain: [ ] map: { b= { tags= [ ] ] ] deep: [ { tags= [ ] ] { n= 2 tags= [ "v" ] ] ] maps: { ]`,
		"plain: [ 4 ] deep: [ ] maps: { m= { k= 2 ] ]",
	}
	for _, o := range [][]parquet.WriterOption{{}, {parquet.DataPageVersion(1)}, {parquet.MaxRowsPerRowGroup(1)}, {parquet.PageBufferSize(1)}} {
		got, err := shown(foreign(t, rows, o...))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

// TestListsOfOlderWriters reads lists of two levels. No writer at hand makes them: the
// annotation is put on afterwards.
func TestListsOfOlderWriters(t *testing.T) {
	number := parquet.Leaf(parquet.Int64Type)
	for name, c := range map[string]struct {
		repeated string
		item     parquet.Node
		row      parquet.Row
		want     string
	}{
		"numbers": {"element", number, parquet.Row{parquet.Int64Value(1).Level(0, 1, 0), parquet.Int64Value(2).Level(1, 1, 0)}, "c: [ 1 2 ]"},
		"pairs": {"bag", parquet.Group{"a": number, "b": number}, parquet.Row{
			parquet.Int64Value(1).Level(0, 1, 0), parquet.Int64Value(3).Level(1, 1, 0), parquet.Int64Value(2).Level(0, 1, 1), parquet.Int64Value(4).Level(1, 1, 1),
		}, "c: [ { a= 1 b= 2 ] { a= 3 b= 4 ] ]"},
		"an array": {"array", parquet.Group{"a": number}, parquet.Row{parquet.Int64Value(1).Level(0, 1, 0)}, "c: [ { a= 1 ] ]"},
		"a tuple":  {"c_tuple", parquet.Group{"a": number}, parquet.Row{parquet.Int64Value(1).Level(0, 1, 0)}, "c: [ { a= 1 ] ]"},
		"a bag":    {"bag", parquet.Group{"a": number}, parquet.Row{parquet.Int64Value(1).Level(0, 1, 0)}, "c: [ 1 ]"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			schema := parquet.NewSchema("s", parquet.Group{"c": parquet.Group{c.repeated: parquet.Repeated(c.item)}})
			w := parquet.NewGenericWriter[any](&out, schema)
			if _, err := w.WriteRows([]parquet.Row{c.row}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := shown(annotated(t, out.Bytes(), "c", deprecated.List))
			if err != nil || len(got) != 1 || got[0] != c.want {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// annotated returns a file with an annotation on an element of its schema.
func annotated(t *testing.T, b []byte, name string, as deprecated.ConvertedType) []byte {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	schema := f.Metadata().Schema
	for i := range schema {
		if schema[i].Name == name {
			schema[i].ConvertedType.V, schema[i].ConvertedType.Valid = as, true
		}
	}
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), f.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	body := b[:len(b)-8-int(binary.LittleEndian.Uint32(b[len(b)-8:]))]
	out := append(bytes.Clone(body), footer...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(footer))), "PAR1"...)
}

func TestColumnsThatAreNotWantedAreNotRead(t *testing.T) {
	b := foreign(t, []smallRow{{1, 2}, {3, 4}})
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	b[f.Metadata().RowGroups[0].Columns[0].MetaData.DataPageOffset] ^= 0xff // of column time
	s := &scribe{}
	only := func(name string) func([]string) []string {
		return func([]string) []string { s.names = []string{name}; return s.names }
	}
	r, err := OpenRecords("f", bytes.NewReader(b), int64(len(b)), DefaultMemory.Budget(), only("n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Next(s); err != nil || s.String() != "n: 2 " {
		t.Errorf("%q, %v", s.String(), err)
	}
	r, err = OpenRecords("f", bytes.NewReader(b), int64(len(b)), DefaultMemory.Budget(), only("time"))
	if err != nil {
		t.Fatal(err)
	}
	var bad *FormatError
	if err := r.Next(s); !errors.As(err, &bad) || bad.Column != "time" {
		t.Errorf("the damaged column gives %v", err)
	}
}

// A row group of 32 MiB of cells is read with some of them in memory.
func TestALargeRowGroupIsNotHeld(t *testing.T) {
	type row struct {
		Cell []byte `parquet:"cell,plain"`
	}
	const cells, size = 32, 1 << 20
	path := filepath.Join(t.TempDir(), "f.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[row](f, parquet.PageBufferSize(size))
	for i := range cells {
		if _, err := w.Write([]row{{bytes.Repeat([]byte{byte(i)}, size)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	w = nil
	if f, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := OpenRecords("f", f, info.Size(), DefaultMemory.Budget(), func(names []string) []string { return names })
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	seen, most := 0, uint64(0)
	for {
		err := r.Next(&sizes{want: size, seen: &seen})
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC() // the writer at hand puts whole cells into the headers of pages
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapAlloc)
	}
	if seen != cells || most > before.HeapAlloc+cells*size/4 {
		t.Errorf("%d cells, at most %d MiB more in memory", seen, (most-before.HeapAlloc)>>20)
	}
}

// sizes counts texts of a length.
type sizes struct {
	scribe
	want int
	seen *int
}

func (s *sizes) Column(int) {}
func (s *sizes) Bytes(b []byte, _ bool) {
	if len(b) == s.want {
		*s.seen++
	}
}

// Every byte of a file is damaged in turn.
func TestDamagedRecordsAreAnErrorAtWorst(t *testing.T) {
	one, x := int64(1), "x"
	var rows []nestedRow
	for i := range 5 {
		rows = append(rows, nestedRow{Plain: make([]int64, i), List: []*string{&x, nil}, Maps: map[string]map[string]*int64{"m": {"k": &one}}})
	}
	for _, codec := range []format.CompressionCodec{format.Uncompressed, format.Snappy} {
		whole := foreign(t, rows, parquet.Compression(parquet.LookupCompressionCodec(codec)), parquet.PageBufferSize(30))
		b := make([]byte, len(whole))
		for i := range whole {
			for _, flip := range []byte{0x01, 0x80} {
				copy(b, whole)
				b[i] ^= flip
				_, err := shown(b)
				var bad *FormatError
				if err != nil && !errors.As(err, &bad) {
					t.Fatalf("byte %d: %v", i, err)
				}
			}
		}
	}
}
