package docs

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"poolproof/audit"
	"poolproof/cmd/poolproof/commandtest"
	"poolproof/cmd/poolproof/exit"
	"poolproof/core/judge"
	"poolproof/core/pooltree"
	"poolproof/core/spec"
	"poolproof/ingest/codes"
	"poolproof/queries"
	"poolproof/replay/tables"
)

// TestReference compares the pages of the reference with what they are made of, the
// declarations in code and SQL, and fails for anything that lacks a sentence. make docs
// rewrites the pages.
func TestReference(t *testing.T) {
	r := newReference(t)
	pages := map[string]string{
		"queries/VIEWS.md":          r.views(),
		"queries/AUDITS.md":         r.audits(),
		"queries/RULES.md":          r.rules(),
		"core/spec/invariants.md":   r.invariants(),
		"audit/POLICY.md":           r.policy(),
		"ingest/PROBLEMS.md":        r.problems(),
		"core/pooltree/OPTIONS.md":  r.options(),
		"cmd/poolproof/EXITCODE.md": r.exitCodes(),
		"ingest/ytsaurus/README.md": withPoolAttributes(t, "ingest/ytsaurus/README.md"),
	}
	r.tables()
	pages["REFERENCE.md"] = r.index() // of all that the pages before noted
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		file := commandtest.InProject(name)
		if *commandtest.Update {
			if err := os.WriteFile(file, []byte(pages[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != pages[name] {
			t.Errorf("%s is not what the declarations say: make docs (%v)", name, err)
		}
	}
}

// withPoolAttributes returns a page whose script exports attributes, with those of all options of pools beside the
// ones that it names.
func withPoolAttributes(t *testing.T, page string) string {
	text, err := os.ReadFile(commandtest.InProject(page))
	if err != nil {
		t.Fatal(err)
	}
	const head, end = "for attribute in config default_tree \\\n", "\ndo\n"
	before, rest, found := strings.Cut(string(text), head)
	list, after, ends := strings.Cut(rest, end)
	if !found || !ends {
		t.Fatalf("%s has no script that exports attributes", page)
	}
	names := strings.Fields(strings.ReplaceAll(list, "\\", ""))
	for _, o := range pooltree.PoolOptions() {
		names = append(append(names, o.Name), o.Aliases...)
	}
	var lines []string
	line := " "
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if len(line)+1+len(name) > 98 {
			lines, line = append(lines, line), " "
		}
		line += " " + name
	}
	return before + head + strings.Join(append(lines, line), " \\\n") + end + after
}

// TestTheReferenceMissesWhatLacksASentence: the fault is planted.
func TestTheReferenceMissesWhatLacksASentence(t *testing.T) {
	planted := &reference{t: t, fail: func(string, ...any) {}}
	failed := 0
	planted.fail = func(string, ...any) { failed++ }
	planted.entry("Table", "jobs", "one row per job", "x.md")
	planted.entry("Table", "nodes", " ", "x.md")
	planted.unit("furlongs")
	planted.unit("s")
	if failed != 2 {
		t.Errorf("of two faults %d are seen", failed)
	}
}

// A reference is being written: what its pages explain goes into the index.
type reference struct {
	t       *testing.T
	fail    func(format string, args ...any)
	objects []audit.Object
	entries map[string][]string        // lines of the index by kind
	columns map[string]map[string]bool // tables by column
	words   map[string]map[string]bool // columns by word
	units   map[string]bool
}

func newReference(t *testing.T) *reference {
	t.Helper()
	objects, err := audit.ReadObjects(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	return &reference{t: t, fail: t.Errorf, objects: append(audit.VerdictTables(), objects...)}
}

// entry notes a name with what it means and where that stands.
func (r *reference) entry(kind, name, meaning, page string) {
	meaning = strings.TrimSpace(meaning)
	if meaning == "" {
		r.fail("%s %s lacks a sentence", kind, name)
	}
	if r.entries == nil {
		r.entries = map[string][]string{}
	}
	r.entries[kind] = append(r.entries[kind], fmt.Sprintf("[`%s`](%s)", name, page))
}

// column notes a column, its unit and its words.
func (r *reference) column(table, name, unit, meaning string, words []string) {
	if strings.TrimSpace(meaning) == "" {
		r.fail("%s.%s lacks a sentence", table, name)
	}
	r.unit(unit)
	noteName(&r.columns, name, table)
	for _, w := range words {
		if w != "" {
			noteName(&r.words, w, name)
		}
	}
}

func noteName(all *map[string]map[string]bool, key, value string) {
	if *all == nil {
		*all = map[string]map[string]bool{}
	}
	if (*all)[key] == nil {
		(*all)[key] = map[string]bool{}
	}
	(*all)[key][value] = true
}

// unitMeanings explain the units of columns, parameters and thresholds.
var unitMeanings = map[string]string{
	"1e-9 share·s": "billionths of a share, summed over seconds; divided by 1e9 and the length of a span they are its mean share",
	"GiB·s":        "memory, summed over seconds",
	"UTC":          "a time, TIMESTAMP without a zone",
	"amount":       "an amount of the resource that the column resource names, in its unit of the view resources",
	"amount·s":     "such an amount, summed over seconds: slot·s, core·s, device·s, GiB·s or unit·s",
	"bytes":        "memory", "checks": "a number of rule checks", "cores": "CPU, exact to a hundredth",
	"core·s": "CPU, summed over seconds", "devices": "GPUs; thousandths of one where the source counts so", "device·s": "GPUs, summed over seconds",
	"days": "a number of days", "elements": "a number of pools or operations", "events": "a number of events", "findings": "a number of findings",
	"jobs": "a number of jobs", "levels": "names of a path, counted from below the root", "ms": "milliseconds", "nodes": "a number of nodes",
	"number": "a number that only tells things apart, or counts what the sentence says", "promises": "a number of promises", "operations": "a number of operations", "periods": "a number of periods", "pools": "a number of pools",
	"position": "a place in an order, from 0", "ratio": "a number by another of the same kind, DOUBLE", "records": "a number of records",
	"rows": "a number of rows", "s": "seconds", "samples": "samples of step_s seconds each", "samples²": "the square of a number of samples", "seen_unit": "the unit that the column seen_unit names",
	"share": "a fraction of the whole tree, DOUBLE in [0, 1]", "share·s": "a share, summed over seconds", "slots": "user slots: jobs that may run", "slot·s": "user slots, summed over seconds",
	"starts": "a number of job starts", "stretches": "a number of stretches of time", "s²": "the square of a length of time", "times": "how often", "unit": "the unit that the column unit names", "units": "the resource network",
	"decisions": "a number of recorded starts and preemptions", "heartbeats": "a number of heartbeats", "looks": "a number of looks at a state", "exponent": "a power of ten", "row": "a place in a file, from 0",
	"resource's": "an amount of the resource in its unit: slots, cores, devices, bytes or units", "see resource": "an amount of the resource that the column resource names", "see measure": "what the column measure names",
	"updates": "a number of share updates", "weight": "a weight among siblings", "µs": "microseconds",
}

func (r *reference) unit(unit string) {
	if unit == "" {
		return
	}
	if unitMeanings[unit] == "" {
		r.fail("the unit %s lacks a sentence", unit)
	}
	if r.units == nil {
		r.units = map[string]bool{}
	}
	r.units[unit] = true
}

const generated = "Generated from the declarations; `make docs` renews it. [REFERENCE.md](%s) is the index of all\nreferences.\n"

// page begins a page; up leads from its folder to that of the index.
func page(title, up, about string) *strings.Builder {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n"+generated, title, up+"REFERENCE.md")
	if about != "" {
		fmt.Fprintf(&b, "\n%s\n", about)
	}
	return &b
}

func row(b *strings.Builder, cells ...string) {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func head(b *strings.Builder, names ...string) {
	b.WriteByte('\n')
	row(b, names...)
	row(b, slices.Repeat([]string{"---"}, len(names))...)
}

func code(text string) string { return "`" + text + "`" }

func (r *reference) tables() {
	for _, table := range tables.All() {
		r.entry("Tables", table.Name, table.Sentence, "replay/tables/README.md#"+table.Name)
		for _, c := range table.Columns {
			r.column(table.Name, c.Name, c.Unit, c.Sentence, c.Words)
		}
	}
}

// views explains what people ask of run.duckdb beside the result tables.
func (r *reference) views() string {
	b := page("Views, macros and tables of the verdict", "../", "What `run.duckdb` holds in its schema `main` beside the [result tables](../replay/tables/README.md).\nParameters with a default may be left out, and are given as `name := value`. A test puts the examples to a run.")
	for _, part := range []struct {
		title, entries string
		of             func(o *audit.Object) bool
	}{
		{"Tables of the verdict", "Tables", func(o *audit.Object) bool { return o.Kind == "TABLE" }},
		{"Views", "Views", func(o *audit.Object) bool { return o.Kind == "VIEW" }},
		{"Table macros", "Macros", func(o *audit.Object) bool { return o.Kind == "MACRO TABLE" }},
		{"Macros of one value", "Macros", func(o *audit.Object) bool { return o.Kind == "MACRO" }},
	} {
		fmt.Fprintf(b, "\n# %s\n", part.title)
		for _, o := range r.public(part.of) {
			r.entry(part.entries, o.Name, o.Sentence, "queries/VIEWS.md#"+o.Name)
			r.object(b, &o)
		}
	}
	return b.String()
}

func (r *reference) public(of func(o *audit.Object) bool) (some []audit.Object) {
	for _, o := range r.objects {
		if o.Public() && of(&o) {
			some = append(some, o)
		}
	}
	slices.SortFunc(some, func(a, b audit.Object) int { return cmp.Compare(a.Name, b.Name) })
	return some
}

func (r *reference) object(b *strings.Builder, o *audit.Object) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", o.Name, o.Sentence)
	r.unit(o.Returns)
	if o.Returns != "" {
		fmt.Fprintf(b, "\nUnit: %s.\n", o.Returns)
	}
	if len(o.Params) > 0 {
		head(b, "parameter", "default", "unit", "meaning")
		for _, p := range o.Params {
			r.column(o.Name+"()", p.Name, p.Unit, p.Sentence, nil)
			value := ""
			if p.Default != "" {
				value = code(p.Default)
			}
			row(b, code(p.Name), value, p.Unit, p.Sentence)
		}
	}
	if len(o.Columns) > 0 {
		head(b, "column", "unit", "meaning")
		for _, c := range o.Columns {
			r.column(o.Name, c.Name, c.Unit, c.Sentence, c.Words)
			row(b, code(c.Name), c.Unit, c.Sentence)
		}
	}
	for _, e := range o.Examples {
		fmt.Fprintf(b, "\n```sql\n%s;\n```\n", e)
	}
}

// audits explains every audit.
func (r *reference) audits() string {
	b := page("Audits", "../", "An audit finds what broke a rule. `poolproof validate --explain AUDIT` prints its SQL, too.")
	files, err := fs.Glob(queries.Files, "audits/*/*.sql")
	if err != nil {
		r.t.Fatal(err)
	}
	topics := map[string]string{}
	for _, file := range files {
		topics[strings.TrimSuffix(path.Base(file), ".sql")] = path.Base(path.Dir(file))
	}
	topic := ""
	for _, a := range readAudits(r.t) {
		if topics[a.ID] != topic {
			topic = topics[a.ID]
			fmt.Fprintf(b, "\n# %s\n", strings.ReplaceAll(topic, "_", " "))
		}
		r.entry("Audits", a.ID, a.Title, "queries/AUDITS.md#"+a.ID)
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n- finds: %s\n- severity: %s\n- rules: %s\n", a.ID, a.Promise, a.Title, a.Severity, strings.Join(a.Invariants, ", "))
		if a.Concerns != "" {
			fmt.Fprintf(b, "- concerns: the %s: what it finds is damaged, and not violated\n", a.Concerns)
		}
		if len(a.Judges) > 0 {
			fmt.Fprintf(b, "- grades promises: %s\n", strings.Join(a.Judges, ", "))
		}
		fmt.Fprintf(b, "- reads: %s\n", strings.Join(a.Reads, ", "))
		for _, p := range a.Params {
			r.entry("Policy keys", a.ID+"."+p.Name, p.Sentence, "audit/POLICY.md#thresholds")
			fmt.Fprintf(b, "- threshold `%s`, by default %g %s: %s\n", p.Name, p.Default, p.Unit, p.Sentence)
		}
		for _, n := range a.Needs {
			fmt.Fprintf(b, "- the log must record %s (coverage `%s`: %s)\n", n.Sentence, n.Aspect, strings.Join(n.States, " or "))
		}
		if a.Why != "" {
			fmt.Fprintf(b, "\n%s\n", a.Why)
		}
	}
	return b.String()
}

func readAudits(t *testing.T) []*audit.Audit {
	t.Helper()
	audits, err := audit.ReadAudits(queries.Files)
	if err != nil {
		t.Fatal(err)
	}
	return audits
}

// The pages of the specification that the reference leads to.
const (
	invariantsPage = "core/spec/invariants.md"
	schedulingPage = "core/spec/scheduling.md"
)

// sectionOfRules matches a section of invariants.md up to the rows of its table.
var sectionOfRules = regexp.MustCompile(`(?m)^## (\d+)\. .*\n\n(\| Id \|.*\n\|---.*\n)(\|.*\n)+`)

// invariants puts the rules into the tables of the specification, the sections in the order of both.
func (r *reference) invariants() string {
	text, err := os.ReadFile(commandtest.InProject(invariantsPage))
	if err != nil {
		r.t.Fatal(err)
	}
	left := spec.Rules()
	page := sectionOfRules.ReplaceAllStringFunc(string(text), func(section string) string {
		m := sectionOfRules.FindStringSubmatch(section)
		var b strings.Builder
		for title := left[0].Section; len(left) > 0 && left[0].Section == title; left = left[1:] {
			rule := left[0]
			if b.Len() == 0 {
				fmt.Fprintf(&b, "## %s. %s\n\n%s", m[1], title, m[2])
			}
			exceptions := strings.Join(slices.DeleteFunc([]string{rule.Excuse, rule.Exception}, func(s string) bool { return s == "" }), "; ")
			row(&b, rule.ID, rule.Statement, cmp.Or(rule.Inputs, "—"), cmp.Or(rule.Slack, "—"), string(rule.Severity), cmp.Or(exceptions, "—"))
		}
		return b.String()
	})
	if len(left) > 0 {
		r.fail("%s has no table for %s", invariantsPage, left[0].ID)
	}
	return page
}

// rules lists the rules of the specification, and who judges them.
func (r *reference) rules() string {
	b := page("Rules", "../", "What a correct scheduler keeps. [invariants.md](../"+invariantsPage+") has inputs and slacks, too.")
	judges := map[string][]string{}
	for _, a := range readAudits(r.t) {
		for _, id := range a.Invariants {
			judges[id] = append(judges[id], fmt.Sprintf("[%s](AUDITS.md#%s)", a.ID, a.ID))
		}
	}
	head(b, "rule", "severity", "statement", "judged by", "excused by")
	for _, rule := range spec.Rules() {
		r.entry("Rules", rule.ID, rule.Statement, "queries/RULES.md")
		by, excuse := strings.Join(judges[rule.ID], ", "), rule.Excuses()
		switch {
		case by == "" && rule.Judged == "":
			r.fail("no audit judges %s, and rules.txt does not say why", rule.ID)
		case by == "":
			by, excuse = "no audit: "+rule.Judged, ""
		case rule.Judged != "":
			by += ": " + rule.Judged
		}
		row(b, rule.ID, string(rule.Severity), rule.Statement, by, excuse)
		delete(judges, rule.ID)
	}
	for id := range judges {
		r.fail("the specification has no rule %s", id)
	}
	fmt.Fprintf(b, "\n## Rules of configurations\n\n`poolproof validate` checks them, and the audits of configurations over time.\n")
	head(b, "rule", "id", "severity", "meaning", "why", "what to do")
	for _, rule := range pooltree.Rules() {
		r.entry("Rules of configurations", string(rule), rule.Meaning(), "queries/RULES.md#rules-of-configurations")
		row(b, code(string(rule)), rule.Invariant(), fmt.Sprint(rule.Severity()), rule.Meaning(), rule.Why(), rule.WhatToDo())
	}
	return b.String()
}

var policyKey = regexp.MustCompile(`^( *)(?:- )?(\w+):`)

// policy explains the keys of a policy.
func (r *reference) policy() string {
	b := page("The policy", "../", "A policy with all its keys; a key that is not known is an error. Those above `slas` have their defaults.")
	fmt.Fprintf(b, "\n```yaml\n%s```\n", audit.PolicyExample)
	comment, about, section := "", "", ""
	for _, line := range strings.Split(audit.PolicyExample, "\n") {
		if text, ok := strings.CutPrefix(line, "#"); ok {
			comment += text
			continue
		}
		if m := policyKey.FindStringSubmatch(line); m != nil {
			if comment != "" {
				about, comment = comment, ""
			}
			name := m[2]
			if m[1] == "" && !strings.HasPrefix(line, "  ") {
				section = name
			} else {
				name = section + "." + name
			}
			if !strings.HasPrefix(name, "strong_guarantee_unmet") && !strings.HasPrefix(name, "slas.strong") && name != "slacks.use_s" { // thresholds and slacks have their own lists
				r.entry("Policy keys", name, about, "audit/POLICY.md")
			}
		}
	}
	fmt.Fprintf(b, "\n## Thresholds\n\n`AUDIT: {NAME: VALUE}`.\n")
	head(b, "threshold", "default", "unit", "meaning")
	for _, a := range readAudits(r.t) {
		for _, p := range a.Params {
			row(b, code(a.ID+"."+p.Name), fmt.Sprintf("%g", p.Default), p.Unit, p.Sentence)
		}
	}
	fmt.Fprintf(b, "\n## Slacks\n\n`slacks: {NAME: VALUE}`: how far the log may be off before a finding is violated.\n")
	head(b, "slack", "usual", "unit", "meaning")
	usual := judge.DefaultSlacks()
	for _, k := range judge.Settable {
		r.entry("Policy keys", "slacks."+k.Name, k.Sentence, "audit/POLICY.md#slacks")
		row(b, code(k.Name), fmt.Sprint(k.Value(&usual)), k.Unit, k.Sentence)
	}
	return b.String()
}

// problems explains the codes of what cannot be used of an input.
func (r *reference) problems() string {
	b := page("Codes of problems", "../", "A row of input that cannot be used becomes a row of the table `problems`, or a line of an import, with a\ncode. `poolproof validate --explain CODE` says the same.")
	all := codes.Explanations()
	for _, finder := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(b, "\n## %s\n", finder)
		head(b, "code", "meaning")
		anchor := strings.ReplaceAll(strings.ToLower(finder), " ", "-")
		for _, c := range slices.Sorted(maps.Keys(all[finder])) {
			r.entry("Codes of problems", c, all[finder][c], "ingest/PROBLEMS.md#"+anchor)
			row(b, code(c), all[finder][c])
		}
	}
	return b.String()
}

// options explains the options of configurations.
func (r *reference) options() string {
	b := page("Options of configurations", "../../", "What is read of the configuration of a cluster, its trees and pools, and of the specs of operations.\n[scheduling.md](../../"+schedulingPage+") §3 has defaults and rules. `poolproof validate --explain OPTION`\nsays the same.")
	holder := ""
	for _, o := range pooltree.Options() {
		if o.Holder != holder {
			holder = o.Holder
			fmt.Fprintf(b, "\n## %s\n", strings.ToUpper(holder[:1])+holder[1:])
			head(b, "option", "other names", "value", "meaning")
		}
		var also []string
		for _, a := range o.Aliases {
			also = append(also, code(a))
			r.entry("Options", a, o.Meaning, "core/pooltree/OPTIONS.md#"+holder)
		}
		r.entry("Options", o.Name, o.Meaning, "core/pooltree/OPTIONS.md#"+holder)
		row(b, code(o.Name), strings.Join(also, ", "), o.Value.String(), o.Meaning)
	}
	return b.String()
}

func (r *reference) exitCodes() string {
	b := page("Exit codes", "../../", "")
	head(b, "exit code", "meaning")
	for _, e := range exit.Meanings {
		r.entry("Exit codes", fmt.Sprint(e.Code), e.Meaning, "cmd/poolproof/EXITCODE.md")
		row(b, fmt.Sprint(e.Code), e.Meaning)
	}
	return b.String()
}

// index lists every name and where it is explained.
func (r *reference) index() string {
	var b strings.Builder
	b.WriteString("# Reference\n\nGenerated from the declarations in code and SQL; `make docs` renews it, and a test fails where a sentence\nis missing or a page is stale. Every name stands here once and leads to its page:\n\n" +
		"| page | what it explains |\n| --- | --- |\n" +
		"| [result tables](replay/tables/README.md) | what a replay writes, column by column |\n" +
		"| [views, macros, verdict](queries/VIEWS.md) | what `run.duckdb` holds beside them, with examples |\n" +
		"| [audits](queries/AUDITS.md) | what each audit promises and how it judges |\n" +
		"| [rules](queries/RULES.md) | what a correct scheduler keeps, and the rules of configurations |\n" +
		"| [policy](audit/POLICY.md) | keys, thresholds and slacks |\n" +
		"| [options](core/pooltree/OPTIONS.md) | what is read of configurations, with other names |\n" +
		"| [codes of problems](ingest/PROBLEMS.md) | what could not be used of an input |\n" +
		"| [exit codes](cmd/poolproof/EXITCODE.md) | how a command ends |\n")
	for _, kind := range []string{"Tables", "Views", "Macros", "Audits", "Rules", "Rules of configurations", "Policy keys", "Options", "Codes of problems", "Exit codes"} {
		lines := r.entries[kind]
		if kind != "Exit codes" && kind != "Rules" {
			slices.Sort(lines)
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", kind, wrapped(slices.Compact(lines)))
	}
	fmt.Fprintf(&b, "\n## Units\n\n| unit | meaning |\n| --- | --- |\n")
	for _, unit := range slices.Sorted(maps.Keys(r.units)) {
		row(&b, unit, unitMeanings[unit])
	}
	for unit := range unitMeanings {
		if !r.units[unit] {
			r.fail("nothing has the unit %s", unit)
		}
	}
	fmt.Fprintf(&b, "\n## Words of columns\n\nWhat columns hold that have one out of a few words.\n\n| word | columns |\n| --- | --- |\n")
	for _, w := range slices.Sorted(maps.Keys(r.words)) {
		row(&b, code(w), strings.Join(slices.Sorted(maps.Keys(r.words[w])), ", "))
	}
	fmt.Fprintf(&b, "\n## Columns\n\nWhere a column stands; `name()` has a parameter of that name.\n\n| column | tables, views and macros |\n| --- | --- |\n")
	for _, c := range slices.Sorted(maps.Keys(r.columns)) {
		row(&b, code(c), strings.Join(slices.Sorted(maps.Keys(r.columns[c])), ", "))
	}
	return b.String()
}

// wrapped joins entries, some to a line.
func wrapped(entries []string) string {
	var b strings.Builder
	for i, e := range entries {
		switch {
		case i == 0:
		case i%3 == 0:
			b.WriteString(",\n")
		default:
			b.WriteString(", ")
		}
		b.WriteString(e)
	}
	return b.String()
}
