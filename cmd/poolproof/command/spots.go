package command

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"poolproof/cmd/poolproof/exit"
	"poolproof/core/pooltree"
	"poolproof/ingest/poolconf/validate"
)

// writeSpots lists the spots for a person, and what to do, once per rule. Timed
// spots are of a trace, others of a file.
func writeSpots(w io.Writer, s *validate.Spots, timed bool) {
	if len(s.List) == 0 {
		fmt.Fprintln(w, "Nothing is illegal in it.")
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	where := "LINE"
	if timed {
		where = "FROM\tUNTIL"
	}
	fmt.Fprintln(table, where+"\tSEVERITY\tINVARIANT\tRULE\tTREE\tPOOL\tOPTION\tEFFECT\tFOUND")
	for i := range s.List {
		o := &s.List[i]
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
	writeAdvice(w, s.List)
	bad := s.Illegal()
	fmt.Fprintf(w, "%s illegal, %d more worth a look.%s\n", counted(bad, "spot"), len(s.List)-bad, refusalOf(s))
}

// refusalOf says who refuses the illegal spots. Those of severity info are legal.
func refusalOf(s *validate.Spots) string {
	switch {
	case s.Illegal() == 0:
		return ""
	case slices.ContainsFunc(s.List, func(o validate.Spot) bool { return o.Refused }):
		return " Refused: the scheduler keeps the set it had."
	}
	return " Refused: a cluster does not store such a configuration, and an import does not read it."
}

func writeAdvice(w io.Writer, list []validate.Spot) {
	fmt.Fprintln(w, "What to do:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var seen []pooltree.Rule
	for i := range list {
		if o := &list[i]; !slices.Contains(seen, o.Rule) {
			seen = append(seen, o.Rule)
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

// verdictOf is the error that ends a command which found this.
func verdictOf(s *validate.Spots) error {
	if s.Illegal() > 0 {
		return &verdictError{exit.BadInput}
	}
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
