package fairshare

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"poolproof/core/coretest/testcorpus"
)

// A listener notes that a test failed, instead of failing.
type listener struct {
	testing.TB
	failed bool
}

func (l *listener) Helper()               {}
func (l *listener) Error(...any)          { l.failed = true }
func (l *listener) Errorf(string, ...any) { l.failed = true }
func (l *listener) Fatal(...any)          { l.failed = true; panic(l) }
func (l *listener) Fatalf(string, ...any) { l.failed = true; panic(l) }

// passes reports whether a line of the corpus is as expected.
func (line *corpusLine) passes(t *testing.T) bool {
	l := &listener{TB: t}
	func() {
		defer func() {
			if r := recover(); r != nil && r != any(l) {
				panic(r)
			}
		}()
		checkLine(l, line, literalElements)
	}()
	return !l.failed
}

// TestCorpusFaultsAreNoticed falsifies what the corpus expects, one value of each
// kind at a time: no line passes then.
func TestCorpusFaultsAreNoticed(t *testing.T) {
	kinds := map[string]bool{}
	faults := testcorpus.Faults{Wrong: falsified, Needed: needed, Kinds: kinds}
	for _, file := range testcorpus.Corpus(t, "fair-share") {
		readFile(t, file, func(line corpusLine) {
			if len(line.Input.Nodes) > literalElements {
				return
			}
			want := &line.Expected
			if line.ExpectedClamped != nil {
				want = line.ExpectedClamped
			}
			if kind := "status " + want.Status; !kinds[kind] {
				kinds[kind] = true
				other := map[string]string{"ok": "abort", "abort": "ok"}[want.Status]
				if want.Status, other = other, want.Status; line.passes(t) {
					t.Errorf("%s passes with another status than %s", line.ID, other)
				}
				want.Status = other
			}
			if want.Status != "ok" {
				return
			}
			nodes := want.Nodes
			if want.Nodes = nodes[1:]; !kinds["nodes"] && line.passes(t) {
				t.Errorf("%s passes without its first element", line.ID)
			}
			want.Nodes, kinds["nodes"] = nodes, true
			for _, list := range [][]map[string]any{want.Nodes, want.Errors} {
				for _, one := range list {
					faults.Plant(t, line.ID, "", one, func() bool { return line.passes(t) })
				}
			}
		})
	}
	if len(kinds) < 40 {
		t.Errorf("%d kinds of values: %v", len(kinds), slices.Sorted(maps.Keys(kinds)))
	}
}

// falsified lists values that are not what is expected: of a number one that
// differs by ten times the tolerance, too.
func falsified(kind string, was any) []any {
	if strings.Contains(kind, "/functions") { // those are for debugging
		return nil
	}
	switch v := was.(type) {
	case float64:
		return []any{v + 10*shareTolerance*max(1, v), -v - 1, "x"}
	case string:
		return []any{v + "x", nil}
	case []any:
		return []any{append(slices.Clone(v), 0.0), "x", v[1:], v[:len(v)-1]}
	case map[string]any:
		more := maps.Clone(v)
		more["more"] = -1.0
		return []any{more, "x", nil}
	}
	return []any{1.0}
}

// needed reports whether a value is another one than that of what is not named.
func needed(kind string, was any) bool {
	if strings.Contains(kind, "/functions") {
		return false
	}
	switch v := was.(type) {
	case float64:
		return math.Abs(v) > shareTolerance
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return needed(kind, x) })
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), func(x any) bool { return needed(kind, x) })
	}
	return true
}
