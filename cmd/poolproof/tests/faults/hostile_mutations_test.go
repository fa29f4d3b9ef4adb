package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"poolproof/ingest/trace"
)

// flip changes some bytes of a file.
func (m *mutator) flip() error {
	names := m.files()
	name := names[m.IntN(len(names))]
	b, err := os.ReadFile(m.path(name))
	if err != nil || len(b) == 0 {
		return err
	}
	for range 1 + m.IntN(3) {
		at := m.IntN(len(b))
		if m.IntN(2) == 0 { // the footer, where all the lengths are
			at = len(b) - 1 - m.IntN(min(len(b), 2000))
		}
		b[at] ^= byte(1 << m.IntN(8))
		m.did("%s: byte %d", name, at)
	}
	return os.WriteFile(m.path(name), b, 0o644)
}

// truncate cuts a file off.
func (m *mutator) truncate() error {
	names := m.files()
	name := names[m.IntN(len(names))]
	info, err := os.Stat(m.path(name))
	if err != nil {
		return err
	}
	to := m.Int64N(info.Size() + 1)
	m.did("%s cut to %d", name, to)
	return os.Truncate(m.path(name), to)
}

// drop removes a file, or the rows of a table.
func (m *mutator) drop() error {
	name := m.pick()
	if m.IntN(2) == 0 {
		m.did("%s removed", name)
		return os.Remove(m.path(name))
	}
	return m.rewrite(name, func(_ *parquet.Schema, rows []parquet.Row) []parquet.Row {
		keep := m.IntN(len(rows) + 1)
		m.did("%s: %d of %d rows kept", name, keep, len(rows))
		return rows[:keep]
	})
}

// duplicate writes rows or a file twice.
func (m *mutator) duplicate() error {
	name := m.pick()
	if strings.Contains(name, "-000") && m.IntN(2) == 0 {
		b, err := os.ReadFile(m.path(name))
		if err != nil {
			return err
		}
		m.did("%s twice", name)
		return os.WriteFile(m.path(strings.Replace(name, "-000", "-001", 1)), b, 0o644)
	}
	return m.rewrite(name, func(_ *parquet.Schema, rows []parquet.Row) []parquet.Row {
		if len(rows) == 0 {
			return rows
		}
		from := m.IntN(len(rows))
		to := from + 1 + m.IntN(len(rows)-from)
		m.did("%s: rows %d to %d twice", name, from, to)
		return slices.Concat(rows[:to], rows[from:])
	})
}

// reorder shuffles some rows.
func (m *mutator) reorder() error {
	name := m.pick()
	return m.rewrite(name, func(_ *parquet.Schema, rows []parquet.Row) []parquet.Row {
		if len(rows) < 2 {
			return rows
		}
		from := m.IntN(len(rows) - 1)
		part := rows[from:]
		if m.IntN(2) == 0 {
			part = rows[from : from+2]
		}
		m.did("%s: rows from %d on", name, from)
		m.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
		return rows
	})
}

// extreme puts a value that nobody expects into a column, in one row or in all.
func (m *mutator) extreme() error {
	name := m.pick()
	return m.rewrite(name, func(s *parquet.Schema, rows []parquet.Row) []parquet.Row {
		if len(rows) == 0 {
			return rows
		}
		column := m.IntN(len(s.Columns()))
		row, all := m.IntN(len(rows)), m.IntN(3) == 0
		leaf, _ := s.Lookup(s.Columns()[column]...)
		v := m.extremeOf(leaf.Node.Type().Kind())
		m.did("%s: %s = %.60v in row %d, all: %v", name, strings.Join(s.Columns()[column], "."), v, row, all)
		for i := range rows {
			if i != row && !all {
				continue
			}
			if leaf.Node.Optional() && m.IntN(8) == 0 {
				rows[i][column] = parquet.NullValue().Level(0, 0, column)
				continue
			}
			level := 0
			if leaf.Node.Optional() {
				level = 1
			}
			rows[i][column] = v.Level(0, level, column)
		}
		return rows
	})
}

func (m *mutator) extremeOf(kind parquet.Kind) parquet.Value {
	switch kind {
	case parquet.Boolean:
		return parquet.ValueOf(m.IntN(2) == 0)
	case parquet.Int32:
		return parquet.ValueOf([]int32{math.MaxInt32, math.MinInt32, -1, 0, 1 << 30}[m.IntN(5)])
	case parquet.Int64:
		return parquet.ValueOf([]int64{math.MaxInt64, math.MinInt64, -1, 0, 1, 1 << 62, 1 << 61, 1 << 53, math.MaxInt64 / 1000}[m.IntN(9)])
	case parquet.Double:
		return parquet.ValueOf([]float64{1e308, -1e308, math.NaN(), math.Inf(1), math.Inf(-1), 5e-324, -1, 1e18, 1e9}[m.IntN(9)])
	}
	return parquet.ValueOf([]byte(m.hostileText()))
}

var hostileTexts = []string{
	"", "\x1b[2J\x1b[31mowned\x07", "a\nb\rc\td\x00e", "<script>alert(1)</script>", "'; DROP TABLE findings; --", "../../../etc/passwd",
	"=cmd|' /C calc'!A0", "\xff\xfe\xfa", "\u202eevil\u2066", `{"a":`, strings.Repeat("[", 100_000), strings.Repeat("x", 1<<20), "tree=a/b%2f..", "\u0085\u009b31m",
}

func (m *mutator) hostileText() string { return hostileTexts[m.IntN(len(hostileTexts))] }

