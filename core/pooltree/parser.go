package pooltree

import "fmt"

// maxTagFilterTokens bounds a scheduling_tag_filter, and maxFormulaDepth the
// brackets and negations of any formula, so that hostile input cannot exhaust
// the stack (core/spec/scheduling.md §2.2 names the former).
const (
	maxTagFilterTokens = 100
	maxFormulaDepth    = 1000
)

// ParseFormula returns the formula that the text writes; its error is a
// *SyntaxError.
//
//	formula := ∅ | or
//	or      := and { "|" and }
//	and     := unary { "&" unary }
//	unary   := "!" unary | "(" or ")" | name | "%true" | "%false"
func ParseFormula(text string) (Formula, error) {
	p := parser{lexer: lexer{text: text}}
	p.advance()
	if p.now.kind == tokenEnd {
		return Formula{}, nil
	}
	root := p.parseOr()
	if p.err == nil && p.now.kind != tokenEnd {
		p.fail("one of & | or the end of the formula")
	}
	if p.err != nil {
		return Formula{}, p.err
	}
	return Formula{root: root, source: text, tokens: p.tokens}, nil
}

// ParseTagFilter returns the formula of a scheduling_tag_filter, which may
// have at most 100 tokens (core/spec/scheduling.md §2.2).
func ParseTagFilter(text string) (Formula, error) {
	f, err := ParseFormula(text)
	if err == nil && f.tokens > maxTagFilterTokens {
		return Formula{}, fmt.Errorf("%d tokens: a scheduling tag filter has at most %d", f.tokens, maxTagFilterTokens)
	}
	return f, err
}

type parser struct {
	lexer
	now    token
	tokens int
	depth  int
	err    error // the first one; typed so that a nil *SyntaxError cannot hide in it
}

func (p *parser) advance() {
	p.now = p.next()
	if p.now.kind != tokenEnd {
		p.tokens++
	}
	if p.now.kind == tokenBad {
		p.fail(p.now.expected)
	}
}

func (p *parser) fail(expected string) {
	if p.err == nil {
		p.err = &SyntaxError{Position: p.now.position, Expected: expected, Found: p.now.found()}
	}
}

func (p *parser) parseOr() *formulaNode {
	left := p.parseAnd()
	for p.err == nil && p.now.kind == tokenOr {
		p.advance()
		left = &formulaNode{kind: tokenOr, left: left, right: p.parseAnd()}
	}
	return left
}

func (p *parser) parseAnd() *formulaNode {
	left := p.parseUnary()
	for p.err == nil && p.now.kind == tokenAnd {
		p.advance()
		left = &formulaNode{kind: tokenAnd, left: left, right: p.parseUnary()}
	}
	return left
}

func (p *parser) parseUnary() *formulaNode {
	if p.depth++; p.depth > maxFormulaDepth {
		p.fail(fmt.Sprintf("at most %d nested brackets and negations", maxFormulaDepth))
	}
	defer func() { p.depth-- }()
	if p.err != nil {
		return nil
	}
	t := p.now
	switch t.kind {
	case tokenName, tokenTrue, tokenFalse:
		p.advance()
		return &formulaNode{kind: t.kind, name: t.text}
	case tokenNot:
		p.advance()
		return &formulaNode{kind: tokenNot, left: p.parseUnary()}
	case tokenOpen:
		p.advance()
		inner := p.parseOr()
		if p.err == nil && p.now.kind != tokenClose {
			p.fail("one of & | )")
			return nil
		}
		p.advance()
		return inner
	}
	p.fail("a tag, %true, %false, ! or (")
	return nil
}
