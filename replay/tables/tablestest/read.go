// Package tablestest reads result tables in tests.
package tablestest

import (
	"os"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/ipc"
)

// Read returns the batches of a file of a result table.
func Read(t testing.TB, path string) (batches []arrow.Record) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range r.NumRecords() {
		batch, err := r.Record(i)
		if err != nil {
			t.Fatal(err)
		}
		batch.Retain()
		batches = append(batches, batch)
	}
	return batches
}
