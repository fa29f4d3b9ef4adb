package ytsaurus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// Whatever is done to the rows of a log, the import tells of it and goes on, and the
// order of the rows still changes nothing.
func TestDirtInAnyOrder(t *testing.T) {
	logs := []log{sampleLog(t, "2020"), sampleLog(t, "2023"), sampleLog(t, "2025")}
	for i := range logs {
		operations, jobs, err := eventlogtest.Archive(logs[i].rows, i == 2)
		if err != nil {
			t.Fatal(err)
		}
		logs = append(logs, log{slices.Concat(logs[i].rows[:400], operations, jobs), logs[i].export})
	}
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		l := logs[rapid.IntRange(0, len(logs)-1).Draw(rt, "log")]
		m := mutator{rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))}
		rows := m.log(l.rows, rapid.IntRange(1, 200).Draw(rt, "changes"))
		var o ytsaurus.Options
		if rapid.Bool().Draw(rt, "exported") {
			o.Exports = []ytsaurus.Export{{Path: l.export}}
		}
		imports := func(name string) map[string]string {
			o.Sources, o.Out = []string{writeRows(t, filepath.Join(dir, name), rows)}, filepath.Join(dir, name+".trace")
			s, err := ytsaurus.Import(context.Background(), o)
			if err != nil {
				rt.Fatal(err)
			}
			got := imported{o.Out, s}
			checkProblems(t, got)
			bundle := got.bundle(t)
			delete(bundle, "global/problems.parquet") // with the numbers of rows
			return bundle
		}
		one := imports("one")
		m.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		if d := difference(one, imports("two")); d != "" {
			rt.Fatal(d)
		}
	})
}

// A mutator spoils rows.
type mutator struct{ *rand.Rand }

func (m mutator) log(rows [][]byte, changes int) [][]byte {
	rows = slices.Clone(rows)
	for range changes {
		i := m.IntN(len(rows))
		switch m.IntN(8) {
		case 0:
			rows = slices.Delete(rows, i, i+1)
		case 1:
			rows[i] = rows[i][:m.IntN(len(rows[i])+1)]
		case 2:
			rows[i] = m.bytes(rows[i])
		default:
			rows[i] = m.row(rows[i])
		}
	}
	return rows
}

// bytes changes a few bytes, but makes no lines.
func (m mutator) bytes(line []byte) []byte {
	line = slices.Clone(line)
	for range min(1+m.IntN(4), len(line)) {
		if c := byte(m.IntN(256)); c != '\n' {
			line[m.IntN(len(line))] = c
		}
	}
	return line
}

// row changes a value somewhere in a row.
func (m mutator) row(line []byte) []byte {
	var f map[string]any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if d.Decode(&f) != nil {
		return line
	}
	m.value(f)
	b, err := json.Marshal(f)
	if err != nil {
		return line
	}
	return b
}

// value changes one entry of a map, at any depth.
func (m mutator) value(in map[string]any) {
	names := slices.Sorted(maps.Keys(in))
	if len(names) == 0 {
		return
	}
	name := names[m.IntN(len(names))]
	if below, ok := in[name].(map[string]any); ok && m.IntN(6) > 0 {
		m.value(below)
		return
	}
	switch m.IntN(6) {
	case 0:
		delete(in, name)
	case 1: // as another entry of the same map
		in[name] = in[names[m.IntN(len(names))]]
	case 2:
		in[oddities[m.IntN(len(oddities))].(string)] = in[name]
	default:
		all := append(slices.Clone(oddities), oddValues...)
		in[name] = all[m.IntN(len(all))]
	}
}

// The texts may be names, too.
var (
	oddities = []any{"", "0-0-0-0", "1-2-3-4", "ffffffff-ffffffff-ffffffff-ffffffff", "<Root>", "<unknown>", "physical", "devices", "\x00", "\u00ff",
		"1601-01-01T00:00:00.000000Z", "2025-03-03T08:01:00.000000Z", "2025-03-03T08:01:00Z", "2025-02-31T08:01:00Z", "job_started", "fair_share_info", "fifo", "running", "not_an_enum"}
	oddValues = []any{nil, true, -1, 0, 1, 0.5, 1e300, json.Number("9223372036854775807"), json.Number("18446744073709551615"), json.Number("-9223372036854775808"),
		[]any{}, []any{1, "x"}, map[string]any{}, map[string]any{"cpu": -1}, map[string]any{"user_slots": 1e18, "cpu": 1e14}}
)
