package ytsaurus

import "testing"

// TestCells: a cell of a column of any type, in each of its forms, and a text.
func TestCells(t *testing.T) {
	for _, c := range []struct{ column, cell, want string }{
		{"spec", `{"a": 1, "b": [null, true, 2.5, "zo\u00c3\u00ab"]}`, `{"a":1,"b":[null,true,2.5,"zoë"]}`},
		{"spec", `{"a"=1; b=[#;%true;2.5;"zo\xC3\xAB";"` + "zo\xc3\xab" + `"]}`, `{"a":1,"b":[null,true,2.5,"zoë","zoë"]}`},
		{"spec", `<x=y>{a=<x={y=z}>1u}`, `{"a":1}`},
		{"spec", "{\x01\x02a=\x02\x02;\x01\x02b=[#;\x05;\x03\x00\x00\x00\x00\x00\x00\x04\x40;\x01\x08zo\xc3\xab]}", `{"a":1,"b":[null,true,2.5,"zoë"]}`},
		{"spec", "[\x02\x02;]", `[1]`},
		{"spec", "{}", `{}`},
		{"spec", "#", `null`},
		{"spec", "null", `null`},
		{"spec", "12u", `12`},
		{"spec", "\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", `18446744073709551615`},
		{"spec", "plain", `"plain"`},
		{"pools", `{"p": {"weight": 1, "other": {"x": 1}}}`, `{"p":{"weight":1}}`},
		{"pools", `{p={weight=1;other=<a=b>{x=1}}}`, `{"p":{"weight":1}}`},
		{"pools", "{\x01\x02p={\x01\x0cweight=\x02\x02;\x01\x0aother={\x01\x02x=\x02\x02}}}", `{"p":{"weight":1}}`},
		{"job_id", "5459dfa3-fa57e219-3fe03e8-4a103728", `"5459dfa3-fa57e219-3fe03e8-4a103728"`},
		{"job_id", `"5459dfa3-1-2-3"`, `"5459dfa3-1-2-3"`},
		{"job_id", "\x01\x1c5459dfa3-1-2-3", `"5459dfa3-1-2-3"`},
		{"timestamp", "2023-11-28T13:00:00.004562Z", `"2023-11-28T13:00:00.004562Z"`},
		{"pool", "123", `"123"`},
		{"pool", "<Root>", `"<Root>"`},
		{"pool", "", `""`},
		{"reason", "#", `null`},

		{"spec", `{"a": }`, "byte 6: a value is wanted"},
		{"spec", `{a=}`, "byte 3: a value is wanted"},
		{"spec", `{a=1} 2`, "byte 6: a semicolon or the end is wanted"},
		{"spec", `{a=1};2`, "byte 7: something follows the value"},
		{"spec", `<a=1>`, "byte 5: the value is cut off"},
		{"spec", "{\x01\x02a=[{", "byte 7: the value is cut off"},
		{"job_id", "\x01\x0a12", "byte 4: the value is cut off"},
	} {
		var r row
		var f filter
		var cells cellReader
		f.told(keyEventType, []byte("fair_share_info"))
		r.add(value{kind: mapping})
		known, _ := f.column([]byte(c.column))
		k := known.key
		err := cells.read(&r, &f, value{key: k, name: r.keep([]byte(c.column))}, []byte(c.cell))
		if err == nil {
			r.close()
			if got := string(r.root().get(k).appendJSON(nil)); got != c.want {
				t.Errorf("%s %q is %s, not %s", c.column, c.cell, got, c.want)
			}
			continue
		}
		if err.Error() != c.want || len(r.values) != 1 || len(r.open) != 1 || string(r.text) != c.column {
			t.Errorf("%s %q: %v, not %s; the row has %d values, %d of them open", c.column, c.cell, err, c.want, len(r.values), len(r.open))
		}
	}
}

func TestCellTellsTheEvent(t *testing.T) {
	for _, cell := range []string{"fair_share_info", `"fair_share_info"`, "\x01\x1efair_share_info", `fair_share_info`} {
		var r row
		var f filter
		var cells cellReader
		r.add(value{kind: mapping})
		known, _ := f.column([]byte("event_type"))
		if err := cells.read(&r, &f, value{key: known.key}, []byte(cell)); err != nil || f.event != fairShareInfo {
			t.Errorf("%q tells event %d, %v", cell, f.event, err)
		}
	}
}
