package parquetlog

import "fmt"

// DefaultBudget is how many bytes of pages and texts a stream may hold at a time. Files
// of pyarrow, DuckDB and polars take a tenth: a megabyte for a page of each column.
const DefaultBudget = 512 << 20

// A Budget bounds the memory of the files of a stream: a few bytes of a compressed page
// can stand for gigabytes. It is for one goroutine.
type Budget struct{ total, left int64 }

// NewBudget returns a budget of that many bytes.
func NewBudget(bytes int64) *Budget { return &Budget{bytes, bytes} }

// take reserves bytes, or says that they are too many.
func (b *Budget) take(bytes int64) error {
	if bytes > b.left {
		return fmt.Errorf("its pages unpack to more than %d MiB at a time", b.total>>20)
	}
	b.left -= bytes
	return nil
}

func (b *Budget) give(bytes int64) { b.left += bytes }

// Limits of a file, far above those of any that a log has been written to.
const (
	largestFooter = 64 << 20
	mostColumns   = 2000
	rowsPerByte   = 64      // a row of constant columns takes a twentieth of a byte
	fewRows       = 1 << 16 // of which nobody asks how small the file is
	longestName   = 64 << 10
	longestText   = 16 << 20 // specs and configurations
	textsOfBatch  = 256 << 20
)
