package yson

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// recode writes the values of a text anew, as binary or as text.
func recode(in []byte, bin bool) ([]byte, error) {
	var d Decoder
	d.Reset(in)
	var out []byte
	for {
		k, err := d.Next()
		switch {
		case err != nil:
			return nil, err
		case k == End:
			return out, nil
		}
		out = appendToken(out, k, &d, bin)
		if k >= Entity || k == EndMap || k == EndList {
			out = append(out, ';')
		}
	}
}

func appendToken(b []byte, k Kind, d *Decoder, bin bool) []byte {
	switch k {
	case Key:
		return append(appendString(b, d.Text(), bin), '=')
	case String:
		return appendString(b, d.Text(), bin)
	case Int64:
		if bin {
			return binary.AppendVarint(append(b, markInt64), int64(d.Bits()))
		}
		return strconv.AppendInt(b, int64(d.Bits()), 10)
	case Uint64:
		if bin {
			return binary.AppendUvarint(append(b, markUint64), d.Bits())
		}
		return append(strconv.AppendUint(b, d.Bits(), 10), 'u')
	case Boolean:
		if bin {
			return append(b, markFalse+byte(d.Bits()))
		}
		return fmt.Appendf(b, "%%%v", d.Bits() == 1)
	case Double:
		if bin {
			return binary.LittleEndian.AppendUint64(append(b, markDouble), d.Bits())
		}
		return appendDouble(b, math.Float64frombits(d.Bits()))
	}
	return append(b, k.String()...)
}

func appendDouble(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "%nan"...)
	case math.IsInf(f, 1):
		return append(b, "%inf"...)
	case math.IsInf(f, -1):
		return append(b, "%-inf"...)
	}
	return strconv.AppendFloat(b, f, 'e', -1, 64)
}

func appendString(b, s []byte, bin bool) []byte {
	if bin {
		return append(binary.AppendVarint(append(b, markString), int64(len(s))), s...)
	}
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c < ' ':
			b = fmt.Appendf(b, `\%03o`, c)
		case c >= 0x7f:
			b = fmt.Appendf(b, `\x%02X`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
