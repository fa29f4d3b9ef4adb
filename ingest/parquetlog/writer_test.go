package parquetlog

import (
	"bytes"
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// fullDisk takes so many bytes and no more.
type fullDisk struct{ left int }

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		return 0, syscall.ENOSPC
	}
	d.left -= len(p)
	return len(p), nil
}

func TestAFullDiskIsAnError(t *testing.T) {
	rows := sampleRows(3000, nullPatterns[4].set)
	whole := len(write(t, rows, Options{RowGroupRows: 1000}))
	for _, room := range []int{0, 1, whole / 3, whole / 2, whole - 1} {
		w := newWriter(sample, &fullDisk{room}, Options{RowGroupRows: 1000})
		var err error
		for i := range rows {
			if err = w.Add(&rows[i]); err != nil {
				break
			}
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: error is %v", room, whole, err)
		}
	}
}

func TestDeclareRefusesWhatNoColumnCanHold(t *testing.T) {
	type inner struct {
		A struct {
			Value int64
			Set   bool
		} `col:"a" doc:"a"`
	}
	for name, declare := range map[string]func(){
		"a slice": func() {
			Declare[struct {
				S []int64 `col:"s" doc:"s"`
			}]("t", "")
		},
		"an optional in an optional": func() {
			Declare[struct {
				O struct {
					Value inner
					Set   bool
				} `col:"o" doc:"o"`
			}]("t", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("it is declared")
				}
			}()
			declare()
		})
	}
}

// The layout is that of ingest/trace/FORMAT.md §3.6.
func TestFilesHaveTheDeclaredLayout(t *testing.T) {
	b := write(t, sampleRows(3000, nullPatterns[0].set), Options{RowGroupRows: 1000})
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.RowGroups()); n != 3 {
		t.Errorf("%d row groups, want 3", n)
	}
	meta := f.Metadata()
	if meta.CreatedBy != "poolproof version 1(build native)" {
		t.Errorf("created by %q", meta.CreatedBy)
	}
	want := map[string]format.Encoding{"time": format.DeltaBinaryPacked, "seq": format.DeltaBinaryPacked, "word": format.RLEDictionary, "share": format.Plain}
	for i, c := range meta.RowGroups[0].Columns {
		name := sample.Columns[i].Name
		if c.MetaData.PathInSchema[0] != name {
			t.Errorf("column %d is %s, want %s: the order is that of the declaration", i, c.MetaData.PathInSchema[0], name)
		}
		if c.MetaData.Codec != format.Zstd || c.ColumnIndexOffset == 0 || c.OffsetIndexOffset == 0 || c.MetaData.Statistics.MinValue == nil {
			t.Errorf("column %s: codec %s, page index at %d and %d", name, c.MetaData.Codec, c.ColumnIndexOffset, c.OffsetIndexOffset)
		}
		if enc, ok := want[name]; ok && !slices.Contains(c.MetaData.Encoding, enc) {
			t.Errorf("column %s has encodings %v, want %s among them", name, c.MetaData.Encoding, enc)
		}
	}
	id := f.RowGroups()[1].ColumnChunks()[sample.Column("id")]
	filter := id.BloomFilter()
	if filter == nil {
		t.Fatal("text that does not repeat has no bloom filter")
	}
	for id, want := range map[string]bool{sampleRows(3000, nullPatterns[0].set)[1500].ID: true, "nobody": false} {
		if found, err := filter.Check(parquet.ValueOf([]byte(id))); err != nil || found != want {
			t.Errorf("the bloom filter says %v of %s, %v", found, id, err)
		}
	}
}
