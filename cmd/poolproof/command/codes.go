package command

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"poolproof/audit"
	"poolproof/core/pooltree"
	"poolproof/core/spec"
	"poolproof/core/spelling"
	"poolproof/ingest/codes"
	"poolproof/queries"
)

// explainCode explains a code that the program prints: of a problem of a trace or an import, a
// rule of configurations, an option of them, an audit, or an invariant. If several have the
// code, it explains all.
func explainCode(w io.Writer, code string) error {
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		return err
	}
	problems := codes.Explanations()
	found := false
	if text, ok := problems[codes.Trace][code]; ok {
		fmt.Fprintf(w, "%s: %s\n", code, text)
		found = true
	}
	found = explainInvariant(w, code, audits) || found
	found = explainRules(w, code) || found
	found = explainOption(w, code) || found
	var known []string
	for _, o := range pooltree.Options() {
		known = append(append(known, o.Name), o.Aliases...)
	}
	for _, r := range pooltree.Rules() {
		known = append(known, string(r))
	}
	for _, finder := range slices.Sorted(maps.Keys(problems)) {
		if text, ok := problems[finder][code]; ok && finder != codes.Trace {
			fmt.Fprintf(w, "%s, found by %s: %s\n", code, finder, text)
			found = true
		}
		known = slices.AppendSeq(known, maps.Keys(problems[finder]))
	}
	for _, a := range audits {
		if a.ID == code {
			explainAudit(w, a)
			found = true
		}
		known = append(known, a.ID)
	}
	for _, r := range spec.Rules() {
		known = append(known, r.ID)
	}
	if !found {
		slices.Sort(known)
		known = slices.Compact(known)
		return usagef("unknown code %q; %s", code, spelling.MeantOr(code, known, kinToCode(code, known)))
	}
	return nil
}

// kinToCode names the codes that a wrong one may be of the family of, or says what codes
// look like.
func kinToCode(code string, codes []string) string {
	family, _, _ := strings.Cut(strings.ToUpper(code), "-")
	var kin []string
	for _, c := range codes {
		if strings.HasPrefix(c, family+"-") {
			kin = append(kin, c)
		}
	}
	if len(kin) > 0 {
		return "there are " + strings.Join(kin, ", ")
	}
	return "give the id of a rule as GUA-03, of an audit as strong_guarantee_unmet, or the code of a problem as bad_number"
}

// explainInvariant says what an invariant asks, which audits judge it and what excuses
// it, and reports whether there is one of that id.
func explainInvariant(w io.Writer, id string, audits []*audit.Audit) bool {
	var judges []*audit.Audit
	for _, a := range audits {
		if slices.Contains(a.Invariants, id) {
			judges = append(judges, a)
		}
	}
	rule := spec.Of(id)
	switch {
	case rule.ID == "":
		return false
	case rule.Clause != "":
		fmt.Fprintf(w, "%s, a rule: %s.\n", id, rule.Clause)
	default:
		fmt.Fprintf(w, "%s, a rule: %s\n", id, rule.Statement)
	}
	if len(judges) == 0 {
		fmt.Fprintf(w, "No audit judges it: %s.\n", rule.Judged)
		return true
	}
	for _, a := range judges {
		fmt.Fprintf(w, "Judged by the audit %s (%s): %s\n", a.ID, a.Severity, a.Title)
		if len(judges) > 1 {
			fmt.Fprintf(w, "  It asks: %s\n", a.Promise)
		}
	}
	fmt.Fprintf(w, "What may excuse it: %s.\n", rule.Excuses())
	return true
}

// explainAudit says what an audit promises and how it judges.
func explainAudit(w io.Writer, a *audit.Audit) {
	fmt.Fprintf(w, "%s, an audit of severity %s: %s\nIt finds: %s.\n", a.ID, a.Severity, a.Promise, a.Title)
	if a.Why != "" {
		fmt.Fprintf(w, "How it judges: %s\n", a.Why)
	}
	fmt.Fprintf(w, "Rules: %s\n", strings.Join(a.Invariants, ", "))
	for _, p := range a.Params {
		fmt.Fprintf(w, "Threshold %s.%s, by default %g %s: %s.\n", a.ID, p.Name, p.Default, p.Unit, p.Sentence)
	}
	for _, n := range a.Needs {
		fmt.Fprintf(w, "The log must record %s (%s: %s).\n", n.Sentence, n.Aspect, strings.Join(n.States, " or "))
	}
	fmt.Fprintf(w, "Its query for findings:\n%s;\n", a.Findings)
	fmt.Fprintf(w, "Its query for how much was judged:\n%s;\n", a.Seen)
}

// explainOption says what an option of configurations does, by any of its names, and reports
// whether there is one.
func explainOption(w io.Writer, name string) bool {
	var of []string
	var one pooltree.OptionInfo
	for _, o := range pooltree.Options() {
		if o.Name == name || slices.Contains(o.Aliases, name) {
			of, one = append(of, o.Holder), o
		}
	}
	if len(of) == 0 {
		return false
	}
	also := ""
	if len(one.Aliases) > 0 {
		also = ", also called " + strings.Join(one.Aliases, ", ")
	}
	fmt.Fprintf(w, "%s, an option of %ss%s: %s.\n", one.Name, strings.Join(slices.Compact(of), "s and "), also, one.Meaning)
	if takes := one.Value.String(); takes != "" {
		fmt.Fprintf(w, "Its value: %s.\n", takes)
	}
	return true
}

// explainRules explains the rule of that name, or all rules of that invariant,
// and reports whether there are any.
func explainRules(w io.Writer, code string) bool {
	found := false
	for _, r := range pooltree.Rules() {
		if string(r) != code && r.Invariant() != code {
			continue
		}
		about := string(r.Severity())
		if r.Invariant() != "" {
			about = r.Invariant() + ", " + about
		}
		fmt.Fprintf(w, "%s, a rule of configurations (%s): %s. %s What to do: %s\n", r, about, r.Meaning(), r.Why(), r.WhatToDo())
		if r.StopsUpdate() {
			fmt.Fprintln(w, "The scheduler refuses the whole set, and the old one stays in force.")
		}
		found = true
	}
	return found
}
