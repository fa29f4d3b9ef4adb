package ytsaurus_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"poolproof/ingest/ytsaurus"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// yson writes a value of JSON as YSON, text or binary: ids of the archive as uint64.
func yson(b []byte, v any, bin bool) []byte {
	switch v := v.(type) {
	case map[string]any:
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if number, ok := v[name].(json.Number); ok && (strings.HasSuffix(name, "_hi") || strings.HasSuffix(name, "_lo")) {
				b = append(yson(b, name, bin), '=')
				n, _ := strconv.ParseUint(number.String(), 10, 64)
				if bin {
					b = append(binary.AppendUvarint(append(b, 0x06), n), ';')
				} else {
					b = append(b, number.String()+"u;"...)
				}
				continue
			}
			b = append(yson(append(yson(b, name, bin), '='), v[name], bin), ';')
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = append(yson(b, item, bin), ';')
		}
		return append(b, ']')
	case string:
		if bin {
			return append(binary.AppendVarint(append(b, 0x01), int64(len(v))), v...)
		}
		return strconv.AppendQuote(b, v)
	case json.Number:
		n, err := v.Int64()
		switch {
		case err != nil:
			return append(b, v.String()...)
		case bin:
			return binary.AppendVarint(append(b, 0x02), n)
		}
		return strconv.AppendInt(b, n, 10)
	case bool:
		if v {
			return append(b, "%true"...)
		}
		return append(b, "%false"...)
	}
	return append(b, '#')
}

// The columns of the archive that a copy of it has, as the vendor's program writes them:
// texts without a mark, maps as binary YSON.
type parquetOperation struct {
	High       uint64 `parquet:"id_hi"`
	Low        uint64 `parquet:"id_lo"`
	State      []byte `parquet:"state"`
	User       []byte `parquet:"authenticated_user"`
	Type       []byte `parquet:"operation_type"`
	Spec       []byte `parquet:"spec"`
	Parameters []byte `parquet:"runtime_parameters"`
	Start      int64  `parquet:"start_time"`
	Finish     int64  `parquet:"finish_time"`
	Events     []byte `parquet:"events"`
	Result     []byte `parquet:"result"`
}

type parquetJob struct {
	OperationHigh uint64 `parquet:"operation_id_hi"`
	OperationLow  uint64 `parquet:"operation_id_lo"`
	High          uint64 `parquet:"job_id_hi"`
	Low           uint64 `parquet:"job_id_lo"`
	Type          []byte `parquet:"type"`
	State         []byte `parquet:"state"`
	Start         int64  `parquet:"start_time"`
	Finish        *int64 `parquet:"finish_time,optional"`
	Address       []byte `parquet:"address"`
	Error         []byte `parquet:"error,optional"`
	Tree          []byte `parquet:"pool_tree"`
	Competition   []byte `parquet:"job_competition_id,optional"`
	Probing       []byte `parquet:"probing_job_competition_id,optional"`
}

func (f fields) word(name string) uint64 {
	n, _ := f[name].(json.Number)
	word, _ := strconv.ParseUint(n.String(), 10, 64)
	return word
}

func (f fields) bytes(name string) []byte {
	s, _ := f[name].(string)
	return []byte(s)
}

func parquetArchive(t *testing.T, operations, jobs [][]byte) (paths []string) {
	t.Helper()
	var ofOperations, ofJobs bytes.Buffer
	o, j := parquet.NewGenericWriter[parquetOperation](&ofOperations), parquet.NewGenericWriter[parquetJob](&ofJobs)
	for _, line := range operations {
		f := fieldsOf(t, line)
		cell := func(name string) []byte { return yson(nil, f[name], true) }
		if _, err := o.Write([]parquetOperation{{f.word("id_hi"), f.word("id_lo"), f.bytes("state"), f.bytes("authenticated_user"), f.bytes("operation_type"),
			cell("spec"), cell("runtime_parameters"), int64(f.word("start_time")), int64(f.word("finish_time")), cell("events"), cell("result")}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range jobs {
		f := fieldsOf(t, line)
		row := parquetJob{f.word("operation_id_hi"), f.word("operation_id_lo"), f.word("job_id_hi"), f.word("job_id_lo"), f.bytes("type"), f.bytes("state"),
			int64(f.word("start_time")), nil, f.bytes("address"), nil, f.bytes("pool_tree"), f.bytes("job_competition_id"), f.bytes("probing_job_competition_id")}
		if f["finish_time"] != nil {
			finish := int64(f.word("finish_time"))
			row.Finish = &finish
		}
		if f["error"] != nil {
			row.Error = yson(nil, f["error"], true)
		}
		if _, err := j.Write([]parquetJob{row}); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	for _, w := range []interface{ Close() error }{o, j} {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return []string{writeText(t, filepath.Join(dir, "operations"), ofOperations.Bytes()), writeText(t, filepath.Join(dir, "jobs"), ofJobs.Bytes())}
}

// The archive may have any of the forms that the log has.
func TestFormsOfArchive(t *testing.T) {
	l := sampleLog(t, "2023")
	rows := before(t, l.rows, at(t, "2025-03-03T08:01:50.5Z"))
	cut := writeRows(t, filepath.Join(t.TempDir(), "cut"), without(rows, "operation_started"))
	operations, jobs, err := eventlogtest.Archive(l.rows, false)
	if err != nil {
		t.Fatal(err)
	}
	accented := func(line []byte) bool { // JSON has other bytes of such texts than YSON
		return bytes.ContainsFunc(line, func(c rune) bool { return c > 0x7f })
	}
	operations = slices.DeleteFunc(operations, accented)
	write := func(rows [][]byte) string { return writeRows(t, filepath.Join(t.TempDir(), "rows"), rows) }
	inYSON := func(rows [][]byte, bin bool) string {
		var text []byte
		for _, line := range rows {
			text = append(yson(text, map[string]any(fieldsOf(t, line)), bin), ';', '\n')
		}
		return writeText(t, filepath.Join(t.TempDir(), "rows"), text)
	}
	var want map[string]string
	for i, sources := range [][]string{
		{write(operations), write(jobs)},
		{inYSON(operations, false), inYSON(jobs, false)},
		{inYSON(operations, true), inYSON(jobs, true)},
		parquetArchive(t, operations, jobs),
	} {
		got := importLog(t, ytsaurus.Options{Sources: append(sources, cut), Exports: []ytsaurus.Export{{Path: l.export}}})
		if a := got.manifest(t).Log.Archived; a["operations"] != int64(len(operations)) || a["jobs"] != 238 || len(operations) < 8 {
			t.Errorf("form %d: %v of %d operations", i, a, len(operations))
		}
		if want == nil {
			want = got.bundle(t)
		}
		if d := difference(want, got.bundle(t)); d != "" {
			t.Errorf("form %d: %s", i, d)
		}
	}
}
