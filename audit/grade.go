package audit

import (
	"cmp"
	"slices"
	"strings"
)

// A grader finds what was judged of a promise, and what was found about it.
type grader struct {
	audits   map[string]*Audit
	judges   map[string][]string    // the audits that judge promises of a kind
	about    map[place][]charge     // by tree and pool
	open     map[place][]openCharge // the same, of episodes that the window cuts
	within   map[string][]charge    // by tree: all of its findings
	outcomes map[place]*Outcome     // by tree and audit
	tested   map[sight][]testedSpan
	scopes   map[promiseScope][]string
}

type (
	place struct{ tree, of string }
	sight struct{ audit, tree, kind, subject string }
)

// A look is the result of an audit for one promise of the kind that it judges.
type look struct {
	*Outcome
	spans []testedSpan // of the subjects in which the promise counts
}

// grade grades the promises by the findings and outcomes of the audits that
// judge their kinds, and by what these saw of each. Audits that only break kinds add
// findings.
func (v *Verdict) grade(p promiseFacts, tested map[string][]testedSpan, coverage map[string]map[string]string, held heldHours) {
	g := v.grader(tested)
	g.scopes = p.scopes
	for _, t := range p.terms {
		subjects, whole := g.subjects(&t)
		t.shortfalls = p.shortfalls[guaranteed{t.Tree, t.Kind, t.Subject}]
		t.grade(g.charges(&t, subjects, whole), g.looks(&t, subjects), coverage[t.Tree], held)
		if !whole {
			t.settleOpen(g.unsettled(&t, subjects))
		}
		v.Promises = append(v.Promises, t.Promise)
	}
	slices.SortStableFunc(v.Promises, func(a, b Promise) int {
		return cmp.Compare(slices.Index(Grades, a.Grade), slices.Index(Grades, b.Grade))
	})
}

func (v *Verdict) grader(tested map[string][]testedSpan) *grader {
	g := &grader{
		audits: map[string]*Audit{}, judges: map[string][]string{}, about: map[place][]charge{}, open: map[place][]openCharge{}, within: map[string][]charge{},
		outcomes: map[place]*Outcome{}, tested: map[sight][]testedSpan{},
	}
	for _, a := range v.Audits {
		g.audits[a.ID] = a
		for _, kind := range a.Judges {
			kind, _, _ = strings.Cut(kind, ":")
			g.judges[kind] = append(g.judges[kind], a.ID)
		}
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		for _, c := range f.charges() {
			c.rank, c.title, c.since = i, g.audits[f.Audit].Title, v.sinceBefore(f.From)
			at := place{f.Tree, c.subject}
			g.about[at] = append(g.about[at], c)
		}
		g.within[f.Tree] = append(g.within[f.Tree], charge{Finding: f, verdict: f.Verdict, named: true, rank: i, title: g.audits[f.Audit].Title})
	}
	for i := range v.Open {
		for _, c := range v.Open[i].charges() {
			at := place{c.Tree, c.subject}
			g.open[at] = append(g.open[at], c)
		}
	}
	for i := range v.Outcomes {
		o := &v.Outcomes[i]
		g.outcomes[place{o.Tree, o.Audit.ID}] = o
	}
	for audit, spans := range tested {
		for _, s := range spans {
			at := sight{audit, s.tree, s.kind, s.subject}
			g.tested[at] = append(g.tested[at], s)
		}
	}
	return g
}

// subjects are the pools in which a promise counts. What is promised of a whole tree
// is about all in it: then the tree alone is returned.
func (g *grader) subjects(t *promiseTerm) (names []string, whole bool) {
	if t.SubjectKind != "tree" {
		return append([]string{t.Subject}, g.scopes[promiseScope{t.Tree, t.Kind, t.Subject}]...), false
	}
	if scope := g.scopes[promiseScope{t.Tree, t.Kind, ""}]; scope != nil {
		return scope, false
	}
	return []string{t.Subject}, true
}

// charges are the findings that concern a promise, the worst first.
func (g *grader) charges(t *promiseTerm, subjects []string, whole bool) (found []charge) {
	var all []charge
	if whole {
		all = g.within[t.Tree]
	} else {
		for _, subject := range subjects {
			all = append(all, g.about[place{t.Tree, subject}]...)
		}
	}
	for _, c := range all {
		if g.audits[c.Audit].breaks(t.Kind, c.Invariant) && t.concerns(&c) && t.meets(c.From, c.To) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b charge) int { return cmp.Compare(a.rank, b.rank) })
	return found
}

// unsettled are the episodes that the window cuts and that may break a promise, beyond it.
func (g *grader) unsettled(t *promiseTerm, subjects []string) (found []openCharge) {
	for _, subject := range subjects {
		for _, c := range g.open[place{t.Tree, subject}] {
			if a := g.audits[c.Audit]; a != nil && a.breaks(t.Kind, c.Invariant) && t.concerns(&c.charge) && t.meets(c.From, c.To) {
				found = append(found, c)
			}
		}
	}
	return found
}

// looks returns the results of the audits that judge promises of the kind, for this promise.
func (g *grader) looks(t *promiseTerm, subjects []string) (all []look) {
	for _, audit := range g.judges[t.Kind] {
		one := look{Outcome: g.outcomes[place{t.Tree, audit}]}
		for _, subject := range subjects {
			one.spans = append(one.spans, g.tested[sight{audit, t.Tree, "", subject}]...)
			one.spans = append(one.spans, g.tested[sight{audit, t.Tree, t.Kind, subject}]...)
		}
		all = append(all, one)
	}
	return all
}
