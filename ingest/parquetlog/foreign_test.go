package parquetlog

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"poolproof/core"
)

// Files that other programs write: other encodings, codecs and page versions,
// optional columns where ours are required, columns nobody declared.

type smallRow struct {
	Time int64 `parquet:"time,timestamp(microsecond)"`
	N    int64 `parquet:"n"`
}

type smallTable struct {
	Time  core.Time `col:"time" doc:"When."`
	N     int64     `col:"n" doc:"How many."`
	Maybe optional  `col:"maybe" doc:"Whether."`
	Word  optText   `col:"word" doc:"What."`
}

type (
	optional struct {
		Value bool
		Set   bool
	}
	optText struct {
		Value string
		Set   bool
	}
)

var small = Declare[smallTable]("small", "One row per row.")

func foreign[T any](t testing.TB, rows []T, o ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, o...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// readSmall returns the numbers of a file, -1 for null.
func readSmall(b []byte) ([]int64, error) {
	r, err := newReader(&small.Table, "dir/f.parquet", bytes.NewReader(b), int64(len(b)), ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var got []int64
	for {
		b, err := r.Next()
		if err != nil {
			return got, ignoreEOF(err)
		}
		n, maybe := &b.Columns[1], &b.Columns[2]
		for i := range b.Rows {
			if !maybe.Null(i) {
				return nil, errors.New("a missing column is not null")
			}
			if n.Null(i) {
				got = append(got, -1)
				continue
			}
			got = append(got, n.Int64s[i])
		}
	}
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		var format *FormatError
		if !errors.As(err, &format) {
			return nil
		}
	}
	return err
}

func TestColumnsNobodyDeclaredAreIgnoredAndMissingOnesAreNull(t *testing.T) {
	type row struct {
		Extra  []string          `parquet:"extra,list"`
		Time   int64             `parquet:"time,timestamp(microsecond)"`
		Nested struct{ N int64 } `parquet:"nested"`
		N      int64             `parquet:"n,delta"`
		More   string            `parquet:"more"`
	}
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Lz4Raw, &parquet.Brotli} {
		for version := 1; version <= 2; version++ {
			b := foreign(t, []row{{N: 4, Extra: []string{"a", "b"}}, {N: 5}}, parquet.Compression(codec), parquet.DataPageVersion(version))
			got, err := readSmall(b)
			if err != nil || !slices.Equal(got, []int64{4, 5}) {
				t.Errorf("%s, pages of version %d: %v %v", codec, version, got, err)
			}
		}
	}
}

func TestNullsInARequiredColumnAreSeen(t *testing.T) {
	type row struct {
		Time *int64 `parquet:"time,optional,timestamp(microsecond)"`
		N    *int64 `parquet:"n,optional,dict"`
	}
	one := int64(1)
	for version := 1; version <= 2; version++ {
		got, err := readSmall(foreign(t, []row{{&one, &one}, {&one, nil}, {nil, &one}}, parquet.DataPageVersion(version)))
		if err != nil || !slices.Equal(got, []int64{1, -1, 1}) {
			t.Errorf("pages of version %d: %v %v", version, got, err)
		}
	}
}

