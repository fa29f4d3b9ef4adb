package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"poolproof/core/pooltree"
)

// notImportable is the code of what a cluster may hold and an import does not
// take. The other codes of a configuration are the rules of pooltree.
const notImportable pooltree.Rule = "not_importable"

// A spot is a place of a configuration that is illegal or worth a look.
type spot struct {
	From      string            `json:"from,omitempty"`  // in a trace: when it took effect
	Until     string            `json:"until,omitempty"` // and when it was mended; empty if never
	Line      int               `json:"line,omitempty"`  // in a file
	Severity  pooltree.Severity `json:"severity"`
	Invariant string            `json:"invariant,omitempty"`
	Rule      pooltree.Rule     `json:"rule"`
	Refused   bool              `json:"refused"` // the scheduler keeps its old set
	Tree      string            `json:"tree,omitempty"`
	Pool      string            `json:"pool,omitempty"`
	Option    string            `json:"option,omitempty"`
	Meaning   string            `json:"meaning"`
	Found     string            `json:"found,omitempty"`
	Do        string            `json:"do"`
}

func newSpot(e *pooltree.RuleError) spot {
	s := spot{
		Severity: e.Rule.Severity(), Invariant: e.Rule.Invariant(), Rule: e.Rule, Refused: e.Rule.StopsUpdate(),
		Tree: e.Tree, Pool: e.Pool, Option: e.Option, Meaning: e.Rule.Meaning(), Found: e.Detail, Do: ruleAdvice[e.Rule].do,
	}
	if e.Rule == notImportable {
		s.Severity, s.Meaning = pooltree.Major, "an import does not take this"
	}
	return s
}

// spots are those of one configuration, and what was looked at.
type spots struct {
	list         []spot
	trees, pools int
}

// illegal counts the spots that are more than worth a look.
func (s *spots) illegal() (n int) {
	for i := range s.list {
		if s.list[i].Severity != pooltree.Info {
			n++
		}
	}
	return n
}

// verdict is the error that ends a command which found this.
func (s *spots) verdict() error {
	if s.illegal() > 0 {
		return &verdictError{exitBadInput}
	}
	return nil
}

// write lists the spots for a person, and what to do, once per rule. Timed
// spots are of a trace, others of a file.
func (s *spots) write(w io.Writer, timed bool) {
	if len(s.list) == 0 {
		fmt.Fprintln(w, "Nothing is illegal in it.")
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	where := "LINE"
	if timed {
		where = "FROM\tUNTIL"
	}
	fmt.Fprintln(table, where+"\tSEVERITY\tINVARIANT\tRULE\tTREE\tPOOL\tOPTION\tEFFECT\tFOUND")
	for i := range s.list {
		o := &s.list[i]
		place := orDash(strconv.Itoa(o.Line))
		if timed {
			place = o.From + "\t" + orDash(o.Until)
		}
		effect := "-"
		if o.Refused {
			effect = "refused"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", place, o.Severity, orDash(o.Invariant), o.Rule,
			orDash(o.Tree), orDash(o.Pool), orDash(o.Option), effect, cmp.Or(o.Found, o.Meaning))
	}
	table.Flush()
	s.writeAdvice(w)
	bad := s.illegal()
	fmt.Fprintf(w, "%s illegal, %d more worth a look. Refused: the scheduler keeps the set it had.\n", counted(bad, "spot"), len(s.list)-bad)
}

func (s *spots) writeAdvice(w io.Writer) {
	fmt.Fprintln(w, "What to do:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var told []pooltree.Rule
	for i := range s.list {
		if o := &s.list[i]; !slices.Contains(told, o.Rule) {
			told = append(told, o.Rule)
			fmt.Fprintf(table, "  %s\t%s\n", o.Rule, o.Do)
		}
	}
	table.Flush()
}

func orDash(s string) string {
	if s == "" || s == "0" {
		return "-"
	}
	return s
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