// name gives something a hostile name: a cell of text, a tree or the cluster.
func (m *mutator) name() error {
	text := m.hostileText()
	switch m.IntN(3) {
	case 0:
		return m.editManifest(func(j map[string]any) {
			m.did("cluster = %.60q", text)
			j["cluster"] = text
		})
	case 1:
		text = text[:min(len(text), 80)]
		for _, name := range m.files() {
			if tree, ok := trace.TreeOfDir(filepath.Dir(name)); ok {
				m.did("tree %s = %q", tree, text)
				if err := os.Rename(m.path(trace.TreeDir(tree)), m.path(trace.TreeDir(text))); err != nil {
					return err
				}
				break
			}
		}
		return m.editManifest(func(j map[string]any) { j["trees"], j["tables"] = []any{}, map[string]any{} })
	}
	for range 100 { // until it hits a column of text
		name := m.pick()
		hit := false
		err := m.rewrite(name, func(s *parquet.Schema, rows []parquet.Row) []parquet.Row {
			column := m.IntN(len(s.Columns()))
			leaf, _ := s.Lookup(s.Columns()[column]...)
			if leaf.Node.Type().Kind() != parquet.ByteArray || leaf.Node.Optional() || len(rows) == 0 {
				return rows
			}
			hit = true
			m.did("%s: %s = %.60q", name, strings.Join(s.Columns()[column], "."), text)
			rows[m.IntN(len(rows))][column] = parquet.ValueOf([]byte(text)).Level(0, 0, column)
			return rows
		})
		if err != nil || hit {
			return err
		}
	}
	return nil
}

// retype writes a column in another type.
func (m *mutator) retype() error {
	name := m.pick()
	rows, schema, err := readRows(m.path(name))
	if err != nil {
		return err
	}
	group := parquet.Group{}
	columns := schema.Columns()
	chosen := columns[m.IntN(len(columns))][0]
	for _, f := range schema.Fields() {
		group[f.Name()] = f
	}
	group[chosen] = []parquet.Node{parquet.String(), parquet.Leaf(parquet.DoubleType), parquet.Leaf(parquet.Int32Type), parquet.Optional(parquet.Leaf(parquet.Int64Type)), parquet.Repeated(parquet.Leaf(parquet.Int64Type)), parquet.Timestamp(parquet.Nanosecond), parquet.Leaf(parquet.BooleanType)}[m.IntN(7)]
	m.did("%s: another type of %s", name, chosen)
	other := parquet.NewSchema(schema.Name(), group)
	leaf, _ := other.Lookup(chosen)
	index := map[string]int{}
	for i, c := range other.Columns() {
		index[c[0]] = i
	}
	level := 0
	if leaf.Node.Optional() || leaf.Node.Repeated() {
		level = 1
	}
	for i, row := range rows {
		to := make(parquet.Row, len(row))
		for k, v := range row {
			at := index[columns[k][0]]
			to[at] = v.Level(0, v.DefinitionLevel(), at)
		}
		at := index[chosen]
		to[at] = m.extremeOf(leaf.Node.Type().Kind()).Level(0, level, at)
		rows[i] = to
	}
	return writeRows(m.path(name), other, rows)
}

// manifest changes a value of the manifest.
func (m *mutator) manifest() error {
	windows := []any{
		nil, map[string]any{}, map[string]any{"from": "2025-03-03T09:00:00Z", "to": "2025-03-03T08:00:00Z"},
		map[string]any{"from": "0001-01-01T00:00:00Z", "to": "9999-12-31T00:00:00Z"}, map[string]any{"from": "2025-03-03T08:00:00Z", "to": "2025-03-03T08:00:00Z"},
		map[string]any{"from": "1970-01-01T00:00:00Z", "to": "2150-01-01T00:00:00Z"}, "today", 7,
	}
	values := []any{nil, -1, 1e300, math.MaxInt64, "x", true, []any{}, map[string]any{}, m.hostileText()}
	return m.editManifest(func(j map[string]any) {
		if m.IntN(2) == 0 {
			at := m.IntN(len(windows))
			m.did("window %d", at)
			j["window"] = windows[at]
			return
		}
		keys := slices.Sorted(maps.Keys(j))
		key := keys[m.IntN(len(keys))]
		at := m.IntN(len(values))
		m.did("manifest: %s = %.60v", key, values[at])
		j[key] = values[at]
	})
}

func (m *mutator) editManifest(change func(map[string]any)) error {
	b, err := os.ReadFile(m.path(trace.ManifestName))
	if err != nil {
		return err
	}
	var j map[string]any
	if err := json.Unmarshal(b, &j); err != nil {
		return nil // damaged before
	}
	change(j)
	if b, err = json.Marshal(j); err != nil {
		return err
	}
	return os.WriteFile(m.path(trace.ManifestName), b, 0o644)
}

// extremeIfReadable is extreme for a trace that may be damaged already.
func (m *mutator) extremeIfReadable() (err error) {
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	_ = m.extreme()
	return nil
}

// rewrite changes the rows of a file, whose count the manifest then forgets.
func (m *mutator) rewrite(name string, change func(*parquet.Schema, []parquet.Row) []parquet.Row) error {
	rows, schema, err := readRows(m.path(name))
	if err != nil {
		return err
	}
	if err := writeRows(m.path(name), schema, change(schema, rows)); err != nil {
		return err
	}
	return m.editManifest(func(j map[string]any) { j["tables"] = map[string]any{} })
}

func readRows(path string) ([]parquet.Row, *parquet.Schema, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, nil, err
	}
	var all []parquet.Row
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buffer := make([]parquet.Row, 64)
		for {
			n, err := rows.ReadRows(buffer)
			for _, row := range buffer[:n] {
				all = append(all, row.Clone())
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, nil, err
			}
		}
		rows.Close()
	}
	return all, f.Schema(), nil
}

func writeRows(path string, schema *parquet.Schema, rows []parquet.Row) error {
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema)
	if _, err := w.WriteRows(rows); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
