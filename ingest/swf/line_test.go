package swf

import (
	"fmt"
	"strings"
	"testing"

	"poolproof/core"
)

// FuzzParse: a line is at fault, or says the same when it is written again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"1 0 5 20 4 19 128 4 3600 256 1 7 3 2 1 -1 -1 -1",
		"1 0.25 -1 2.5 4 -1.0 1.5 4 -1 -1 -1 7 3 -1 2 -1 -1 +5",
		"0 1356996147 0 56011 2 1 1024 64 86400 68719476736 1 62 1 1 -1 1 1 1 {1241,7,1241} q_1d 1:ppn=64#excl",
		"0 0 0 1 1 1 1 1 1 1 9 1 1 1 1 1 1 1 { 3 , 4 } -1 \xff",
		"1 0 5 20 99999999999999999999 19",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "\n") {
			return // the reader of lines sees to that
		}
		var p parser
		var r record
		if p.parse([]byte(line), &r) != nil {
			return
		}
		for i := range fields {
			if v := *fields[i].at(&r); v < missing || v > maxSeconds*microseconds+microseconds {
				t.Fatalf("field %s is %d", fields[i].name, v)
			}
		}
		written := format(&r)
		var again record
		if fault := p.parse([]byte(written), &again); fault != nil {
			t.Fatalf("%q, written as %q, is at fault: %+v", line, written, *fault)
		}
		if !again.equal(&r) {
			t.Fatalf("%+v, written as %q, becomes %+v", r, written, again)
		}
		if len(p.notes) > 0 && !strings.ContainsRune(written, '\uFFFD') {
			t.Fatalf("%q is noted: %v", written, p.notes)
		}
	})
}

// format writes a record as a line.
func format(r *record) string {
	var words []string
	for i := range fields {
		v := *fields[i].at(r)
		word := fmt.Sprint(v)
		if fields[i].seconds && v != missing {
			word = fmt.Sprintf("%d.%06d", v/int64(core.Second), v%int64(core.Second))
		}
		words = append(words, word)
	}
	if r.placement != nil || r.queueName != "" || r.request != "" {
		var nodes []string
		for _, p := range r.placement {
			for range p.processors {
				nodes = append(nodes, fmt.Sprint(p.node))
			}
		}
		words = append(words, "{"+strings.Join(nodes, ",")+"}")
		for _, text := range []string{r.queueName, r.request} {
			if text == "" {
				text = "-1"
			}
			words = append(words, text)
		}
	}
	return strings.Join(words, " ")
}

func TestHintsAreProperties(t *testing.T) {
	h := hinter{clusters: []cluster{{name: "a"}, {name: "ab"}}, known: map[string][]int{}}
	for request, want := range map[string]string{
		"":                             "[]",
		"1:ppn=64:x86_64:cl_ab#excl":   "[1]",
		"1:ppn=12:^cl_a":               "[]",
		"1:cl_a+2:ppn=2:cl_ab+1:cl_a":  "[0 1]",
		"1:ppn=1:cl_c:ncl_a:cl_:cl_ab": "[1]",
	} {
		if got := fmt.Sprint(h.clustersOf(request)); got != want {
			t.Errorf("%q names the clusters %s, not %s", request, got, want)
		}
	}
}

func TestPartsOfAnAmountSumUp(t *testing.T) {
	for _, amount := range []int64{0, 1, 100, maxMemory} {
		var sum int64
		for _, cut := range [][2]int64{{0, 1}, {1, 3}, {3, 7}} {
			sum += part(amount, cut[0], cut[1], 7)
		}
		if sum != amount {
			t.Errorf("the parts of %d sum up to %d", amount, sum)
		}
	}
}
