package whatif

// rows are a list in blocks: growing copies none of them, and takes no room beyond the last block.
type rows[T any] struct {
	blocks [][]T
	n      int
}

const blockRows = 1024

func (r *rows[T]) len() int { return r.n }

// row returns the row with a number. Its address does not change.
func (r *rows[T]) row(i int) *T { return &r.blocks[i/blockRows][i%blockRows] }

// add appends a row and returns its number.
func (r *rows[T]) add(row T) int {
	if r.n == len(r.blocks)*blockRows {
		r.blocks = append(r.blocks, make([]T, blockRows))
	}
	r.n++
	*r.row(r.n - 1) = row
	return r.n - 1
}

// pass releases the block before a row; those before it have been released already.
func (r *rows[T]) pass(i int) {
	if i%blockRows == 0 && i > 0 {
		r.blocks[i/blockRows-1] = nil
	}
}

// values are numbered from 0 on in the order in which they come first, each once.
type values[T comparable] struct {
	list []T
	at   map[T]int32
}

func (v *values[T]) number(value T) int32 {
	at, known := v.at[value]
	if !known {
		if v.at == nil {
			v.at = map[T]int32{}
		}
		at = int32(len(v.list))
		v.list, v.at[value] = append(v.list, value), at
	}
	return at
}
