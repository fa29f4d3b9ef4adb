package fairshare

import (
	"testing"

	"poolproof/core/coretest/testcorpus"
	"poolproof/core/resource"
)

// sameToTheBit is in how many lines of each file every fair share is that of the
// corpus to the last bit, at least.
var sameToTheBit = map[string]struct{ lines, same int }{
	"unit": {37, 36}, "random": {1193, 1191}, "functions": {144, 144},
}

// TestConformanceRounding counts the trees of which all fair shares have the
// reference's last bit, if plots are literal. Shares are right without it;
// decisions of small trees hang on it. Promised and estimated shares have it
// everywhere: what guarantees leave is multiplied by the weight, and then divided by
// the sum of weights (§5.4). The one of the unit tests that differs is
// where the reference raises proposed shares and we do not (core/spec/fair-share.md §8.2).
func TestConformanceRounding(t *testing.T) {
	for name, path := range testcorpus.Corpus(t, "fair-share") {
		lines, same := 0, 0
		readFile(t, path, func(line corpusLine) {
			lines++
			if len(line.Input.Nodes) > mostRounded {
				return
			}
			fair, promised := line.sameToTheBit()
			if fair {
				same++
			}
			if !promised {
				t.Errorf("%s: a promised or estimated share is not that of the corpus to the last bit", line.ID)
			}
		})
		t.Logf("%s: %d of %d lines", name, same, lines)
		if want := sameToTheBit[name]; lines == want.lines && same < want.same {
			t.Errorf("%s: the fair shares of %d lines are those of the corpus to the last bit, want %d", name, same, want.same)
		}
	}
}

// mostRounded is the size of the largest trees that are looked at: literal plots of
// larger ones take long.
const mostRounded = 500

// sameToTheBit reports whether an update with literal plots gives every element of a
// line its fair share to the last bit, and whether it gives all the promised and the
// estimated shares that the line names.
func (line *corpusLine) sameToTheBit() (fair, promised bool) {
	want := line.Expected.Nodes
	tree, elements := line.Input.build()
	tree.literalElements = len(elements)
	if err := tree.Update(line.Input.Now, line.Input.previous()); err != nil || len(want) != len(elements) {
		return false, true
	}
	fair, promised = true, true
	for i, e := range elements {
		r := tree.Result(e)
		parts, _ := want[i]["fair_share"].(map[string]any)
		fair = fair && r.FairShare.Total == readShare(parts["total"])
		for key, got := range map[string]resource.Share{"promised_fair_share": r.Promised, "estimated_guarantee_share": r.Estimated} {
			if w, named := want[i][key]; named {
				promised = promised && got == readShare(w)
			}
		}
	}
	return fair, promised
}

// readShare reads a share of the corpus.
func readShare(list any) (s resource.Share) {
	values, _ := list.([]any)
	for k, x := range values {
		s[k], _ = x.(float64)
	}
	return s
}
