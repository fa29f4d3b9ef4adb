package parquetlog

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"poolproof/core"
	"poolproof/ingest/parquetlog/foreigntest"
)

// A writtenRow is a row of testdata/foreign.tar.zst in rows.json.
type writtenRow struct {
	Time     core.Time  `json:"time"`
	Seq      int64      `json:"seq"`
	Small    int32      `json:"small"`
	Mixed    int64      `json:"mixed"`
	Share    float64    `json:"share"`
	Flag     bool       `json:"flag"`
	Word     string     `json:"word"`
	ID       string     `json:"id"`
	PairA    int64      `json:"pair_a"`
	PairB    int32      `json:"pair_b"`
	OptTime  *core.Time `json:"opt_time"`
	OptSmall *int32     `json:"opt_small"`
	OptMixed *int64     `json:"opt_mixed"`
	OptShare *float64   `json:"opt_share"`
	OptFlag  *bool      `json:"opt_flag"`
	OptWord  *string    `json:"opt_word"`
	OptID    *string    `json:"opt_id"`
	OptPairA *int64     `json:"opt_pair_a"`
	OptPairB *int32     `json:"opt_pair_b"`
}

func (w *writtenRow) sample() sampleRow {
	s := sampleRow{
		Time: w.Time, Seq: w.Seq, Small: w.Small, Mixed: w.Mixed, Share: w.Share, Flag: w.Flag, Word: w.Word, ID: w.ID,
		OptTime: some(w.OptTime), OptSmall: some(w.OptSmall), OptMixed: some(w.OptMixed), OptShare: some(w.OptShare),
		OptFlag: some(w.OptFlag), OptWord: some(w.OptWord), OptID: some(w.OptID), Pair: samplePair{w.PairA, w.PairB},
	}
	if w.OptPairA != nil {
		s.OptPair = core.Some(samplePair{*w.OptPairA, *w.OptPairB})
	}
	return s
}

func some[T any](p *T) (o core.Optional[T]) {
	if p != nil {
		o = core.Some(*p)
	}
	return o
}

// writtenRows takes rows in JSON from the files of an archive.
func writtenRows(t *testing.T, files map[string][]byte, name string) (rows []sampleRow) {
	t.Helper()
	var written []writtenRow
	if err := json.Unmarshal(files[name], &written); err != nil {
		t.Fatal(err)
	}
	delete(files, name)
	for i := range written {
		rows = append(rows, written[i].sample())
	}
	return rows
}

// refused are the files that are not read, with the column that is named and
// words of the reason.
var refused = map[string][2]string{
	"pyarrow/wrong/int96":        {"time", "INT96"},
	"pyarrow/wrong/unsigned":     {"seq", "INT(64,false)"},
	"pyarrow/wrong/large":        {"small", "INT64"},
	"pyarrow/wrong/float":        {"share", "FLOAT"},
	"pyarrow/wrong/milliseconds": {"opt_time", "TIMESTAMP"},
}

// TestForeignWriters reads the same rows as other programs write them, page by
// page of either version, in every codec and encoding, of any size.
func TestForeignWriters(t *testing.T) {
	files := foreigntest.Files(t, "testdata/foreign.tar.zst")
	rows, random := writtenRows(t, files, "rows.json"), writtenRows(t, files, "random.json")
	for file, b := range files {
		name := strings.TrimSuffix(file, ".parquet")
		t.Run(name, func(t *testing.T) {
			got, err := read(file, b)
			if reason, ok := refused[name]; ok {
				var format *FormatError
				if !errors.As(err, &format) || format.File != file || format.Column != reason[0] || !strings.Contains(format.Found, reason[1]) {
					t.Fatalf("%d rows are read, the error is %v", len(got), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := rows
			switch {
			case name == "pyarrow/no rows":
				want = nil
			case strings.Contains(name, "/random/"):
				want = random
			}
			if !slices.Equal(got, want) {
				t.Errorf("rows differ:\n%.600s", cmp.Diff(want, got))
			}
		})
	}
	for name := range refused {
		if files[name+".parquet"] == nil {
			t.Errorf("there is no file %s", name)
		}
	}
}
