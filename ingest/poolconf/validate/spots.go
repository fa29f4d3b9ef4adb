// Package validate judges pool configurations by the rules of pooltree: documents, and
// all versions that a trace holds.
package validate

import (
	"time"

	"poolproof/core"
	"poolproof/core/pooltree"
	"poolproof/core/spec"
)

// A Spot is a place of a configuration that is illegal or worth a look.
type Spot struct {
	From      string        `json:"from,omitempty"`  // in a trace: when it took effect
	Until     string        `json:"until,omitempty"` // and when it was corrected; empty if never
	Line      int           `json:"line,omitempty"`  // in a file
	Severity  spec.Severity `json:"severity"`
	Invariant string        `json:"invariant,omitempty"`
	Rule      pooltree.Rule `json:"rule"`
	Refused   bool          `json:"refused"` // the scheduler keeps its old set
	Tree      string        `json:"tree,omitempty"`
	Pool      string        `json:"pool,omitempty"`
	Option    string        `json:"option,omitempty"`
	Meaning   string        `json:"meaning"`
	Found     string        `json:"found,omitempty"`
	Do        string        `json:"do"`
}

// newSpot describes a broken rule.
func newSpot(e *pooltree.RuleError) Spot {
	severity := e.Rule.Severity()
	return Spot{
		Severity: severity, Invariant: e.Rule.Invariant(), Rule: e.Rule, Refused: e.Rule.StopsUpdate() && severity != spec.Info,
		Tree: e.Tree, Pool: e.Pool, Option: e.Option, Meaning: e.Rule.Meaning(), Found: e.Detail, Do: e.Rule.WhatToDo(),
	}
}

// Spots are those of one configuration, and what was looked at.
type Spots struct {
	List         []Spot
	Trees, Pools int
}

// Illegal counts the spots that are more than worth a look.
func (s *Spots) Illegal() (n int) {
	for i := range s.List {
		if s.List[i].Severity != spec.Info {
			n++
		}
	}
	return n
}

// Add tells of a spot of a trace, and returns it.
func (s *Spots) Add(e *pooltree.RuleError, from, to core.Time, mended bool) *Spot {
	own := newSpot(e)
	own.From = formatTime(from)
	if mended {
		own.Until = formatTime(to)
	}
	s.List = append(s.List, own)
	return &s.List[len(s.List)-1]
}

// formatTime writes a time as ISO 8601 UTC.
func formatTime(t core.Time) string {
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}