func TestAnotherTypeIsAnErrorThatSaysWhatToDo(t *testing.T) {
	type noN struct {
		Time int64 `parquet:"time,timestamp(microsecond)"`
	}
	type millis struct {
		Time int64 `parquet:"time,timestamp(millisecond)"`
		N    int64 `parquet:"n"`
	}
	type bare struct {
		Time int64 `parquet:"time"`
		N    int64 `parquet:"n"`
	}
	type narrow struct {
		Time int64 `parquet:"time,timestamp(microsecond)"`
		N    int32 `parquet:"n"`
	}
	type unsigned struct {
		Time int64  `parquet:"time,timestamp(microsecond)"`
		N    uint64 `parquet:"n"`
	}
	type decimal struct {
		Time int64 `parquet:"time,timestamp(microsecond)"`
		N    int64 `parquet:"n,decimal(2:18)"`
	}
	type lists struct {
		Time int64   `parquet:"time,timestamp(microsecond)"`
		N    []int64 `parquet:"n"`
	}
	type group struct {
		Time int64                  `parquet:"time,timestamp(microsecond)"`
		N    struct{ A int64 }      `parquet:"n"`
		Word struct{ Value string } `parquet:"word"`
	}
	type uuids struct {
		Time int64    `parquet:"time,timestamp(microsecond)"`
		N    int64    `parquet:"n"`
		Word [16]byte `parquet:"word,uuid"`
	}
	for _, c := range []struct {
		name, column, found string
		file                []byte
	}{
		{"a required column is missing", "n", "no such column", foreign(t, []noN{{}})},
		{"milliseconds for microseconds", "time", "TIMESTAMP", foreign(t, []millis{{}})},
		{"a time without a unit", "time", "INT64", foreign(t, []bare{{}})},
		{"a narrower number", "n", "INT", foreign(t, []narrow{{}})},
		{"a number without a sign", "n", "INT(64,false)", foreign(t, []unsigned{{}})},
		{"a decimal", "n", "DECIMAL", foreign(t, []decimal{{}})},
		{"a list", "n", "is nested", foreign(t, []lists{{}})},
		{"a group", "n", "is nested", foreign(t, []group{{}})},
		{"bytes of a fixed length for text", "word", "UUID", foreign(t, []uuids{{}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readSmall(c.file)
			var format *FormatError
			if !errors.As(err, &format) {
				t.Fatalf("error is %v", err)
			}
			if format.File != "dir/f.parquet" || format.Column != c.column || !strings.Contains(format.Found, c.found) || format.Advice == "" {
				t.Errorf("error is %s", err)
			}
			// Whoever reads another column learns of it, too.
			_, unread := newReader(&small.Table, "dir/f.parquet", bytes.NewReader(c.file), int64(len(c.file)), ReadOptions{Columns: []string{}})
			if missing := strings.Contains(format.Found, "no such column"); (unread == nil) != missing || !missing && unread.Error() != err.Error() {
				t.Errorf("where the column is not wanted, error is %v", unread)
			}
		})
	}
}

func TestWhatIsNoWholeParquetFileIsBadInput(t *testing.T) {
	whole := foreign(t, []smallRow{{1, 2}, {3, 4}})
	broken := slices.Clone(whole)
	broken[6] ^= 0xff // in the first page
	for _, c := range []struct {
		name string
		file []byte
	}{
		{"another format", []byte("time,n\n1,2\n3,4\n5,6\n")},
		{"one byte", []byte("P")},
		{"the end is missing", whole[:len(whole)-20]},
		{"the beginning is missing", whole[8:]},
		{"the magic is wrong", append([]byte("PAR2"), whole[4:]...)},
		{"a page is damaged", broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readSmall(c.file)
			var format *FormatError
			if !errors.As(err, &format) || format.File != "dir/f.parquet" || format.Advice == "" {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestAFileThatCannotBeReadIsNoBadInput(t *testing.T) {
	_, err := Open(&small.Table, filepath.Join(t.TempDir(), "none.parquet"), ReadOptions{})
	var format *FormatError
	if !errors.Is(err, fs.ErrNotExist) || errors.As(err, &format) {
		t.Errorf("a missing file gives %v", err)
	}
	// A directory opens like a file and cannot be read.
	if _, err := Open(&small.Table, t.TempDir(), ReadOptions{}); err == nil {
		t.Error("a directory is read as a table")
	}
	path := filepath.Join(t.TempDir(), "f.parquet")
	if err := os.WriteFile(path, foreign(t, []smallRow{{1, 2}}), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(&small.Table, path, ReadOptions{}); err != nil {
		t.Error(err)
	}
}

// readDamaged reads bytes that may be anything. It must end, with rows or with
// an error that calls the input bad.
func readDamaged(t *testing.T, table *Table, b []byte) {
	t.Helper()
	r, err := newReader(table, "f", bytes.NewReader(b), int64(len(b)), ReadOptions{Rows: 64, Interner: NewInterner(16 << 20)})
	for batches := 0; err == nil && batches < 20; batches++ {
		_, err = r.Next()
	}
	if err = ignoreEOF(err); err == nil {
		return
	}
	var format *FormatError
	if !errors.As(err, &format) {
		t.Errorf("damage gives %v", err)
	}
}

// Every byte of a file is damaged in turn.
func TestDamageAnywhereIsAnErrorAtWorst(t *testing.T) {
	var out bytes.Buffer
	w := newWriter(small, &out, Options{RowGroupRows: 15})
	for i := range 20 {
		row := smallTable{Time: core.Time(i), N: int64(i % 3), Maybe: optional{true, i%2 == 0}, Word: optText{"word", i%3 == 0}}
		if err := w.Add(&row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := out.Bytes()
	b := make([]byte, len(whole))
	for i := range whole {
		for _, flip := range []byte{0x01, 0x40, 0x80} {
			copy(b, whole)
			b[i] ^= flip
			readDamaged(t, &small.Table, b)
		}
	}
}
