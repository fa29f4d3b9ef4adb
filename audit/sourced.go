package audit

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// What sources of audits told, by audit. One query asks a source for all audits
// that give it their rules: DuckDB takes longer to plan a query of most runs than to answer it.
type sourced struct {
	findings map[*Audit][]Finding
	seen     map[*Audit]map[string]seenRow // by tree
}

// askSources asks each source once. What a source fails to answer each audit asks for itself,
// so that the error is its own.
func askSources(ctx context.Context, db *sql.DB, audits []*Audit) sourced {
	told := sourced{map[*Audit][]Finding{}, map[*Audit]map[string]seenRow{}}
	var sources []string
	finding, seeing := map[string][]*Audit{}, map[string][]*Audit{}
	for _, a := range audits {
		if !a.givesRules() {
			continue
		}
		if !slices.Contains(sources, a.From) {
			sources = append(sources, a.From)
		}
		if a.Findings == a.findingsFrom() {
			finding[a.From] = append(finding[a.From], a)
		}
		if a.Seen == a.seenFrom() {
			seeing[a.From] = append(seeing[a.From], a)
		}
	}
	for _, source := range sources {
		if of := finding[source]; len(of) > 1 {
			told.askFindings(ctx, db, source, of)
		}
		if of := seeing[source]; len(of) > 1 {
			told.askSeen(ctx, db, source, of)
		}
	}
	return told
}

// askFindings asks a source for the findings of all rules of some audits.
func (told sourced) askFindings(ctx context.Context, db *sql.DB, source string, of []*Audit) {
	all := &Audit{From: source}
	by := map[string][]*Audit{} // the rule
	for _, a := range of {
		for _, rule := range a.Invariants {
			by[rule] = append(by[rule], a)
			all.Invariants = append(all.Invariants, rule)
		}
	}
	collections := make(map[*Audit]*collection, len(of))
	for _, a := range of {
		collections[a] = &collection{}
	}
	err := eachFinding(ctx, db, all.findingsFrom(), all.checkColumns, func(row *findingRow) error {
		for _, a := range by[row.invariant.String] {
			if err := collections[a].add(a, row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return
	}
	for a, c := range collections {
		told.findings[a] = c.findings
	}
}

// askSeen asks a source how much was judged by the rules of each of some audits.
func (told sourced) askSeen(ctx context.Context, db *sql.DB, source string, of []*Audit) {
	var sets []string
	by := map[string]map[string]seenRow{} // the rules, then the tree
	for _, a := range of {
		sets = append(sets, rules(a.Invariants))
		by[strings.Join(a.Invariants, " ")] = map[string]seenRow{}
	}
	var set string
	query := fmt.Sprintf("SELECT array_to_string(ids, ' '), tree, seen, unit, reason, idle\nFROM %s.%s_seen([%s])\nORDER BY ALL", internalSchema, source, strings.Join(sets, ", "))
	err := eachSeen(ctx, db, query, []any{&set}, func(tree string, row seenRow) error { return take(by[set], tree, row) })
	if err != nil {
		return
	}
	for _, a := range of {
		told.seen[a] = by[strings.Join(a.Invariants, " ")]
	}
}
