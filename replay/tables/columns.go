package tables

import (
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"

	"poolproof/core"
	"poolproof/core/resource"
	"poolproof/core/rows"
)

var (
	timestampType  = &arrow.TimestampType{Unit: arrow.Microsecond} // no zone: DuckDB's TIMESTAMP
	dictionaryType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	// wordsType is that of one out of a list of words, which is sorted by what they mean.
	wordsType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String, Ordered: true}
)

// resourceUnits are the units of amounts in the tables. Cores are real numbers
// there, exact to the hundredth; the rest are integers.
var resourceUnits = [resource.Kinds]string{"slots", "cores", "devices", "bytes", "units"}

// field reads a value of type T at an offset into a row.
func field[T any](row unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(row, offset)) }

// present returns a test of whether a row has a value of the column; nil if it always has.
func present(f *rows.Column) func(unsafe.Pointer) bool {
	if !f.Nullable {
		return nil
	}
	set := f.Set
	return func(row unsafe.Pointer) bool { return field[bool](row, set) }
}

// columnsOf returns the columns of one struct field: one, or one per resource.
func columnsOf(c Column, f *rows.Column, frequent bool) []Column {
	t, offset, is := f.Type, f.Offset, present(f)
	switch t {
	case reflect.TypeFor[resource.Vector]():
		return perResource(c, func(c Column, k int) Column { return amount(c, k, offset, is) })
	case reflect.TypeFor[resource.Share]():
		return perResource(c, func(c Column, k int) Column {
			at := offset + uintptr(k)*8
			return fixed(c, arrow.PrimitiveTypes.Float64, is, func(row unsafe.Pointer) float64 { return field[float64](row, at) })
		})
	case reflect.TypeFor[ShareSeconds]():
		return perResource(c, func(c Column, k int) Column {
			at := offset + uintptr(k)*8
			return fixed(c, arrow.PrimitiveTypes.Int64, is, func(row unsafe.Pointer) int64 { return field[int64](row, at) })
		})
	case reflect.TypeFor[resource.Partial]():
		return perResource(c, func(c Column, k int) Column {
			set := offset + unsafe.Offsetof(resource.Partial{}.Set) + uintptr(k)
			c.Nullable = true
			return amount(c, k, offset, func(row unsafe.Pointer) bool {
				return (is == nil || is(row)) && field[bool](row, set)
			})
		})
	}
	return []Column{scalar(c, t, offset, is, frequent)}
}

// perResource makes one column per resource, named for it.
func perResource(c Column, make func(Column, int) Column) []Column {
	columns := []Column{}
	for k := range resource.Kinds {
		one := c
		one.Name += "_" + resource.Kind(k).String()
		one.Sentence += ": " + resource.Kind(k).String()
		columns = append(columns, make(one, k))
	}
	return columns
}

// amount is a column of one component of a vector.
func amount(c Column, k int, offset uintptr, is func(unsafe.Pointer) bool) Column {
	c.Unit = resourceUnits[k]
	at := offset + uintptr(k)*8
	if resource.Kind(k) == resource.CPU {
		return fixed(c, arrow.PrimitiveTypes.Float64, is, func(row unsafe.Pointer) float64 {
			return float64(field[int64](row, at)) / resource.CentsPerCore
		})
	}
	return fixed(c, arrow.PrimitiveTypes.Int64, is, func(row unsafe.Pointer) int64 { return field[int64](row, at) })
}

