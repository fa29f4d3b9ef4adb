package pooltree

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A tokenKind is what a token of a formula is.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenTrue
	tokenFalse
	tokenNot
	tokenAnd
	tokenOr
	tokenOpen
	tokenClose
	tokenBad // not a token; text says why
)

// token is one token with the place it was found at.
type token struct {
	kind     tokenKind
	text     string
	position int // in bytes from 1
	expected string
}

// lexer cuts a formula into tokens.
type lexer struct {
	text string
	at   int
}

var operators = map[byte]tokenKind{
	'!': tokenNot, '&': tokenAnd, '|': tokenOr, '(': tokenOpen, ')': tokenClose,
}

// next returns the next token. White space separates tokens and is otherwise
// ignored (core/spec/scheduling.md §2.2).
func (l *lexer) next() token {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n\v\f", l.text[l.at]) >= 0 {
		l.at++
	}
	from := l.at
	t := token{position: from + 1}
	if from == len(l.text) {
		return t
	}
	switch c := l.text[from]; {
	case startsName(c):
		l.skipName()
		t.kind = tokenName
		if l.text[from:l.at] == "in" {
			t.kind, t.expected = tokenBad, "a tag, which the reserved word in is not"
		}
	case c == '%':
		l.at++
		l.skipName()
		t.kind = literal(l.text[from:l.at])
		t.expected = "%true or %false"
	default:
		var ok bool
		if t.kind, ok = operators[c]; ok {
			l.at++
			break
		}
		_, size := utf8.DecodeRuneInString(l.text[from:])
		l.at += size
		t.kind, t.expected = tokenBad, "a tag, a literal or one of ! & | ( )"
	}
	t.text = l.text[from:l.at]
	return t
}

func literal(text string) tokenKind {
	switch text {
	case "%true":
		return tokenTrue
	case "%false":
		return tokenFalse
	}
	return tokenBad
}

func (l *lexer) skipName() {
	for l.at < len(l.text) && continuesName(l.text[l.at]) {
		l.at++
	}
}

func startsName(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func continuesName(c byte) bool {
	return startsName(c) || '0' <= c && c <= '9' || strings.IndexByte("-.:/", c) >= 0
}

// found describes the token for an error.
func (t token) found() string {
	if t.kind == tokenEnd {
		return "the end of the formula"
	}
	return strconv.Quote(t.text)
}
