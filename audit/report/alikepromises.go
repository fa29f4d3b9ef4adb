package report

import (
	"strings"

	"poolproof/audit"
)

// A promiseRow is one promise of the configuration in the trees in which the same became
// of it.
type promiseRow struct {
	grade          audit.Grade
	kind, name     string // of the subject
	statement, why *alike
}

// foldedPromises merges promises that differ only in the tree and quantities.
func foldedPromises(all []audit.Promise) (rows []*promiseRow) {
	type key struct {
		grade                      audit.Grade
		kind, name, statement, why string
	}
	place := map[key]*promiseRow{}
	for _, p := range all {
		why := whyOf(&p)
		at := key{p.Grade, p.SubjectKind, nameOf(p), shapeOf(p.Statement, p.Tree), shapeOf(why, p.Tree)}
		if p.SubjectKind == "tree" {
			at.name = "" // that is the tree
		}
		r := place[at]
		if r == nil {
			r = &promiseRow{p.Grade, p.SubjectKind, nameOf(p), &alike{}, &alike{}}
			place[at], rows = r, append(rows, r)
		}
		r.statement.add(p.Statement, p.Tree)
		r.why.add(why, p.Tree)
	}
	return rows
}

func (r *promiseRow) trees() string { return names(r.statement.trees) }

// who has the promise: a pool, or each of the trees.
func (r *promiseRow) who() string {
	if r.kind == "tree" && len(r.statement.trees) > 1 {
		return "each tree"
	}
	return r.kind + " " + r.name
}

// foldedSubjects merges subjects whose promises differ only in the tree and quantities.
func foldedSubjects(subjects []*poolPromises) (groups []*poolPromises) {
	place := map[string]*poolPromises{}
	for _, s := range subjects {
		tree := s.Trees[0]
		key := []string{s.Kind, s.Name}
		if s.Kind == "tree" {
			key[1] = "" // that is the tree
		}
		for i := range s.Promises {
			p := &s.Promises[i]
			key = append(key, string(p.Grade), shapeOf(p.Statement, tree), shapeOf(whyOf(p), tree))
			if len(p.FindingIDs) > 0 {
				key = append(key, tree) // its findings are its own
			}
		}
		at := strings.Join(key, "\x00")
		g := place[at]
		if g == nil {
			g = s
			g.statements, g.whys = make([]*alike, len(s.Promises)), make([]*alike, len(s.Promises))
			for i := range s.Promises {
				g.statements[i], g.whys[i] = &alike{}, &alike{}
			}
			place[at], groups = g, append(groups, g)
		} else {
			g.Trees = append(g.Trees, tree)
		}
		for i := range s.Promises {
			g.statements[i].add(s.Promises[i].Statement, tree)
			g.whys[i].add(whyOf(&s.Promises[i]), tree)
		}
	}
	return groups
}

// whyOf says what became of a promise, and what is missing to judge it.
func whyOf(p *audit.Promise) string { return strings.TrimSpace(p.Reason + " " + p.Missing) }
