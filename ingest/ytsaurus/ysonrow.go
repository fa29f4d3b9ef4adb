package ytsaurus

import (
	"math"

	"poolproof/ingest/yson"
)

// A ysonReader reads rows of YSON, text or binary. Strings are bytes, and stand for
// UTF-8 (ingest/trace/FORMAT.md §2). Attributes are passed over: no column of a row
// has any that matter.
type ysonReader struct {
	in     *yson.Decoder
	filter filter
	row    *row

	document bool // whether all that a record holds is kept
}

// read reads one record: a map. One that is an entity leaves the row empty: it tells
// of the table and holds no row.
func (p *ysonReader) read(in *yson.Decoder, r *row) error {
	p.in, p.row, p.filter = in, r, filter{document: p.document}
	r.reset()
	k, err := p.next()
	switch {
	case err != nil:
		return err
	case k == yson.Map:
		return p.entries(&value{}, 1, keyOther)
	case k == yson.Entity:
		return nil
	}
	return &rowError{in.Offset(), "a record is a map"}
}

// next returns the next token that is not of attributes.
func (p *ysonReader) next() (yson.Kind, error) {
	k, err := p.in.Next()
	if k != yson.Attributes || err != nil {
		return k, err
	}
	for {
		k, err := p.in.Next()
		switch {
		case err != nil:
			return 0, err
		case k == yson.EndAttributes:
			return p.in.Next()
		}
		if err := p.in.Skip(); err != nil {
			return 0, err
		}
	}
}

// entries reads the rest of a map whose values stand that deep.
func (p *ysonReader) entries(v *value, depth int, column key) error {
	v.kind = mapping
	p.row.add(*v)
	defer p.row.close()
	var entry value
	for {
		k, err := p.in.Next()
		if k != yson.Key || err != nil {
			return err
		}
		name := p.in.Text()
		var known *knownName
		var keep bool
		if depth == 1 {
			known, keep = p.filter.column(name)
			column = known.key
		} else {
			known, keep = p.filter.entryOf(name, depth)
		}
		if !keep {
			if err := p.in.Skip(); err != nil {
				return err
			}
			continue
		}
		entry = value{key: known.key, name: p.row.keepName(known, name)}
		if k, err = p.next(); err == nil {
			err = p.value(&entry, k, depth, column)
		}
		if err != nil {
			return err
		}
	}
}

// value reads the rest of a value.
func (p *ysonReader) value(v *value, k yson.Kind, depth int, column key) error {
	switch k {
	case yson.Map:
		return p.entries(v, depth+1, column)
	case yson.List:
		return p.items(v, depth+1, column)
	case yson.String:
		v.kind, v.text = text, p.row.keep(p.in.Text())
		if depth == 1 {
			p.filter.told(column, p.row.bytes(v.text))
		}
	case yson.Int64:
		v.kind, v.num = integer, p.in.Bits()
	case yson.Uint64:
		v.kind, v.num = integer, p.in.Bits()
		if v.num > math.MaxInt64 {
			v.kind = unsigned
		}
	case yson.Double:
		v.kind, v.num = double, p.in.Bits()
	case yson.Boolean:
		v.kind, v.num = boolean, p.in.Bits()
	}
	p.row.add(*v)
	return nil
}

// items reads the rest of a list.
func (p *ysonReader) items(v *value, depth int, column key) error {
	v.kind = list
	p.row.add(*v)
	defer p.row.close()
	var item value
	for {
		k, err := p.next()
		if k == yson.EndList || err != nil {
			return err
		}
		item = value{}
		if err := p.value(&item, k, depth, column); err != nil {
			return err
		}
	}
}