// scalar is a column of a field that is one value.
func scalar(c Column, t reflect.Type, offset uintptr, is func(unsafe.Pointer) bool, frequent bool) Column {
	switch t {
	case reflect.TypeFor[core.Time]():
		c.Unit = "UTC"
		return fixed(c, timestampType, is, func(row unsafe.Pointer) int64 { return field[int64](row, offset) })
	case reflect.TypeFor[core.PoolID]():
		return named(c, is, frequent, func(d *Dictionaries) *dictionary { return d.pools }, func(row unsafe.Pointer) int32 {
			return poolIndex(field[core.PoolID](row, offset))
		})
	case reflect.TypeFor[core.OperationID]():
		return named(c, is, frequent, func(d *Dictionaries) *dictionary { return d.operations }, func(row unsafe.Pointer) int32 {
			return field[int32](row, offset)
		})
	case reflect.TypeFor[core.NodeID]():
		return named(c, is, frequent, func(d *Dictionaries) *dictionary { return d.nodes }, func(row unsafe.Pointer) int32 {
			return field[int32](row, offset)
		})
	case reflect.TypeFor[resource.Kind]():
		for k := range resource.Kinds {
			c.Words = append(c.Words, resource.Kind(k).String())
		}
		return indexed(c, dictionaryType, is, func(d *Dictionaries) *dictionary { return d.resources }, func(row unsafe.Pointer) int32 {
			return int32(field[resource.Kind](row, offset))
		})
	}
	if words, ok := enumWords[t]; ok {
		c.Words = words
		of := wordsType
		if t == reflect.TypeFor[ElementKind]() {
			of = dictionaryType // a key
		}
		return indexed(c, of, is, func(d *Dictionaries) *dictionary { return d.enums[t] }, func(row unsafe.Pointer) int32 { return int32(field[uint8](row, offset)) })
	}
	if c.list != "" {
		c.Words = textWords[c.list]
		return indexed(c, wordsType, is, func(d *Dictionaries) *dictionary { return d.texts[c.list] }, func(row unsafe.Pointer) int32 {
			return wordIndex(c.Words, field[string](row, offset))
		})
	}
	switch t.Kind() {
	case reflect.Bool:
		c.Type = arrow.FixedWidthTypes.Boolean
		c.cells = func(*Dictionaries) cells {
			return &boolCells{is: is, get: func(row unsafe.Pointer) bool { return field[bool](row, offset) }}
		}
		return c
	case reflect.String:
		c.Type = arrow.BinaryTypes.String
		c.cells = func(*Dictionaries) cells {
			return &textCells{is: is, get: func(row unsafe.Pointer) string { return field[string](row, offset) }}
		}
		return c
	case reflect.Int64:
		return fixed(c, arrow.PrimitiveTypes.Int64, is, func(row unsafe.Pointer) int64 { return field[int64](row, offset) })
	case reflect.Int32:
		return fixed(c, arrow.PrimitiveTypes.Int32, is, func(row unsafe.Pointer) int32 { return field[int32](row, offset) })
	case reflect.Float64:
		return fixed(c, arrow.PrimitiveTypes.Float64, is, func(row unsafe.Pointer) float64 { return field[float64](row, offset) })
	}
	panic(fmt.Sprintf("column %s: no column type for %v", c.Name, t))
}

// fixed is a column of numbers.
func fixed[T int32 | int64 | float64](c Column, t arrow.DataType, is func(unsafe.Pointer) bool, get func(unsafe.Pointer) T) Column {
	c.Type = t
	c.cells = func(*Dictionaries) cells { return &fixedCells[T]{of: t, is: is, get: get} }
	return c
}

// indexed is a column of words out of a dictionary.
func indexed(c Column, of *arrow.DictionaryType, is func(unsafe.Pointer) bool, words func(*Dictionaries) *dictionary, get func(unsafe.Pointer) int32) Column {
	c.Type = of
	c.cells = func(d *Dictionaries) cells { return &indexCells{of: of, dictionary: words(d), is: is, get: get} }
	return c
}

// wordIndex is the place of a text among the words of its column.
func wordIndex(words []string, text string) int32 {
	at := slices.Index(words, text)
	if at < 0 {
		panic(fmt.Sprintf("%q is none of the words %q", text, words))
	}
	return int32(at)
}

// named is a column of ids, shown by their names: dictionary encoded in a
// frequent table, else as text.
func named(c Column, is func(unsafe.Pointer) bool, frequent bool, words func(*Dictionaries) *dictionary, get func(unsafe.Pointer) int32) Column {
	c.Nullable = true // an id may be unknown
	if frequent {
		return indexed(c, dictionaryType, is, words, get)
	}
	c.Type = arrow.BinaryTypes.String
	c.cells = func(d *Dictionaries) cells {
		names := words(d).words
		return &textCells{
			is:  func(row unsafe.Pointer) bool { return (is == nil || is(row)) && get(row) >= 0 },
			get: func(row unsafe.Pointer) string { return names[get(row)] },
		}
	}
	return c
}
