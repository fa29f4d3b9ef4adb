package pooltree

import (
	"errors"
	"strings"
	"testing"
)

func TestSyntaxErrorsNamePositionAndExpectation(t *testing.T) {
	for formula, want := range map[string]string{
		"a b":        `position 3: expected one of & | or the end of the formula, found "b"`,
		"a &":        `position 4: expected a tag, %true, %false, ! or (, found the end of the formula`,
		"a && b":     `position 4: expected a tag, %true, %false, ! or (, found "&"`,
		"()":         `position 2: expected a tag, %true, %false, ! or (, found ")"`,
		"(a | b":     `position 7: expected one of & | ), found the end of the formula`,
		"a!":         `position 2: expected one of & | or the end of the formula, found "!"`,
		"a & in":     `position 5: expected a tag, which the reserved word in is not, found "in"`,
		"% true":     `position 1: expected %true or %false, found "%"`,
		"%true.abc":  `position 1: expected %true or %false, found "%true.abc"`,
		"a = b":      `position 3: expected a tag, a literal or one of ! & | ( ), found "="`,
		"tag | тег":  `position 7: expected a tag, a literal or one of ! & | ( ), found "т"`,
		"1a":         `position 1: expected a tag, a literal or one of ! & | ( ), found "1"`,
		"a)":         `position 2: expected one of & | or the end of the formula, found ")"`,
		"a | b c & ": `position 7: expected one of & | or the end of the formula, found "c"`,
	} {
		_, err := ParseFormula(formula)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", formula, err, want)
		}
	}
}

func TestPrecedenceIsNotAndOr(t *testing.T) {
	f, err := ParseFormula("!a & b | c & (d | !%false & !e)")
	if err != nil {
		t.Fatal(err)
	}
	for tags, want := range map[string]bool{
		"b": true, "a b": false, "c": true, "c e": false, "c d e": true, "": false, "a b c e": false,
	} {
		if got := f.Match(NewTags(strings.Fields(tags)...)); got != want {
			t.Errorf("tags %q: %v", tags, got)
		}
	}
}

func TestCombiningWithTheEmptyFormula(t *testing.T) {
	var empty Formula
	a, _ := ParseFormula("a | b")
	b, _ := ParseFormula("c | d")
	none := NewTags("x")
	if got := a.And(empty); got != a {
		t.Errorf("A and empty = %v", got)
	}
	if got := empty.And(a); got != a {
		t.Errorf("empty and A = %v", got)
	}
	if !a.Or(empty).Match(none) || !empty.Or(a).Match(none) {
		t.Error("or with the empty formula must be true")
	}
	both := a.And(b)
	if !both.Match(NewTags("a", "c")) || both.Match(NewTags("a", "b")) {
		t.Errorf("%v does not combine its parts as wholes", both)
	}
	if again, err := ParseFormula(both.String()); err != nil || again.Tokens() != both.Tokens() {
		t.Errorf("%v has %d tokens, parsed again %d (%v)", both, both.Tokens(), again.Tokens(), err)
	}
}

func TestTagFiltersHaveAtMostHundredTokens(t *testing.T) {
	fifty := "!a" + strings.Repeat("&a", 49) // 100 tokens
	if _, err := ParseTagFilter(fifty); err != nil {
		t.Error(err)
	}
	if _, err := ParseTagFilter("!" + fifty); err == nil {
		t.Error("101 tokens must be refused")
	}
	if _, err := ParseFormula("!" + fifty); err != nil {
		t.Errorf("a nodes_filter has no such limit: %v", err)
	}
}

func FuzzFormula(f *testing.F) {
	for _, seed := range []string{"", "a", "!a & b | c", "((a))", "%true|in", "%false & x.y:z/1-2", "a b", "(", strings.Repeat("!", 2000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		formula, err := ParseFormula(text)
		if err != nil {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || syntax.Position < 1 || syntax.Position > len(text)+1 || syntax.Expected == "" {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if formula.Tokens() > maxFormulaDepth/2 {
			return // written with all its brackets it may nest too deep
		}
		again, err := ParseFormula(formula.root.write())
		if err != nil || again.root.write() != formula.root.write() {
			t.Fatalf("%q: written as %q, read as %q (%v)", text, formula.root.write(), again.root.write(), err)
		}
		for _, tags := range []Tags{nil, {"a"}, {"b", "c"}} {
			if formula.Match(tags) != again.Match(tags) {
				t.Fatalf("%q: differs on %v", text, tags)
			}
		}
	})
}

// write returns the formula with a bracket around every operation.
func (n *formulaNode) write() string {
	switch {
	case n == nil:
		return ""
	case n.kind == tokenNot:
		return "!" + n.left.write()
	case n.kind == tokenAnd:
		return "(" + n.left.write() + "&" + n.right.write() + ")"
	case n.kind == tokenOr:
		return "(" + n.left.write() + "|" + n.right.write() + ")"
	}
	return n.name
}

// Tokens returns how many tokens the formula has.
func (f Formula) Tokens() int { return f.tokens }

// And returns the conjunction of two formulas. An empty one adds nothing.
func (f Formula) And(g Formula) Formula {
	if f.IsEmpty() {
		return g
	}
	if g.IsEmpty() {
		return f
	}
	return f.combine(g, tokenAnd, "&")
}

// Or returns the disjunction of two formulas. With an empty one it is always
// true.
func (f Formula) Or(g Formula) Formula {
	if f.IsEmpty() || g.IsEmpty() {
		return Formula{root: &formulaNode{kind: tokenTrue}, source: "%true", tokens: 1}
	}
	return f.combine(g, tokenOr, "|")
}

func (f Formula) combine(g Formula, kind tokenKind, operator string) Formula {
	return Formula{
		root:   &formulaNode{kind: kind, left: f.root, right: g.root},
		source: "(" + f.source + ") " + operator + " (" + g.source + ")",
		tokens: f.tokens + g.tokens + 5,
	}
}
