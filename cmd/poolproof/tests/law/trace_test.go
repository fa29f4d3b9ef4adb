package law

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/cmd/poolproof/commandtest"
)

// A traceLog is a trace whose files are damaged.
type traceLog struct {
	dir   string
	files map[string]*parquet.Schema
	parts map[string][]any // rows by file
}

// Rows of a trace are values by the paths of their columns; of a list there are several.
type traceRow = map[string]any

// generated is the trace of a generated cluster.
func generated(preset, length string) func(testing.TB) goodLog {
	return func(t testing.TB) goodLog {
		dir := commandtest.Made(t, []string{"generate --preset " + preset + " --length " + length + " --out trace --quiet"})
		l := &traceLog{dir: filepath.Join(dir, "trace"), files: map[string]*parquet.Schema{}, parts: map[string][]any{}}
		err := fs.WalkDir(os.DirFS(l.dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".parquet" {
				l.files[name], l.parts[name], err = readTable(filepath.Join(l.dir, name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
}

func readTable(path string) (*parquet.Schema, []any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, nil, err
	}
	var columns []string
	for _, c := range f.Schema().Columns() {
		columns = append(columns, strings.Join(c, "/"))
	}
	var all []any
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				one := traceRow{}
				for _, v := range row.Clone() {
					c := columns[v.Column()]
					values, _ := one[c].([]parquet.Value)
					one[c] = append(values, v)
				}
				all = append(all, one)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, nil, err
			}
		}
		if err := rows.Close(); err != nil {
			return nil, nil, err
		}
	}
	return f.Schema(), all, nil
}

func (l *traceLog) row(part string, number int) string {
	row := l.parts[part][number].(traceRow)
	var b strings.Builder
	for _, c := range slices.Sorted(maps.Keys(row)) {
		fmt.Fprintf(&b, "%s=%v ", c, row[c])
	}
	return b.String()
}

// wholeFile is the row of an edit that takes a whole file away.
const wholeFile = -1

// write copies the trace and writes the files anew of which edits are. The manifest stays: it says how
// many rows there were.
func (l *traceLog) write(t testing.TB, dir string, edits []edit) (trace, refused string) {
	t.Helper()
	trace = filepath.Join(dir, "trace")
	err := os.CopyFS(trace, os.DirFS(l.dir))
	touched := map[string]bool{}
	for _, e := range edits {
		if e.row == wholeFile && err == nil {
			if err = os.Remove(filepath.Join(trace, e.part)); errors.Is(err, fs.ErrNotExist) {
				err = nil // twice
			}
		} else if _, there := touched[e.part]; !there {
			touched[e.part] = true
		}
	}
	for _, e := range edits {
		if e.row == wholeFile {
			delete(touched, e.part)
		}
	}
	for name := range touched {
		if err == nil {
			err = writeTable(filepath.Join(trace, name), l.files[name], damaged(l.parts[name], name, edits))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return trace, ""
}

func writeTable(path string, schema *parquet.Schema, rows []damagedRow) error {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema)
	for _, r := range rows {
		var row parquet.Row
		for _, c := range schema.Columns() {
			values, _ := r.value.(traceRow)[strings.Join(c, "/")].([]parquet.Value)
			row = append(row, values...)
		}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

// traceMutations are the kinds of damage of a trace.
var traceMutations = []struct {
	kind string
	draw func(l *traceLog, r *dice) []edit
}{
	{"a file lost", func(l *traceLog, r *dice) []edit { return []edit{{part: l.file(r), row: wholeFile, do: drop}} }},
	{"rows lost", (*traceLog).loseRows},
	{"rows lost", (*traceLog).loseRows},
	{"rows about something lost", (*traceLog).loseOf},
	{"values lost", (*traceLog).loseValues},
	{"garbage", (*traceLog).spoil},
	{"rows twice", (*traceLog).repeatRows},
	{"rows out of order", (*traceLog).shuffleRows},
}

func (l *traceLog) mutate(r *dice) (kinds []string, edits []edit) {
	for range pick(r, []int{1, 1, 1, 1, 2, 2, 3}) {
		m := pick(r, traceMutations)
		kinds, edits = append(kinds, m.kind), append(edits, m.draw(l, r)...)
	}
	return kinds, edits
}

// file draws a file that has rows.
func (l *traceLog) file(r *dice) string {
	return pick(r, slices.DeleteFunc(slices.Sorted(maps.Keys(l.files)), func(name string) bool { return len(l.parts[name]) == 0 }))
}

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func (l *traceLog) loseRows(r *dice) []edit {
	name := l.file(r)
	return dropped(name, r.some(numbers(len(l.parts[name]))))
}

// loseOf loses the rows of a table that have the same value in a column.
func (l *traceLog) loseOf(r *dice) []edit {
	name := l.file(r)
	rows := l.parts[name]
	row := pick(r, rows).(traceRow)
	c := pick(r, slices.Sorted(maps.Keys(row)))
	var same []int
	for i, other := range rows {
		if fmt.Sprint(other.(traceRow)[c]) == fmt.Sprint(row[c]) {
			same = append(same, i)
		}
	}
	return dropped(name, r.some(same))
}

// column draws a column that is no list, and rows of it.
func (l *traceLog) column(r *dice, optional bool) (name, column string, leaf parquet.LeafColumn, rows []int) {
	for range 100 {
		name = l.file(r)
		path := pick(r, l.files[name].Columns())
		leaf, _ = l.files[name].Lookup(path...)
		if leaf.MaxRepetitionLevel == 0 && len(path) == 1 && (leaf.Node.Optional() || !optional) {
			return name, path[0], leaf, r.some(numbers(len(l.parts[name])))
		}
	}
	return "", "", leaf, nil
}

func (l *traceLog) loseValues(r *dice) (edits []edit) {
	name, column, leaf, rows := l.column(r, true)
	for _, i := range rows {
		edits = append(edits, edit{part: name, row: i, do: set, path: []string{column}, value: []parquet.Value{parquet.NullValue().Level(0, 0, leaf.ColumnIndex)}})
	}
	return edits
}

func (l *traceLog) spoil(r *dice) (edits []edit) {
	name, column, leaf, rows := l.column(r, false)
	if rows == nil {
		return nil
	}
	v := garbageOf(r, leaf.Node.Type().Kind()).Level(0, leaf.MaxDefinitionLevel, leaf.ColumnIndex)
	for _, i := range rows {
		edits = append(edits, edit{part: name, row: i, do: set, path: []string{column}, value: []parquet.Value{v}})
	}
	return edits
}

// garbageOf draws a value that no cluster has.
func garbageOf(r *dice, kind parquet.Kind) parquet.Value {
	switch kind {
	case parquet.Boolean:
		return parquet.ValueOf(r.IntN(2) == 0)
	case parquet.Int32:
		return parquet.ValueOf(pick(r, []int32{math.MaxInt32, math.MinInt32, -1}))
	case parquet.Int64:
		return parquet.ValueOf(pick(r, []int64{math.MaxInt64, math.MinInt64, -1, 1 << 62}))
	case parquet.Double:
		return parquet.ValueOf(pick(r, []float64{1e308, -1e308, math.NaN(), math.Inf(1), -1}))
	}
	return parquet.ValueOf([]byte(pick(r, []string{"", "\xff\xfe\xfa", "x", `{"a":`, strings.Repeat("x", 70_000)})))
}

func (l *traceLog) repeatRows(r *dice) (edits []edit) {
	name := l.file(r)
	far := r.IntN(2) * len(l.parts[name])
	for _, i := range r.some(numbers(len(l.parts[name]))) {
		edits = append(edits, edit{part: name, row: i, do: copied, place: float64(i + far)})
	}
	return edits
}

func (l *traceLog) shuffleRows(r *dice) (edits []edit) {
	name := l.file(r)
	rows := r.some(numbers(len(l.parts[name])))
	for k, to := range r.Perm(len(rows)) {
		edits = append(edits, edit{part: name, row: rows[k], do: move, place: float64(rows[to])})
	}
	return edits
}
