package ytsaurus

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"poolproof/core"
	"poolproof/core/rows"
)

// A layout encodes a struct as part of a record: its fields in their order. Fields that lead are
// keys, by whose order records are sorted. An optional group has one byte that says whether it
// is there. The tag record changes what becomes of a field:
//
//	record:"-"     it is left out
//	record:"name"  a text of a key
//	record:"long"  a text that seldom occurs twice
type layout[T any] []recordField

type recordField struct {
	rows.Column
	form  form
	opens bool // it is the first of an optional group
}

// A form is that of a value in a record.
type form uint8

const (
	timeForm form = iota // eight bytes that have the order of times
	intForm
	int32Form
	floatForm
	boolForm
	byteForm
	guidForm
	textForm
	longForm
	nameForm
)

func layoutOf[T any]() (l layout[T]) {
	for _, c := range rows.Of(reflect.TypeFor[T]()) {
		tag := c.Tag("record")
		if tag == "-" {
			continue
		}
		f := recordField{Column: c, form: formOfField(c.Type, tag)}
		f.opens = c.Nullable && (len(l) == 0 || l[len(l)-1].Set != c.Set)
		l = append(l, f)
	}
	return l
}

func formOfField(t reflect.Type, tag string) form {
	switch t {
	case reflect.TypeFor[core.Time](), reflect.TypeFor[rowPlace]():
		return timeForm
	case reflect.TypeFor[guid]():
		return guidForm
	}
	switch t.Kind() {
	case reflect.Int64:
		return intForm
	case reflect.Int32:
		return int32Form
	case reflect.Float64:
		return floatForm
	case reflect.Bool:
		return boolForm
	case reflect.Uint8:
		return byteForm
	case reflect.String:
		return map[string]form{"": textForm, "long": longForm, "name": nameForm}[tag]
	}
	panic(fmt.Sprintf("no record holds a %v", t))
}

// put appends a struct to a record.
func (l layout[T]) put(e *encoder, v *T) {
	set := true
	for i := range l {
		f := &l[i]
		if f.opens {
			set = *(*bool)(unsafe.Add(unsafe.Pointer(v), f.Set))
			e.bool(set)
		}
		if !set && f.Nullable {
			continue
		}
		switch at := unsafe.Add(unsafe.Pointer(v), f.Offset); f.form {
		case timeForm:
			e.time(*(*core.Time)(at))
		case intForm:
			e.b = binary.AppendVarint(e.b, *(*int64)(at))
		case int32Form:
			e.b = binary.AppendVarint(e.b, int64(*(*int32)(at)))
		case floatForm:
			e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(*(*float64)(at)))
		case boolForm:
			e.bool(*(*bool)(at))
		case byteForm:
			e.byte(*(*byte)(at))
		case guidForm:
			e.guid(*(*guid)(at))
		case textForm, longForm:
			s := *(*string)(at)
			e.b = append(binary.AppendUvarint(e.b, uint64(len(s))), s...)
		case nameForm:
			e.b = append(append(e.b, *(*string)(at)...), 0)
		}
	}
}

// take reads what put wrote. Texts that occur often stand in names once.
func (l layout[T]) take(d *decoder, v *T, n names) {
	set := true
	for i := range l {
		f := &l[i]
		if f.opens {
			set = d.bool()
			*(*bool)(unsafe.Add(unsafe.Pointer(v), f.Set)) = set
		}
		at := unsafe.Add(unsafe.Pointer(v), f.Offset)
		if !set && f.Nullable {
			reflect.NewAt(f.Type, at).Elem().SetZero()
			continue
		}
		switch f.form {
		case timeForm:
			*(*core.Time)(at) = d.time()
		case intForm:
			*(*int64)(at) = d.int()
		case int32Form:
			*(*int32)(at) = int32(d.int())
		case floatForm:
			*(*float64)(at) = math.Float64frombits(binary.LittleEndian.Uint64(d.b))
			d.b = d.b[8:]
		case boolForm:
			*(*bool)(at) = d.bool()
		case byteForm:
			*(*byte)(at) = d.byte()
		case guidForm:
			*(*guid)(at) = d.guid()
		case textForm:
			*(*string)(at) = n.of(d.text())
		case longForm:
			*(*string)(at) = string(d.text())
		case nameForm:
			*(*string)(at) = n.of(d.name())
		}
	}
}

func (d *decoder) int() int64 {
	n, size := binary.Varint(d.b)
	d.b = d.b[size:]
	return n
}

// decode reads a record that is one struct.
func (l layout[T]) decode(record []byte, v *T, n names) {
	d := decode(record)
	l.take(&d, v, n)
}
