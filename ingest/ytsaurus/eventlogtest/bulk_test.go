package eventlogtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

func TestBulkHasAsManyRowsAsAreAskedFor(t *testing.T) {
	for _, events := range []int{10_000, 9_999} {
		var b bytes.Buffer
		if err := Bulk(t, &b, JSONL, BulkOptions{JobEvents: events, Elements: 1300, Seconds: 12}); err != nil {
			t.Fatal(err)
		}
		rows, elements, jobs, ids := map[string]int{}, 0, 0, map[string]bool{}
		for line := range bytes.Lines(b.Bytes()) {
			var r struct {
				EventType         string `json:"event_type"`
				JobID             string `json:"job_id"`
				Pools, Operations map[string]json.RawMessage
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			rows[r.EventType]++
			if elements += len(r.Operations) + len(r.Pools); r.JobID != "" {
				jobs++
				ids[r.JobID] = true
			}
		}
		// Two batches of operations, and in each snapshot the root.
		want := map[string]int{"fair_share_info": 12 * 4, "cluster_info": 12, "nodes_info": 10, "operation_started": 1170}
		for kind, n := range want {
			if rows[kind] != n {
				t.Errorf("%d rows of %s, want %d", rows[kind], kind, n)
			}
		}
		if jobs != events || len(ids) != (events+1)/2 || elements != 12*1301 {
			t.Errorf("%d job events of %d jobs and %d elements", jobs, len(ids), elements)
		}
	}
}

// The forms tell the same: what a form encodes ahead is what it would encode.
func TestBulkOfAllFormsTellsTheSame(t *testing.T) {
	o := BulkOptions{JobEvents: 400, Elements: 50, Seconds: 8}
	var lines bytes.Buffer
	if err := Bulk(t, &lines, JSONL, o); err != nil {
		t.Fatal(err)
	}
	rows := decoded(t, lines.Bytes())
	for _, form := range []Form{TextYSON, BinaryYSON, Parquet} {
		var got, want bytes.Buffer
		if err := Bulk(t, &got, form, o); err != nil {
			t.Fatal(err)
		}
		e := encoderOf(form, &want, columnsOf(t, Age2023))
		for i := range rows {
			if err := e.row(&rows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("%s: byte %d is another", form, firstDifference(got.Bytes(), want.Bytes()))
		}
	}
}

func BenchmarkBulk(b *testing.B) {
	for _, form := range []Form{JSONL, TextYSON, BinaryYSON, Parquet} {
		b.Run(fmt.Sprintf("form=%s", form), func(b *testing.B) {
			for b.Loop() {
				n := &counter{}
				if err := Bulk(b, n, form, BulkOptions{JobEvents: 100_000, Elements: 2000, Seconds: 36}); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(n.bytes)
			}
		})
	}
}

// A counter counts bytes.
type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += int64(len(b))
	return len(b), nil
}
