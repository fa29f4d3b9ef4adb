package ytsaurus

import (
	"bytes"

	"poolproof/ingest/yson"
)

// A cellReader reads values of columns that stand by themselves as bytes: text YSON,
// binary YSON or JSON, as columns of type any become in Parquet
// (ingest/trace/FORMAT.md §2).
type cellReader struct {
	yson    ysonReader
	decoder yson.Decoder
	json    jsonReader
}

// read adds a cell to the row under construction: v has the name and the key of the
// column, f is the row's filter, which took the column. A cell that is none of the
// three forms is a text as it stands. In a column of texts, such as one of ids, those
// that begin with a digit are, and those that only begin like another form. After an
// error the row is as it was.
//
// A column that is not null becomes a value so:
//
//	if known, keep := f.column(name); keep {
//		err = cells.read(r, &f, value{key: known.key, name: r.keep(name)}, cell)
//	}
func (p *cellReader) read(r *row, f *filter, v value, cell []byte) error {
	values, length, replaced := len(r.values), len(r.text), r.replace
	undo := func() {
		for len(r.open) > 0 && int(r.open[len(r.open)-1]) >= values {
			r.open = r.open[:len(r.open)-1]
		}
		r.values, r.text, r.replace = r.values[:values], r.text[:length], replaced
	}
	form := cellForm(cell, v.key)
	if form == jsonCell {
		err := p.readJSON(r, f, v, cell)
		if err == nil {
			return nil
		}
		if undo(); firstByte(cell) == '{' && jsonMap(cell) {
			return err
		}
	}
	if form != textCell {
		err := p.readYSON(r, f, v, cell)
		if err == nil {
			return nil
		}
		undo()
		if c := firstByte(cell); !beginsNumber(c) && (c < ' ' || !textColumns[v.key]) {
			return err
		}
	}
	v.kind, v.text = text, r.keep(cell)
	f.told(v.key, cell)
	r.add(v)
	return nil
}

func (p *cellReader) readJSON(r *row, f *filter, v value, cell []byte) error {
	j := &p.json
	j.in, j.at, j.row, j.filter = cell, 0, r, *f
	j.either = true // other programs than the vendor's write cells, too
	if err := j.value(v, 1, v.key); err != nil {
		return err
	}
	if j.space(); j.at < len(j.in) {
		return j.wrong("something follows the value")
	}
	f.event = j.filter.event
	return nil
}

func (p *cellReader) readYSON(r *row, f *filter, v value, cell []byte) error {
	p.decoder.Reset(cell)
	y := &p.yson
	y.in, y.row, y.filter = &p.decoder, r, *f
	k, err := y.next()
	if err == nil && k == yson.End {
		err = &rowError{0, "a value is wanted"}
	}
	if err == nil {
		err = y.value(&v, k, 1, v.key)
	}
	if err != nil {
		return err
	}
	if k, err = p.decoder.Next(); err == nil && k != yson.End {
		err = &rowError{p.decoder.Offset(), "something follows the value"}
	}
	f.event = y.filter.event
	return err
}

// The forms of a cell, as its first bytes tell.
const (
	textCell = iota // as it stands
	jsonCell        // or else text YSON
	ysonCell
)

func cellForm(cell []byte, k key) int {
	body := bytes.TrimLeft(cell, " \t\r\n")
	if len(body) == 0 {
		return textCell
	}
	switch c := body[0]; {
	case 0x01 <= c && c <= 0x06, c == '<', c == '#', c == '%':
		return ysonCell
	case c == '{' || c == '[':
		if len(body) > 1 && body[1] < ' ' && !isSpace(body[1]) {
			return ysonCell
		}
		return jsonCell
	case c == '"':
		return jsonCell
	case beginsNumber(c):
		if !textColumns[k] {
			return jsonCell
		}
	case string(body) == "null" || string(body) == "true" || string(body) == "false":
		if !textColumns[k] {
			return jsonCell
		}
	}
	return textCell
}

func beginsNumber(c byte) bool { return c == '-' || c == '+' || '0' <= c && c <= '9' }

// jsonMap reports whether a map has a colon behind its first key, as one of JSON has.
func jsonMap(cell []byte) bool {
	p := jsonReader{in: cell, row: &row{}}
	if p.take() != '{' || p.take() != '"' {
		return false
	}
	_, err := p.text()
	return err == nil && p.take() == ':'
}

// textColumns are those whose values are texts in every row.
var textColumns = [columnKeys]bool{
	keyTimestamp: true, keyEventType: true, keyOperationID: true, keyOperationType: true, keyUser: true, keyPool: true,
	keyStartTime: true, keyFinishTime: true, keyTree: true, keyJob: true, keyAddress: true, keyJobType: true, keyReason: true,
	keyCompetition: true, keyProbingCompetition: true, keyPredecessorType: true, keyPredecessorJob: true, keyInterruption: true,
	keySnapshot: true, keySample: true, keyStarvation: true, keyStarvingSince: true, keyAllocation: true,
	keyState: true, keyTransientState: true, keyControllerState: true,
}
