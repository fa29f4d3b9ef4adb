package parquetlog

import "fmt"

// copy reads k rows of the open page into v from row at on.
func (c *cursor) copy(v *Vector, at, k int) error {
	if v.offsets != nil {
		return c.copyBytes(v, at, k)
	}
	values := k // how many of the rows hold a value
	switch {
	case c.levels == nil:
		v.markAll(at, k, true)
	default:
		v.mark(at, c.levels[:k], c.pages.def)
		values = count(c.levels[:k], c.pages.def)
	}
	c.values(v, at, values)
	if values < k {
		c.spread(v, at, k, values)
	}
	if c.levels != nil {
		c.levels = c.levels[k:]
	}
	return nil
}

func count(levels []byte, level byte) (n int) {
	for _, l := range levels {
		if l == level {
			n++
		}
	}
	return n
}

// values copies the next n values of the page to v from at on.
func (c *cursor) values(v *Vector, at, n int) {
	if c.indexes != nil {
		index := c.indexes[:n]
		c.indexes = c.indexes[n:]
		switch c.column.Type {
		case Int32:
			gather(v.Int32s[at:], c.pages.dict.int32s, index)
		case Int64, Time:
			gather(v.Int64s[at:], c.pages.dict.int64s, index)
		case Double:
			gather(v.Doubles[at:], c.pages.dict.doubles, index)
		case Bool:
			for i, x := range index {
				v.Bools[at+i] = c.pages.dict.bools[x] != 0
			}
		case Text:
			gather(v.Texts[at:], c.local, index)
		}
		return
	}
	from := c.next
	c.next += n
	switch c.column.Type {
	case Int32:
		copy(v.Int32s[at:at+n], c.data.int32s[from:])
	case Int64, Time:
		copy(v.Int64s[at:at+n], c.data.int64s[from:])
	case Double:
		copy(v.Doubles[at:at+n], c.data.doubles[from:])
	case Bool:
		for i := range n {
			v.Bools[at+i] = c.data.bools[from+i] != 0
		}
	case Text:
		for i := range n {
			v.Texts[at+i] = c.intern.ID(c.data.text(from + i))
		}
	}
}

// gather looks n values up in a dictionary.
func gather[T any](to, dictionary []T, index []int32) {
	to = to[:len(index)]
	for i, x := range index {
		to[i] = dictionary[x]
	}
}

// spread moves the values at the front of k rows to where they belong.
func (c *cursor) spread(v *Vector, at, k, values int) {
	levels := c.levels[:k]
	switch {
	case v.Int32s != nil:
		spread(v.Int32s[at:], levels, c.pages.def, values)
	case v.Int64s != nil:
		spread(v.Int64s[at:], levels, c.pages.def, values)
	case v.Doubles != nil:
		spread(v.Doubles[at:], levels, c.pages.def, values)
	case v.Bools != nil:
		spread(v.Bools[at:], levels, c.pages.def, values)
	case v.Texts != nil:
		spread(v.Texts[at:], levels, c.pages.def, values)
	}
}

// copyBytes reads k rows of text that is not interned.
func (c *cursor) copyBytes(v *Vector, at, k int) error {
	switch {
	case c.levels == nil:
		v.markAll(at, k, true)
	default:
		v.mark(at, c.levels[:k], c.pages.def)
	}
	for i := range k {
		if c.levels == nil || c.levels[i] == c.pages.def {
			text := c.nextText()
			if len(text) > longestText {
				return tooLong(len(text), longestText)
			}
			if len(v.data)+len(text) > textsOfBatch {
				return fmt.Errorf("the texts of %d rows take more than %d MiB", at+k, textsOfBatch>>20)
			}
			// A dictionary makes many texts of one.
			if more := int64(len(v.data)+len(text)) - v.held; more > c.intern.budget.left {
				return c.intern.budget.reserve(more)
			}
			v.data = append(v.data, text...)
		}
		v.offsets[at+i+1] = uint32(len(v.data))
	}
	if c.levels != nil {
		c.levels = c.levels[k:]
	}
	return nil
}

func (c *cursor) nextText() []byte {
	if c.indexes != nil {
		x := c.indexes[0]
		c.indexes = c.indexes[1:]
		return c.pages.dict.text(int(x))
	}
	c.next++
	return c.data.text(c.next - 1)
}
