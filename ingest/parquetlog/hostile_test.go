package parquetlog

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// withFooter is a file of nothing but a footer.
func withFooter(footer []byte) []byte {
	b := append([]byte("PAR1"), footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	return append(b, "PAR1"...)
}

// edited is a file whose footer says something else.
func edited(t testing.TB, file []byte, change func(*format.FileMetaData)) []byte {
	t.Helper()
	length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	begin := len(file) - 8 - length
	var meta format.FileMetaData
	if err := thrift.Unmarshal(new(thrift.CompactProtocol), file[begin:len(file)-8], &meta); err != nil {
		t.Fatal(err)
	}
	change(&meta)
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &meta)
	if err != nil {
		t.Fatal(err)
	}
	b := append(bytes.Clone(file[:begin]), footer...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(footer)))
	return append(b, "PAR1"...)
}

// bombRow is a row of the table small with a text.
type bombRow struct {
	Time int64  `parquet:"time,timestamp(microsecond)"`
	N    int64  `parquet:"n"`
	Word string `parquet:"word,dict,zstd"`
}

func bomb(t testing.TB, rows []bombRow, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[bombRow](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileFiles reads files that ask for far more than they hold: an error that
// names the file, at once, and within a bound of memory. Some of them ended the whole
// program before.
func TestHostileFiles(t *testing.T) {
	plain := foreign(t, []smallRow{{1, 2}, {3, 4}})
	rows := make([]bombRow, 400)
	for i := range rows {
		rows[i] = bombRow{Time: int64(i), N: int64(i), Word: strings.Repeat("x", 60<<10)}
	}
	many := make([]bombRow, 400)
	for i := range many { // 24 MB of texts that are all different
		many[i] = bombRow{Time: int64(i), N: int64(i), Word: strings.Repeat(string(rune('a'+i%26)), 60_000+i)}
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		// 19: a list of 2^31-1 structs, each of 96 bytes in the decoder.
		"a list of two billion": {withFooter(append([]byte{0x15, 2, 0x19, 0xFC}, binary.AppendUvarint(nil, math.MaxInt32)...)), "cut off"},
		"nesting":               {withFooter(bytes.Repeat([]byte{0xFC}, 10<<20)), "nests deeper"},
		"nesting in lists":      {withFooter(append([]byte{0xF9}, bytes.Repeat([]byte{0x19}, 10<<20)...)), "nests deeper"},
		"a long binary":         {withFooter(append([]byte{0x18}, binary.AppendUvarint(nil, math.MaxInt32)...)), "cut off"},
		"many empty structs":    {withFooter(append(append([]byte{0x29, 0xFC}, binary.AppendUvarint(nil, 8<<20)...), make([]byte, 8<<20)...)), "more elements"},
		"rows without end": {edited(t, plain, func(m *format.FileMetaData) {
			m.NumRows = 1 << 60
			m.RowGroups[0].NumRows = 1 << 60
		}), "rows"},
		"a chunk that unpacks to all there is": {edited(t, bomb(t, rows), func(m *format.FileMetaData) {
			for i := range m.RowGroups[0].Columns {
				m.RowGroups[0].Columns[i].MetaData.TotalUncompressedSize = math.MaxInt64
			}
		}), ""},
		"a text of a megabyte":       {bomb(t, []bombRow{{1, 2, strings.Repeat("x", 1<<20)}}), "a text of 1048576 bytes"},
		"more texts than are wanted": {bomb(t, many), "more than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := time.Now()
			err := readThrough(c.file)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "hostile.parquet") {
				t.Errorf("it says %v, want %s", err, c.want)
			}
			allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
			t.Logf("%d bytes: %v, %d MiB", len(c.file), took.Round(time.Millisecond), allocated)
			if took > 20*time.Second || allocated > 100 {
				t.Errorf("it took %v and %d MiB", took, allocated)
			}
		})
	}
}

// readThrough reads a file as the table small.
func readThrough(file []byte) error {
	r, err := newReader(&small.Table, "hostile.parquet", bytes.NewReader(file), int64(len(file)), ReadOptions{Interner: NewInterner(16 << 20)})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// TestTextsAreBoundedWhileTheyAreCopied reads a column whose texts stand once in a
// dictionary and thousands of times in a batch: the budget is asked before the room is
// made.
func TestTextsAreBoundedWhileTheyAreCopied(t *testing.T) {
	type row struct {
		Word string `col:"word" enc:"plain" doc:"What."`
	}
	table := Declare[row]("words", "One row per word.")
	rows := make([]bombRow, batchRows)
	for i := range rows {
		rows[i].Word = strings.Repeat("x", 60<<10)
	}
	file := bomb(t, rows)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := newReader(&table.Table, "hostile.parquet", bytes.NewReader(file), int64(len(file)), ReadOptions{Interner: NewInterner(16 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err = r.Next(); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("it says %v", err)
	}
	runtime.ReadMemStats(&after)
	if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 100 {
		t.Errorf("a file of %d bytes takes %d MiB of a budget of 16", len(file), allocated)
	}
}

// TestPageHeadersAreWalkedOver damages the header of the first page: what it says of
// itself is not believed.
func TestPageHeadersAreWalkedOver(t *testing.T) {
	for name, head := range map[string][]byte{
		"nesting":       bytes.Repeat([]byte{0xFC}, 1<<20),
		"a long binary": append([]byte{0x18}, binary.AppendUvarint(nil, math.MaxInt32)...),
	} {
		t.Run(name, func(t *testing.T) {
			file := foreign(t, make([]smallRow, 100_000))
			copy(file[4:], head[:min(len(head), 1000)])
			if err := readThrough(file); err == nil {
				t.Error("it is read")
			}
		})
	}
}
