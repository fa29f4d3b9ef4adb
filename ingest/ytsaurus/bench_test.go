package ytsaurus

import (
	"bytes"
	"fmt"
	"io"
	"syscall"
	"testing"

	"poolproof/ingest/extsort"
	"poolproof/ingest/joblog"
	"poolproof/ingest/yson"
	"poolproof/ingest/ytsaurus/eventlogtest"
)

// BenchmarkLoad reads a log of each form, with and without the loader that takes its
// rows in. Job events and elements of snapshots stand as in the log of a large cluster.
func BenchmarkLoad(b *testing.B) {
	for _, form := range []eventlogtest.Form{eventlogtest.JSONL, eventlogtest.TextYSON, eventlogtest.BinaryYSON} {
		var log bytes.Buffer
		if err := eventlogtest.Bulk(b, &log, form, eventlogtest.BulkOptions{JobEvents: 22_000, Elements: 2000, Seconds: 8}); err != nil {
			b.Fatal(err)
		}
		for _, load := range []bool{false, true} {
			b.Run(fmt.Sprintf("form=%s/load=%v", form, load), func(b *testing.B) {
				b.SetBytes(int64(log.Len()))
				b.ReportAllocs()
				sorter := extsort.New(extsort.Options{Memory: 1 << 30, Scratch: b.TempDir()})
				defer sorter.Close()
				r := reading{loader: newLoader(&Options{}, sorter), ctx: b.Context()}
				readLog(b, &r, log.Bytes(), form, load) // buffers grow
				began := cpuSeconds(b)
				r.rows = 0
				for b.Loop() {
					readLog(b, &r, log.Bytes(), form, load)
				}
				rows := r.rows
				b.ReportMetric(float64(rows)/(cpuSeconds(b)-began)/1e3, "krows/cpu-s")
			})
		}
	}
}

func readLog(b *testing.B, r *reading, log []byte, form eventlogtest.Form, load bool) {
	f, err := joblog.NewFile("log", bytes.NewReader(log))
	if err != nil {
		b.Fatal(err)
	}
	s := &sourceReader{file: f, in: f}
	switch {
	case load && form == eventlogtest.JSONL:
		err = r.jsonLines(s)
	case load:
		err = r.ysonRecords(s)
	case form == eventlogtest.JSONL:
		for r.lines.reset(s.in); err == nil; r.rows++ {
			var line []byte
			if line, _, err = r.lines.next(); err == nil {
				err = r.json.read(line, &r.record)
			}
		}
	default:
		for r.records.Reset(s.in, maxRow); err == nil; r.rows++ {
			err = r.records.Next(func(in *yson.Decoder) error { return r.yson.read(in, &r.record) })
		}
	}
	if err != nil && err != io.EOF {
		b.Fatal(err)
	}
}

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
