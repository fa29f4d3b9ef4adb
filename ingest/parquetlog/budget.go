package parquetlog

import (
	"cmp"
	"fmt"
)

// Memory limits the pages and texts that a stream holds at a time, in bytes; 0 is DefaultMemory.
type Memory int64

// DefaultMemory is ten times what files of pyarrow, DuckDB and polars take: a megabyte for a page of
// each column.
const DefaultMemory Memory = 512 << 20

// A Budget bounds the memory of the files of a stream: a few bytes of a compressed page
// can stand for gigabytes. It is for one goroutine.
type Budget struct{ total, left int64 }

// Budget returns the budget of a stream.
func (m Memory) Budget() *Budget {
	bytes := int64(cmp.Or(m, DefaultMemory))
	return &Budget{bytes, bytes}
}

// Bytes returns the size of the budget.
func (b *Budget) Bytes() int64 { return b.total }

// reserve takes bytes out of the budget; if that has fewer, it returns an error.
func (b *Budget) reserve(bytes int64) error {
	if bytes > b.left {
		return &FormatError{Found: fmt.Sprintf("its pages and texts take more than %d MiB at a time", b.total>>20),
			Advice: "Give more by --memory (a fifth may go to them), or write smaller pages."}
	}
	b.left -= bytes
	return nil
}

// release puts bytes back.
func (b *Budget) release(bytes int64) { b.left += bytes }

// Limits of a file, far above those of any that a log has been written to.
const (
	largestFooter = 64 << 20
	mostColumns   = 2000
	rowsPerByte   = 64      // a row of constant columns takes a twentieth of a byte
	fewRows       = 1 << 16 // files of fewer rows are accepted whatever their size
	longestName   = 64 << 10
	longestText   = 16 << 20 // specs and configurations
	textsOfBatch  = 256 << 20
)
