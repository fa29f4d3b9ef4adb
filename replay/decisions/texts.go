package decisions

import (
	"strings"
	"unsafe"

	"poolproof/core/judge"
)

// texts creates strings without an allocation for each.
type texts struct {
	chunk []byte // the first part is in use

	// Cache of joined strings: there are few different ones.
	rules    map[ruleSet]string
	verdicts map[[8]judge.Verdict]string // on the facts F1 to F8
}

// chunkSize is the number of bytes allocated together: a reference to one string keeps all of them.
const chunkSize = 4096

// copyOf returns a copy of b.
func (t *texts) copyOf(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > cap(t.chunk)-len(t.chunk) {
		t.chunk = make([]byte, 0, max(chunkSize, len(b)))
	}
	from := len(t.chunk)
	t.chunk = append(t.chunk, b...)
	return unsafe.String(&t.chunk[from], len(b)) // these bytes are never written again
}

// setsOf returns the rules of rulings by verdict.
func setsOf(rulings []judge.Ruling) (sets [judge.Violated + 1]ruleSet) {
	for i := range rulings {
		r := rulings[i].Invariant
		sets[rulings[i].Verdict][r/64] |= 1 << (r % 64)
	}
	return sets
}

// ids returns the ids of the rules on which the verdict is v, which are set, joined
// by commas, in the order of the rulings: the same rules are always judged in the
// same order.
func (t *texts) ids(set ruleSet, rulings []judge.Ruling, v judge.Verdict) string {
	if set == (ruleSet{}) {
		return ""
	}
	text, ok := t.rules[set]
	if !ok {
		var ids []string
		for i := range rulings {
			if rulings[i].Verdict == v {
				ids = append(ids, rulings[i].Invariant.String())
			}
		}
		text = strings.Join(ids, ",")
		if t.rules == nil {
			t.rules = map[ruleSet]string{}
		}
		t.rules[set] = text
	}
	return text
}

// A ruleSet has a bit for each rule.
type ruleSet [(judge.Invariants + 63) / 64]uint64

// facts returns the verdicts on the facts of a victim, joined by commas.
func (t *texts) facts(rulings []judge.Ruling, victim int32) string {
	verdicts := judge.Facts(rulings, victim)
	text, ok := t.verdicts[verdicts]
	if !ok {
		var words []string
		for _, v := range verdicts {
			words = append(words, v.String())
		}
		text = strings.Join(words, ",")
		if t.verdicts == nil {
			t.verdicts = map[[8]judge.Verdict]string{}
		}
		t.verdicts[verdicts] = text
	}
	return text
}
